from halidehw.simulate.bench import benches, native


def test_bench_snapshot(design, golden):
    golden("add_bench.sv", benches([native(design(4, 101, passes=2).interface, 0)]))
