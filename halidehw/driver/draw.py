"""Values of inputs made up so that the output shows what went into it.

Words drawn over the whole range of their types saturate what is requantised: nearly all outputs are the type's least or
greatest, and a wrong sum goes unseen. So each input has a magnitude, the bits that its words use. Some elements of the
output are worked out from independent words of each magnitude that is tried, and those are taken whose outputs differ
most (by entropy): the widest ones that do about as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log2, prod

import numpy as np

from halidehw.expr.expr import Const, Expr
from halidehw.expr.tree import fold
from halidehw.expr.types import Struct, Type, record
from halidehw.ir.affine import Affine
from halidehw.ir.evaluate import REDUCERS, combining, computing, merged
from halidehw.ir.graph import Graph, graph_of
from halidehw.ir.nest import Access, Accumulated, Combine, Load, Lookup, LoopValue, Merge, Nest, Scan, Scattered, Tensor

Magnitudes = Mapping[str, int]
"""Of each input how many bits its words use."""

_MOST = 1 << 17  # words in a sample
_ELEMENTS = range(32, 257)  # of the output in a sample
_ENOUGH = 0.9  # of the entropy that is possible
_BETTER = 0.2  # bits of entropy for which words are made narrower
_RARE = 8  # outputs to one that sees an extreme


def random_inputs(design: Nest | Graph, seed: int) -> dict[str, np.ndarray]:
    """An array for each input, dimension 0 last: random words of the magnitude that suits it, and here and there, each
    on its own, the least and the greatest word of its type."""
    generator, graph = np.random.default_rng(seed), graph_of(design)
    drawn: dict[str, Draw] = {}
    for nest in graph.stages:
        drawn = {name: draw for name, draw in draws(nest).items() if name not in graph.made} | drawn
    return {tensor.name: drawn[tensor.name].words(generator) for tensor in graph.inputs}


def uniform_inputs(design: Nest | Graph, seed: int) -> dict[str, np.ndarray]:
    """An array for each input, dimension 0 last: random words over the whole range of its type."""
    generator = np.random.default_rng(seed)
    return {tensor.name: _words(tensor.type, tensor.extents[::-1], generator) for tensor in graph_of(design).inputs}


@dataclass(frozen=True)
class Draw:
    """How the words of a tensor are made up: of so many bits, `odd` or as they come; one in `rarity`, and one at least,
    is the least or the greatest of the tensor's type."""

    tensor: Tensor
    bits: int
    odd: bool
    rarity: int

    def words(self, generator: np.random.Generator) -> np.ndarray:
        """The tensor, dimension 0 last."""
        kind, shape = self.tensor.type, self.tensor.extents[::-1]
        words = _narrow(kind, self.bits, self.odd, shape, generator).reshape(-1)
        places = generator.permutation(words.size)[: max(1, words.size // self.rarity)]
        words[places] = np.where(places % 2, np.asarray(kind.max, kind.dtype), np.asarray(kind.min, kind.dtype))
        return words.reshape(shape)


def draws(nest: Nest) -> dict[str, Draw]:
    """How to make up each input."""
    found, rarity = magnitudes(nest), _RARE * _terms(nest)
    return {each.name: Draw(each, found[each.name], _odd(nest), rarity) for each in nest.inputs}


def magnitudes(nest: Nest) -> dict[str, int]:
    """The bits for each input: all of them where the output is as good with them."""
    sample = _Sample(nest)
    best = {tensor.name: tensor.type.bits for tensor in nest.inputs}
    score = sample.entropy(best)
    if score >= _ENOUGH * sample.possible:
        return best
    widest = dict(best)
    for bits in range(max(widest.values(), default=1) - 1, 0, -1):
        best, score = sample.better(best, score, {name: min(bits, most) for name, most in widest.items()})
    for name, most in widest.items():
        for bits in range(most, 0, -1):
            best, score = sample.better(best, score, best | {name: bits})
    return best


@dataclass(frozen=True)
class _Sample:
    """Elements of a nest's output from words that are independent of each other."""

    nest: Nest

    @cached_property
    def terms(self) -> int:
        """Iterations of one element, as far as there is room for them."""
        return min(_terms(self.nest), _MOST // _ELEMENTS.start)

    @cached_property
    def elements(self) -> int:
        return min(max(_MOST // self.terms, _ELEMENTS.start), _ELEMENTS.stop - 1)

    @property
    def possible(self) -> float:
        """The entropy of elements that all differ, or take all values of their type."""
        return min(log2(self.elements), self.nest.output.type.bits)

    def better(self, best: dict[str, int], score: float, other: dict[str, int]) -> tuple[dict[str, int], float]:
        found = self.entropy(other)
        return (other, found) if found > score + _BETTER else (best, score)

    def entropy(self, bits: Magnitudes) -> float:
        """In bits, of the elements that words of these magnitudes give."""
        _, counts = np.unique(self.outputs(bits), return_counts=True)
        shares = counts / counts.sum()
        return float(-(shares * np.log2(shares)).sum())

    def outputs(self, bits: Magnitudes) -> np.ndarray:
        nest, generator = self.nest, np.random.default_rng(0)
        every = self._evaluate(nest.value, (self.elements, self.terms), bits, generator, None)
        total = np.broadcast_to(every, (self.elements, self.terms))
        if nest.combine is not None:
            total = self._reduced(nest.combine, total)
        if nest.epilogue is None:
            return total
        return np.asarray(self._evaluate(nest.epilogue, (self.elements, 1), bits, generator, total))

    def _reduced(self, operator: Combine, values: np.ndarray) -> np.ndarray:
        """The elements, of the values of their terms."""
        kind, combine = self.nest.type, combining(operator, self.nest.type)
        if isinstance(operator, Merge):
            assert isinstance(kind, Struct)
            init = np.broadcast_to(record(kind, kind.unpacked(self.nest.init)), (1, 1))
            return np.asarray(combine(init, merged(values, (1,), combine)))
        carrier = np.int64 if kind.signed else np.uint64
        reduced = REDUCERS[operator].reduce(values.astype(carrier), axis=1, keepdims=True)
        return np.asarray(combine(np.full((1, 1), self.nest.init), kind.wrap(reduced)))

    def _evaluate(
        self, expr: Expr, shape: tuple[int, int], bits: Magnitudes, generator: np.random.Generator,
        total: np.ndarray | None,
    ) -> np.ndarray:  # fmt: skip
        reads: dict[Access, np.ndarray] = {}

        def read(access: Access) -> np.ndarray:
            kind = self.nest.tensor[access.tensor].type
            words = _narrow(kind, bits[access.tensor], _odd(self.nest), shape, generator)
            return reads.setdefault(access, words)

        def value(node: Expr, parts: tuple[np.ndarray, ...]) -> np.ndarray:
            match node:
                case Const(value=number):
                    return np.full((1, 1), number, node.type.dtype)
                case Load(read=number):
                    return read(self.nest.reads[number])
                case Lookup(tensor=name):
                    return _narrow(self.nest.tensor[name].type, bits[name], _odd(self.nest), shape, generator)
                case Scan(merge=merge):
                    kind = merge.value.type
                    assert isinstance(kind, Struct)
                    begin = np.broadcast_to(record(kind, [0] * len(kind.parts)), (1, 1))
                    return np.asarray(combining(merge, kind)(begin, parts[2])["f0"])
                case Scattered():
                    return np.asarray(parts[0] + parts[1])  # elements differ as what they take and where it goes do
                case LoopValue(index=index):
                    return node.type.wrap(self._index(index, shape, generator))
                case Accumulated() if total is not None:
                    return total
            return np.asarray(computing(node)(None, *parts))

        return fold(expr, value)

    def _index(self, form: Affine, shape: tuple[int, int], generator: np.random.Generator) -> np.ndarray:
        found = np.full(shape, form.constant)
        for name, step in form.terms:
            loop = self.nest.loop[name]
            found += step * generator.integers(loop.min, loop.min + loop.extent, shape)
        return found


def _terms(nest: Nest) -> int:
    return prod(loop.extent for loop in nest.loops if loop.reduction)


def _odd(nest: Nest) -> bool:
    """Products of many words are zero, modulo a power of two, unless nearly all of them are odd."""
    return nest.combine == "mul"


def _narrow(kind: Type, bits: int, odd: bool, shape: tuple[int, ...], generator: np.random.Generator) -> np.ndarray:
    """Words of a type that use so many of its bits."""
    words = _words(Type(kind.signed, bits), shape, generator).astype(kind.dtype)
    return words | np.asarray(1, kind.dtype) if odd else words


def _words(kind: Type, shape: tuple[int, ...], generator: np.random.Generator) -> np.ndarray:
    return generator.integers(kind.min, kind.max, size=shape, dtype=kind.dtype, endpoint=True)
