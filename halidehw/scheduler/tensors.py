"""The inputs of a kernel: which elements are read, and where each tensor begins and ends."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from halidehw.errors import BoundsError, HardwareError, SourceLine
from halidehw.expr.expr import Access
from halidehw.frontend.boundary import BoundaryFunc, Exterior
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.frontend.ranges import check_indices
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Boundary, Tensor
from halidehw.scheduler.indices import Advise, Box, Ranges, indices


@dataclass(frozen=True)
class Read:
    """A read of an input or of another stage; indices over the algorithm's variables. `reach`: by dimension how far
    one goes that is no sum of these, as far as loops' memories do."""

    image: ImageParam | Func
    exterior: Exterior | None
    indices: tuple[Affine, ...]
    reach: Mapping[int, tuple[int, int]] = field(default_factory=dict, compare=False)


def read(
    access: Access, stages: Collection[Func], ranges: Ranges, source: SourceLine | None, advise: Advise
) -> Read:
    """The read of an input, or of one of `stages`, that an access is. Raises `HardwareError` if its indices are not
    affine."""
    match access.target:
        case BoundaryFunc(boundary=exterior) if isinstance(exterior.source, ImageParam):
            return Read(exterior.source, exterior, indices(access, exterior.source.name, ranges, source, advise))
        case ImageParam() | Func() as image if isinstance(image, ImageParam) or image in stages:
            return Read(image, None, indices(access, image.name, ranges, source, advise))
    raise HardwareError(f"{access} is no input", source=source)


def tensors(
    reads: Iterable[Read], ranges: Ranges, source: SourceLine | None, seen: Mapping[object, Box] | None = None
) -> tuple[Tensor, ...]:
    """The tensors read by the definition at `source`, in order of first reading.

    An input's bounds are those it states, else those of its boundary condition, else the elements read, as are a
    stage's. `seen`: of what is read that which counts, where it is not all: an input has only that. Raises
    `BoundsError` for a read outside stated bounds, `HardwareError` for two boundary conditions on one input.
    """
    by_image: dict[ImageParam | Func, list[Read]] = {}
    for each in reads:
        by_image.setdefault(each.image, []).append(each)
    return tuple(
        _tensor(image, found, ranges, source, seen.get(image) if seen and isinstance(image, ImageParam) else None)
        for image, found in by_image.items()
    )


def _tensor(
    image: ImageParam | Func, reads: list[Read], ranges: Ranges, source: SourceLine | None, seen: Box | None
) -> Tensor:
    exterior = _exterior(image, reads, source) if isinstance(image, ImageParam) else None
    stated = _stated(image, exterior, source) if isinstance(image, ImageParam) else (None,) * image.dimensions
    box, free = [], False
    for dimension, pair in enumerate(stated):
        found = [(each.reach.get(dimension), each.indices[dimension]) for each in reads if each.exterior is None]
        spans = [reach or index.range(ranges) for reach, index in found]
        low, high = min((s[0] for s in spans), default=0), max((s[1] for s in spans), default=-1)
        free |= bool(seen and spans and seen[dimension] != (low, high))
        low, high = seen[dimension] if seen and spans else (low, high)
        check_indices(low, high, source)
        if pair is None:
            box.append((low, high - low + 1))
        elif spans and (low < pair[0] or high >= sum(pair)):
            raise BoundsError(
                f"{image.name} is read at dimension {dimension} in [{low}, {high}] but has "
                f"[{pair[0]}, {sum(pair) - 1}]",
                legal=(
                    f"BoundaryConditions.constant_exterior({image.name}, 0)",
                    f"{image.name}.dim({dimension}).set_bounds({low}, {high - low + 1})",
                ),
                source=source,
            )
        else:
            box.append(pair)
    boundary = Boundary("constant_exterior", 0, free) if free else None
    boundary = boundary if exterior is None else Boundary(exterior.kind, exterior.value)
    return Tensor(image.name, image.type, tuple(low for low, _ in box), tuple(size for _, size in box), boundary)


def _exterior(image: ImageParam, reads: list[Read], source: SourceLine | None) -> Exterior | None:
    """The one boundary condition of an input."""
    found = list(dict.fromkeys(each.exterior for each in reads if each.exterior))
    for other in found[1:]:
        raise HardwareError(
            f"{image.name} is read through two boundary conditions, {_describe(found[0])} and {_describe(other)}; "
            "its memory delivers one",
            legal=(f"padded = BoundaryConditions.{_describe(found[0])}",),
            source=source,
        )
    return found[0] if found else None


def _describe(exterior: Exterior) -> str:
    value = "" if exterior.value is None else f", {exterior.value}"
    return f"{exterior.kind}({exterior.source.name}{value})"


def _stated(
    image: ImageParam, exterior: Exterior | None, source: SourceLine | None
) -> tuple[tuple[int, int] | None, ...]:
    if exterior is None:
        return image.bounds
    if exterior.bounds is None:
        pairs = ", ".join(["(0, 16)"] * image.dimensions)
        raise BoundsError(
            f"where {_describe(exterior)} takes effect is not known: {image.name} has no bounds",
            legal=(
                f"BoundaryConditions.{exterior.kind}({image.name}, bounds=[{pairs}])",
                *(f"{image.name}.dim({d}).set_bounds(0, 16)" for d in range(image.dimensions)),
            ),
            source=source,
        )
    for dimension, (inner, own) in enumerate(zip(exterior.bounds, image.bounds, strict=True)):
        if own and own != inner:
            raise HardwareError(
                f"{_describe(exterior)} begins and ends at {inner} in dimension {dimension}, {image.name} at {own}; "
                "the hardware stores what lies inside the boundary, so both must agree",
                legal=(f"{image.name}.dim({dimension}).set_bounds({inner[0]}, {inner[1]})",),
                source=source,
            )
    return exterior.bounds
