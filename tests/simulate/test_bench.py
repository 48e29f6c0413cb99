from halidehw.simulate.bench import benches


def test_bench_snapshot(design, golden):
    golden("add_bench.sv", benches([design(4, 101, passes=2).interface]))
