"""Twelve mistakes in generated hardware: `halidehw check` finds them. All others: benchmarks/mutants.md."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.mutants.checking import SURVIVES, Subject
from tests.mutants.designs import DESIGNS
from tests.mutants.rtl import Mutant, mutants
from tests.mutants.run import CHOSEN, EXPLAINED

FOUND = {
    r"accelerator\.macs .*\+ is -": "count of macs",
    r"accelerator\.acc_first_delay\S* .*never": "words on 8 further starts",
    r"writer\.r_en .*& is \|": "stopped: under random stalls",
    r"writer\.words_pending .*keeps its value": "words",
    r"ping_pong\S*\.full_parts .*- is \+": "stopped: on 8 further starts",
    r"ping_pong\S*\.write_base .*never": "words",
    r"xi_lanes\.lane1\.read1 .*neighbour": "words",
    r"array_walk\.a_in_leaves .*left of & dropped": "stopped: ",
    r"a_in_load_request_walk\.position0_at\S* .*\+ 1": "words",
    r"pe\.\S* .*without signs": "words",
    r"accumulator\.total .*\+ is -": "words",
    r"control\.aborting .*never": "stopped: under random stalls, after an abort",
}
"""A mistake -> how it is found."""


@pytest.fixture(scope="module")
def wrong() -> tuple[Subject, dict[str, Mutant], str]:
    """The design, a mutant for each mistake, and the Verilog in which each can be made."""
    subject = Subject(DESIGNS["matrix product"]())
    every = mutants(subject.hierarchy)
    made = {like: next(each for each in every if re.search(like, str(each))) for like in FOUND}
    return subject, made, subject.verilog(list(made.values()))


def test_the_design_itself_is_right(wrong):
    subject, _, verilog = wrong
    assert subject.found(verilog, 0) == SURVIVES


@pytest.mark.parametrize("like", FOUND)
def test_check_finds(wrong, like):
    subject, made, verilog = wrong
    assert subject.found(verilog, list(made).index(like) + 1).startswith(FOUND[like])


@pytest.mark.parametrize("design", DESIGNS)
def test_what_is_explained_exists(design):
    """An argument for a mistake that can no longer be made says nothing."""
    made = [f"{design}: {mutant}" for mutant in mutants(Subject(DESIGNS[design]()).hierarchy)]
    known = tomllib.loads(EXPLAINED.read_text())
    assert {name for name in known["one"] if name.startswith(f"{design}: ")} <= set(made)
    assert len(set(made)) == len(made)


def test_kinds_of_what_is_explained_are_made():
    """Each kind is one of those chosen, and each design and mistake is named as `run` names it."""
    known, lines = tomllib.loads(EXPLAINED.read_text()), CHOSEN.read_text().splitlines()
    assert all(any(re.fullmatch(kind, line) for line in lines) for kind in known["kinds"])
    assert {name.partition(": ")[0] for name in (*known["one"], *lines)} <= set(DESIGNS)
    assert set(known["one"]) <= set(lines)
