"""Random layouts of tensors outside: orders of their dimensions, blocks, padding."""

from __future__ import annotations

from collections.abc import Sequence

from halidehw import Func, ImageParam
from halidehw.frontend.output_buffer import OutputImageParam
from halidehw.frontend.storage import BYTE, kept_bits
from tests.fuzz.choices import Choices


def lay_out(choices: Choices, images: Sequence[ImageParam], outputs: Sequence[Func]) -> None:
    """Of some tensors says how they lie; in one design of three at most."""
    if choices.chance(3):
        for image in images:
            _lay(choices, image, image.type.bits)
        for func in outputs:
            _lay(choices, func.output_buffer(), func.type.bits)


def _lay(choices: Choices, tensor: ImageParam | OutputImageParam, bits: int) -> None:
    if not tensor.dimensions or choices.chance(4):
        return
    order = choices.shuffled(range(tensor.dimensions))
    tensor.reorder_storage(*order)
    whole = max(1, BYTE // kept_bits(bits))
    tensor.align_storage(order[0], whole * choices.pick([1, 1, 2, 3]))
    if choices.chance(3):
        tensor.dim(choices.pick(order)).set_block(whole * choices.pick([2, 3, 4]))
    if tensor.dimensions > 1 and choices.chance(3):
        tensor.align_storage(order[1], choices.pick([2, 5]))
