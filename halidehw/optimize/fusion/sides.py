"""A layer along one dimension of its pixels: what its outputs read, and whether that agrees with what there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halidehw.mapping.layer import Layer
from halidehw.notation import counted

DIMS = ("Y", "X")


@dataclass(frozen=True)
class Side:
    """One dimension of a layer's pixels: output `at` reads inputs stride * at - low + dilation * tap, of which 0 ..
    size - 1 are there; the others are zero, and are not loaded."""

    size: int
    out: int
    taps: int
    stride: int
    dilation: int
    low: int

    @property
    def window(self) -> int:
        """From the first input of an output to its last one."""
        return self.dilation * (self.taps - 1) + 1

    @property
    def reach(self) -> int:
        """From the first input of the first output to the last one of the last."""
        return self.stride * (self.out - 1) + self.window

    @property
    def empty(self) -> int:
        """Outputs that read zeros alone."""
        last = self.low + self.size - 1
        first = min(max(-(-(self.low - self.window + 1) // self.stride), 0), self.out)
        end = min(max(last // self.stride + 1, first), self.out)
        holes = () if self.dilation <= self.size else (at for at in range(first, end) if self._between(at))
        return self.out - (end - first) + sum(1 for _ in holes)

    def _between(self, at: int) -> bool:
        """Whether the taps of an output step over all that is there."""
        first = self.stride * at - self.low
        tap = max(-(first // self.dilation), 0)
        return tap >= self.taps or first + self.dilation * tap >= self.size


def side(layer: Layer, dim: str, size: int | None, pad: int | None) -> Side:
    """Along "Y" or "X". An input that no layer makes is as large as the outputs times the stride, or as they need with
    the zeros that are stated."""
    out, taps = (layer.oy, layer.fy) if dim == "Y" else (layer.ox, layer.fx)
    stride, dilation = layer.steps(dim)
    reach = Side(1, out, taps, stride, dilation, 0).reach
    if size is None:
        size = out * stride if pad is None else max(reach - 2 * pad, 1)
    return Side(size, out, taps, stride, dilation, max(reach - size, 0) // 2 if pad is None else pad)


def misfit(layer: Layer, read: Sequence[Layer], pad: int | None) -> str | None:
    """Why a layer cannot read what others make, one channel after the other."""
    names = " and ".join(other.name for other in read)
    channels = sum(other.k for other in read)
    if channels != layer.c:
        return f"it reads {counted(layer.c, 'channel')}, {names} makes {channels}"
    for other in read:
        for dim, size in zip(DIMS, (other.oy, other.ox), strict=True):
            each = side(layer, dim, size, pad)
            least, most = _sizes(each, pad)
            if not least <= size <= most:
                stated = "" if pad is None else f" with {counted(pad, 'zero')} before the first"
                range_ = f"{least} to {most}" if least < most else f"{least}"
                outputs = counted(each.out, "output")
                return f"its {outputs} along {dim} read {range_} of {names}{stated}, which makes {size}"
    return None


def _sizes(each: Side, pad: int | None) -> tuple[int, int]:
    """The least and the most that there may be: with no more zeros around it than a window has besides one element, or
    twice those that are stated; and no more of it unread than a stride steps over."""
    before = pad or 0
    return max(each.reach - max(2 * before, each.window - 1), 1), each.reach - before + each.stride - 1


def zeros(each: Side, dim: str, of: str) -> str:
    """That some outputs read nothing that is there."""
    number = f"{each.empty} of its {counted(each.out, 'output')} along {dim} read zeros alone"
    return f"{number}, with {counted(each.low, 'zero')} before the {each.size} of {of} and windows of {each.window}"
