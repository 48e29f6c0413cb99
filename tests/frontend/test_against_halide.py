"""The same program, built with real Halide and with this package, has the same values."""

import random

import numpy as np
import pytest

import halidehw

halide = pytest.importorskip("halide")

SMALL = [(True, 8), (False, 8), (True, 16), (False, 16)]
BINARY = ["+", "-", "*", "/", "%", "min", "max", "<", "<=", "==", "!=", "&", "|", "^", "<<", ">>"]


class Program:
    """A random program, written with the names both libraries share; the same seed gives the same program."""

    def __init__(self, hl, seed):
        self.hl, self.random = hl, random.Random(seed)
        self.x, self.y = hl.Var("x"), hl.Var("y")
        self.inputs = [hl.ImageParam(self.kind(*kind), 2, f"in{place}") for place, kind in enumerate(SMALL)]

    def kind(self, signed, bits):
        return self.hl.Int(bits) if signed else self.hl.UInt(bits)

    def leaf(self):
        """An input, shifted: both libraries leave out the types in which Halide's overflow is undefined."""
        place = self.random.randrange(len(SMALL))
        dx, dy = self.random.randint(-1, 1), self.random.randint(-1, 1)
        return self.inputs[place][self.x + dx, self.y + dy], SMALL[place]

    def value(self, depth):
        """An expression and its (signed, bits)."""
        if depth == 0:
            return self.leaf()
        step = self.random.choice(["binary", "binary", "literal", "unary", "cast", "select", "clamp", "wide"])
        return getattr(self, step)(depth - 1)

    def binary(self, depth):
        (a, first), (b, second) = self.value(depth), self.value(depth)
        op = self.random.choice(BINARY)
        if op in "&|^" and first[0] != second[0]:
            b, second = self.hl.cast(self.kind(first[0], second[1]), b), (first[0], second[1])
        bits = max(first[1], second[1])
        if op in ("<<", ">>"):
            return self.operate(op, a, self.hl.cast(self.kind(*second), b & 7)), (first[0], bits)
        kind = (first[0] or second[0], bits)
        return self.boolean(op, self.operate(op, a, b), kind)

    def boolean(self, op, expr, kind):
        """Comparisons as numbers, so that every value is one."""
        if op in ("<", "<=", "==", "!="):
            return self.hl.cast(self.hl.UInt(8), expr), (False, 8)
        return expr, kind

    def operate(self, op, a, b):
        if op in ("min", "max"):
            return getattr(self.hl, op)(a, b)
        return {
            "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "%": lambda: a % b,
            "<": lambda: a < b, "<=": lambda: a <= b, "==": lambda: a == b, "!=": lambda: a != b,
            "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b, "<<": lambda: a << b, ">>": lambda: a >> b,
        }[op]()  # fmt: skip

    def literal(self, depth):
        a, kind = self.value(depth)
        number = self.random.randint(-128, 127) if kind[0] else self.random.randint(0, 255)
        op = self.random.choice(["+", "-", "*", "/", "%", "<", "=="])
        pair = (a, number) if self.random.random() < 0.6 else (number, a)
        return self.boolean(op, self.operate(op, *pair), kind)

    def unary(self, depth):
        a, kind = self.value(depth)
        op = self.random.choice(["-", "~", "abs"])
        if op == "abs":
            return (self.hl.abs(a), (False, kind[1])) if kind[0] else (a, kind)
        return (-a if op == "-" else ~a), kind

    def cast(self, depth):
        kind = self.random.choice(SMALL)
        return self.hl.cast(self.kind(*kind), self.value(depth)[0]), kind

    def select(self, depth):
        (a, kind), (b, _), (c, _) = self.value(depth), self.value(depth), self.value(depth)
        return self.hl.select(c > 3, a, self.hl.cast(self.kind(*kind), b)), kind

    def clamp(self, depth):
        a, kind = self.value(depth)
        return self.hl.clamp(a, 3, 100), kind

    def wide(self, depth):
        """Products at 32 bits, which cannot overflow, saturated to a smaller type."""
        a, b = (self.hl.i32(self.hl.i16(self.value(depth)[0])) for _ in range(2))
        kind = self.random.choice(SMALL)
        return self.hl.saturating_cast(self.kind(*kind), (a * b) >> self.random.randint(0, 9)), kind

    def func(self):
        f = self.hl.Func("f")
        f[self.x, self.y] = self.value(3)[0]
        return f


def arrays(seed):
    rng = np.random.default_rng(seed)
    dtypes = [halidehw.Int(bits).dtype if signed else halidehw.UInt(bits).dtype for signed, bits in SMALL]
    values = [rng.integers(np.iinfo(d).min, np.iinfo(d).max, (10, 18), dtype=d, endpoint=True) for d in dtypes]
    for array in values:
        array[::3, ::2] = rng.integers(0, 3, array[::3, ::2].shape)
        array[4, 5:9] = np.iinfo(array.dtype).min
    return values


def shifted(hl, array):
    buffer = hl.Buffer(array)
    buffer.set_min([-1, -1])
    return buffer


@pytest.mark.parametrize("seed", range(40))
def test_random_expressions(seed):
    results = []
    for hl in (halide, halidehw):
        program = Program(hl, seed)
        func = program.func()
        for image, array in zip(program.inputs, arrays(seed), strict=True):
            image.set(shifted(hl, array))
        results.append(np.asarray(func.realize([16, 8])))
    assert results[0].dtype == results[1].dtype
    np.testing.assert_array_equal(*results)


def blur(hl, image):
    x, y, f, g = hl.Var("x"), hl.Var("y"), hl.Func("f"), hl.Func("g")
    f[x, y] = hl.u16(image[x, y]) + image[x + 1, y] + image[x + 2, y]
    g[x, y] = hl.u8((f[x, y] + f[x, y + 1] + f[x, y + 2]) / 9)
    return g, [14, 6]


def constant_exterior(hl, image):
    x, y, f = hl.Var("x"), hl.Var("y"), hl.Func("f")
    total = hl.BoundaryConditions.constant_exterior(image, 7)
    f[x, y] = total[x - 3, y + 5]
    return f, [22, 12]


def repeat_edge(hl, image):
    x, y, f = hl.Var("x"), hl.Var("y"), hl.Func("f")
    total = hl.BoundaryConditions.repeat_edge(image, [(2, 5), (1, 4)])
    f[x, y] = total[x - 3, y - 4]
    return f, [16, 12]


def around(kind):
    """Several times the image's size beyond it on all sides, of all of it and of a part."""

    def write(hl, image):
        x, y, c, f = hl.Var("x"), hl.Var("y"), hl.Var("c"), hl.Func("f")
        condition = getattr(hl.BoundaryConditions, kind)
        whole, part, line = condition(image), condition(image, [(2, 5), (1, 4)]), condition(image, [(3, 1), (0, 8)])
        f[x, y, c] = hl.select(c == 0, whole[x - 40, y - 25], c == 1, part[x - 20, y - 15], line[x - 4, y - 20])
        return f, [96, 56, 3]

    write.__name__ = kind
    return write


def convolution(hl, image):
    x, y, f, r = hl.Var("x"), hl.Var("y"), hl.Func("f"), hl.RDom([(0, 3), (0, 3)], "r")
    f[x, y] = 5
    f[x, y] += hl.i32(image[x + r.x, y + r.y]) * (r.x - 2 * r.y)
    f[x, y] = hl.max(f[x, y], 0) >> 2
    return f, [14, 6]


def maximum_without_pure_definition(hl, image):
    x, f, r = hl.Var("x"), hl.Func("f"), hl.RDom([(0, 8)], "r")
    f[x] += hl.i32(image[x, r])
    f[x] = hl.max(f[x], hl.i32(image[x, r]) * 9)
    return f, [16]


def product(hl, image):
    x, f, r = hl.Var("x"), hl.Func("f"), hl.RDom([(1, 4)], "r")
    f[x] = hl.u32(1)
    f[x] *= hl.u32(image[x, r.x]) | 1
    return f, [16]


def histogram(hl, image):
    x, f, r = hl.Var("x"), hl.Func("f"), hl.RDom([(0, 16), (0, 8)], "r")
    f[x] = 0
    f[hl.i32(image[r.x, r.y])] += 1
    return f, [256]


def scan(hl, image):
    x, y, f, r = hl.Var("x"), hl.Var("y"), hl.Func("f"), hl.RDom([(1, 15)], "r")
    f[x, y] = hl.i32(image[x, y])
    f[r, y] = f[r - 1, y] + f[r, y]
    return f, [16, 8]


def order_of_a_domain(hl, image):
    x, f, r = hl.Var("x"), hl.Func("f"), hl.RDom([(0, 4), (0, 3)], "r")
    f[x] = hl.u32(x)
    f[x] = f[x] * 31 + hl.u32(r.x + 7 * r.y)
    return f, [4]


def updates_read_by_a_stencil(hl, image):
    x, y, f, g, r = hl.Var("x"), hl.Var("y"), hl.Func("f"), hl.Func("g"), hl.RDom([(0, 3)], "r")
    s = hl.RDom([(-1, 3), (0, 2)], "s")
    f[x, y] += hl.i32(image[x + r, y])
    g[x, y] += f[x + s.x + 1, y + s.y] * (s.x + 2)
    return g, [12, 7]


def lookup(hl, image):
    x, y, f, table = hl.Var("x"), hl.Var("y"), hl.Func("f"), hl.Func("table")
    table[x] = hl.u8(x * x)
    f[x, y] = table[hl.i32(image[x, y])]
    return f, [16, 8]


@pytest.mark.parametrize(
    "write",
    [
        blur, constant_exterior, repeat_edge, around("repeat_image"), around("mirror_image"), around("mirror_interior"),
        convolution, maximum_without_pure_definition, product, histogram, scan, order_of_a_domain,
        updates_read_by_a_stencil, lookup,
    ],
    ids=lambda write: write.__name__,
)  # fmt: skip
def test_programs(write):
    results = []
    values = np.random.default_rng(3).integers(0, 256, (8, 16)).astype(np.uint8)
    for hl in (halide, halidehw):
        image = hl.ImageParam(hl.UInt(8), 2, "image")
        image.set(hl.Buffer(values))
        func, sizes = write(hl, image)
        results.append(np.asarray(func.realize(sizes)))
    assert results[0].dtype == results[1].dtype
    np.testing.assert_array_equal(*results)


def test_the_worked_example():
    results = []
    rng = np.random.default_rng(1)
    image, weights = (rng.integers(-(2**15), 2**15, s).astype(np.int16) for s in ((3, 20, 20), (64, 3, 5, 5)))
    for hl in (halide, halidehw):
        x, y, k = (hl.Var(name) for name in "xyk")
        r = hl.RDom([(-2, 5), (-2, 5), (0, 3)], "r")
        input, w = hl.ImageParam(hl.Int(16), 3, "input"), hl.ImageParam(hl.Int(16), 4, "w")
        output = hl.Func("output")
        output[x, y, k] += hl.i32(input[x + r.x, y + r.y, r.z]) * hl.i32(w[r.x + 2, r.y + 2, r.z, k])
        padded = hl.Buffer(image)
        padded.set_min([-2, -2, 0])
        input.set(padded)
        w.set(hl.Buffer(weights))
        results.append(np.asarray(output.realize([16, 16, 64])))
    np.testing.assert_array_equal(*results)
