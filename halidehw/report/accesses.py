"""Where the reads of a tensor lie, as people write it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod

from halidehw.ir.affine import Affine
from halidehw.ir.nest import Access
from halidehw.microarch.operands import read_name


def repeated(reads: Sequence[Access]) -> dict[str, Access]:
    """Operand -> its read, of the tensors that are read more than once."""
    times = Counter(access.tensor for access in reads)
    return {read_name(number): access for number, access in enumerate(reads) if times[access.tensor] > 1}


def index(access: Access) -> str:
    """`(x + 1, y)`."""
    return f"({', '.join(map(str, access.indices))})"


def places(accesses: Sequence[Access]) -> str:
    """The indices of reads that differ by constants: `(x..x + 2, y)` where they fill a box, else one after another."""
    first, found = accesses[0].indices, {tuple(form.constant for form in access.indices) for access in accesses}
    ends = [(min(values), max(values)) for values in zip(*found, strict=True)]
    if prod(last - low + 1 for low, last in ends) != len(found):
        return ", ".join(map(index, accesses))
    return f"({', '.join(_range(form, *each) for form, each in zip(first, ends, strict=True))})"


def _range(form: Affine, low: int, last: int) -> str:
    terms = form - form.constant
    return str(terms + low) if low == last else f"{terms + low}..{terms + last}"


def named(reads: Mapping[str, Access], operand: str, tensor: str) -> str:
    """An operand in an expression: its tensor, with the index where there are several of it."""
    return tensor + (index(reads[operand]) if operand in reads else "")
