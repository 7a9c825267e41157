"""Runs networks of spira as modules of PyTorch. Only this file of the package needs PyTorch."""
from typing import Dict, Optional, Sequence, Tuple, Union

import torch
from torch.utils.dlpack import from_dlpack

from . import CompiledRunner, Model, Output, Runner, Scene, Tensor

Sparse = Tuple[torch.Tensor, torch.Tensor]
Value = Union[torch.Tensor, Sparse]
GpuSparse = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
GpuValue = Union[torch.Tensor, GpuSparse]


def _require_inputs(features: torch.Tensor, indices: torch.Tensor) -> None:
    if features.requires_grad:
        raise RuntimeError("features: requires a gradient, but Backbone computes no gradients; use torch.no_grad() or features.detach()")
    if indices.dtype != torch.int32 or indices.ndim != 2 or indices.shape[1] != 4:
        raise TypeError(f"indices: is {indices.dtype} {list(indices.shape)}; expected torch.int32 [voxels, 4]: batch index, z, y, x")


def _swapped(indices: torch.Tensor) -> torch.Tensor:
    """Converts the columns of spconv (batch index, z, y, x) to those of the library (batch index, x, y, z), and back."""
    return torch.stack([indices[:, column] for column in (0, 3, 2, 1)], 1)


class Backbone(torch.nn.Module):
    """Computes the outputs of a model from voxels, instead of the sparse backbone of a detector. It cannot be trained.

    `outputs` are names of layers. Without names, the outputs of the network are computed. Use a separate module for each thread.
    """

    def __init__(self, model: Model, outputs: Sequence[str] = ()):
        super().__init__()
        self.model = model
        self.outputs = list(outputs or model.network.outputs)
        self._dense = {layer.name for layer in model.network.layers if layer.operation == "dense"}
        self._runner = Runner(model)

    def forward(self, features: torch.Tensor, indices: torch.Tensor, batch_size: Optional[int] = None) -> Union[Value, Dict[str, Value]]:
        """Returns the output, or a dict from the names of layers to outputs if there are several.

        - `features`: float32 [voxels, channels]. `indices`: int32 [voxels, 4], batch index, z, y, x, as in spconv.
        - A dense layer gives a grid, such as a bird's-eye view, with the frames of the batch as the first dimension.
        - Other layers give features [voxels, channels] and indices [voxels, 4], in voxels of the input.
        """
        _require_inputs(features, indices)
        frames = int(indices[:, 0].max()) + 1 if len(indices) else 1
        if batch_size is not None and batch_size < frames:
            raise ValueError(f"batch_size: is {batch_size}, but the largest batch index is {frames - 1}")
        result = self._runner.run(Scene.voxels(_swapped(indices), features), outputs=self.outputs)
        values = {output.layer: self._grid(output, frames, batch_size or frames) if output.layer in self._dense
                  else self._sparse(output, result.shift) for output in result.outputs}
        return values if len(values) > 1 else next(iter(values.values()))

    @staticmethod
    def _grid(output: Output, frames: int, batch_size: int) -> torch.Tensor:
        grid = from_dlpack(output.features)
        if batch_size == frames:
            return grid
        return torch.cat([grid, grid.new_zeros((batch_size - frames, *grid.shape[1:]))])  # The last frames have no voxels.

    @staticmethod
    def _sparse(output: Output, shift: Sequence[int]) -> Sparse:
        coordinates = from_dlpack(output.coordinates)
        x, y, z = (coordinates[:, axis - 3] + shift[axis] for axis in range(3))
        return from_dlpack(output.features), torch.stack([coordinates[:, 0], z, y, x], 1)


def _view(tensor: Tensor, device: torch.device) -> torch.Tensor:
    """Returns a view of GPU memory."""
    made = torch.as_tensor(tensor, device=device)
    if made.data_ptr() != tensor.__cuda_array_interface__["data"][0]:  # as_tensor() copied to another device.
        raise ValueError(f"features: is on {device}; expected the GPU of the model")
    return made


class CompiledBackbone(torch.nn.Module):
    """Like Backbone, but for tensors in GPU memory. The network is one CUDA graph, and the host never waits.

    Compiles the network for voxels like the example: as many frames, up to `headroom` times as many voxels, and coordinates from `low` to
    `high` (x, y, z; both included). The example and all inputs are on the GPU of the model. Use a separate module for each thread.
    """

    def __init__(self, model: Model, features: torch.Tensor, indices: torch.Tensor, outputs: Sequence[str] = (), headroom: float = 1.5,
                 low: Sequence[float] = (0, 0, 0), high: Sequence[float] = (0, 0, 0)):
        super().__init__()
        _require_inputs(features, indices)
        if not features.is_cuda:
            raise ValueError("features: is in host memory; CompiledBackbone needs an example on the GPU of the model")
        self._dense = {layer.name for layer in model.network.layers if layer.operation == "dense"}
        example = Scene.voxels(_swapped(indices).cpu(), features.cpu())
        self._runner = CompiledRunner(model, example, outputs=list(outputs), headroom=headroom, low=low, high=high)
        self._outputs = [(output.layer, _view(output.features, features.device),
                          None if output.layer in self._dense else _view(output.coordinates, features.device),
                          _view(output.rows, features.device)) for output in self._runner.outputs]
        self._shift = torch.tensor([0, *self._runner.shift], dtype=torch.int32, device=features.device)

    def forward(self, features: torch.Tensor, indices: torch.Tensor) -> Union[GpuValue, Dict[str, GpuValue]]:
        """Returns the output, or a dict from the names of layers to outputs if there are several. The next call overwrites them.

        - `features` and `indices` are as for Backbone, with at most as many frames as the example. The run is added to the current stream of PyTorch.
        - A dense layer gives a grid, with the frames of the batch as the first dimension.
        - Other layers give features [capacity, channels], indices [capacity, 4] and the number of valid rows [1].
        """
        _require_inputs(features, indices)
        self._runner.enqueue(_swapped(indices), features, stream=torch.cuda.current_stream(features.device).cuda_stream)
        values = {layer: grid if cells is None else (grid, _swapped(cells + self._shift), rows) for layer, grid, cells, rows in self._outputs}
        return values if len(values) > 1 else next(iter(values.values()))

    def wait(self) -> None:
        """Waits until all runs have finished. Raises `DoesNotFitError` if voxels exceeded the capacity since the last call."""
        self._runner.wait()
