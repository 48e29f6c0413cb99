"""The counting conventions in closed form, for bounds.

Crossing the boundary between a level and the one inside it costs, for each tensor, a factor that depends on the
inner tile times the number of times each of its words crosses. That number is the trips of the loops that do not
move the tensor, but for those that its tile outlives. Which it outlives depends on a level's loop order only
through the innermost loop: it moves all tensors but (at most) one, the *stationary* one, which alone outlives loops.
So three orders per level are enough (docs/design/search.md has the proof).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halidehw.mapping.architecture import Architecture
from halidehw.mapping.counts import (
    INPUT,
    OUTPUT,
    WEIGHT,
    WINDOWS,
    convention,
    nearest,
    paper_relevant,
    spread,
    tree,
    window_words,
)
from halidehw.mapping.evaluate import hop_energies, input_share, sum_width
from halidehw.mapping.layer import DIMS, RELEVANT, Layer
from halidehw.mapping.mapping import Axes

B, G, K, C, Y, X, FY, FX, Z, FZ = range(len(DIMS))


@dataclass(frozen=True)
class Rules:
    """`orders[stationary]`: dims, innermost first; `outlived[stationary][tensor]`: dims that its tile outlives;
    `others[tensor]`: dims that do not move it; `through`: a tensor none of whose loops are at a level outlives all
    of them, and goes on at the next one; `charged`: operands of the array and writes of tiles cost energy too.
    """

    name: str
    orders: tuple[tuple[int, ...], ...]
    outlived: tuple[tuple[tuple[int, ...], ...], ...]
    others: tuple[tuple[int, ...], ...]
    through: bool

    def left(self, stationary: int, tensor: int) -> list[int]:
        """Dims that do not move the tensor, and yet bring its tile in again."""
        return [dim for dim in self.others[tensor] if dim not in self.outlived[stationary][tensor]]


_PURE, _TAPS = (X, Y, Z, B), (FX, FY, FZ)

EXACT = Rules(
    "exact",
    ((K, *_TAPS, C, *_PURE, G), (*_PURE, *_TAPS, C, K, G), (*_TAPS, C, K, *_PURE, G)),
    (((K,), (), ()), ((), _PURE[::-1], ()), ((), (), (C, *_TAPS[::-1]))),
    tuple(tuple(dim for dim in range(len(DIMS)) if not RELEVANT[tensor][dim]) for tensor in range(3)),
    True,
)
PAPER = Rules(
    "paper",
    ((*_TAPS, K, C, *_PURE, G), (*_PURE, *_TAPS, C, K, G), (*_TAPS, C, K, *_PURE, G)),
    (((K, *_TAPS[::-1]), (), _TAPS[::-1]), ((), _PURE[::-1], ()), (_TAPS[::-1], (), (C, *_TAPS[::-1]))),
    tuple(tuple(dim for dim in range(len(DIMS)) if not paper_relevant(tensor)[dim]) for tensor in range(3)),
    False,
)

THROUGH: tuple[tuple[int, ...], ...] = ((), (INPUT,), (WEIGHT,), (OUTPUT,), (INPUT, WEIGHT, OUTPUT))
"""The sets of tensors that can outlive all loops of a level: none, one (all loops are its others), all (no loops)."""


def rules(name: str) -> Rules:
    """The closed form of a convention. Raises CostError on an unknown name."""
    convention(name)
    return EXACT if name == EXACT.name else PAPER


def crossing_words(rule: Rules, layer: Layer, tiles: np.ndarray) -> np.ndarray:
    """float64 (3, n): the words of all tiles of shape `tiles` (dims, n) of each tensor that lie side by side, as
    charged (but for the width of sums).
    """
    words = np.repeat(_words(rule, layer)[:, None], tiles.shape[1], axis=1)
    if rule is EXACT:
        words[INPUT] = layer.extents[B] * layer.extents[G] * layer.extents[C]
        for out, tap in WINDOWS:
            words[INPUT] *= window_words(layer, out, tap, tiles)
    return words


def _words(rule: Rules, layer: Layer) -> np.ndarray:
    """float64 (3,): the words of each tensor, the input's as charged."""
    words = np.array(layer.words, float)
    words[INPUT] *= float(input_share(layer, rule.name))
    return words


def shared_weights(rule: Rules, arch: Architecture, level: int) -> np.ndarray:
    """float64 (3,): pJ per word (the output: per visit) that crosses from shared `level` into the one inside it."""
    energy = arch.levels[level].energy + (arch.levels[level - 1].energy if rule is EXACT else 0.0)
    return np.array([energy, energy, visit_energy(rule, arch, level)])


def visit_energy(rule: Rules, arch: Architecture, level: int) -> float:
    """pJ of a word of the output that arrives at `level`: it is written, and what it adds to is read."""
    return 2 * arch.levels[level].energy * float(sum_width(arch, rule.name))


def refund(rule: Rules, arch: Architecture, layer: Layer, level: int) -> float:
    """pJ not spent at the boundary below `level`: the first visit of an output."""
    return -first_words(rule, arch, layer, level) * visit_energy(rule, arch, level) / 2


def first_words(rule: Rules, arch: Architecture, layer: Layer, level: int) -> int:
    """Words of the output that are not read when they arrive at `level`, as there is nothing yet to add to."""
    return 0 if visited(rule, arch, level) else layer.words[OUTPUT]


def visited(rule: Rules, arch: Architecture, level: int) -> bool:
    """Whether sums stay at `level` for a visit: the first of it adds to nothing, but is read to leave; and they pass by
    where no loop of the level moves them. In the exact rules that is every level but the outermost.
    """
    return rule is EXACT and level < len(arch.levels) - 1


def load_weights(rule: Rules, arch: Architecture, lanes: np.ndarray) -> np.ndarray:
    """float64 (3, n): pJ of the writes of a word that crosses into the PEs, in all of them."""
    if rule is PAPER:
        return np.zeros((3, lanes.shape[1]))
    copies = [lanes[list(rule.others[tensor])].prod(axis=0) for tensor in (INPUT, WEIGHT)]
    return arch.levels[arch.pe_levels - 1].energy * np.stack([*copies, np.zeros(lanes.shape[1])])


def read_weights(rule: Rules, arch: Architecture, hops: np.ndarray) -> np.ndarray:
    """float64 (3, n): pJ of a word that crosses into the PEs, outside them, with `hops` (3, n)."""
    travel = hop_energies(arch) * hops
    if rule is EXACT:
        travel[OUTPUT] = 0
    energy = arch.levels[arch.pe_levels].energy
    return np.array([[energy], [energy], [visit_energy(rule, arch, arch.pe_levels)]]) + travel


def pe_factors(
    rule: Rules, arch: Architecture, layer: Layer, level: int, tiles: np.ndarray, lanes: np.ndarray, hops: np.ndarray
) -> np.ndarray:
    """float64 (3, n): pJ per crossing of all tiles of shape `tiles` (dims, n) in the PEs, from `level`, in or around
    them.

    `lanes` (dims, n) and `hops` (3, n) of the unrollings.
    """
    outer, inner = arch.levels[level].energy, arch.levels[level - 1].energy
    travel = hop_energies(arch) * hops if level == arch.pe_levels else np.zeros_like(hops)
    if rule is PAPER:
        copies = np.ones_like(travel)
        if level < arch.pe_levels:
            copies = np.stack([lanes[list(others)].prod(axis=0) for others in rule.others])
        return crossing_words(rule, layer, tiles) * copies * (outer * np.array([[1.0], [1.0], [2.0]]) + travel)
    sent = crossing_words(rule, layer, tiles)
    loaded = sent.copy()
    for tensor in (INPUT, WEIGHT):
        loaded[tensor] *= lanes[list(rule.others[tensor])].prod(axis=0)
    read = sent if level == arch.pe_levels else loaded
    factors = inner * loaded + (outer + travel) * read
    factors[OUTPUT] = loaded[OUTPUT] * visit_energy(rule, arch, level)
    return factors


def innermost_energy(
    rule: Rules, arch: Architecture, layer: Layer, steps: np.ndarray, lanes: np.ndarray, hops: np.ndarray
) -> np.ndarray:
    """float64 (n,): pJ of the operations and the accesses they make to the innermost level, with the array's `steps`
    (dims, n) over each loop, `lanes` (dims, n) and `hops` (3, n). Of one PE alone without one operand: two steps in
    a row never have both the same.
    """
    energy = arch.levels[0].energy
    if rule is PAPER:
        times = [float(np.prod([layer.extents[dim] for dim in others])) for others in rule.others]
        reads = [words * n for words, n in zip(_words(rule, layer), times, strict=True)]
        total = energy * (reads[INPUT] + reads[WEIGHT] + 2 * reads[OUTPUT] - layer.words[OUTPUT])
        return np.full(hops.shape[1], total)
    slots = np.prod(steps * lanes, axis=0, dtype=float)
    sums = slots / lanes[list(rule.others[OUTPUT])].prod(axis=0)
    each = visit_energy(rule, arch, 0) + float(sum_width(arch, rule.name)) * hops[OUTPUT] * arch.hop
    return slots * (2 - alone(lanes)) * energy + sums * each + layer.macs * arch.mac


def innermost_cycles(rule: Rules, arch: Architecture, layer: Layer, steps: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """float64 (n,): cycles in which operations read and write the innermost level, as in `innermost_energy`, at least:
    words that come in are beside them, and operands of one PE alone."""
    return np.asarray(np.ceil(innermost_words(rule, arch, layer, steps, lanes) / arch.bandwidth(0)))


def innermost_words(rule: Rules, arch: Architecture, layer: Layer, steps: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """float64 (n,): words of that, as in `innermost_cycles`; none where their number limits nothing."""
    if rule is PAPER or arch.bandwidth(0) == np.inf:
        return np.zeros(lanes.shape[1])
    slots = np.prod(steps * lanes, axis=0, dtype=float)
    sums = 2 * float(sum_width(arch, rule.name)) * slots / lanes[list(rule.others[OUTPUT])].prod(axis=0)
    return np.asarray(2 * slots * ~alone(lanes) + sums)


def alone(lanes: np.ndarray) -> np.ndarray:
    """bool (n,): whether `lanes` (dims, n) are those of a single PE, which reads only the operands that change."""
    return np.asarray(lanes.prod(axis=0) == 1)


def spreads(rule: Rules, axes: Axes, lanes: np.ndarray) -> np.ndarray:
    """float64 (3, n): hops of a word of each tensor over the array, with `lanes` (dims, n) laid out on `axes`."""
    measure = nearest if rule is PAPER else tree
    return np.stack([spread(axes, lanes, tensor, measure) * np.ones(lanes.shape[1]) for tensor in range(3)])


def least_spreads(rule: Rules, lanes: np.ndarray) -> np.ndarray:
    """float64 (3, n): no layout of `lanes` (dims, n) has fewer hops: each PE but the first is one away from another."""
    if rule is PAPER:
        return np.stack([1 + (lanes[list(others)] - 1).sum(axis=0) for others in rule.others]).astype(float)
    return np.stack([lanes[list(others)].prod(axis=0) - 1 for others in rule.others]).astype(float)
