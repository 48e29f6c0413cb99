"""What a network holds on the chip."""

from __future__ import annotations

from halidehw.microarch.network import Network


def on_chip(network: Network) -> int:
    """Bytes of all memories, register files and sums, without registers between steps and queues of ports."""
    bits = 0
    for stage in network.stages:
        bits += sum(memory.size * memory.type.bits for memory in stage.memories if not memory.home)
        bits += sum(stage.pes * file.halves * file.words * file.type.bits * file.reads for file in stage.files)
        bits += sum(sums.lanes * sums.halves * sums.words * sums.type.bits for sums in stage.sums)
    return -(-bits // 8)
