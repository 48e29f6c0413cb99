"""A matrix product, the schedules that were found for 512 and for 1024, and each of them on the other's size.

python examples/transfer/gemm.py

Written for their own sizes the splits divide no other; rewritten to sizes that depend on the extents they do.
"""

from __future__ import annotations

import halidehw as hl


def product(size: int, depth: int) -> tuple[hl.Func, hl.Func]:
    """c[n, m] = sum over k of a[k, m] * b[n, k], and the tile that it may be summed up in."""
    n, m = hl.vars("n m")
    k = hl.RDom([(0, depth)], "k")
    a, b, c, d = hl.ImageParam(hl.Int(8), 2, "a"), hl.ImageParam(hl.Int(8), 2, "b"), hl.Func("c"), hl.Func("d")
    d[n, m] += hl.i32(a[k, m]) * hl.i32(b[n, k])
    c[n, m] = d[n, m]
    c.bound(n, 0, size).bound(m, 0, size)
    return c, d


def for_512(size: int = 512, depth: int = 16) -> hl.Func:
    """Each side in tiles of 8, 1 and 16, the outermost of both one loop; sums become results as they are complete."""
    c, d = product(size, depth)
    sums = d.update()
    sums.split("n", "nooo", "noo", 128).split("noo", "noo", "no", 16).split("no", "no", "ni", 16)
    sums.split("m", "mooo", "moo", 128).split("moo", "moo", "mo", 16).split("mo", "mo", "mi", 16)
    sums.split("k.x", "ko", "ki", 1)
    sums.reorder("mi", "ni", "ki", "mo", "no", "ko", "moo", "noo", "mooo", "nooo").fuse("mooo", "nooo", "tiles")
    sums.unroll("mi")
    return c


def for_1024(size: int = 1024, depth: int = 16) -> hl.Func:
    """Tiles of 32 and 256, summed up in a buffer of 8192 words."""
    c, d = product(size, depth)
    c.split("n", "no", "ni", 32).split("m", "mo", "mi", 256)
    c.reorder("mi", "ni", "mo", "no").fuse("mo", "no", "tiles")
    d.compute_at(c, "tiles")
    sums = d.update()
    sums.split("n", "nooo", "noo", 32).split("noo", "noo", "no", 32).split("no", "no", "ni", 2)
    sums.split("m", "mooo", "moo", 256).split("moo", "moo", "mo", 32).split("mo", "mo", "mi", 8)
    sums.split("k.x", "ko", "ki", 4)
    sums.reorder("mi", "ni", "ki", "mo", "no", "ko", "moo", "noo", "mooo", "nooo").unroll("ni").unroll("mi")
    return c


def on(size: int, found: hl.Schedule, depth: int = 16) -> hl.Func:
    """A product of another size with a schedule found elsewhere."""
    c, _ = product(size, depth)
    return found.apply(c)


def main() -> None:
    for name, made, other in (("512", for_512, 1024), ("1024", for_1024, 512)):
        exact = hl.Schedule.of(made())
        general = exact.parametric()
        print(f"found for {name}; legal where {' and '.join(map(str, general.condition))}\n")
        print(*(f"    {line}" for line in general.lines), sep="\n")
        print(f"\nat {other}, as it stands: {'; '.join(exact.misfits(product(other, 16)[0]))}")
        print(f"at {other}, rewritten:\n")
        on(other, general).print_loop_nest()


if __name__ == "__main__":
    main()
