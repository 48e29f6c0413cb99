"""Mistakes in generated hardware, and how `halidehw check` finds each: `python -m tests.mutants.run --each 3`.

Every answer is written to a journal at once; a run goes on where the last one ended, as far as the designs' Verilog
is the same. Those made are the ones in `chosen.txt`, as far as they still exist, which is written anew. What `check`
does not find is shown to be equivalent by proof, or explained in `explained.toml`. The table goes to
benchmarks/mutants.md; the exit code is 1 where a mistake is neither found, nor equivalent, nor explained.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.checking import SURVIVES, Subject
from tests.mutants.designs import DESIGNS
from tests.mutants.equivalence import equivalent
from tests.mutants.journal import Journal
from tests.mutants.rtl import ABOUT, Mutant, chosen, mutants

FOLDER = Path(__file__).parent
EXPLAINED, CHOSEN = FOLDER / "explained.toml", FOLDER / "chosen.txt"
TABLE = FOLDER.parents[1] / "benchmarks" / "mutants.md"
PROVED = "equivalent, proved"
FURTHER = ("on further starts", "under random stalls, after an abort", "with each memory held back, after a reset",
           "on a slower memory")  # fmt: skip
GROUPS = (*(name for name, _ in ABOUT), "signs", "datapath")


@dataclass(frozen=True)
class Answer:
    """What became of a mutant of a design."""

    design: str
    mutant: Mutant
    how: str

    @property
    def name(self) -> str:
        return f"{self.design}: {self.mutant}"


def answers(each: int, journal: Journal, explained: Callable[[str], str | None], prove: bool) -> Iterator[Answer]:
    """For each design so many mutants about each thing, and what became of them."""
    for design, make in DESIGNS.items():
        subject = Subject(make())
        made = chosen(mutants(subject.hierarchy), each, before(design))
        verilog = subject.verilog(made)
        digest = hashlib.sha256(subject.hierarchy.verilog().encode()).hexdigest()[:16]
        for number, mutant in enumerate(made, 1):
            key = f"{design} {digest} {mutant}"
            if key not in journal.known:
                journal(key, subject.found(verilog, number))
            proof, how = f"proof {key}", journal.known[key]
            why = explained(f"{design}: {mutant}")
            if how == SURVIVES and prove and not why and proof not in journal.known:
                with tempfile.TemporaryDirectory() as folder:
                    journal(proof, PROVED if equivalent(subject.hierarchy, mutant, Path(folder)) else SURVIVES)
            how = journal.known.get(proof, how)
            yield Answer(design, mutant, f"equivalent: {why}" if how == SURVIVES and why else how)


def before(design: str) -> set[str]:
    """The mistakes that were made in a design the last time."""
    lines = CHOSEN.read_text().splitlines()
    return {line.removeprefix(f"{design}: ") for line in lines if line.startswith(f"{design}: ")}


def argument(name: str) -> str | None:
    """Why nothing changes with a mistake of that name, as `explained.toml` says."""
    known = tomllib.loads(EXPLAINED.read_text())
    kinds = (why for like, why in known["kinds"].items() if re.fullmatch(like, name))
    return known["one"].get(name) or next(kinds, None)


def table(found: list[Answer]) -> str:
    """The page: what was found by design and by what it is about, and what was not."""
    ways = Counter(_way(answer.how) for answer in found)
    lines = [
        "# Mistakes in the hardware that `halidehw check` finds",
        "",
        f"{len(found)} mistakes in {len(DESIGNS)} designs, drawn at random among all that `tests/mutants/rtl.py`",
        "knows and kept since, made one at a time in the generated modules (`make soak`). For each design and each",
        "thing that mistakes are about: those made, and in brackets those shown to be equivalent.",
        "",
        "| design | " + " | ".join(GROUPS) + " |",
        "|---|" + "---|" * len(GROUPS),
    ]
    for design in DESIGNS:
        cells = []
        for group in GROUPS:
            own = [each for each in found if each.design == design and each.mutant.about == group]
            equal = sum(each.how.startswith("equivalent") for each in own)
            cells.append(f"{len(own)}" + (f" ({equal})" if equal else ""))
        lines.append(f"| {design} | " + " | ".join(cells) + " |")
    lines += ["", "| found by | mistakes |", "|---|---|"]
    lines += [f"| {way} | {count} |" for way, count in ways.most_common()]
    reasons = [(each.name, each.how.partition(": ")[2]) for each in found if each.how.startswith("equivalent: ")]
    if reasons:
        lines += ["", "## Equivalent by an argument", "", "| mistake | why nothing changes |", "|---|---|"]
    lines += [f"| `{name.replace('|', chr(92) + '|')}` | {why} |" for name, why in reasons]
    if survivors := [each.name for each in found if each.how == SURVIVES]:
        lines += ["", "## Open", "", "Neither found by check nor shown to be equivalent. Each counts as a fault that"]
        lines += ["check misses.", ""]
        lines += [f"- `{name}`" for name in survivors]
    return "\n".join(lines) + "\n"


def _way(how: str) -> str:
    if how.startswith("equivalent: "):
        return "nothing: equivalent by an argument, below"
    if how == PROVED:
        return "nothing: equivalent, proved by Yosys and ABC for the module and any inputs"
    if how == SURVIVES:
        return "nothing so far: open, below"
    kind, _, rest = how.partition(": ")
    if kind == "stopped":
        kinds = {"not done": "a run that does not end", "not idle": "an abort that does not end",
                 "reads address": "an address outside its tensor", "writes address": "an address outside its tensor",
                 "withdraws": "an offer withdrawn or changed", "reset_at": "a run that ends too early"}  # fmt: skip
        return next((way for text, way in kinds.items() if text in rest), "another error of the simulation")
    where = next((f" {name}" for name in FURTHER if name.removeprefix("on ") in kind), "")
    return f"a wrong counter{where}" if kind.startswith("count") else f"wrong words{where}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=3, help="mutants about each thing in each design")
    parser.add_argument("--no-proofs", action="store_true", help="leave proofs of equivalence to another run")
    parser.add_argument("--journal", type=Path, default=Path("build/mutants.jsonl"))
    options = parser.parse_args()
    options.journal.parent.mkdir(parents=True, exist_ok=True)
    found = []
    for answer in answers(options.each, Journal(options.journal), argument, not options.no_proofs):
        found.append(answer)
        print(f"{answer.mutant.about:12} {answer.name}: {answer.how}", flush=True)
    TABLE.write_text(table(found))
    CHOSEN.write_text("".join(f"{answer.name}\n" for answer in found))
    survivors = [answer for answer in found if answer.how == SURVIVES]
    print(f"{len(found)} mutants, {len(survivors)} neither found nor equivalent")
    return int(bool(survivors))


if __name__ == "__main__":
    raise SystemExit(main())
