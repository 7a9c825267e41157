"""Computes layers of network files with NumPy in double precision, by the rules of docs/network-files.md and by no other code."""
import math

import numpy as np

from .cells import CellIndex, for_columns, pairs, voxels_of

ACTIVATIONS = {
    "none": lambda x, slope: x,
    "relu": lambda x, slope: np.maximum(x, 0),
    "leaky_relu": lambda x, slope: np.where(x > 0, x, x * slope),
    "sigmoid": lambda x, slope: 1 / (1 + np.exp(-x)),
    "elu": lambda x, slope: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "gelu": lambda x, slope: x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
    "silu": lambda x, slope: x / (1 + np.exp(-x)),
    "tanh": lambda x, slope: np.tanh(x),
}


def three(value):
    """Returns a number for each axis, from one number or a list of three."""
    return tuple(value) if isinstance(value, (list, tuple)) else (value,) * 3


def kernel_of(layer):
    """Returns the kernel of a layer of a network file, as `spira_export.cells` uses it."""
    size, dilation = three(layer.get("kernel_size", 3)), three(layer.get("dilation", 1))
    centred = [d * (k // 2) if k % 2 else 0 for k, d in zip(size, dilation)]
    return {"size": size, "stride": three(layer.get("stride", 1)), "padding": three(layer.get("padding", centred)), "dilation": dilation}


def difference(values, expected):
    """Returns the largest difference, relative to the largest expected value."""
    if values.size == 0:
        return 0.0
    worst, largest = float(np.abs(values - expected).max()), float(np.abs(expected).max())
    return worst if worst == 0 else worst / max(largest, 1e-30)


class Replay:
    """Computes layers in chosen rows.

    `layers` are the layers of a network file, `tensors` is the content of its weight file. `cells` contains the output cells of each layer
    and of `input` by name. Row numbers refer to these cells. Layers with equal cells should have the same array, because its index is kept.
    `strides` contains the sizes of these cells in input voxels. It is needed only for `union_add`, `drop_axis`, `to_points` and `to_voxels`.
    `points` contains the positions of the points in voxels of the input, [P, 3]. The cells of a layer on points are (number of the point, 0, 0).
    """

    def __init__(self, layers, tensors, cells, strides=None, points=None):
        self.strides = strides or {}
        self.points = points
        self.layers = {layer["name"]: layer for layer in layers}
        self.tensors = tensors
        self.cells = cells
        self.indexes = {}

    def index(self, name):
        cells = self.cells[name]
        if id(cells) not in self.indexes:
            self.indexes[id(cells)] = CellIndex(cells)
        return self.indexes[id(cells)]

    def run(self, layer, values, rows=None):
        """Returns the outputs of a layer in `rows` (all rows if missing). `values` contains the outputs of earlier layers by name."""
        rows = np.arange(len(self.cells[layer["name"]])) if rows is None else rows
        inputs = [values[one] for one in layer["inputs"]]
        op = layer.get("op", "conv")
        chosen = [] if op in ("conv", "linear", "pool", "union_add", "drop_axis", "to_points", "to_voxels") else [one[rows].astype(float) for one in inputs]
        if op in ("conv", "linear"):
            result = self._convolve(layer, inputs, rows)
        elif op in ("to_points", "to_voxels"):
            result = self._move(layer, inputs[0].astype(float), rows)
        elif op == "pool":
            result = self._pool(layer, inputs[0].astype(float), rows)
        elif op in ("union_add", "drop_axis"):
            result = self._add_sets(layer, inputs, rows)
        elif op == "layer_norm":  # reads the channels of each row
            mean, variance = chosen[0].mean(axis=1, keepdims=True), chosen[0].var(axis=1, keepdims=True)
            result = (chosen[0] - mean) / np.sqrt(variance + layer.get("eps", 1e-5))
        elif op == "instance_norm":
            result = self._instance_norm(layer, inputs[0].astype(float))[rows]
        elif op == "add":
            result = sum(chosen)
        elif op == "multiply":
            result = np.prod(chosen, axis=0)
        elif op == "group_sum":
            result = chosen[0].reshape(len(rows), layer["out_channels"], -1).sum(axis=2)
        else:
            result = np.concatenate(chosen, 1)  # concat, affine and activation
        if op in ("affine", "layer_norm", "instance_norm"):
            result = result * self._tensor(layer, "scale") + self._tensor(layer, "shift")
        return self._finish(layer, result, values, rows)

    def _tensor(self, layer, name):
        return self.tensors[layer["name"] + "." + name].astype(float)

    def _kernel(self, layer):
        """Returns the kernel of the map on which a layer runs."""
        if "map_of" not in layer:
            return kernel_of(layer)
        return self._kernel(self.layers[layer["map_of"]])

    def _convolve(self, layer, inputs, rows):
        weight = self._tensor(layer, "weight")
        weight = weight if weight.ndim == 3 else weight[None]
        result = np.zeros((len(rows), layer["out_channels"]))
        out_cells = self.cells[layer["name"]][rows]
        found = pairs(self._kernel(layer), self.index(layer["inputs"][0]), out_cells, layer.get("transposed", False))
        for matrix, (target, source) in zip(weight, found):
            result[target] += np.concatenate([one[source] for one in inputs], 1).astype(float) @ matrix
        return result + self._tensor(layer, "bias") if layer.get("bias") else result

    def _instance_norm(self, layer, values):
        """Returns the values of all rows, normalised over all rows of their frame."""
        frames = self.cells[layer["name"]][:, :-3].sum(axis=1)  # the batch index, or 0 without one
        result = np.empty_like(values)
        for frame in np.unique(frames):
            part = values[frames == frame]
            result[frames == frame] = (part - part.mean(axis=0)) / np.sqrt(part.var(axis=0) + layer.get("eps", 1e-5))
        return result

    def _pool(self, layer, values, rows):
        reduce, channels = layer["reduce"], values.shape[1]
        result, counts = np.zeros((len(rows), channels)), np.zeros((len(rows), 1))
        kernel, out_cells = self._kernel(layer), self.cells[layer["name"]][rows]
        for target, source in pairs(kernel, self.index(layer["inputs"][0]), out_cells, False):
            if reduce == "max":
                first = counts[target] == 0
                result[target] = np.where(first, values[source], np.maximum(result[target], values[source]))
            else:
                result[target] += values[source]
            counts[target] += 1
        if reduce == "mean":
            return result / np.maximum(counts, 1)
        return result / np.prod(kernel["size"]) if reduce == "mean_of_cells" else result

    def _add_sets(self, layer, inputs, rows):
        """Adds the rows of equal voxels of all inputs. `strides` contains the stride of each layer that such a layer reads."""
        result = np.zeros((len(rows), inputs[0].shape[1]))
        row_of = np.full(len(self.cells[layer["name"]]), -1)
        row_of[rows] = np.arange(len(rows))
        for name, values in zip(layer["inputs"], inputs):
            voxels = voxels_of(self.cells[name], self.strides[name])
            if layer["op"] == "drop_axis":
                voxels = voxels * for_columns((1, 1, 0), voxels, 1)
            target = row_of[self.index(layer["name"]).rows(voxels // for_columns(self.strides[layer["name"]], voxels, 1))]
            np.add.at(result, target[target >= 0], values[target >= 0].astype(float))
        return result

    def _move(self, layer, values, rows):
        """Moves features between voxels and points."""
        voxels = layer["inputs"][0] if layer["op"] == "to_points" else layer["name"]
        scaled = self.points / np.array(self.strides[voxels], float)
        low = np.floor(scaled).astype(np.int64)
        # Points of a batch cannot be exported, so the batch index of all cells is the same.
        frame = self.cells[voxels][0, :-3] if len(self.cells[voxels]) else []

        def row_of(cells):
            return self.index(voxels).rows(np.column_stack([np.tile(frame, (len(cells), 1)), cells]).astype(np.int64))

        if layer["op"] == "to_voxels":
            found = row_of(low)
            sums, counts = np.zeros((len(self.cells[voxels]), values.shape[1])), np.zeros((len(self.cells[voxels]), 1))
            np.add.at(sums, found[found >= 0], values[found >= 0])
            np.add.at(counts, found[found >= 0], 1)
            return (sums / np.maximum(counts, 1))[rows]
        if layer.get("mode", "trilinear") == "nearest":
            found = row_of(low[rows])
            return np.where(found[:, None] >= 0, values[found], 0)
        scaled, low = scaled[rows], low[rows]
        result, total = np.zeros((len(rows), values.shape[1])), np.full((len(rows), 1), 1e-8)
        for step in np.ndindex(2, 2, 2):
            found = row_of(low + np.array(step))
            weight = np.prod(1 - np.abs(scaled - low - np.array(step)), axis=1) * (found >= 0)
            result += weight[:, None] * values[found]
            total += weight[:, None]
        return result / total

    def _finish(self, layer, result, values, rows):
        """Applies norm, residual and activation in the order of the layer."""
        for step in layer.get("order", ("norm", "add", "activation")):
            if step == "norm" and layer.get("op", "conv") in ("conv", "linear") and layer.get("norm", True):
                norm = layer.get("norm", True)
                eps = norm.get("eps", 1e-5) if isinstance(norm, dict) else 1e-5
                bn = {key: self._tensor(layer, "bn." + key) for key in ("weight", "bias", "running_mean", "running_var")}
                result = (result - bn["running_mean"]) / np.sqrt(bn["running_var"] + eps) * bn["weight"] + bn["bias"]
            elif step == "add" and layer.get("residual"):
                result = result + values[layer["residual"]][rows]
            elif step == "activation":
                default = "relu" if layer.get("op", "conv") in ("conv", "linear") else "none"
                result = ACTIVATIONS[layer.get("activation", default)](result, layer.get("slope", 0.01))
        return result
