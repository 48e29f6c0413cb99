"""WRN-40-2, ResNet34 and MobileNetV2 with their 3x3 convolutions dense (S), in 2 to 16 groups, and depthwise (GN).

python examples/grouped/variants.py

A variant's 3x3 convolution becomes a grouped one and a pointwise one; stem, shortcuts and classifier stay. MobileNetV2
has the pointwise one already. `expected` is the variant's part of the dense network's time, if only the work counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from halidehw.mapping.layer import Layer
from halidehw.mapping.variants import Part, expected, grouped, macs, parameters

GROUPS = {"S": 1, "G2": 2, "G4": 4, "G8": 8, "G16": 16, "GN": None}


def conv(name: str, out: int, c: int, k: int, filter: int = 3, stride: int = 1) -> Layer:
    return Layer(name=name, ox=out, oy=out, c=c, k=k, fx=filter, fy=filter, stride=stride)


def residual(sizes: list[tuple[int, int, int]], channels: int, normalised: bool) -> Iterator[Part]:
    """Stages of blocks of two 3x3 convolutions: output size, channels and blocks of each. Where a block changes the
    channels its shortcut is pointwise, `normalised` or not."""
    for at, (out, k, blocks) in enumerate(sizes):
        for block in range(blocks):
            name, stride = f"{at}_{block}", 2 if at and not block else 1
            yield Part(conv(f"conv{name}a", out, channels, k, stride=stride))
            yield Part(conv(f"conv{name}b", out, k, k))
            if channels != k:
                yield Part(conv(f"short{name}", out, channels, k, 1, stride), "shortcut", normalised)
            channels = k


def wrn_40_2() -> list[Part]:
    """For images of 32 x 32."""
    blocks = residual([(32, 32, 6), (16, 64, 6), (8, 128, 6)], 16, normalised=False)
    return [Part(conv("stem", 32, 3, 16), "stem"), *blocks, Part(Layer(c=128, k=10, name="fc"), "classifier", False)]


def resnet34() -> list[Part]:
    """For images of 224 x 224."""
    blocks = residual([(56, 64, 3), (28, 128, 4), (14, 256, 6), (7, 512, 3)], 64, normalised=True)
    stem = Part(conv("stem", 112, 3, 64, 7, 2), "stem")
    return [stem, *blocks, Part(Layer(c=512, k=1000, name="fc"), "classifier", False)]


def mobilenet_v2() -> list[Part]:
    """For images of 224 x 224; of each block the channels are widened, filtered and narrowed again."""
    found, c, size = [Part(conv("stem", 112, 3, 32, 3, 2), "stem")], 32, 112
    rows = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for at, (wider, k, blocks, first) in enumerate(rows):
        for block in range(blocks):
            name, stride, wide = f"{at}_{block}", 1 if block else first, c * wider
            found += [Part(conv(f"widen{name}", size, c, wide, 1))] if wider > 1 else []
            size //= stride
            found += [Part(conv(f"filter{name}", size, wide, wide, 3, stride), mixed=True)]
            found += [Part(conv(f"narrow{name}", size, wide, k, 1))]
            c = k
    found += [Part(conv("last", size, c, 1280, 1))]
    return [*found, Part(Layer(c=1280, k=1000, name="fc"), "classifier", False)]


def variants(base: list[Part]) -> dict[str, list[Part]]:
    return {name: list(grouped(base, groups)) for name, groups in GROUPS.items()}


def main() -> None:
    print(f"{'network':14} {'variant':8} {'MACs':>14} {'parameters':>12} {'expected':>9}")
    for base in (wrn_40_2, resnet34, mobilenet_v2):
        every = variants(base())
        for name, parts in every.items():
            part = expected(1, every["S"], parts)
            print(f"{base.__name__:14} {name:8} {macs(parts):14} {parameters(parts):12} {part:9.1%}")


if __name__ == "__main__":
    main()
