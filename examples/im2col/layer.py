"""One convolution by implicit im2col, built and simulated: whether it is right, its cycles, and its memories' turns.

python examples/im2col/layer.py --n 2 --ci 4 --h 5 --co 4 --filter 3 --array 4 --tile 1 --word 2 --stride 1 --json

Cycles are counted in the simulated Verilog, from the shift of the first weight to the last operand of the last PE, with
the input in the memories. What the latency of memories and PEs adds between the two is `startup`, apart.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from math import prod

import numpy as np
from implicit import Built, Layer, conv, direct, operands, packed
from turns import Turns

import halidehw as hl
from halidehw.backend_hdl import verilog
from halidehw.driver.extra import further, judged
from halidehw.driver.run import MANY
from halidehw.expr.types import words_of
from halidehw.microarch.network import Stage, target
from halidehw.simulate import Companion, Experiment, Scenario, simulate_scenarios
from halidehw.simulate.bench import memories

EVENTS = "events.txt"


@dataclass(frozen=True)
class Report:
    """`cycles`: see above. `startup`: from the last weight's shift to the first operand, beyond one cycle. `latency`:
    L, cycles from the read of an element to the write of its sum, less one for each row of the array. `conflicts`: of
    the one port that each memory would have with words of `word`, as a serializer and a deserializer there count them
    in the simulated Verilog; `conflicts_decided`: as the compiler decides, `conflicts_without_latency`: at L = 0.
    `utilization`: the part of all PEs' `cycles` in which one does a MAC of the convolution. `predicted`: by the model
    of a run in which weights come as soon as they can: less where passes are shorter than the array.
    """

    match: bool
    cycles: int
    latency: int
    conflicts: int
    utilization: float
    conflicts_decided: int
    conflicts_without_latency: int
    startup: int
    stalls: int
    predicted: int
    passes: int
    m: int


@dataclass(frozen=True)
class Timed:
    """Cycles: in which the first weight comes to the array's edge, and the last one of the first pass; the array's
    first and last step. `met`: in how many a port was wanted twice."""

    shift: int
    shifted: int
    first: int
    last: int
    met: int


def expected(layer: Layer) -> int:
    """The closed formula, without latency, where weights of a pass come in while the one before runs."""
    size, m = layer.array, layer.m
    return size + (layer.passes - 1) * max(m, size) + m + 2 * size - 2


def turns(layer: Layer, word: int, latency: int) -> Turns:
    """Of each memory that holds an input channel, and gets an output channel's sums."""
    return Turns(word, layer.array + latency, layer.m, layer.passes, max(layer.m, layer.array))


def latency(stage: Stage) -> int:
    """From the read of an element for the array to the write of its sum, less one for each row.

    Both are a cycle after they are asked for, a read of banks that turn two. The sums of the last column come as many
    hops later as it is away.
    """
    columns, rows = (next((s.extent for s in stage.spaces if s.reduction is kind), 1) for kind in (False, True))
    turning = any(memory.rotating for memory in stage.memories if memory.tensor in ("rows", "others"))
    return stage.sums[0].arrival - (columns - 1) - rows - turning


def report(layer: Layer, word: int, seed: int = 0, single: bool = False, lanes: int = 1) -> Report:
    """`single`: each memory has one port. `lanes`: elements of a word that the input's memories are filled with. Raises
    what `hl.compile` and the simulation raise, HalideHWError for words that do not divide the batch, HardwareError
    where reads and writes of a port meet."""
    for name, value, least in (("word", word, 1), ("seed", seed, 0)):
        if value < least:
            raise hl.HalideHWError(f"--{name} {value}: it must be at least {least}", legal=(f"--{name} {least}",))
    if layer.n % word:
        whole, rest = divmod(layer.n, word)
        fits = max(n for n in range(1, max(word, 2)) if layer.n % n == 0)
        raise hl.HalideHWError(
            f"--word {word}: {layer.n} elements of the batch are {whole} x {word} + {rest}", legal=(f"--word {fits}",)
        )
    built = conv(layer, lanes)
    compiled = hl.compile(built.output, port_bits=built.port_bits)
    stage, model = compiled.accelerator.output, hl.estimate(compiled).cycles
    beyond, shared = latency(stage), min(layer.array, layer.co, layer.slots * layer.ci)
    taken = turns(layer, word, beyond)
    if single:
        taken.check("each memory", layer.n)
        built = one_port(layer)
        compiled = hl.compile(built.output, port_bits=built.port_bits)
    match, timed = simulated(built, compiled, model.fill, seed, taken)
    hops = 2 * layer.array - 2
    cycles = (timed.shifted - timed.shift + 1) + (timed.last - timed.first + 1) + hops
    predicted = layer.array + model.busy + sum(model.stalls.values()) + hops
    return Report(
        match, cycles, beyond, shared * timed.met, layer.macs / (cycles * layer.array**2),
        shared * taken.meetings, shared * turns(layer, word, 0).meetings,
        timed.first + stage.compute.arrival - timed.shifted - 1,
        timed.last - timed.first + 1 - layer.passes * layer.m, predicted,
        layer.passes, layer.m,
    )  # fmt: skip


def one_port(layer: Layer) -> Built:
    """With memories that have one port; the accumulators of a column are as many as make that possible. Raises
    HardwareError where none do."""
    ports = 1
    while True:
        built = conv(layer, ports=ports)
        try:
            hl.estimate(built.output, port_bits=built.port_bits)
            return built
        except hl.HalideHWError:
            if ports > 2 * layer.m:
                raise
            ports *= 2


def simulated(built: Built, compiled: hl.Compiled, ready: int, seed: int, taken: Turns) -> tuple[bool, Timed]:
    """Whether every bit is right, in further runs too, and when things happened in the first one: there the weights
    come once the input is in, after `ready` cycles. `taken`: the turns whose meetings are counted."""
    layer, accelerator = built.layer, compiled.accelerator
    image, filters = operands(layer, seed)
    inputs = {"image": image, "weights": packed(layer, filters)}
    words = {name: array.reshape(-1) for name, array in inputs.items()}
    held = [each.tensor for each in memories(accelerator.interface)].index("weights")
    first = Scenario(words, hold=ready, held_first=held)
    tried = (first, *further(first, accelerator))
    stage = accelerator.output
    fill = next(each for each in (*stage.fills, *stage.moves) if target(each.sink) == "weights_in_in")
    probe = Probe(
        "weights_in_in_fill_valid" if fill in stage.fills else "weights_in_in_fill_w_valid",
        prod(axis.extent for axis in fill.walk.axes[fill.sink.tile :]), taken.word, taken.distance,
    )  # fmt: skip
    text = probe.within(verilog(accelerator, loops=accelerator.pes > MANY), accelerator.interface.module)
    experiment = Experiment(text, accelerator.interface, tried, Companion({}, {}, (EVENTS,)))
    runs = simulate_scenarios(experiment)
    right = hl.reference(built.output, inputs)
    (nest,) = compiled.graph.outputs
    extras = judged(zip(tried, runs, strict=True), [(nest, words_of(nest.output.type, right))], accelerator)
    found = runs[0].outputs["output"].reshape(right.shape)
    match = np.array_equal(found[..., : layer.co], direct(layer, image, filters)) and np.array_equal(found, right)
    return match and all(extra.match for extra in extras), times(runs[0].files[EVENTS])


@dataclass(frozen=True)
class Probe:
    """What notes in EVENTS when weights come to the array, by the signal `weight`, the first and the last of `tile`
    rows; when steps begin and end; and when the one port of a memory is wanted twice, where with the steps a serializer
    reads words of `word` elements, and a deserializer collects their sums, each `distance` cycles later."""

    weight: str
    tile: int
    word: int
    distance: int

    def within(self, text: str, module: str) -> str:
        """The Verilog with it."""
        end = text.index("endmodule", text.index(f"module {module} ("))
        probe = f"""
  integer event_file;
  initial event_file = $fopen("{EVENTS}", "w");
  reg event_step = 0;
  reg [{self.distance - 1}:0] event_way = 0;
  reg [47:0] event_cycle = 0, event_rows = 0, event_read = 0, event_summed = 0;
  wire event_sum = event_way[{self.distance - 1}];
  always @(posedge clk) begin
    event_cycle <= event_cycle + 1;
    event_step <= sequencer_step;
    event_way <= {{event_way, sequencer_step}};
    event_rows <= control_go ? 0 : event_rows + {self.weight};
    event_read <= control_go || (sequencer_step && event_read == {self.word - 1}) ? 0 : event_read + sequencer_step;
    event_summed <=
      control_go || (event_sum && event_summed == {self.word - 1}) ? 0 : event_summed + event_sum;
    if (control_go) $fwrite(event_file, "start %0d\\n", event_cycle);
    if ({self.weight} && (event_rows == 0 || event_rows == {self.tile - 1}))
      $fwrite(event_file, "shift %0d\\n", event_cycle);
    if (sequencer_step != event_step) $fwrite(event_file, "step %0d\\n", event_cycle);
    if (sequencer_step && event_read == 0 && event_sum && event_summed == {self.word - 1})
      $fwrite(event_file, "met %0d\\n", event_cycle);
    $fflush(event_file);
  end
"""
        return text[:end] + probe + text[end:]


def times(events: str) -> Timed:
    """Of the first start."""
    found = [(kind, int(cycle)) for kind, cycle in (line.split() for line in events.splitlines())]
    again = [at for at, (kind, _) in enumerate(found) if kind == "start"][1]
    shifts, steps, met = (
        [cycle for kind, cycle in found[:again] if kind == wanted] for wanted in ("shift", "step", "met")
    )
    return Timed(shifts[0], shifts[-1], steps[0], steps[-1] - 1, len(met))


def main() -> None:
    parser = argparse.ArgumentParser(description="A convolution by implicit im2col: built, simulated, counted.")
    for name, what, default in (
        ("n", "batch", 2), ("ci", "input channels", 4), ("h", "height and width of the input", 5),
        ("co", "output channels", 4), ("filter", "height and width of the filter", 3), ("array", "PEs on each side", 4),
        ("tile", "filter positions side by side on the rows", 1), ("word", "elements of the batch in a word", 1),
        ("stride", "", 1), ("dilation", "", 1), ("padding", "zeros around the input", 0), ("seed", "", 0),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default, help=what)
    parser.add_argument("--within", action="store_true", help="no positions from two rows of the filter in a group")
    parser.add_argument("--single-port", action="store_true", help="memories with one port, or a refusal")
    parser.add_argument("--json", action="store_true")
    args = vars(parser.parse_args())
    word, seed, single, as_json = (args.pop(name) for name in ("word", "seed", "single_port", "json"))
    try:
        found = report(Layer(**args), word, seed, single)
    except hl.HalideHWError as error:
        print(error.message, *error.proposed, sep="\n    ", file=sys.stderr)
        sys.exit(2)
    if as_json:
        print(json.dumps(asdict(found)))
    else:
        for name, value in asdict(found).items():
            print(f"{name:25} {value}")
    sys.exit(0 if found.match else 1)


if __name__ == "__main__":
    main()
