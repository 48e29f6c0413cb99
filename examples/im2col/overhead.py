"""What implicit im2col costs beside a plain product of the same M, N and K on the same array, both in RTL.

python examples/im2col/overhead.py [--array 8]

The layers are the 3x3 convolutions of ResNet-50, their channels scaled as the array is to 128x128 PEs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from math import gcd

from implicit import Layer
from layer import report
from model import gemm

RESNET50 = ((64, 14), (128, 7), (256, 5), (512, 4))
"""Channels, and pixels on a side, scaled from 56, 28, 14 and 7."""


WIDE = 16
"""Elements with which memories are filled in a cycle. Weights are held back until the input is in, and then the output
as long; with fewer the array would wait for that."""


def pairs(array: int) -> Iterator[tuple[Layer, Layer]]:
    """A layer, as many positions at once as fit, and the product: K is what the layer sums up."""
    for channels, h in RESNET50:
        c = channels * array // 128
        layer = Layer(2, c, h, c, 3, array, max(1, array // c), padding=1)
        yield layer, gemm(layer.m, c, 9 * c, array)


def main() -> None:
    parser = argparse.ArgumentParser(description="Implicit im2col beside a plain product, in RTL.")
    parser.add_argument("--array", type=int, default=8, help="PEs on each side")
    array = parser.parse_args().array
    print("channels     M   positions   implicit   product   overhead   right")
    for layer, product in pairs(array):
        ours, plain = (report(each, 1, lanes=gcd(each.n, WIDE)) for each in (layer, product))
        more = ours.cycles / plain.cycles - 1
        sizes = f"{layer.ci:8} {layer.m:5} {layer.tile:11}"
        print(f"{sizes} {ours.cycles:10} {plain.cycles:9} {more:10.2%}   {ours.match and plain.match}", flush=True)


if __name__ == "__main__":
    main()
