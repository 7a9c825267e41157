"""Facts about the modules and sparse tensors of each library.

Classes are found by their names, so that no library is imported. Each function returns facts in the terms of network files: axes in the order
x, y, z, and weights as [matrices, C_in, C_out] with x slowest and z fastest.
"""
import importlib.metadata
import sys
import types

import numpy as np

from .errors import ExportError

TENSOR_CLASSES = ("SparseConvTensor", "SparseTensor", "SparseConvNetTensor")
MAX_FRAMES = 256  # in one batch
SCN_NORMS = ("BatchNormalization", "BatchNormReLU", "BatchNormLeakyReLU")


def class_names(thing):
    return [one.__name__ for one in type(thing).__mro__]


def provider_of(thing):
    """Returns the library of a module or sparse tensor and its version, for example ("spconv", "2.3.8")."""
    parts = type(thing).__module__.split(".")
    version = getattr(sys.modules.get(parts[0]), "__version__", "")
    if not version and parts[0] != "__main__":
        try:
            version = importlib.metadata.version(parts[0])
        except importlib.metadata.PackageNotFoundError:
            version = "unknown"
    if parts[0] == "spconv" and parts[1:2] != ["pytorch"] and not str(version).startswith("1."):
        version = "1.x"  # Only version 2 has the package spconv.pytorch. Most releases of version 1 do not state their version.
    return parts[0], str(version)


def sparse_tensor_classes():
    """Returns the sparse tensor classes of all loaded modules."""
    found = {}
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None) or {}
        for name in TENSOR_CLASSES:
            one = names.get(name)
            if isinstance(one, type) and one.__name__ == name and one.__module__.split(".")[0] != "torch":
                found[id(one)] = one
    return list(found.values())


def is_sparse_tensor(thing):
    return any(name in TENSOR_CLASSES for name in class_names(thing))


def features_of(tensor):
    """Returns the features of a sparse tensor."""
    for name in ("features", "feats", "F"):
        value = getattr(tensor, name, None)
        if value is not None:
            return value
    raise ExportError(f"the sparse tensor class {type(tensor).__name__} has no features, feats or F")


POINT_FUNCTIONS = ("initial_voxelize", "voxel_to_point", "point_to_voxel")


def point_functions():
    """Returns (module, name, function) for each function of loaded modules that moves features between voxels and points, as in SPVNAS."""
    return [(module, name, module.__dict__[name]) for module in list(sys.modules.values()) for name in POINT_FUNCTIONS
            if isinstance((getattr(module, "__dict__", None) or {}).get(name), types.FunctionType)]


def positions_of(tensor, axes):
    """Returns the positions x, y, z of a PointTensor, in voxels of the input. torchsparse 1.4 has the batch index in the last column.

    Throws `ExportError` if the points belong to several frames.
    """
    rows = tensor.C.detach().cpu().numpy().astype(np.float32)
    old = str(getattr(sys.modules.get("torchsparse"), "__version__", "")).startswith("1.")
    if len(np.unique(rows[:, 3 if old else 0])) > 1:
        raise ExportError("the points belong to several frames; call a model that reads points with one frame")
    return turn(rows[:, :3] if old else rows[:, 1:], axes)


def _numpy(tensor):
    return tensor.detach().cpu().numpy().astype(np.int64)


def coordinates_of(tensor, axes):
    """Returns (cells, number of cells for each axis or `None`) of a sparse tensor.

    The columns are batch index, x, y, z, in units of the level. `axes` is the order of the axes in the library. Throws `ExportError` if a
    batch index is not between 0 and 255.
    """
    names = class_names(tensor)
    shape, stride = None, 1
    if "SparseConvTensor" in names:
        rows, batch, shape = _numpy(tensor.indices), 0, [int(n) for n in tensor.spatial_shape]
    elif "SparseConvNetTensor" in names:
        rows, batch, shape = _numpy(tensor.get_spatial_locations()), -1, [int(n) for n in tensor.spatial_size]
    elif hasattr(tensor, "tensor_stride"):  # MinkowskiEngine
        rows, batch, stride = _numpy(tensor.C), 0, [int(n) for n in tensor.tensor_stride]
    else:  # torchsparse 1.4 has the batch index in the last column, and coordinates in cells of the finest level.
        old = provider_of(tensor)[1].startswith("1.")
        stride = getattr(tensor, "stride", 1)
        stride = [int(n) for n in stride] if isinstance(stride, (tuple, list)) else [int(stride)] * 3
        rows, batch, stride = _numpy(tensor.coords), (-1 if old else 0), (stride if old else 1)
    frames = rows[:, batch]
    if len(frames) and not 0 <= frames.min() <= frames.max() < MAX_FRAMES:
        raise ExportError(f"the batch indices are {frames.min()} to {frames.max()}; expected 0 to {MAX_FRAMES - 1}")
    cells = (rows[:, 1:] if batch == 0 else rows[:, :-1]) // np.array(stride)
    if cells.shape[1] not in (2, 3):
        raise ExportError(f"the sparse tensor has {cells.shape[1]} axes; expected 2 or 3")
    return np.column_stack([frames, turn(cells, axes)]), (None if shape is None else tuple(turn(np.array([shape]), axes, 1)[0].tolist()))


def turn(rows, axes, fill=0):
    """Changes the axes of the columns from the library to x, y, z. Two axes of a 2-D network get a third one, z, of one cell."""
    if rows.shape[1] == 2:
        rows = np.column_stack([np.full(len(rows), fill), rows] if axes == "zyx" else [rows, np.full(len(rows), fill)])
    return rows[:, ::-1] if axes == "zyx" else rows


def _three(value, axes, fill):
    """Returns an attribute of a module as three numbers for x, y, z."""
    values = [int(n) for n in (value.tolist() if hasattr(value, "tolist") else value)] if np.ndim(value) else [int(value)] * 3
    return tuple(int(n) for n in turn(np.array([values]), axes, fill)[0])


def _matrices(weight, size, axes, slowest_first):
    """Changes the order of the matrices [V, C_in, C_out] of a weight.

    `size` is the kernel size for x, y, z. `axes` lists the axes of the library: slowest first if `slowest_first` is true, else fastest first.
    """
    order = axes if slowest_first else axes[::-1]  # The axes of the library, from the slowest to the fastest.
    shape = [size["xyz".index(axis)] for axis in order]
    return weight.reshape(*shape, *weight.shape[-2:]).transpose(*[order.index(axis) for axis in "xyz"], 3, 4).reshape(weight.shape)


class Convolution:
    """Facts of one convolution module.

    `kernel` has `size`, `stride`, `padding` and `dilation` for x, y, z. `weight` and `bias` are float32 arrays. `in_place` is true if the
    layer keeps the cells of its input. `rule` is the rule of the library for strided layers, or `None` if only the cells show it.
    `unsupported` names an option that network files cannot express.
    """

    def __init__(self, kernel, weight, bias, in_place, transposed, rule=None, unsupported="", activation="none", slope=0.01):
        self.kernel, self.weight, self.in_place, self.transposed = kernel, weight, in_place, transposed
        self.bias = None if bias is None else _floats(bias).reshape(-1)
        self.rule, self.unsupported, self.activation, self.slope = rule, unsupported, activation, slope
        self.to_map = lambda size: weight  # see _spconv


def _floats(tensor):
    return np.ascontiguousarray(tensor.detach().float().cpu().numpy())


def _spconv(module, axes):
    """spconv 1.x and 2.x, and mmcv.ops."""
    library, version = provider_of(module)
    size, stride = _three(module.kernel_size, axes, 1), _three(module.stride, axes, 1)
    dilation, padding = _three(module.dilation, axes, 1), _three(module.padding, axes, 0)
    in_place = bool(module.subm) or bool(getattr(module, "conv1x1", False))
    if in_place:
        stride, padding = (1, 1, 1), tuple(d * (k // 2) for k, d in zip(size, dilation))
    cells, channels = int(np.prod(size)), (int(module.in_channels), int(module.out_channels))
    weight = _floats(module.weight)
    numbers = [int("".join(c for c in part if c.isdigit()) or 0) for part in (version + ".0").split(".")[:2]]
    native = "Native" in str(getattr(module, "algo", "Native"))
    if cells == 1 and in_place:
        weight = weight.reshape(1, *channels)  # The library uses the buffer as [C_in, C_out], even if its shape is different.
    elif library == "mmcv" or numbers[0] == 1:
        weight = weight.reshape(cells, *channels)
    elif numbers < [2, 2] and native:
        weight = weight.reshape(cells, *channels[::-1]).transpose(0, 2, 1)
    else:
        weight = weight.reshape(channels[1], cells, channels[0]).transpose(1, 2, 0)
    unsupported = ""
    if module.transposed and not module.inverse:
        unsupported = "a transposed layer with a new coordinate set"
    elif getattr(module, "groups", 1) != 1:
        unsupported = "groups"
    activation = {"ReLU": "relu", "Sigmoid": "sigmoid", "LeakyReLU": "leaky_relu"}.get(str(getattr(module, "act_type", "")).split(".")[-1], "none")
    kernel = {"size": size, "stride": stride, "padding": padding, "dilation": dilation}
    result = Convolution(kernel, _matrices(weight, size, axes, True), module.bias, in_place, bool(module.inverse), "reached", unsupported,
                         activation, float(getattr(module, "act_alpha", 0.01)))

    def to_map(map_size):
        """Returns the matrices if the layer runs on the map of another kernel size. The library pairs flat matrix numbers."""
        used = int(np.prod(map_size))
        if used > cells:
            raise ExportError(f"the kernel map has {used} columns, but the weight has only {cells} matrices")
        return np.concatenate([_matrices(weight[:used], map_size, axes, True), weight[used:]])
    result.to_map = to_map
    return result


def _torchsparse(module, axes):
    """torchsparse 1.4 and 2.x."""
    size, stride = _three(module.kernel_size, axes, 1), _three(module.stride, axes, 1)
    dilation = _three(getattr(module, "dilation", 1), axes, 1)
    cells = int(np.prod(size))
    weight = _floats(module.kernel).reshape(cells, int(module.in_channels), int(module.out_channels))
    in_place = stride == (1, 1, 1)
    given = _three(getattr(module, "padding", 0), axes, 0)
    centred = tuple(d * ((k - 1) // 2) for k, d in zip(size, dilation))
    kernel = {"size": size, "stride": stride, "padding": centred if in_place else given, "dilation": dilation}
    result = Convolution(kernel, _matrices(weight, size, axes, cells % 2 == 0), module.bias, in_place, bool(module.transposed),
                         unsupported="generative" if getattr(module, "generative", False) else "")
    if not in_place:
        # The mode of the library selects one of these paddings, so the exporter compares both with the recorded cells.
        result.paddings = [given, centred]
    return result


def _minkowski(module, axes):
    """MinkowskiEngine 0.5."""
    maker = module.kernel_generator
    size, stride = _three(maker.kernel_size, axes, 1), _three(maker.kernel_stride, axes, 1)
    dilation = _three(maker.kernel_dilation, axes, 1)
    cells = int(np.prod(size))
    unsupported = ""
    if "CUBE" not in str(getattr(maker, "region_type", "HYPER_CUBE")):
        unsupported = "a kernel that is not a box"
    elif "Generative" in type(module).__name__ or getattr(module, "expand_coordinates", False):
        unsupported = "a layer that generates coordinates"
    kernel = {"size": size, "stride": stride, "padding": tuple(d * (k // 2) if k % 2 else 0 for k, d in zip(size, dilation)),
              "dilation": dilation}
    weight = module.kernel
    if unsupported:
        return Convolution(kernel, None, None, False, False, unsupported=unsupported)
    weight = _floats(weight).reshape(cells, int(module.in_channels), int(module.out_channels))
    return Convolution(kernel, _matrices(weight, size, axes, False), module.bias, stride == (1, 1, 1), bool(module.is_transpose), "floor")


def _sparseconvnet(module, axes):
    """SparseConvNet."""
    size = _three(module.filter_size, axes, 1)
    cells, name = int(np.prod(size)), type(module).__name__
    in_place = name == "SubmanifoldConvolution"
    stride = (1, 1, 1) if in_place else _three(module.filter_stride, axes, 1)
    kernel = {"size": size, "stride": stride, "padding": tuple(k // 2 if in_place else 0 for k in size), "dilation": (1, 1, 1)}
    weight = _floats(module.weight)
    if weight.ndim == 4 and weight.shape[1] != 1:
        return Convolution(kernel, None, None, in_place, False, unsupported="groups")
    weight = weight.reshape(cells, *weight.shape[-2:])
    return Convolution(kernel, _matrices(weight, size, axes, True), getattr(module, "bias", None), in_place, name == "Deconvolution", "reached")


class Pool:
    """Facts of one pool module. `reduce` and `activation` are values of network files. See `Convolution` for the other facts."""
    transposed, unsupported, slope = False, "", 0.01

    def __init__(self, kernel, reduce, in_place, rule, activation="none"):
        self.kernel, self.reduce, self.in_place, self.rule, self.activation = kernel, reduce, in_place, rule, activation


def pool_of(module, axes):
    """Returns the facts of a sparse pool, or `None` if the module is not one."""
    names = class_names(module)
    if "SparseMaxPool" in names or "SparseAvgPool" in names:
        size, in_place = _three(module.kernel_size, axes, 1), bool(module.subm)
        kernel = {"size": size, "stride": _three(module.stride, axes, 1), "padding": _three(module.padding, axes, 0),
                  "dilation": _three(module.dilation, axes, 1)}
        if in_place:
            kernel.update(stride=(1, 1, 1), padding=tuple(d * (k // 2) for k, d in zip(size, kernel["dilation"])))
        # The maximum begins at 0, as a ReLU of the maximum does.
        return Pool(kernel, "max", in_place, "reached", "relu") if "SparseMaxPool" in names else Pool(kernel, "mean", in_place, "reached")
    minkowski = {"MinkowskiMaxPooling": "max", "MinkowskiAvgPooling": "mean", "MinkowskiSumPooling": "sum"}
    reduce = next((minkowski[name] for name in names if name in minkowski), None)
    if reduce:
        maker = module.kernel_generator
        size, stride = _three(maker.kernel_size, axes, 1), _three(maker.kernel_stride, axes, 1)
        dilation = _three(maker.kernel_dilation, axes, 1)
        padding = tuple(d * (k // 2) if k % 2 else 0 for k, d in zip(size, dilation))
        return Pool({"size": size, "stride": stride, "padding": padding, "dilation": dilation}, reduce, stride == (1, 1, 1), "floor")
    if hasattr(module, "pool_size") and {"MaxPooling", "AveragePooling"} & set(names):  # SparseConvNet
        kernel = {"size": _three(module.pool_size, axes, 1), "stride": _three(module.pool_stride, axes, 1), "padding": (0, 0, 0),
                  "dilation": (1, 1, 1)}
        maximum = "MaxPooling" in names
        return Pool(kernel, "max" if maximum else "mean_of_cells", False, "reached", "relu" if maximum else "none")
    return None


def axes_of(tensor):
    """Returns the usual order of the axes of a sparse tensor: z, y, x in spconv and mmcv, otherwise x, y, z."""
    return "zyx" if "SparseConvTensor" in class_names(tensor) else "xyz"


def convolution_of(module, axes):
    """Returns the facts of a sparse convolution, or `None` if the module is not one."""
    names = class_names(module)
    if "SparseConvolution" in names:
        return _spconv(module, axes)
    if "Conv3d" in names and hasattr(module, "kernel"):
        return _torchsparse(module, axes)
    if any(name.startswith("Minkowski") and "Convolution" in name for name in names) and hasattr(module, "kernel_generator"):
        return _minkowski(module, axes)
    if {"SubmanifoldConvolution", "Convolution", "Deconvolution"} & set(names) and hasattr(module, "filter_size"):
        return _sparseconvnet(module, axes)
    return None


def stride_of(module, axes):
    """Returns the stride of a module along x, y, z, or 1 if it has none."""
    own = getattr(module, "stride", getattr(getattr(module, "kernel_generator", None), "kernel_stride", 1))
    return (1, 1, 1) if callable(own) or isinstance(own, str) else _three(own, axes, 1)


def is_sparse_module(module):
    """Returns true for modules that this file knows: convolutions, pools, and norm and linear layers that run outside torch."""
    names = class_names(module)
    known = {"SparseConvolution", "NetworkInNetwork", "SparseMaxPool", "SparseAvgPool", "MinkowskiInstanceNorm", "MinkowskiStableInstanceNorm",
             *SCN_NORMS}
    return bool(known & set(names)) or hasattr(module, "kernel_generator") or hasattr(module, "filter_size") or hasattr(module, "pool_size") or (
        "Conv3d" in names and hasattr(module, "kernel"))


def scn_norm_of(module):
    """Returns (weight, bias, mean, variance, eps, activation, slope) of a norm of SparseConvNet, which runs outside torch; else `None`."""
    if not set(SCN_NORMS) & set(class_names(module)):
        return None
    mean, variance = (_floats(getattr(module, new, None) if hasattr(module, new) else getattr(module, old))
                      for new, old in (("running_mean", "runningMean"), ("running_var", "runningVar")))
    weight = _floats(module.weight) if getattr(module, "weight", None) is not None else np.ones_like(mean)
    bias = _floats(module.bias) if getattr(module, "bias", None) is not None else np.zeros_like(mean)
    slope = float(getattr(module, "leakiness", 1))
    return weight, bias, mean, variance, float(module.eps), {0: "relu", 1: "none"}.get(slope, "leaky_relu"), slope


def instance_norm_of(module):
    """Returns (scale, shift, eps) of an instance norm of MinkowskiEngine; else `None`."""
    names = class_names(module)
    if "MinkowskiInstanceNorm" in names:
        eps = 1e-8  # a constant of the library
    elif "MinkowskiStableInstanceNorm" in names:
        eps = float(module.eps)
    else:
        return None
    return _floats(module.weight).reshape(-1), _floats(module.bias).reshape(-1), eps


def scn_linear_of(module):
    """Returns (weight, bias or `None`) of NetworkInNetwork of SparseConvNet, which runs outside torch; else `None`."""
    if "NetworkInNetwork" not in class_names(module):
        return None
    bias = getattr(module, "bias", None)
    return _floats(module.weight), None if bias is None else _floats(bias)


def needs_training_mode(module):
    """Returns true for convolutions with bias of spconv 2.x on the CPU, which refuse a bias in evaluation mode."""
    return ("SparseConvolution" in class_names(module) and type(module).__module__.startswith("spconv.pytorch")
            and module.bias is not None and module.weight.device.type == "cpu")
