"""The cocotb test of every build: ask each bench for its runs, one after the other, and read the values of each.

Runs inside the simulator, on its own: it must not import the package.
"""

import json
import os
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import Timer

ENDED = (0, 7)  # outcomes of halidehw_control.sv: FINISHED and STOPPED


@cocotb.test()
async def drive(dut: Any) -> None:
    """Write to result.json, for each bench of plan.json, a list of `{signal: value}`: one for each run, up to the
    first that does not finish."""
    if os.environ["HALIDEHW_SIMULATOR"] != "verilator":  # whose main makes the clock
        cocotb.start_soon(tick(dut.clk))
    plan = json.loads(Path("plan.json").read_text())
    results = [await drive_bench(getattr(dut, bench["name"]) if bench["name"] else dut, bench) for bench in plan]
    Path("result.json").write_text(json.dumps(results))


async def tick(clk: Any) -> None:
    """The clock of the only bench, or a bit for each of several: a period of 2 ns."""
    while True:
        for value in (0, (1 << len(clk)) - 1):
            clk.value = value
            await Timer(1, "ns")


async def drive_bench(handle: Any, bench: dict[str, Any]) -> list[dict[str, int]]:
    results: list[dict[str, int]] = []
    for number, run in enumerate(bench["runs"], start=1):
        if not isinstance(run["cut_at"], int):  # a part of the cycles of the shortest run before
            numerator, denominator = run["cut_at"]
            run["cut_at"] = max(1, min(each["cycles"] for each in results) * numerator // denominator)
        if not isinstance(run["stop_at"], int):  # a part of the cycles of the first run, where it is a long one
            (numerator, denominator), beyond = run["stop_at"]
            whole = results[0]["cycles"]
            run["stop_at"] = max(1, whole * numerator // denominator) if whole > beyond else 0
        if results:
            run["hold"] = min(run["hold"], results[0]["cycles"])
        for name, value in run.items():
            getattr(handle, name).value = value
        handle.asked.value = number
        await handle.answered.value_change
        results.append({name: int(getattr(handle, name).value) for name in bench["read"]})
        if results[-1]["outcome"] not in ENDED:
            break
    return results
