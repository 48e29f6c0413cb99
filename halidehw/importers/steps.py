"""A network of layers: what an importer makes of a file.

A network is steps in order; each one takes tensors by name and makes some. A `Layer` is an algorithm in the language: a
Func whose inputs are tensors of the network and constants of its own. A `View` is the same words under another shape. A
`Host` is a node that no Func computes to the bit, or none at all: it runs where the network's runtime runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from halidehw.errors import NetworkError
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.frontend.pipeline import inputs_of
from halidehw.importers.recipes import Recipe
from halidehw.importers.tensors import Shape, Tensor
from halidehw.mapping.layer import Layer as Sizes
from halidehw.mapping.layer import Network
from halidehw.reference.reference import reference

Arrays = dict[str, np.ndarray]

@dataclass(frozen=True)
class LoopNest:
    """A sum of products as the optimizer knows it: its sizes, the loop of each of its dims, and the Func that sums."""

    sizes: Sizes
    loops: tuple[tuple[str, str], ...]
    subject: str


@dataclass(frozen=True)
class Layer:
    """A layer as an algorithm.

    `func`: all its bounds are stated, and those of its inputs. `inputs`: the tensor of the network that each input by
    name stands for; it has the same words, in the order in which they lie in memory. `constants`: the arrays of all
    other inputs. `macs`: multiplications and additions of its sums. `shape`: of a sum of inputs times weights, as the
    optimizer knows it; None for others. `recipe`: what it is made of, if it can be made together with others.
    """

    name: str
    op: str
    func: Func
    inputs: Mapping[str, Tensor]
    constants: Mapping[str, np.ndarray]
    output: Tensor
    macs: int = 0
    shape: LoopNest | None = None
    recipe: Recipe | None = None

    @property
    def reads(self) -> tuple[Tensor, ...]:
        return tuple(self.inputs.values())

    @property
    def makes(self) -> tuple[Tensor, ...]:
        return (self.output,)

    def arrays(self, values: Mapping[str, np.ndarray]) -> Arrays:
        """The array of each of the Func's inputs, where `values` has the network's tensors."""
        shapes = {image.name: shape_of(image) for image in inputs_of(self.func)}
        tensors = {name: tensor.laid(values[tensor.name]) for name, tensor in self.inputs.items()}
        tensors |= dict(self.constants)
        return {name: tensors[name].reshape(shape) for name, shape in shapes.items()}

    def run(self, values: Mapping[str, np.ndarray]) -> tuple[np.ndarray, ...]:
        """The output, by the algorithm's own evaluation."""
        found = reference(self.func, self.arrays(values))
        assert isinstance(found, np.ndarray)
        return (self.output.taken(found),)


@dataclass(frozen=True)
class View:
    """The same words, which lie in the same order, under another name and shape: no work, wherever they lie."""

    name: str
    op: str
    input: Tensor
    output: Tensor

    @property
    def reads(self) -> tuple[Tensor, ...]:
        return (self.input,)

    @property
    def makes(self) -> tuple[Tensor, ...]:
        return (self.output,)

    def run(self, values: Mapping[str, np.ndarray]) -> tuple[np.ndarray, ...]:
        return (self.output.taken(self.input.laid(values[self.input.name])),)


@dataclass(frozen=True)
class Host:
    """A node that runs on the host, and why; `call` takes and gives arrays in the order of `reads` and `makes`."""

    name: str
    op: str
    reads: tuple[Tensor, ...]
    makes: tuple[Tensor, ...]
    reason: str
    call: Callable[[Sequence[np.ndarray]], Sequence[np.ndarray]] = field(repr=False, compare=False)

    def run(self, values: Mapping[str, np.ndarray]) -> tuple[np.ndarray, ...]:
        return tuple(self.call([values[tensor.name] for tensor in self.reads]))


Step = Layer | View | Host


def on_host(layer: Layer, reason: str) -> Host:
    """A layer that no hardware can be built for, by its own evaluation, which gives the same words."""
    names = [tensor.name for tensor in layer.reads]

    def call(arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        return layer.run(dict(zip(names, arrays, strict=True)))

    return Host(layer.name, layer.op, layer.reads, layer.makes, reason, call)


@dataclass(frozen=True)
class TrainedNetwork:
    """Steps, each after those that make what it reads. `outputs`: names of tensors."""

    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def layers(self) -> tuple[Layer, ...]:
        return tuple(step for step in self.steps if isinstance(step, Layer))

    @property
    def hosted(self) -> tuple[Host, ...]:
        return tuple(step for step in self.steps if isinstance(step, Host))

    @property
    def kernels(self) -> Network:
        """Its sums of products, as the optimizer knows them. Raises `NetworkError` where it has none."""
        found = tuple(layer.shape.sizes for layer in self.layers if layer.shape)
        if not found:
            others = ", ".join(dict.fromkeys(step.op for step in self.steps))
            raise NetworkError(f"{self.name} has no convolution and no matrix product by constants, but {others}")
        return Network(self.name, found)

    @property
    def folded(self) -> TrainedNetwork:
        """The same network where each layer that only a view reads makes what the view does."""
        last, steps = set(self.outputs), list[Step]()
        for step in self.steps:
            source = next((each for each in steps if isinstance(each, Layer) and each.output in step.reads), None)
            if isinstance(step, View) and source and self._readers(step.input) == 1 and step.input.name not in last:
                steps[steps.index(source)] = replace(source, output=step.output)
            else:
                steps.append(step)
        return replace(self, steps=tuple(steps))

    def _readers(self, tensor: Tensor) -> int:
        return sum(tensor in step.reads for step in self.steps)

    @property
    def crossing(self) -> tuple[Tensor, ...]:
        """The tensors that pass between the layers and the host: what one side makes, or is given, and the other
        reads."""
        owner = {tensor.name: True for tensor in self.inputs}
        found: dict[str, Tensor] = {}
        for step in self.steps:
            here = owner[step.reads[0].name] if isinstance(step, View) else isinstance(step, Host)
            found |= {tensor.name: tensor for tensor in step.reads if owner[tensor.name] != here}
            owner |= {tensor.name: here for tensor in step.makes}
        last = {tensor.name: tensor for step in self.steps for tensor in step.makes if tensor.name in self.outputs}
        return tuple((found | {name: each for name, each in last.items() if not owner[name]}).values())

    def fed(self, inputs: Mapping[str, np.ndarray]) -> Arrays:
        """`inputs` as they are, once they fit. Raises `NetworkError` for a missing one, a wrong shape or type."""
        for tensor in self.inputs:
            if tensor.name not in inputs:
                raise NetworkError(f"the network's input {tensor.name} is not given", legal=(_zeros(tensor),))
            given = np.asarray(inputs[tensor.name])
            if given.shape != tensor.shape or given.dtype != tensor.dtype:
                raise NetworkError(
                    f"the network's input {tensor.name} is {tensor.dtype} of shape {tensor.shape}, "
                    f"the array given is {given.dtype} of shape {given.shape}",
                    legal=_fitting(tensor, given),
                )
        return {tensor.name: np.asarray(inputs[tensor.name]) for tensor in self.inputs}

    def evaluate(self, inputs: Mapping[str, np.ndarray]) -> Arrays:
        """Every tensor of the network by name: each layer by its own algorithm, what is the host's by its runtime."""
        values = self.fed(inputs)
        for step in self.steps:
            values |= {tensor.name: array for tensor, array in zip(step.makes, step.run(values), strict=True)}
        return values


def _zeros(tensor: Tensor) -> str:
    return f'network.evaluate({{"{tensor.name}": np.zeros({tensor.shape}, np.{tensor.dtype})}})'


def _fitting(tensor: Tensor, given: np.ndarray) -> tuple[str, ...]:
    """Code that makes an array that fits, where it has as many elements."""
    if given.size != tensor.words:
        return ()
    if given.shape == tensor.shape:
        return (f"array.astype(np.{tensor.dtype})",)
    channels_last = given.ndim == 4 and given.transpose(0, 3, 1, 2).shape == tensor.shape
    way = "array.transpose(0, 3, 1, 2)" if channels_last else f"array.reshape({tensor.shape})"
    return (way if given.dtype == tensor.dtype else f"{way}.astype(np.{tensor.dtype})",)


def shape_of(image: ImageParam) -> Shape:
    """The shape of an input whose bounds are all stated."""
    return tuple(pair[1] for pair in reversed(image.bounds) if pair)
