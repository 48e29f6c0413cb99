"""When words behind an AXI4 master are in memory, by its bursts."""

from halidehw.buses.axi import AXI, PAGE
from halidehw.energy_model.posted import PostedWrites

BUS = AXI(128)


def settled(*beats: int) -> int:
    """Of words that come one a cycle, each in a beat of its own."""
    writes = PostedWrites(BUS, latency=30)
    for time, beat in enumerate(beats):
        writes.word(time, beat, two=False)
    return writes.end()


def test_a_burst_ends_where_a_page_does():
    page = PAGE // BUS.bytes
    for last in (page - 1, 2 * page - 1):
        assert settled(last - 1, last) == settled(last + 1, last + 2) < settled(last, last + 1)
        assert settled(last, last + 1) == settled(last, last + 5)
