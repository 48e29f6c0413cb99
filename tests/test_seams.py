"""Layers whose outputs feed each other: where layouts agree, and where they do not."""

import pytest

import halidehw as hl
from halidehw.errors import HardwareError

x, y, c = hl.vars("x y c")


def layer(name: str, border: int = 0, kind: hl.Type | None = None) -> tuple[hl.Func, hl.ImageParam]:
    """A layer of 8x4 pixels of 6 channels, which reads as many, and a border."""
    image, f = hl.ImageParam(kind or hl.Int(8), 3, "image"), hl.Func(name)
    f[x, y, c] = hl.cast(hl.Int(8), image[x, y, c] + image[x + border, y, c])
    return f.bound(x, 0, 8).bound(y, 0, 4).bound(c, 0, 6), image


def test_dense_layers_agree() -> None:
    found = hl.seam(layer("first")[0], layer("second")[0])
    assert found.check() is found and found.offset == 0 and not found.words


def test_a_transpose() -> None:
    """The lines that are proposed are such that the layers then agree."""
    (first, _), (second, image) = layer("first"), layer("second")
    first.output_buffer().reorder_storage(2, 0, 1)
    found = hl.seam(first, second, "image")
    assert (found.offset, found.words) == (None, 8 * 4 * 6)
    with pytest.raises(HardwareError) as caught:
        found.check()
    assert caught.value.message == (
        "image does not lie in memory as first, which it is, does: 192 words would be put in another order"
    )
    assert caught.value.legal == ("image.reorder_storage(2, 0, 1)",)
    image.reorder_storage(2, 0, 1)
    assert hl.seam(first, second).agrees


def test_a_part() -> None:
    """Of what is written less is read: it begins where it lies, if the strides are those."""
    (first, _), (second, image) = layer("first"), layer("second")
    first.bounds[x.name] = (-1, 12)
    found = hl.seam(first, second)
    assert not found.agrees and found.said == tuple(
        f"image.dim({d}).set_stride({stride})" for d, stride in enumerate((1, 12, 48))
    )
    image.dim(1).set_stride(12)
    image.dim(2).set_stride(48)
    assert hl.seam(first, second).offset == 1


def test_blocks() -> None:
    (first, _), (second, image) = layer("first"), layer("second")
    first.output_buffer().dim(2).set_block(4)
    assert hl.seam(first, second).said == ("image.dim(2).set_block(4)",)
    image.dim(2).set_block(4)
    assert hl.seam(first, second).offset == 0


def test_more_than_is_written() -> None:
    with pytest.raises(HardwareError) as caught:
        hl.seam(layer("first")[0], layer("second", border=2)[0])
    assert caught.value.message == "image is read along dimension 0 in [0, 9], first is written in [0, 7]"
    assert caught.value.legal[1] == "image.dim(0).set_bounds(0, 8)"


def test_other_types() -> None:
    with pytest.raises(HardwareError, match="first is int8 of 3 dimensions, and image int16 of 3 dimensions"):
        hl.seam(layer("first")[0], layer("second", kind=hl.Int(16))[0])


def test_an_input_that_is_not_there() -> None:
    with pytest.raises(HardwareError) as caught:
        hl.seam(layer("first")[0], layer("second")[0], "picture")
    assert caught.value.legal == ('hl.seam(producer, consumer, "image")',)
