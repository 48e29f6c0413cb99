"""What explicit im2col stores: inputs of networks and their lowered matrices, in MiB of 32-bit words at batch 1.

python examples/im2col/lowered.py

A network is a text: `64/3` is a convolution to 64 channels with filters of 3x3, `64/3s2` one of stride 2, `p` halves
the maps, `(128/1 256/3)x4` is four times the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Convolution:
    """Maps of h x h pixels and c channels in, out x out pixels out, filters of f x f."""

    c: int
    h: int
    out: int
    f: int

    @property
    def input(self) -> int:
        return self.h**2 * self.c

    @property
    def lowered(self) -> int:
        return self.out**2 * self.f**2 * self.c


@dataclass(frozen=True)
class Lowered:
    """MiB of all inputs, and of all lowered matrices."""

    input: float
    lowered: float

    @property
    def ratio(self) -> float:
        return self.lowered / self.input


def chain(text: str, h: int, c: int = 3) -> list[Convolution]:
    """The convolutions of a text, one after the other, all padded so that a map keeps its size, or halves it."""
    while repeated := re.search(r"\(([^()]*)\)x(\d+)", text):
        text = text.replace(repeated[0], " ".join([repeated[1]] * int(repeated[2])))
    found = []
    for word in text.split():
        if word == "p":
            h //= 2
            continue
        made = re.fullmatch(r"(\d+)/(\d+)(?:s(\d+))?", word)
        assert made, word
        out = -(-h // int(made[3] or 1))
        found.append(Convolution(c, h, out, int(made[2])))
        c, h = int(made[1]), out
    return found


def sizes(layers: list[Convolution]) -> Lowered:
    return Lowered(sum(4 * each.input for each in layers) / MIB, sum(4 * each.lowered for each in layers) / MIB)


def vgg16() -> list[Convolution]:
    return chain("(64/3)x2 p (128/3)x2 p (256/3)x3 p (512/3)x3 p (512/3)x3", 224)


def resnet50() -> list[Convolution]:
    """v1.5, which strides in its 3x3 convolutions, without the four that shorten a map beside a block."""
    wider = (f"({w}/1 {w}/3 {4 * w}/1)x{blocks - 1}" for w, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)))
    first = ("64/1 64/3 256/1", "128/1 128/3s2 512/1", "256/1 256/3s2 1024/1", "512/1 512/3s2 2048/1")
    return chain("64/7s2 p " + " ".join(f"{a} {b}" for a, b in zip(first, wider, strict=True)), 224)


def alexnet() -> list[Convolution]:
    """One tower; its pools are padded, so that maps are 28 and 14 pixels wide."""
    first = Convolution(3, 224, 55, 11)
    return [first, *chain("192/5 p 384/3 256/3 256/3", 28, 64)]


def densenet(growth: int, blocks: tuple[int, ...], h: int = 224) -> list[Convolution]:
    c, found, h = 2 * growth, [Convolution(3, h, h // 2, 7)], h // 4
    for at, layers in enumerate(blocks):
        for _ in range(layers):
            found += [Convolution(c, h, h, 1), Convolution(4 * growth, h, h, 3)]
            c += growth
        if at < len(blocks) - 1:
            found.append(Convolution(c, h, h, 1))
            c, h = c // 2, h // 2
    return found


DENSENETS = {
    "DenseNet-121": (32, (6, 12, 24, 16)), "DenseNet-169": (32, (6, 12, 32, 32)),
    "DenseNet-201": (32, (6, 12, 48, 32)), "DenseNet-264": (32, (6, 12, 64, 48)),
    "DenseNet-161": (48, (6, 12, 36, 24)),
}  # fmt: skip

_YOLO3 = "{0}/1 {1}/3 {0}/1 {1}/3 {0}/1 {1}/3 255/1"

YOLOS = {
    "YOLO": chain(
        "64/7s2 p 192/3 p 128/1 256/3 256/1 512/3 p (256/1 512/3)x4 512/1 1024/3 p (512/1 1024/3)x2 1024/3 "
        "1024/3s2 (1024/3)x2", 448,
    ),
    "YOLOv2": [*chain(
        "32/3 p 64/3 p 128/3 64/1 128/3 p 256/3 128/1 256/3 p 512/3 (256/1 512/3)x2 p 1024/3 (512/1 1024/3)x2 "
        "1024/3 1024/3", 416,
    ), *chain("64/1", 26, 512), *chain("1024/3 425/1", 13, 1280)],
    "YOLOv2-tiny": chain("16/3 p 32/3 p 64/3 p 128/3 p 256/3 p 512/3 1024/3 1024/3 125/1", 416),
    "YOLOv3": [
        *chain("32/3 64/3s2 32/1 64/3 128/3s2 (64/1 128/3)x2 256/3s2 (128/1 256/3)x8 512/3s2 (256/1 512/3)x8 "
               "1024/3s2 (512/1 1024/3)x4 " + _YOLO3.format(512, 1024), 416),
        *chain("256/1", 13, 512), *chain(_YOLO3.format(256, 512), 26, 768), *chain("128/1", 26, 256),
        *chain(_YOLO3.format(128, 256), 52, 384),
    ],
}  # fmt: skip

PRINTED = {
    "VGG16": (34.65, 311.80), "ResNet-50": (34.55, 81.11), "AlexNet": (1.39, 14.57), "DenseNet": (1196.48, 5641.70),
    "YOLO": (530.56, 869.50),
}  # fmt: skip
"""MiB of inputs and of lowered matrices, in the paper's Table I."""


def reproduced() -> dict[str, Lowered]:
    """The three networks whose numbers are the paper's."""
    return {"VGG16": sizes(vgg16()), "ResNet-50": sizes(resnet50()), "AlexNet": sizes(alexnet())}


def variants() -> dict[str, Lowered]:
    """Those that the other two could be."""
    dense = {name: sizes(densenet(*shape)) for name, shape in DENSENETS.items()}
    return dense | {name: sizes(layers) for name, layers in YOLOS.items()}


def main() -> None:
    for name, found in (reproduced() | variants()).items():
        print(f"{name:14} input {found.input:9.3f}   lowered {found.lowered:9.3f}   {found.ratio:6.3f} times")


if __name__ == "__main__":
    main()
