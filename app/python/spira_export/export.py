"""The entry point of the package: runs, checks and writes a model."""
import pathlib
import pickle
import time

import numpy as np
import torch

from . import libraries
from .cells import CellIndex, pairs, voxels_of
from .errors import ExportError
from .files import capture_tensors, network_text
from .layers import Network, check_finite
from .record import Recorder
from .replay import Replay, difference, kernel_of
from .tensor_file import write_safetensors

TOLERANCE = 1e-5
MAX_ROWS = 2000
MAX_NAMES = 20


class Summary:
    """The result of an export.

    `files` lists the written files. `layers` and `parameters` are counts. `largest_difference` is the largest difference of the self-check,
    relative to the largest value of its layer (`worst_layer`). `runs_today` is true if `spira` can run the network. `opaque` lists the name
    and operation of each part that network files cannot express. `seconds` is the time of the export.
    """

    def __init__(self, **values):
        self.__dict__.update(values)

    def __str__(self):
        lines = [f"{self.files[0]}: {self.layers:,} layers, {self.parameters:,} parameters, largest difference {self.largest_difference:.1e}"
                 f" of the largest value ({self.worst_layer}), {self.seconds:.1f} s"]
        if self.opaque:
            names = ", ".join(f"{name} ({what})" for name, what in self.opaque[:MAX_NAMES]) + (", ..." if len(self.opaque) > MAX_NAMES else "")
            lines.append(f"operations that cannot be exported ({len(self.opaque):,}): {names}")
        elif not self.runs_today:
            lines.append("spira cannot run this network yet: it uses keys that docs/bring-your-network.md lists")
        return "\n".join(lines)


def export(model, inputs, name, capture=False, checkpoint=None, axes=None):
    """Runs a model once and writes NAME.json, NAME.safetensors and, with `capture`, NAME.capture.safetensors.

    `inputs` is a tuple of the arguments of the model, or its only argument. It must be a real frame or a batch of real frames, because
    the coordinate sets that ran are compared with the rules of network files. `name` may contain a folder. `checkpoint` is a file of weights that
    `torch.load` reads with `weights_only=True`. `axes` is the order of the coordinates in the library, `"zyx"` or `"xyz"`; the default is
    `"zyx"` for spconv and mmcv, and `"xyz"` for the other libraries.

    Returns a `Summary` and prints it. Throws `ExportError` if the model cannot be recorded, or if a layer that is recomputed from the
    record differs from its output by more than 1e-5 of its largest value. Nothing is written in this case.
    """
    begin = time.monotonic()
    if axes not in (None, "xyz", "zyx"):
        raise ExportError(f"axes is {axes!r}; expected 'xyz' or 'zyx'")
    if checkpoint is not None:
        load_checkpoint(model, checkpoint)
    recorder = Recorder(model, axes)
    with _EvaluationMode(model):
        recorder.run(model, _arguments(inputs))
    if not any(node.kind == "conv" and node.provider[0] != "torch" for node in recorder.nodes):
        raise ExportError("no sparse convolution ran; supported are spconv, mmcv.ops, torchsparse, MinkowskiEngine and SparseConvNet")
    network = Network(recorder)
    check_finite(network.layers)
    worst, worst_layer = check(network)
    if network.opaque:
        _count_multiply_adds(network)
    path = pathlib.Path(name)
    library = next(node.provider for node in recorder.nodes if node.kind == "conv" and node.provider[0] != "torch")
    origin = {"library": " ".join(library), "torch": torch.__version__, "exporter": "spira_export 0.1.0"}
    tensors = {f"{layer.first.name}.{key}": tensor for layer in network.layers for key, tensor in layer.tensors.items()}
    files = [path.with_name(path.name + end) for end in (".json", ".safetensors", ".capture.safetensors")][:3 if capture else 2]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files[0].write_text(network_text(_head(network, path.name, origin), [layer.entry for layer in network.layers]), encoding="utf-8")
        write_safetensors(files[1], tensors, {"network": path.name, **origin})
        if capture:
            write_safetensors(files[2], _capture(network), {"schema": "spira.capture 1", "network": path.name, library[0]: library[1],
                                                            "torch": torch.__version__, "numpy": np.__version__})
    except OSError as error:
        raise ExportError(f"{error.filename or path}: {error.strerror}") from error
    summary = Summary(files=[str(file) for file in files], layers=len(network.layers), parameters=sum(one.size for one in tensors.values()),
                      largest_difference=worst, worst_layer=worst_layer, runs_today=not network.wide,
                      opaque=[(layer.first.name, layer.entry["operation"]) for layer in network.opaque], seconds=time.monotonic() - begin)
    print(summary)
    return summary


def load_checkpoint(model, file):
    """Loads weights into a model. A prefix that all names share, for example of a detector around the model, is removed."""
    if tuple(int(one) for one in torch.__version__.split(".")[:2]) < (1, 13):
        raise ExportError(f"torch {torch.__version__} cannot read checkpoints safely; load the weights into the model and omit checkpoint=")
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except OSError as error:
        raise ExportError(f"{file}: {error.strerror or error}") from error
    except Exception as error:  # torch.load throws many types if a file is damaged.
        found = str(error).split("WeightsUnpickler error: ")[-1].split("\n")[0]
        if isinstance(error, pickle.UnpicklingError) and found.startswith(("Unsupported class", "Unsupported global")):
            raise ExportError(f"{file}: contains other objects than weights, so it is not loaded ({found}); load it into the model and "
                              "omit checkpoint=") from error
        raise ExportError(f"{file}: cannot be read: it is damaged, or no PyTorch checkpoint ({type(error).__name__}: {found})") from error
    for key in ("state_dict", "model_state", "model_state_dict", "model"):
        if isinstance(content, dict) and isinstance(content.get(key), dict):
            content = content[key]
    wanted = [key for key in model.state_dict() if not key.endswith("num_batches_tracked")]
    have = {key for key in content if isinstance(key, str)} if isinstance(content, dict) else set()
    ends = sorted(key[:-len(wanted[0])] for key in have if key.endswith(wanted[0])) if wanted else []
    prefix = next((one for one in ends if all(one + key in have for key in wanted)), None)
    if prefix is None:
        missing = next((key for key in wanted if key not in have), "weights")
        raise ExportError(f"{file}: {missing} is missing; the checkpoint belongs to a different model")
    try:
        model.load_state_dict({key[len(prefix):]: content[key] for key in have if key.startswith(prefix)}, strict=False)
    except RuntimeError as error:
        raise ExportError(f"{file}: " + " ".join(str(error).split())) from error


def check(network):
    """Recomputes up to 2,000 rows of each layer from the record. Returns the largest difference and the name of its layer.

    Throws `ExportError` if a layer differs by more than 1e-5 of its largest value.
    """
    values, cells, strides = {}, {}, {}
    for node, name in network.names.items():
        if node.level is not None and node.value.dim() == 2:
            values[name] = node.value.detach().float().cpu().numpy()
            cells[name], strides[name] = node.level.cells, node.level.stride
    tensors = {f"{layer.first.name}.{key}": tensor for layer in network.layers for key, tensor in layer.tensors.items()}
    points = network.recorder.points
    replay = Replay([{"op": "conv", **layer.entry} for layer in network.layers], tensors, cells, strides,
                    None if points is None else points.astype(float))
    rng = np.random.RandomState(0)
    worst, worst_layer = 0.0, network.layers[0].first.name
    for layer in network.layers:
        name = layer.first.name
        if layer.first.kind == "opaque":
            continue
        if layer.first.kind == "dense":
            found = _dense_difference(layer, cells, values)
        else:
            rows = np.sort(rng.permutation(len(cells[name]))[:MAX_ROWS])
            found = difference(replay.run(layer.entry, values, rows), values[name][rows])
        if not found <= TOLERANCE:
            library, version = layer.first.provider
            raise ExportError(f"{name}: this layer of {library} {version}, recomputed from the record, differs by {found:.1e} of its largest "
                              f"value; the limit is {TOLERANCE:g}. Nothing was written. Run in float32 without TF32 or autocast; if it still "
                              "differs, this version of the library orders its weights or cells differently")
        if found > worst:
            worst, worst_layer = found, name
    return worst, worst_layer


def _count_multiply_adds(network):
    """Writes the number of multiply-adds of each convolution into its entry. `spira` shows the shares of opaque parts with them."""
    cells = {name: node.level.cells for node, name in network.names.items() if node.level is not None}
    entries = {layer.entry["name"]: layer.entry for layer in network.layers}
    indexes, counts = {}, {}
    for layer in network.layers:
        entry = layer.entry
        if layer.first.kind != "conv":
            continue
        inside, outside = cells[entry["inputs"][0]], cells[entry["name"]]
        owner = entry
        while "map_of" in owner:
            owner = entries[owner["map_of"]]
        kernel, transposed = kernel_of(owner), entry.get("transposed", False)
        key = (id(inside), id(outside), transposed, tuple(tuple(one) for one in kernel.values()))
        if key not in counts:
            index = indexes.setdefault(id(inside), CellIndex(inside))
            counts[key] = sum(len(target) for target, _ in pairs(kernel, index, outside, transposed))
        entry["multiply_adds"] = counts[key] * entry["in_channels"] * entry["out_channels"]


def _dense_difference(layer, cells, values):
    """Returns the difference between a dense tensor and its cells, filled in the order of the axes."""
    source = layer.entry["inputs"][0]
    bounds = layer.entry["cells"]
    filled = np.zeros((len(layer.end.value), values[source].shape[1], *bounds))
    frame, x, y, z = cells[source].T
    filled[frame, :, x, y, z] = values[source]
    if layer.entry["axes"] == "zyx":
        filled = filled.transpose(0, 1, 4, 3, 2)
    return difference(filled.reshape(-1), layer.end.value.detach().double().cpu().numpy().reshape(-1))


def _head(network, name, origin):
    """Returns the keys of the network file before the layers."""
    source = next(node for node in network.nodes if node.kind == "input")
    head = {"schema": "spira.network 2", "name": name, "title": name, "in_channels": int(source.value.shape[1]), "input": {"features": "file"}}
    if network.recorder.shape:
        head["input"]["grid"] = {"cells": [int(one) for one in network.recorder.shape]}
    outputs = list(dict.fromkeys(network.names[one] for one in network.recorder.results))
    if outputs:
        head["outputs"] = outputs
    head["origin"] = {**origin, "date": time.strftime("%Y-%m-%d", time.gmtime())}
    return head


def _capture(network):
    """Returns the tensors of the capture. The rows of each layer are drawn with a fixed seed.

    Coordinates have a batch index only if the input contains more than one.
    """
    source = next(node for node in network.nodes if node.kind == "input")
    frames = source.level.cells[:, 0]
    batch = len(np.unique(frames)) > 1
    first_column = 0 if batch else 1
    outputs = {}
    for layer in network.layers:
        level = layer.end.level
        if layer.first.kind == "dense" and layer.first.inputs[0].level.placed:
            dense = layer.end.value.detach().float().cpu().numpy()
            dense = dense[:frames.max() + 1] if batch else dense[frames[0]]  # Omits empty frames at the end.
            outputs[layer.first.name] = (None, None, None, dense.reshape([-1] * batch + layer.entry["shape"]))
        if level is not None and level.placed and layer.end.value.dim() == 2:
            place = "points" if level is network.recorder.points_level else id(level)
            outputs[layer.first.name] = (place, voxels_of(level.cells, level.stride)[:, first_column:].astype(np.int32),
                                         layer.end.value.detach().float().cpu().numpy())
    tensors = capture_tensors(source.level.cells[:, first_column:].astype(np.int32), source.value.detach().float().cpu().numpy(), outputs, 0,
                              np.random.RandomState(0))
    if network.recorder.points is not None:
        tensors["points"] = np.ascontiguousarray(network.recorder.points, np.float32)
    for node in network.nodes:
        if node.kind == "points":
            tensors["point_features"] = node.value.detach().float().cpu().numpy()
    for layer in network.behind_opaque():
        if layer.entry.get("transposed"):
            continue
        inputs = layer.first.inputs
        tensors[layer.first.name + ".in_coords"] = np.ascontiguousarray(inputs[0].level.cells[:, first_column:], np.int32)
        tensors[layer.first.name + ".in_features"] = np.ascontiguousarray(
            np.concatenate([one.value.detach().float().cpu().numpy() for one in inputs], 1), np.float32)
        tensors[layer.first.name + ".in_stride"] = np.array(inputs[0].level.stride, np.int32)
        if layer.residual is not None and layer.end.level is inputs[0].level:
            tensors[layer.first.name + ".in_residual"] = np.ascontiguousarray(layer.residual.value.detach().float().cpu().numpy(), np.float32)
    return tensors


def _arguments(inputs):
    return tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)


class _EvaluationMode:
    """Sets a model to evaluation mode, and restores the mode of each module at the end."""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.modes = [(module, module.training) for module in self.model.modules()]
        self.model.eval()
        for module, _ in self.modes:
            if libraries.needs_training_mode(module):
                module.training = True

    def __exit__(self, *arguments):
        for module, mode in self.modes:
            module.training = mode
