"""The SystemVerilog around accelerators: for each a bench with control, one memory per tensor, and the signals that
are set and read from outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from halidehw.microarch.interface import PROGRAM_BITS, Counter, Interface, Port

TOP = "halidehw_bench"
CONTROL_SIGNALS = ("outcome", "cycles", "cut_cycle", "failure", "failure_memory", "failure_address", "status")
TIMING = ("latency", "rate_words", "rate_cycles", "stall", "stall_seed")
_CONTROLS = ("asked", "starts", "cuts", "softly", "onward", "held_first", *TIMING)
_LONG_CONTROLS = ("cut_at", "stop_at", "hold", "timeout", "patience")
READ = "/* verilator public_flat_rd */"
WRITTEN = "/* verilator public_flat_rw */"


@dataclass(frozen=True)
class TensorMemory:
    """The ports that share one memory: an input has a read port; an output a write port and maybe a read port."""

    tensor: str
    read: Port | None
    write: Port | None

    @property
    def port(self) -> Port:
        """The port that gives the memory its word size and its number of words."""
        port = self.write or self.read
        assert port is not None
        return port


def counter_signal(counter: Counter) -> str:
    """The bench's signal that carries a counter."""
    return f"count_{counter.name}"


def memories(interface: Interface) -> tuple[TensorMemory, ...]:
    """One memory for each output tensor, and one for each port that reads an input tensor."""
    outputs = {port.tensor: port for port in interface.ports if port.kind == "write"}
    reads = [port for port in interface.ports if port.kind == "read"]
    rereads = {port.tensor: port for port in reads if port.tensor in outputs}
    return (
        *(TensorMemory(port.tensor, port, None) for port in reads if port.tensor not in outputs),
        *(TensorMemory(tensor, rereads.get(tensor), port) for tensor, port in outputs.items()),
    )


def bench_names(count: int) -> tuple[str, ...]:
    """The instances of `count` benches below the top; the only one of a build is the top itself."""
    return ("",) if count == 1 else tuple(f"bench_{i}" for i in range(count))


@dataclass(frozen=True)
class Outside:
    """What stands around an accelerator in its bench, as lines of SystemVerilog. `interface`: the accelerator's native
    one; `declared`: signals; `pins`: what the accelerator is connected to; `status`: of each port, or each direction of
    a bus, valid and ready of what it asks, valid and ready of the answer; `memories`: instances, of which number i
    drives owed_i, failure_i, failure_address_i. `soon`: the cycles in which an accelerator is idle after the last
    answer."""

    module: str
    interface: Interface
    declared: tuple[str, ...]
    pins: tuple[str, ...]
    status: tuple[tuple[str, str, str, str], ...]
    memories: tuple[tuple[str, ...], ...]
    soon: int = 16


def native(interface: Interface, folder: int) -> Outside:
    """A memory for each tensor. Their files are in the folder of this number."""
    if interface.shared:
        return shared(interface, folder)
    ports = interface.ports
    ends = [f"{port.name}_{signal.name}" for port in ports for signal in port.signals]
    settled = [f"    assign port_{port.name}_settled = 1'b1;" for port in ports if port.posted]
    settled += [f"    assign port_{port.name}_arrived = '0;" for port in ports if port.posted and port.tiles]
    return Outside(
        interface.module,
        interface,
        (*(line for port in ports for line in _signals(port)), *settled),
        (".clk(clk)", ".rst(rst)", *control_pins(interface), *(f".{name}(port_{name})" for name in ends)),
        tuple(_status(port) for port in ports),
        tuple(tuple(_memory(part, i, folder)) for i, part in enumerate(memories(interface))),
    )


def shared(interface: Interface, folder: int) -> Outside:
    """A memory for each tensor, behind the one port of all: of several answers that of the first port is given."""
    ports = tuple(replace(port, order=0) for port in interface.ports)
    numbers = {port.name: f"{interface.port_bits}'d{i}" for i, port in enumerate(ports)}
    names = [each.name for each in interface.memory]
    lines = [f"    logic [{each.bits - 1}:0] {each.name};" for each in interface.memory]
    lines += [line for port in ports for line in _signals(port)]
    lines += [line for port in ports for line in _routed(port, numbers[port.name])]
    ready = [f"memory_port == {numbers[port.name]} & {_asks(port)}ready" for port in ports]
    lines += [f"    assign memory_ready = {' | '.join(ready)};"]
    if reads := [port for port in ports if port.kind == "read"]:
        answers = [f"port_{port.name}_resp" for port in reads]
        lines += [f"    assign memory_resp_valid = {' | '.join(f'{each}_valid' for each in answers)};"]
        for name, values in (
            ("port", [numbers[port.name] for port in reads]),
            ("data", [f"{each}_data" for each in answers]),
        ):
            first = "".join(f"{each}_valid ? {value} : " for each, value in zip(answers, values, strict=True))
            lines += [f"    assign memory_resp_{name} = {first}'0;"]
    return Outside(
        interface.module,
        interface,
        tuple(lines),
        (".clk(clk)", ".rst(rst)", *control_pins(interface), *(f".{name}({name})" for name in names)),
        tuple(_status(port) for port in ports),
        tuple(tuple(_memory(part, i, folder)) for i, part in enumerate(memories(replace(interface, ports=ports)))),
    )


def _routed(port: Port, number: str) -> list[str]:
    """What a tensor's memory sees of the port of all."""
    asks, write = _asks(port), port.kind == "write"
    lines = [f"{asks}valid = memory_valid & {'' if write else '~'}memory_write & memory_port == {number}",
             f"{asks}addr = memory_addr[{port.address_bits - 1}:0]"]  # fmt: skip
    lines += [f"{asks}mask = memory_mask[{port.lanes - 1}:0]"] * (port.lanes > 1)
    lines += [f"{asks}data = memory_data[{port.lanes * port.bits - 1}:0]"] * write
    answer = f"port_{port.name}_resp_ready = memory_resp_ready[{number}] & memory_resp_port == {number}"
    return [f"    assign {line};" for line in (*lines, *([] if write else [answer]))]


def _asks(port: Port) -> str:
    """What begins the names of the signals of a request."""
    return f"port_{port.name}_" if port.kind == "write" else f"port_{port.name}_req_"


def benches(outsides: Sequence[Outside]) -> str:
    """The top module `halidehw_bench` for one accelerator, or for several with a bench, a clock and a flag each, as
    SystemVerilog text."""
    if len(outsides) == 1:
        return _bench(TOP, outsides[0])
    last = len(outsides) - 1
    lines = [
        f"module {TOP} (input logic [{last}:0] clk {WRITTEN}, output logic [{last}:0] busy);",
        *(f"    {TOP}_{i} {name} (clk[{i}], busy[{i}]);" for i, name in enumerate(bench_names(len(outsides)))),
        "endmodule",
    ]
    modules = [_bench(f"{TOP}_{i}", outside) for i, outside in enumerate(outsides)]
    return "\n".join(lines) + "\n" + "".join(modules)


def _bench(module: str, outside: Outside) -> str:
    """The bench of one accelerator. A run begins when `asked` is set to a number that is not `answered`."""
    count, counters = len(outside.memories), outside.interface.counters
    status = [bit for bits in reversed(outside.status) for bit in bits]
    lines = [
        f"module {module} (input logic clk {WRITTEN}, output logic busy);",
        "    logic rst, start, abort, idle, done, fresh, clear, dump, owed, failed, moving, halting;",
        f"    int {', '.join(f'{name} {WRITTEN} = 0' for name in _CONTROLS)};",
        *(f"    int {each}programs {WRITTEN} = 1;" for each in outside.interface.lists),
        f"    longint {', '.join(f'{name} {WRITTEN} = 0' for name in _LONG_CONTROLS)};",
        "    int pass, turn;",
        f"    int answered {READ};",
        f"    longint cycles {READ}, cut_cycle {READ};",
        f"    int outcome {READ};",
        f"    int failure {READ} = 0, failure_memory {READ} = 0;",
        f"    longint failure_address {READ} = 0;",
        f"    logic [{len(status) - 1}:0] status {READ} = 0;",
        *(f"    logic [{each.bits - 1}:0] {counter_signal(each)} {READ};" for each in counters),
        *outside.declared,
        *(f"    logic owed_{i};\n    int failure_{i};\n    longint failure_address_{i};" for i in range(count)),
        f"    halidehw_control #(.SOON({outside.soon})) control (.*);",
        f"    {outside.module} accelerator (",
        *_comma([*outside.pins, *(f".{each.name}({counter_signal(each)})" for each in counters)]),
        "    );",
        *(line for each in outside.memories for line in each),
        "    assign busy = asked != answered;",
        f"    assign owed = {' | '.join(f'owed_{i}' for i in range(count))};",
        f"    assign failed = ({' | '.join(f'failure_{i}' for i in range(count))}) != 0;",
        f"    assign moving = {' | '.join(f'{a} & {b} | {c} & {d}' for a, b, c, d in outside.status)};",
        "    always @(posedge clk) if (halting) begin",
        f"        status = {{{', '.join(status)}}};",
        *(
            f"        if (failure == 0 && failure_{i} != 0) begin failure = failure_{i}; failure_memory = {i}; "
            f"failure_address = failure_address_{i}; end"
            for i in range(count)
        ),
        "    end",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def control_pins(interface: Interface) -> list[str]:
    """What starts and stops an accelerator."""
    listed = {f"{each}programs": f"{each}programs[{PROGRAM_BITS - 1}:0]" for each in interface.lists} | {"stop": "1'b0"}
    listed |= {f"{each}{name}": "" for each in interface.lists for name in ("completed", "corrupt")}
    return [f".{each.name}({listed.get(each.name, each.name)})" for each in interface.control]


def _signals(port: Port) -> list[str]:
    return [f"    logic [{each.bits - 1}:0] port_{port.name}_{each.name};" for each in port.signals]


def _status(port: Port) -> tuple[str, str, str, str]:
    """Request valid and ready, response valid and ready (write: the last two 0)."""
    if port.kind == "write":
        return f"port_{port.name}_valid", f"port_{port.name}_ready", "1'b0", "1'b0"
    request, answer = f"port_{port.name}_req", f"port_{port.name}_resp"
    return f"{request}_valid", f"{request}_ready", f"{answer}_valid", f"{answer}_ready"


def _memory(memory: TensorMemory, index: int, folder: int) -> list[str]:
    port = memory.port
    parameters = {
        "NAME": f'"{folder}/{port.name}"',
        "BITS": port.bits,
        "WORDS": port.words,
        "ADDRESS_BITS": port.address_bits,
        "READ_LANES": memory.read.lanes if memory.read else 1,
        "WRITE_LANES": memory.write.lanes if memory.write else 1,
        "OUTPUT": int(memory.write is not None),
        "INDEX": index,
    }
    pins = [
        *(f".{name}({name})" for name in ("clk", "rst", *TIMING, "asked", "pass", "fresh", "clear", "dump", "turn")),
        f".owed(owed_{index})",
        f".failure(failure_{index})",
        f".failure_address(failure_address_{index})",
        *_side(memory.read, "read", ("req_valid", "req_addr", "req_mask", "resp_ready")),
        *_side(memory.write, "write", ("valid", "addr", "data", "mask")),
    ]
    values = [f".{name}({value})" for name, value in parameters.items()]
    return instance("halidehw_memory", f"memory_{index}", values, pins)


_ASIDE = ("base", "anew", "settled", "closes", "arrived")
"""Signals of a port that its memory does not have."""


def _side(port: Port | None, side: str, inputs: tuple[str, ...]) -> list[str]:
    """The pins of one side of a memory; the inputs of an absent side are zero, an absent mask is one. What is accepted
    has settled."""
    if port is None:
        return [f".{name}('0)" for name in (*inputs, f"{side}_base")]
    own = [signal.name for signal in port.signals if signal.name not in _ASIDE]
    masks = [f".{name}(1'b1)" for name in inputs if name.endswith("mask") and name not in own]
    base = f"port_{port.name}_base / {port.unit}" if port.based else "'0"
    return [f".{name}(port_{port.name}_{name})" for name in own] + masks + [f".{side}_base({base})"]


def instance(module: str, label: str, values: list[str], pins: list[str]) -> list[str]:
    """A module with these parameters and pins."""
    return [f"    {module} #(", *_comma(values), f"    ) {label} (", *_comma(pins), "    );"]


def _comma(items: list[str]) -> list[str]:
    return [f"        {item}," for item in items[:-1]] + [f"        {items[-1]}"]
