"""Random networks beside ONNX Runtime; `benchmarks/random_networks.py` has more of them, and runs them in RTL."""

import numpy as np
import pytest

from halidehw.importers.onnx.network import imported
from tests.importers.nets import samples
from tests.importers.random_nets import random_network


@pytest.mark.parametrize("seed", [4, 8])
def test_every_bit_of_a_random_network(seed: int):
    model, _ = random_network(seed)
    found = imported(model, "random")
    (feeds,) = samples(model, 1)
    ours = found.network.evaluate(feeds)
    for name, array in {**found.every(feeds), **found.expected(feeds)}.items():
        np.testing.assert_array_equal(ours[name], array, err_msg=name)
