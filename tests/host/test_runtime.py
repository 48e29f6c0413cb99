"""Lists of programs on a simulated board: the whole way from registers to memory, in Python and in C."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import halidehw as hl
from halidehw.backend_hdl.gate import WAITS
from halidehw.backend_hdl.program import CORRUPT
from halidehw.buses.axi import AXI
from halidehw.buses.device import DeviceError
from halidehw.cli import main
from halidehw.commands.run import document
from halidehw.errors import HardwareError, SimulationError
from halidehw.host.board import ORIGIN
from halidehw.host.mapped import Mapped
from halidehw.host.runtime import Runtime
from halidehw.host.steps import Output, Step
from halidehw.machines.descriptor import Follows
from halidehw.machines.files import write
from tests.host import layers

FIRST, ODD = layers.designs
MEMORY = hl.Memory(latency=20, stall_probability=0.3, stall_seed=4)


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    made = Runtime(hl.machine(layers.designs, counters=10), AXI(64), MEMORY, 1 << 16)
    yield made
    made.board.close()


def arrays() -> dict[str, np.ndarray]:
    drawn = np.random.default_rng(1)
    shapes = {"image": (7, 7, 8), "first": (3, 3, 8, 8), "second": (3, 3, 6, 8), "small": (4, 4, 5),
              "odd": (1, 1, 6, 5)}  # fmt: skip
    return {name: drawn.integers(-128, 128, shape, np.int8) for name, shape in shapes.items()}


def chain() -> list[Step]:
    """The second step reads what the first one writes; the third is another design."""
    given = arrays()
    return [
        Step(FIRST, {"image": given["image"], "weights": given["first"]}),
        Step(layers.second, {"image": Output(0), "weights": given["second"]}),
        Step(ODD, {"image": given["small"], "weights": given["odd"]}),
    ]


def test_a_chain_of_programs_runs_with_one_start(runtime):
    """Every bit right, with all results kept, and with memory that is used again; the same list twice."""
    kept, used = runtime.run(chain()), runtime.run(chain(), reuse=True)
    assert kept.match and [sum(each.words for each in step.written) for step in kept.steps] == [200, 24, 96]
    assert used.match and [sum(each.words for each in step.written) for step in used.steps] == [0, 24, 96]
    assert used.memory < kept.memory and kept.received == 320 and used.received == 120
    assert [step.macs for step in kept.steps] == [14400, 1728, 480]
    loaded = runtime.load(chain())
    at_once = Follows(0, 0)
    early = [loaded.plan.early(step, loaded.places) for step in range(3)]
    assert early[::2] == [{"image": at_once, "weights": at_once}] * 2
    assert early[1] == {"image": Follows(8, 2), "weights": at_once}
    assert 0 < kept.cycles - sum(step.cycles for step in kept.steps) < 2000 and kept.counters["steps"] > 0
    assert kept.steps[1].written[0].outputs.shape == (2, 2, 6)
    told = json.loads(json.dumps(document(kept)))
    assert told["match"] and [step["compared"] for step in told["steps"]] == [200, 24, 96]


def test_what_goes_wrong_in_a_list_ends_it(runtime):
    """Errors on the bus in either direction, a descriptor that is none, and an abort; all is as before afterwards."""
    loaded, cycles = runtime.load(chain()), list[int]()
    for refuse, ports in ((1, "program"), (2, "first, status")):
        runtime.board.timing(MEMORY, refuse)
        with pytest.raises(SimulationError, match=f"the run has failed: error.*at .*{ports}"):
            runtime.start(loaded)
        runtime.board.timing(hl.Memory() if cycles else MEMORY)
        cycles.append((found := runtime.start(loaded)).cycles)
        assert found.match
    assert cycles[1] < cycles[0]
    runtime.board.timing(MEMORY)
    words = len(loaded.plan.tasks[0].program.words)
    changed = runtime.board.at(loaded.lists[""].descriptors + 4 * (words + 2), (1,), "<u4")
    changed ^= 1
    with pytest.raises(SimulationError, match="second: the run has failed: corrupt"):
        runtime.start(loaded)
    assert runtime.device.read("completed") == 1
    assert runtime.board.at(loaded.lists[""].status, (3,), "<u4")[1] == CORRUPT
    changed ^= 1
    runtime.device.start()
    runtime.device.abort()
    with pytest.raises(DeviceError, match="the run has failed: aborted"):
        runtime.device.wait()
    assert runtime.start(loaded).match


def test_a_list_is_stopped_after_a_program_and_goes_on_with_the_next(runtime):
    loaded, device = runtime.load(chain()), runtime.device
    status = runtime.board.at(loaded.lists[""].status, (3,), "<u4")
    status[:] = 0
    told = runtime.arguments(loaded)
    device.start(*(told[name] for name in device.arguments))
    runtime.board.pause()
    device.command("stop")
    device.wait()
    device.write("isr", device.read("isr"))
    done = device.read("completed")
    assert 0 < done < 3 and status[:done].all() and not status[done:].any()
    assert runtime.start(loaded, done).match and status.all()


def test_a_runtime_needs_registers_and_memory_of_a_board(runtime):
    """What a processor maps, and no clock: cycles are those that the accelerator has counted."""
    mapped = Mapped(runtime.board, runtime.board.memory, ORIGIN)
    found = Runtime(runtime.machine, runtime.bus, board=mapped).run([chain()[0], chain()[2]])
    assert found.match and found.cycles == found.counters["cycles"] > 0 and found.memory < mapped.size
    with pytest.raises(SimulationError, match="65536 bytes of memory from 0x100000000 on, and 8 bytes at 0x10000fffc"):
        mapped.at(ORIGIN + mapped.size - 4, (2,), "u4")


def test_engines_share_a_bus_and_wait_for_what_they_read():
    """A chain that goes from one engine to the other and back, with one start; without what is done already; and with
    memory that is used again."""
    x, r = hl.Var("x"), hl.RDom([(0, 3)], "r")
    a, sums, small = hl.ImageParam(hl.Int(8), 1, "a"), hl.Func("sums"), hl.Func("small")
    for f, width in ((sums, 9), (small, 7)):
        f[x] = hl.i8(0)
        f[x] += a[x + r.x] * hl.i8(width)
        f.set_bounds([(0, width)])
    b, added = hl.ImageParam(hl.Int(8), 1, "b"), hl.Func("added")
    added[x] = b[x] + hl.i8(1)
    added.set_bounds([(0, 9)])
    made = hl.machine({"sums": [sums, small], "adds": [added]}, counters=8, name="pair")
    runtime = Runtime(made, AXI(32), hl.Memory(latency=9), 1 << 13)
    steps = [Step(sums, {"a": np.arange(11, dtype=np.int8)}), Step(added, {"b": Output(0)}),
             Step(small, {"a": Output(1)})]  # fmt: skip
    loaded = runtime.load(steps)
    assert runtime.start(loaded).match and runtime.start(loaded).match
    assert [task.after for task in loaded.plan.tasks] == [(0,), (1,), (1,)]
    assert [sorted(each) for each in loaded.plan.order] == [[], [0], [0, 1]]
    for done in ({"conv": 1}, {"sums": 3}, {"adds": -1}, 0.5):
        with pytest.raises(HardwareError, match=f"done={done}: there are steps 2 of sums, 1 of adds"):
            runtime.start(loaded, done)
    with pytest.raises(HardwareError, match="said of each engine") as caught:
        runtime.start(loaded, 1)
    assert caught.value.legal == ('start(loaded, {"sums": 1, "adds": 0})',)
    for done in ({"sums": 1}, {"sums": 1, "adds": 1}):
        runtime.board.at(runtime.start(loaded).addresses[2]["small"], (7,), "i1")[:] = 0
        assert runtime.start(loaded, done).match
    again = runtime.load(steps, reuse=True)
    assert len({again.places[each[-1].block] for each in again.plan.tensors}) < 3
    assert runtime.start(again).match
    runtime.board.close()


def test_a_machine_of_one_design_is_started_for_each_step():
    """Addresses are arguments, and no multiple of less than a word is one."""
    x, r = hl.Var("x"), hl.RDom([(0, 3)], "r")
    a, f = hl.ImageParam(hl.Int(16), 1, "a"), hl.Func("f")
    f[x] += hl.i32(a[x + r.x]) * 3
    f.set_bounds([(0, 5)])
    runtime = Runtime(made := hl.machine([f]), AXI(32), hl.Memory(), 1 << 12)
    assert "module f_axi (" in made.verilog(bus="axi4") and "s_axi_control_AWVALID" not in made.verilog()
    values = [np.array([1, -2, 3, -4, 5, -6, 7], np.int16), np.arange(7, dtype=np.int16)]
    loaded = runtime.load([Step(f, {"a": each}) for each in values])
    found = runtime.start(loaded)
    assert found.match and [step.written[0].outputs.tolist()[0] for step in found.steps] == [6, 9]
    assert 0 < sum(step.cycles for step in found.steps) <= found.cycles and found.sent == 28 and found.received == 40
    with pytest.raises(DeviceError, match="f_base must be a multiple of 4"):
        runtime.device.start(ORIGIN, ORIGIN + 2)
    runtime.board.write(runtime.device.registers["f_base"]["offset"], 2)
    with pytest.raises(DeviceError, match="the run has failed: misaligned"):
        runtime.device.call()
    runtime.board.close()


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (Step(FIRST, {"image": Output(1), "weights": arrays()["first"]}), "reads what step 1 writes, which is not bef"),
        (Step(FIRST, {"image": Output(0), "weights": arrays()["first"]}),
         "first reads image as int8 of shape (7, 7, 8), and first is int8 of shape (5, 5, 8)"),
        (Step(layers.second, {"image": Output(0, "last"), "weights": arrays()["second"]}),
         "step 0 writes first, and no last"),
        (replace(chain()[2], addresses={"weights": ORIGIN}), "overlaps"),
        (replace(chain()[2], addresses={"weights": ORIGIN + 8}), "an address is a multiple of 256"),
        (replace(chain()[1], addresses={"image": ORIGIN}), "say the address of first there"),
        (replace(chain()[2], addresses={"weights": "0x100"}), "the address of weights is '0x100', which is no number"),
        (replace(chain()[2], addresses={"weight": 0}), "the tensors of odd in memory are image, weights, odd, not 'we"),
        (replace(chain()[2], addresses=[ORIGIN]), "addresses=[4294967296]: they are said of tensors by name"),
        (Step(FIRST, {"image": Output(0.0), "weights": arrays()["first"]}), "reads what step 0.0 writes, which is"),
        (FIRST, "is no step of a run"),
    ],
)  # fmt: skip
def test_steps_that_cannot_be(runtime, step: Step, message: str):
    first = replace(chain()[0], addresses={"weights": ORIGIN})
    with pytest.raises(HardwareError, match=re.escape(message)):
        runtime.load([first, step])


MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include "board.h"
#include "first.h"
#include "first_programs.h"
/* Arguments: a file of memory, the address of descriptors, that of status, then of each program its tensors', and of
   each the loads that may begin early. */
int main(int count, char **given) {
    static uint8_t memory[65536];
    uint64_t at[2], bases[FIRST_BASES];
    void *board = board_open();
    first_device device = {board_peek, board_poke, board};
    FILE *file = fopen(given[1], "rb");
    int found = fread(memory, 1, sizeof memory, file) == sizeof memory ? FIRST_TIMEOUT : -9;
    fclose(file);
    board_timing(board, 3, 0, 1, 0, 0, 0);
    for (int i = 0; i < 2; i++) at[i] = strtoull(given[i + 2], 0, 0);
    uint32_t *descriptors = (uint32_t *)(memory + (at[0] - BOARD_ORIGIN));
    for (unsigned program = 0; program < FIRST_PROGRAMS; program++) {
        for (int i = 0; i < FIRST_BASES; i++) bases[i] = strtoull(given[4 + program * FIRST_BASES + i], 0, 0);
        uint32_t early[FIRST_EARLY];
        for (int i = 0; i < FIRST_EARLY; i++)
            early[i] = strtoul(given[4 + FIRST_PROGRAMS * FIRST_BASES + program * FIRST_EARLY + i], 0, 0);
        first_describe(descriptors + program * FIRST_WORDS, program, bases, early);
    }
    for (unsigned i = 0; i < sizeof memory; i++) board_memory(board)[i] = memory[i];
    if (first_set(&device, FIRST_ARG_program_base, at[0] + 2) != FIRST_MISALIGNED) return 2;
    first_set(&device, FIRST_ARG_program_base, at[0]), first_set(&device, FIRST_ARG_status_base, at[1]);
    first_set(&device, FIRST_ARG_programs, FIRST_PROGRAMS), first_interrupts(&device, 1);
    if (first_start(&device) != FIRST_OK || first_start(&device) != FIRST_BUSY) return 3;
    while (found == FIRST_TIMEOUT) {
        board_run(board, 10000);
        found = first_wait(&device, 1);
    }
    first_acknowledge(&device);
    printf("%d %d %llu", found, board_failure(board), (unsigned long long)first_number(&device, FIRST_ADDR_cycles));
    file = fopen(given[1], "wb");
    fwrite(board_memory(board), 1, sizeof memory, file), fclose(file), board_close(board);
    return count - 4 - FIRST_PROGRAMS * (FIRST_BASES + FIRST_EARLY);
}
"""


def test_a_program_in_c_runs_the_same_list_on_the_same_board(runtime, tmp_path):
    """With the driver and the descriptors that stand beside the Verilog: the same bytes in memory, the same cycles."""
    write(runtime.machine, tmp_path, bus=runtime.bus)
    runtime.board.keep(tmp_path)
    (tmp_path / "main.c").write_text(MAIN)
    flags = ["-Wall", "-Werror", "-std=c99", "-I.", "first.c", "main.c", "./libboard.so", "-o", "main"]
    subprocess.run(["cc", *flags], cwd=tmp_path, check=True)

    runtime.board.timing(hl.Memory(latency=3))
    runtime.board.memory[:] = 0
    loaded = runtime.load([chain()[0], chain()[2]])
    before = runtime.board.memory.copy()
    runtime.board.at(loaded.lists[""].descriptors, (8,), "u1")[:] = 0
    before.tofile(tmp_path / "memory.bin")
    ports = loaded.plan.tasks[0].program.bases
    bases = [loaded.plan.bases(number, loaded.places)[port] for number in range(2) for port in ports]
    early = [how[port].word if port in (how := loaded.plan.early(i, loaded.places)) else WAITS
             for i, task in enumerate(loaded.plan.tasks) for port in task.program.early]  # fmt: skip
    lists = loaded.lists[""]
    command = ["./main", "memory.bin", *map(hex, [lists.descriptors, lists.status, *bases, *early])]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    runtime.board.memory[:] = before
    runtime.start(loaded)
    assert said == f"0 0 {runtime.device.read('cycles')}"
    driver = runpy.run_path(str(tmp_path / "first.py"))
    device, told = driver["Device"](runtime.board, driver["REGISTERS"]), runtime.arguments(loaded)
    again = runtime.board.memory.copy()
    runtime.board.memory[:] = before
    device.call(*(told[name] for name in device.arguments))
    device.write("isr", 1)
    assert (again == runtime.board.memory).all()
    assert (np.fromfile(tmp_path / "memory.bin", np.uint8) == runtime.board.memory).all()
    runtime.board.timing(MEMORY)


LISTING = """
designs = ["layers.py"]
others = ["second.py"]
machine = {counters = 10}
bus = {bits = 64}
memory = {latency = 20}
bytes = 65536
[[step]]
design = "first"
inputs = {image = "image.npy"}
[[step]]
design = "second"
inputs = {image = 0}
save = "out.npy"
"""


def test_a_file_says_what_is_run(runtime, tmp_path):
    text = Path(layers.__file__).read_text()
    (tmp_path / "layers.py").write_text(text)
    (tmp_path / "second.py").write_text(text + "designs = [second]\n")
    (tmp_path / "run.toml").write_text(LISTING)
    np.save(tmp_path / "image.npy", arrays()["image"])
    found = CliRunner().invoke(main, ["run", str(tmp_path / "run.toml"), "--reuse", "--board", str(tmp_path / "board")])
    first, second, whole = found.stdout.splitlines()
    assert first.startswith("0 first: ") and first.endswith(", not read back") and "bytes of memory" in whole
    assert second.endswith(", 24 words right") and np.load(tmp_path / "out.npy").any()
    assert {path.name for path in (tmp_path / "board").iterdir()} == {"libboard.so", "board.h"}
    assert (tmp_path / "board" / "libboard.so").read_bytes() == runtime.board.library.read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[step]]", "[[steps]]", "says steps; it may say designs, others, machine, bus, memory, bytes, step"),
        ('design = "first"', 'design = "frist"', "runs frist; there are second, first, odd"),
        ('"image.npy"', '"image.np"', "image.np is no .npy file"),
        ("{image = 0}", "{image = 0.5}", "image in step 1"),
        ("bytes = 65536", 'bytes = "64 k"', "bytes is '64 k'"),
        ("bus = {bits = 64}", "bus = {bits = 65}", "an AXI bus of 65 bits"),
        ("designs = ", "designs := ", "is no TOML"),
        ('designs = ["layers.py"]', "designs = [3]", "designs is [3]"),
        ("bytes = 65536", "bytes = -1", "bytes is -1"),
        ("inputs = {image = 0}", "inputs = [0]", "inputs is [0]"),
        ('design = "first"', 'design = "first"\naddresses = {image = "a"}', "addresses is {'image': 'a'}"),
        ('designs = ["layers.py"]', "", "has no designs"),
        ('others = ["second.py"]', 'others = ["second.py", "layers.py"]', "runs first, and 2 designs are called that"),
        ('others = ["second.py"]', 'others = ["stops.py"]', "stops.py stops with ZeroDivisionError: division by zero"),
    ],
)
def test_files_that_say_something_else(tmp_path, old: str, new: str, message: str):
    text = Path(layers.__file__).read_text()
    (tmp_path / "layers.py").write_text(text)
    (tmp_path / "second.py").write_text(text + "designs = [second]\n")
    (tmp_path / "stops.py").write_text("1 / 0\n")
    (tmp_path / "run.toml").write_text(LISTING.replace(old, new))
    np.save(tmp_path / "image.npy", arrays()["image"])
    found = CliRunner().invoke(main, ["run", str(tmp_path / "run.toml")])
    assert found.exit_code == 2 and message in found.stderr, found.output
    assert "no .npy" in message or "stops with" in message or "what would work:\n    " in found.stderr
