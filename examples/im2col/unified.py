"""A layer whose output lies in the memory of its input, behind the one port that each bank of both has.

python examples/im2col/unified.py --n 2 --ci 4 --h 5 --co 4 --filter 3 --array 4 --tile 1 --stride 1
python examples/im2col/unified.py --n 8 --ci 2 --h 3 --co 4 --filter 1 --array 2 --word 8

Bank i holds channel i of the input, and then of the output. Sums stay in the accumulators until all of the input is
read, so words are read in all passes, and written after the last one. With words of several elements of the batch
(`--word`) those of one tile of output channels are written while the next ones are computed, between reads: in cycles
that are known, or it is refused. A second stage reads the output from there.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from implicit import Built, Layer, conv, operands, packed

import halidehw as hl


def unified(layer: Layer, word: int = 1) -> Built:
    """The layer, and a stage that writes its output to memory. `word`: elements that pass a port together; the input
    then lies behind the output."""
    k, n, x, y, ko, ki = hl.vars("k n x y ko ki")
    built, size = conv(layer), layer.array
    made, output = built.output, hl.Func("written")
    output[k, n, x, y] = made[k, n, x, y]
    output.set_bounds([(0, layer.co_tiles * size), (0, layer.n), (0, layer.out), (0, layer.out)])
    output.split(k, ko, ki, size).reorder(ki, n, x, y, ko).unroll(ki)
    made.compute_root().store_with(built.rows, layer.m * layer.co_tiles if word > 1 else 0).single_port(word)
    if word > 1:
        made.reorder_storage(n, x, y, k)
    return replace(built, output=output.accelerate(built.inputs))


def main() -> None:
    parser = argparse.ArgumentParser(description="A layer whose output lies in the memory of its input: simulated.")
    for name, default in (("n", 2), ("ci", 4), ("h", 5), ("co", 4), ("filter", 3), ("array", 4), ("tile", 1),
                          ("stride", 1), ("dilation", 1), ("padding", 0)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--word", type=int, default=1, help="elements of the batch that pass a port together")
    args = vars(parser.parse_args())
    try:
        word = args.pop("word")
        layer = Layer(**args)
        built = unified(layer, word)
        image, filters = operands(layer, 0)
        inputs = {"image": image, "weights": packed(layer, filters)}
        compiled = hl.compile(built.output, port_bits=built.port_bits)
        result = hl.simulate(compiled, inputs)
    except hl.HalideHWError as error:
        print(error.message, *error.proposed, sep="\n    ", file=sys.stderr)
        sys.exit(2)
    memory = next(each for each in compiled.accelerator.memories if each.together)
    print(f"right {result.match}, {memory.banks} banks of {memory.depth} words with one port, {result.cycles} cycles")
    sys.exit(0 if result.match else 1)


if __name__ == "__main__":
    main()
