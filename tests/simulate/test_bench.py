from halidehw.simulate.bench import bench


def test_bench_snapshot(design, golden):
    golden("add_bench.sv", bench(design(4, 101, passes=2).interface))
