"""Places that a refusal proposes: each is tried before it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from halidehw.errors import HalideHWError
from halidehw.frontend.directives import ComputeAt, ComputeRoot, StoreAt, StoreRoot
from halidehw.scheduler.kernel import Unplaced
from halidehw.scheduler.pipeline import Pipeline

Where = ComputeAt | ComputeRoot | StoreAt | StoreRoot
"""What says where a memory is filled, or its words are kept."""


@dataclass(frozen=True)
class Beside:
    """A directive beside a comment, as code of `width` characters."""

    directive: Where
    width: int
    comment: str

    def __str__(self) -> str:
        return f"{self.directive!s:{self.width}}  {self.comment}"


@dataclass(frozen=True)
class After:
    """Where words are kept, and the place where they are made."""

    store: StoreAt | StoreRoot
    directive: ComputeAt

    def __str__(self) -> str:
        return f"{self.store}.{self.directive.call(self.directive.notation)}"


def at_root(place: Where) -> ComputeRoot:
    """What a directive is said of, outside all loops."""
    return ComputeRoot(place.tensor, place.level, of=place.of, source=place.source)


def checked(error: HalideHWError, pipeline: Pipeline, lowered: Callable[[Pipeline], object]) -> HalideHWError:
    """The same refusal of what `pipeline` says, with those of the places that it proposes that can be lowered; where
    none can, as another line is wrong as well, with those of which nothing more is said."""
    found = {each: _works(error, tried, lowered) for each in error.proposals if (tried := _said(error, pipeline, each))}
    some = True in found.values()
    legal = [each for each in error.proposals if (works := found.get(each, True)) or (works is None and not some)]
    width = max((len(str(each.directive)) for each in legal if isinstance(each, Beside)), default=0)
    legal = [replace(each, width=width) if isinstance(each, Beside) else each for each in legal]
    return type(error)(error.message, legal=legal, source=error.source)


def _said(error: HalideHWError, pipeline: Pipeline, proposal: object) -> Pipeline | None:
    """With what is proposed in place of the refused line; None for what is not said of a stage or a memory."""
    match proposal:
        case After(store=store, directive=place):
            kept = pipeline.saying(store, error.source)
            return kept and kept.saying(place)
        case Beside(directive=where) | (ComputeAt() | ComputeRoot() | StoreAt() | StoreRoot() as where):
            return pipeline.saying(where, error.source)
    return None


def _works(error: HalideHWError, tried: Pipeline, lowered: Callable[[Pipeline], object]) -> bool | None:
    """Whether a pipeline can be lowered; None where another line is wrong."""
    try:
        lowered(tried)
    except Unplaced:
        return True
    except HalideHWError as other:
        return None if other.source != error.source else False
    return True
