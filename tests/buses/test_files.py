"""What is written beside the Verilog says of the registers what the hardware does."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from halidehw.buses.device import DeviceError
from halidehw.buses.files import bus_files, table
from tests.buses.test_slave import MAP


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    for name, text in bus_files(MAP, "net_axi", "net.v").items():
        (made / name).write_text(text)
    return made


def test_systemrdl_has_all_registers_and_what_the_bus_does_to_them(folder):
    systemrdl = pytest.importorskip("systemrdl")
    compiler = systemrdl.RDLCompiler()
    compiler.compile_file(str(folder / "net.rdl"))
    top = compiler.elaborate().top
    found = {
        (each.absolute_address, each.inst_name, field.inst_name, field.low, field.width, field.is_sw_writable,
         field.is_sw_readable, bool(field.get_property("onread")), bool(field.get_property("onwrite")))
        for each in top.registers() for field in each.fields()
    }  # fmt: skip
    assert found == {
        (register.offset, register.name, field.name, field.at, field.bits, field.access not in ("read", "flag"),
         field.access != "pulse", field.access == "flag", field.access in ("start", "toggle"))
        for register in MAP.registers for field in register.fields
    }  # fmt: skip


PROGRAM = r"""
#include <assert.h>
#include <string.h>
#include "net.h"
static uint32_t words[64];
static uint32_t peek(void *context, uint32_t offset) {
    uint32_t *at = context, found = at[offset / 4];
    if (offset == NET_ADDR_ap_ctrl && found & 1) at[0] = NET_MASK_ap_ctrl_ap_done | NET_MASK_ap_ctrl_ap_idle;
    return found;
}
static void poke(void *context, uint32_t offset, uint32_t value) { ((uint32_t *)context)[offset / 4] = value; }
int main(void) {
    net_device plain = net_mapped(words), odd = {peek, poke, words};
    assert(net_set(&plain, NET_ARG_a_base, 0x123456789cull) == NET_OK);
    assert(words[NET_ADDR_a_base / 4] == 0x3456789c && words[NET_ADDR_a_base_high / 4] == 0x12);
    assert(net_set(&plain, NET_ARG_y_base, 8) == NET_MISALIGNED && net_set(&plain, NET_ARG_n, 7) == NET_OK);
    assert(words[NET_ADDR_y_base / 4] == 0 && words[NET_ADDR_n / 4] == 7);
    assert(net_start(&plain) == NET_OK && net_start(&plain) == NET_BUSY && net_wait(&plain, 9) == NET_TIMEOUT);
    words[0] = 0, words[NET_ADDR_status / 4] = NET_MASK_status_error | NET_MASK_status_ignored;
    assert(net_start(&odd) == NET_OK && net_wait(&odd, 9) == NET_MASK_status_error);
    words[NET_ADDR_status / 4] = NET_MASK_status_ignored;
    assert(net_wait(&odd, 9) == NET_OK);
    net_abort(&plain), net_interrupts(&plain, 1), words[NET_ADDR_cycles_high / 4] = 5, words[NET_ADDR_cycles / 4] = 6;
    assert(words[NET_ADDR_abort / 4] == 1 && words[NET_ADDR_gie / 4] == 1 && words[NET_ADDR_ier / 4] == 1);
    assert(net_number(&plain, NET_ADDR_cycles) == 0x500000006ull && NET_ARGS == 3);
    return 0;
}
"""


def test_the_c_driver_is_c99_without_warnings_and_knows_the_registers(folder):
    (folder / "main.c").write_text(PROGRAM)
    command = ["cc", "-Wall", "-Wextra", "-pedantic", "-Werror", "-std=c99", "net.c", "main.c", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)
    subprocess.run(["./main"], cwd=folder, check=True)


class Words(dict[int, int]):
    """A bus with words behind it; a run is over after its start has been seen."""

    def read(self, offset: int) -> int:
        found = self.get(offset, 0)
        if offset == 0 and found & 1:
            self[0] = 6
        return found

    write = dict.__setitem__


def alone(folder: Path) -> ModuleType:
    """The Python driver as it is written, by itself."""
    spec = importlib.util.spec_from_file_location("net_driver", folder / "net.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_python_driver_stands_by_itself(folder):
    net = alone(folder)
    assert net.SIZE == 128 and "halidehw" not in {name.split(".")[0] for name in vars(net)}

    class Array:
        device_address = 0x5_0000_0010

    device = net.Device(words := Words(), net.REGISTERS, lambda shape, dtype: (shape, dtype))
    device.call(Array(), 7, 0x40)
    assert {hex(at): value for at, value in words.items()} == {
        "0x0": 6, "0x10": 0x10, "0x14": 5, "0x1c": 7, "0x24": 0x40, "0x28": 0,
    }  # fmt: skip
    words[MAP.register("cycles").offset], words[MAP.register("cycles_high").offset] = 1, 2
    assert device.read("cycles") == 2 << 32 | 1 and device.allocate(3, "u1") == (3, "u1")
    device.abort()
    assert words[MAP.register("abort").offset] == 1
    device.command("stop")
    assert words[MAP.register("abort").offset] == 2


@pytest.mark.parametrize(
    ("words", "say", "message"),
    [
        ({}, lambda device: device.write("y_base", 8), "y_base must be a multiple of 16, and is 0x8"),
        ({}, lambda device: device.write("n", 1 << 32), "n has 32 bits, and 4294967296 is given"),
        ({}, lambda device: device.read("m"), "no register is called m: there are a_base, n, y_base, ap_ctrl"),
        ({}, lambda device: device.start(1, 2, 3, 4), "4 arguments, of a_base, n, y_base"),
        ({}, lambda device: device.allocate(4), "nothing to allocate with: Device(bus, REGISTERS, pynq.allocate)"),
        ({}, lambda device: device.command("halt"), "no command is called halt: there are abort, stop"),
        ({0: 1}, lambda device: device.start(), "a run goes on: wait() for its end, or abort()"),
        ({0: 2, 0x30: 12}, lambda device: device.wait(), "the run has failed: aborted, error"),
        ({}, lambda device: device.wait(0), "the run has not ended after 0 s"),
    ],
)
def test_mistakes_that_the_python_driver_names(folder, words: dict[int, int], say: Any, message: str):
    net = alone(folder)
    bus = Words(words)
    with pytest.raises(net.DeviceError) as found:
        say(net.Device(bus, net.REGISTERS))
    assert message in str(found.value) and DeviceError.__name__ == type(found.value).__name__


def test_the_core_names_files_that_are_there(folder):
    head, text = (folder / "net.core").read_text().split("\n", 1)
    core = yaml.safe_load(text)
    listed = [each for files in core["filesets"].values() for each in files["files"]]
    named = {name for each in listed for name in ([each] if isinstance(each, str) else each)}
    assert head == "CAPI=2:" and named - {"net.v"} <= {path.name for path in folder.iterdir()}
    targets = core["targets"].values()
    assert all(set(each["filesets"]) <= set(core["filesets"]) and each["toplevel"] == "net_axi" for each in targets)


def test_the_table_has_a_row_for_each_field():
    rows = table(MAP).splitlines()
    assert len(rows) == 2 + sum(len(register.fields) for register in MAP.registers)
    assert "| 0x0c | `isr` `done` | 0 | read, turned over by 1 | `ap_done` has asked for an interrupt |" in rows
