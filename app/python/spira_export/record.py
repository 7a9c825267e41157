"""Runs a model once and records what really ran: a list of nodes in the order in which they ran.

Global module hooks record sparse modules. A dispatch mode of torch records the dense operations between them, by the identity of tensors.
"""
import contextlib

import numpy as np
import torch

from . import libraries
from .cells import floor_cells, reached_bounds, reached_cells, sorted_rows, unique_cells
from .errors import ExportError

try:
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:
    TorchDispatchMode = None

ACTIVATIONS = {"relu", "leaky_relu", "sigmoid", "elu", "gelu", "silu", "tanh"}
SAME_ORDER = {"view", "_unsafe_view", "reshape", "_reshape_alias", "alias", "detach", "contiguous", "clone", "_to_copy", "unsqueeze", "squeeze",
              "flatten", "lift_fresh"}
NORMS = {"native_batch_norm": 5, "cudnn_batch_norm": 5, "miopen_batch_norm": 5, "_native_batch_norm_legit": 5,
         "_native_batch_norm_legit_no_training": None, "_batch_norm_no_update": None}  # position of the argument `training`


class Level:
    """A coordinate set in the order of its rows. `cells` is in units of the level; `stride` is the size of a cell in input voxels."""

    def __init__(self, cells, stride):
        self.cells, self.stride = cells, stride


class Node:
    """An operation that ran. `value` is its output; `level` is the coordinate set of its rows, or `None`."""

    def __init__(self, kind, name, inputs, value, level, library=("torch", torch.__version__), **facts):
        self.kind, self.name, self.inputs, self.value, self.level, self.library = kind, name, inputs, value, level, library
        self.facts = facts


class Recorder:
    """Records one forward pass. Use `run`; afterwards `nodes` and `results` contain the record."""

    def __init__(self, model, axes=None):
        if TorchDispatchMode is None:
            raise ExportError(f"the exporter requires torch 1.13 or later; this is {torch.__version__}")
        self.axes = axes
        self.nodes, self.results = [], []
        self.shape = None  # number of cells of the input along x, y, z
        self._paths = {module: name for name, module in model.named_modules()}
        self._table = {}    # id of a tensor -> (tensor, node, version, true if it has another shape than the node)
        self._levels = {}   # (stride, content) -> Level
        self._maps = []     # (node, input level, output level) of strided layers
        self._owners = {}   # id of the map data of spconv -> (data, node)
        self._stack = []    # (path, the module has no children, earlier map data)
        self._lifts = 0
        self._names = {"input"}
        self._mode = _Mode(self)

    def run(self, model, inputs):
        """Runs the model and returns its result."""
        hooks = [torch.nn.modules.module.register_module_forward_pre_hook(self._before),
                 torch.nn.modules.module.register_module_forward_hook(self._after)]
        with contextlib.ExitStack() as stack:
            for hook in hooks:
                stack.callback(hook.remove)
            for one in libraries.sparse_tensor_classes():
                self._patch(one, stack)
            for one in _parts(inputs):
                if libraries.is_sparse_tensor(one):
                    self._read(one)
                    break
            stack.enter_context(torch.no_grad())
            self._mode.__enter__()
            try:
                result = model(*inputs)
            finally:
                if self._lifts == 0:
                    self._mode.__exit__(None, None, None)
        for one in _parts(result):
            entry = self._entry(libraries.features_of(one) if libraries.is_sparse_tensor(one) else one)
            if entry and entry[1].kind != "input" and entry[1] not in self.results:
                self.results.append(entry[1])
        return result

    # The dispatch mode is lifted inside sparse modules, and while a sparse tensor is constructed: torch 1.13 fails there otherwise.

    @contextlib.contextmanager
    def lifted(self):
        self._lift()
        try:
            yield
        finally:
            self._unlift()

    def _lift(self):
        if self._lifts == 0:
            self._mode.__exit__(None, None, None)
        self._lifts += 1

    def _unlift(self):
        self._lifts -= 1
        if self._lifts == 0:
            self._mode.__enter__()

    def _patch(self, one, stack):
        """Replaces the constructor and `dense` of a sparse tensor class until the stack is closed."""
        make, dense = one.__init__, getattr(one, "dense", None)

        def constructor(tensor, *arguments, **keywords):
            running = self._running
            with self.lifted() if running else contextlib.nullcontext():
                make(tensor, *arguments, **keywords)
                if running and self._lifts == 1 and not self.nodes and type(tensor).__name__ != "SparseConvNetTensor":
                    self._read(tensor)

        def to_dense(tensor, *arguments, **keywords):
            entry = self._entry(libraries.features_of(tensor)) if self._running and self._lifts == 0 else None
            with self.lifted() if entry else contextlib.nullcontext():
                result = dense(tensor, *arguments, **keywords)
            if entry and isinstance(result, torch.Tensor):
                self._dense(tensor, entry[1], result)
            return result

        for name, new in (("__init__", constructor), ("dense", to_dense if dense else None)):
            if new:
                own = one.__dict__.get(name)
                setattr(one, name, new)
                stack.callback(*((setattr, one, name, own) if own else (delattr, one, name)))

    _running = property(lambda self: self._mode.active or self._lifts > 0)

    # Tensors and coordinate sets.

    def _entry(self, tensor):
        """Returns the entry of a recorded tensor, or `None`. Throws `ExportError` if the tensor was changed through another view."""
        found = self._table.get(id(tensor)) if isinstance(tensor, torch.Tensor) else None
        if found and found[2] != tensor._version:
            raise ExportError(f"{found[1].name}: its output was changed through a view, which cannot be recorded; use an operation that "
                              "returns a new tensor")
        return found

    def _keep(self, tensor, node, other_shape=False, in_place=False):
        self._table[id(tensor)] = (tensor, node, tensor._version + int(in_place), other_shape)

    def _add(self, node, in_place=False):
        if node.kind == "concat":
            parts = [part.inputs if part.kind == "concat" else [part] for part in node.inputs]
            node.inputs = [one for part in parts for one in part]
        self.nodes.append(node)
        self._keep(node.value, node, in_place=in_place)
        return node

    def _name(self, operation):
        path, leaf = self._stack[-1][:2] if self._stack else ("", False)
        base = path if leaf and path else (path + "." + operation).lstrip(".")
        name, number = base, 1
        while name in self._names:
            number += 1
            name = f"{base}.{number}"
        self._names.add(name)
        return name

    def _level(self, cells, stride):
        cells = np.ascontiguousarray(cells)
        return self._levels.setdefault((stride, cells.tobytes()), Level(cells, stride))

    def _coordinates(self, tensor):
        if self.axes is None:
            self.axes = libraries.axes_of(tensor)
        return libraries.coordinates_of(tensor, self.axes)

    def _read(self, tensor):
        """Returns the node of the features of a sparse tensor. The first sparse tensor is the input of the network."""
        features = libraries.features_of(tensor)
        entry = self._entry(features)
        cells, shape = self._coordinates(tensor)
        if entry is None:
            first = not self.nodes
            if first and len(unique_cells(cells)) != len(cells):
                raise ExportError(f"{len(cells) - len(unique_cells(cells)):,} voxels of the input occur more than once")
            self.shape = shape if first else self.shape
            return self._add(Node("input" if first else "opaque", "input" if first else self._name("sparse_tensor"), [], features,
                                  self._level(cells, (1, 1, 1)), what="another sparse tensor"))
        node = entry[1]
        if entry[3] or node.level is None or not np.array_equal(node.level.cells, cells):
            stride = next((one.level.stride for one in [node] + node.inputs if one.level), (1, 1, 1))
            level = self._level(cells, stride)
            if node.kind == "opaque" and node.level is None and not entry[3]:
                node.level = level
            else:
                node = self._add(Node("opaque", self._name("new_coordinates"), [node], features, level, what="new coordinates"))
        return node

    # Modules.

    def _before(self, module, inputs):
        path = self._paths.get(module, type(module).__name__)
        data = None
        if libraries.is_sparse_module(module):
            self._lift()
            data = self._map_data(module, inputs[0]) if inputs else None
        self._stack.append((path, next(module.children(), None) is None, data))

    def _after(self, module, inputs, output):
        sparse = libraries.is_sparse_module(module)
        try:
            if sparse and self._lifts == 1:
                if not inputs or not libraries.is_sparse_tensor(inputs[0]):
                    raise ExportError(f"{self._stack[-1][0]}: expected a sparse tensor as first argument of {type(module).__name__}")
                self._sparse_module(module, inputs[0], output)
            elif self._lifts == 0 and self._stack[-1][1]:
                self._leaf(module, inputs, output)
        finally:
            self._stack.pop()
            if sparse:
                self._unlift()

    @staticmethod
    def _map_data(module, tensor):
        """Returns the data of the kernel map that spconv and mmcv keep for an `indice_key`, or `None`."""
        key = getattr(module, "indice_key", None)
        return getattr(tensor, "indice_dict", {}).get(key) if key is not None else None

    def _leaf(self, module, inputs, output):
        """Records a module whose operations torch does not dispatch."""
        read = [self._entry(libraries.features_of(one) if libraries.is_sparse_tensor(one) else one) for one in _parts(inputs)]
        read = [entry[1] for entry in read if entry]
        for one in _parts(output) if read else []:
            if libraries.is_sparse_tensor(one):
                if self._entry(libraries.features_of(one)) is None:
                    self._opaque_module(module, read[0], one)
            elif self._entry(one) is None:
                self._add(Node("opaque", self._name("opaque"), read, one, None, libraries.library_of(module), what=type(module).__name__))

    def _opaque_module(self, module, node, output, why=""):
        cells, _ = self._coordinates(output)
        stride = node.level.stride
        if not np.array_equal(cells, node.level.cells):
            stride = tuple(a * b for a, b in zip(stride, libraries.stride_of(module, self.axes)))
        what = type(module).__name__ + (f" ({why})" if why else "")
        self._add(Node("opaque", self._name("opaque"), [node], libraries.features_of(output), self._level(cells, stride),
                       libraries.library_of(module), what=what))

    def _sparse_module(self, module, tensor, output):
        node = self._read(tensor)
        library, features = libraries.library_of(module), libraries.features_of(output)
        norm, linear = libraries.scn_norm_of(module), libraries.scn_linear_of(module)
        if norm:
            self._add(Node("norm", self._name("norm"), [node], features, node.level, library, tensors=norm[:4], eps=norm[4],
                           activation=norm[5], slope=norm[6]))
            return
        if linear:
            self._linear(node, features, linear[0], linear[1], library)
            return
        facts = libraries.convolution_of(module, self.axes)
        if facts is None or facts.unsupported:
            self._opaque_module(module, node, output, facts.unsupported if facts else "")
            return
        data = self._stack[-1][2]
        found = self._find_map(facts, node.level, output, data)
        if isinstance(found, str):
            self._opaque_module(module, node, output, found)
            return
        kernel, level, extra = found
        name = self._name("conv")
        if "map_of" in extra and not facts.transposed:
            try:
                facts.weight = facts.to_map(extra["map_of"].facts["kernel"]["size"])
            except ExportError as error:
                raise ExportError(f"{name}: {error}") from error
        new = self._add(Node("conv", name, [node], features, level, library, kernel=kernel, weight=facts.weight, bias=facts.bias,
                             transposed=facts.transposed, activation=facts.activation, slope=facts.slope, **extra))
        if not facts.transposed:
            after = self._map_data(module, output)
            if after is not None:
                self._owners.setdefault(id(after), (after, new))
            if not facts.in_place:
                self._maps.append((new, node.level, level))

    def _find_map(self, facts, level, output, data):
        """Returns (kernel, output level, more facts) of a convolution, or the reason why network files cannot express it."""
        cells, shape = self._coordinates(output)
        if len(cells) == 0:
            raise ExportError(f"{self._stack[-1][0]}: the output has no voxels; export with a larger frame")
        owner = self._owners.get(id(data), (None, None))[1]
        if facts.transposed:
            for node, fine, coarse in self._maps[::-1]:
                fits = node is owner or (owner is None and node.facts["kernel"]["size"] == facts.kernel["size"])
                if fits and coarse is level and np.array_equal(fine.cells, cells):
                    return node.facts["kernel"], fine, {"map_of": node}
            return "no earlier layer has this kernel map"
        if facts.in_place:
            if not np.array_equal(level.cells, cells):
                return "other output cells than a submanifold layer"
            if owner and owner.facts["kernel"] != facts.kernel:
                return facts.kernel, level, {"map_of": owner}
            return facts.kernel, level, {}
        return self._find_rule(facts, level, cells, shape)

    def _find_rule(self, facts, level, cells, shape):
        stride, ordered = facts.kernel["stride"], cells[sorted_rows(cells)]
        out_level = self._level(cells, tuple(a * b for a, b in zip(level.stride, stride)))
        kernels = [dict(facts.kernel, padding=padding) for padding in getattr(facts, "paddings", [facts.kernel["padding"]])]
        low_bounds = [shape] if shape else [None] + [reached_bounds((level.cells.max(axis=0) + 1).tolist(), one) for one in kernels]

        def floor():
            if np.array_equal(floor_cells(level.cells, stride), ordered):
                return kernels[-1], out_level, {"rule": "floor"}
            return None

        def reached():
            for kernel in kernels:
                for bounds in low_bounds:
                    if np.array_equal(reached_cells(level.cells, kernel, bounds), ordered):
                        return kernel, out_level, {"rule": "reached", "bounds": bounds}
            return None

        tiles = facts.kernel["size"] == stride and not any(facts.kernel["padding"]) and facts.kernel["dilation"] == (1, 1, 1)
        first, second = (floor, reached) if facts.rule != "reached" or tiles else (reached, floor)
        if len(unique_cells(cells)) != len(cells):
            return "repeated output cells"
        return first() or second() or "the output cells follow neither the floor rule nor the reached rule"

    def _dense(self, tensor, node, result):
        cells, shape = self._coordinates(tensor)
        node = self._read(tensor)
        known = shape is not None and result.dim() == 5 and result.shape[1] == node.value.shape[1] and "SparseConvTensor" in \
            libraries.class_names(tensor)
        self._add(Node("dense" if known else "opaque", self._name("dense"), [node], result, None, libraries.library_of(tensor),
                       what="dense", bounds=shape, shape=list(result.shape[1:]), axes=self.axes))

    def _linear(self, node, value, weight, bias, library=("torch", torch.__version__)):
        self._add(Node("conv", self._name("linear"), [node], value, node.level, library, weight=weight[None], bias=bias, transposed=False,
                       kernel={"size": (1, 1, 1), "stride": (1, 1, 1), "padding": (0, 0, 0), "dilation": (1, 1, 1)}))

    # Dense operations.

    def dispatch(self, function, arguments, keywords):
        """Runs an operation of torch and records it if it reads a recorded tensor."""
        read = [(one, self._entry(one)) for one in _parts((arguments, keywords))]
        entries = [entry for _, entry in read if entry]
        if not entries:
            return function(*arguments, **keywords)
        name = function._schema.name.split("::")[-1]
        in_place = name.endswith("_") and not name.endswith("__")
        first = arguments[0] if arguments else None
        old = self._entry(first) if in_place else None
        if old and old[1].value.data_ptr() == first.data_ptr():
            old[1].value = first.clone()
        result = function(*arguments, **keywords)
        if old and old[3]:
            raise ExportError(f"{self._name(name)}: writes into a view of {old[1].name}, which cannot be recorded")
        self._record(name.rstrip("_") if in_place else name, arguments, keywords, entries, result, in_place)
        return result

    def _record(self, name, arguments, keywords, entries, result, in_place):
        node, other_shape = entries[0][1], entries[0][3]
        if name in SAME_ORDER and isinstance(result, torch.Tensor) and result.is_floating_point() and not in_place:
            if node.kind == "dense":
                node.facts["shape"] = list(result.shape[1:])
            same = result.shape == node.value.shape or node.kind == "dense"
            self._keep(result, node, not same)
            return
        if name == "sum" and other_shape and self._group_sum(arguments, node, result):
            return
        if not any(entry[3] for entry in entries) and isinstance(result, (torch.Tensor, tuple)):
            handler = {"add": self._sum, "sub": self._sum, "mul": self._product, "div": self._product, "cat": self._concat,
                       "addmm": self._matrix, "mm": self._matrix, "linear": self._matrix}.get(name)
            if name in ACTIVATIONS:
                handler = self._activation
            elif name in NORMS:
                handler = self._norm
            if handler and handler(name, arguments, keywords, result, in_place):
                return
        inputs = list(dict.fromkeys(entry[1] for entry in entries))
        for one in _parts(result):
            if isinstance(one, torch.Tensor):
                level = node.level if one.dim() == 2 and node.level and len(one) == len(node.level.cells) else None
                self._add(Node("opaque", self._name(name), inputs, one, level, what=name), in_place)

    def _rows(self, tensor):
        """Returns the node of a tensor with one row for each cell, or `None`."""
        entry = self._entry(tensor)
        return entry[1] if entry and entry[1].level is not None and tensor.dim() == 2 else None

    def _new(self, kind, operation, inputs, value, in_place, **facts):
        self._add(Node(kind, self._name(operation), inputs, value, inputs[0].level, **facts), in_place)
        return True

    def _constant(self, value, channels):
        """Returns one number for each channel if an operand is a number or a constant tensor, else `None`."""
        if isinstance(value, (int, float)):
            return np.full(channels, value, np.float64)
        if isinstance(value, torch.Tensor) and self._table.get(id(value)) is None and value.numel() in (1, channels) and \
                (value.numel() == 1 or value.shape[-1] == channels):
            return np.broadcast_to(value.detach().double().cpu().numpy().reshape(-1), (channels,)).copy()
        return None

    def _affine(self, operation, node, scale, shift, result, in_place):
        if (scale == 1).all() and (shift == 0).all():
            self._keep(result, node, in_place=in_place)
            return True
        return self._new("affine", operation, [node], result, in_place, scale=scale, shift=shift)

    def _operands(self, arguments):
        """Returns (node, node or `None`, constant or `None`, true if the constant is first) of two operands, or `None`."""
        if len(arguments) < 2:
            return None
        one, other = self._rows(arguments[0]), self._rows(arguments[1])
        if one and other:
            same = one.level is other.level and one.value.shape == other.value.shape
            return (one, other, None, False) if same else None
        node = one or other
        constant = self._constant(arguments[1] if one else arguments[0], node.value.shape[1]) if node else None
        return None if constant is None else (node, None, constant, one is None)

    def _sum(self, name, arguments, keywords, result, in_place):
        found = self._operands(arguments) if keywords.get("alpha", 1) == 1 and len(arguments) == 2 else None
        if not found or (name == "sub" and found[1]):
            return False
        node, other, constant, reverse = found
        if other:
            return self._new("add", "add", [node, other], result, in_place)
        scale = np.full(len(constant), -1.0 if name == "sub" and reverse else 1.0)
        return self._affine(name, node, scale, -constant if name == "sub" and not reverse else constant, result, in_place)

    def _product(self, name, arguments, keywords, result, in_place):
        found = self._operands(arguments) if not keywords else None
        if not found or (name == "div" and (found[1] or found[3])):
            return False
        node, other, constant, _ = found
        if other:
            return self._new("multiply", "multiply", [node, other], result, in_place)
        return self._affine(name, node, 1 / constant if name == "div" else constant, np.zeros(len(constant)), result, in_place)

    def _concat(self, name, arguments, keywords, result, in_place):
        nodes = [self._rows(one) for one in arguments[0]]
        axis = arguments[1] if len(arguments) > 1 else keywords.get("dim", 0)
        if not all(nodes) or axis not in (1, -1) or any(one.level is not nodes[0].level for one in nodes):
            return False
        return self._new("concat", "concat", nodes, result, in_place)

    def _activation(self, name, arguments, keywords, result, in_place):
        node = self._rows(arguments[0])
        more = list(arguments[1:]) + list(keywords.values())
        plain = not more or name == "leaky_relu" or (name in ("elu", "gelu") and all(one in (1, 1.0, "none") for one in more))
        if not node or not plain:
            return False
        return self._new("activation", name, [node], result, in_place, activation=name, slope=float(more[0]) if more and name == "leaky_relu"
                         else 0.01)

    def _norm(self, name, arguments, keywords, result, in_place):
        node = self._rows(arguments[0])
        if not node or keywords or arguments[3] is None or (NORMS[name] is not None and arguments[NORMS[name]]):
            return False  # With the statistics of the scene instead of trained ones.
        weight, bias, mean, variance = (None if one is None else one.detach().float().cpu().numpy() for one in arguments[1:5])
        weight = np.ones_like(mean) if weight is None else weight
        bias = np.zeros_like(mean) if bias is None else bias
        return self._new("norm", "norm", [node], result[0] if isinstance(result, (tuple, list)) else result, False,
                         tensors=(weight, bias, mean, variance), eps=float(arguments[-1]))

    def _matrix(self, name, arguments, keywords, result, in_place):
        bias, tensor, weight = (arguments[0], *arguments[1:3]) if name == "addmm" else (None, *arguments[:2])
        if name == "linear":
            bias, weight = (arguments[2] if len(arguments) > 2 else None), weight.t()
        node = self._rows(tensor)
        if not node or keywords or self._table.get(id(weight)) or (bias is not None and bias.dim() != 1):
            return False
        self._linear(node, result, *(None if one is None else one.detach().float().cpu().numpy() for one in (weight, bias)))
        return True

    def _group_sum(self, arguments, node, result):
        tensor, axes = arguments[0], list(arguments[1]) if len(arguments) == 2 else None
        if node.level is None or tensor.dim() != 3 or axes not in ([2], [-1]) or tensor.shape[0] != len(node.value) or \
                tensor.shape[1] * tensor.shape[2] != node.value.shape[1]:
            return False
        return self._new("group_sum", "group_sum", [node], result, False)


if TorchDispatchMode is not None:
    class _Mode(TorchDispatchMode):
        """Sends each operation of torch to a recorder."""

        def __init__(self, recorder):
            super().__init__()
            self.recorder, self.active = recorder, False

        def __enter__(self):
            self.active = True
            return super().__enter__()

        def __exit__(self, *arguments):
            self.active = False
            return super().__exit__(*arguments)

        def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
            return self.recorder.dispatch(function, arguments, keywords or {})


def _parts(thing, depth=0):
    """Yields all tensors and sparse tensors in nested lists, tuples and dictionaries."""
    if isinstance(thing, torch.Tensor) or libraries.is_sparse_tensor(thing):
        yield thing
    elif isinstance(thing, dict) and depth < 8:
        for one in thing.values():
            yield from _parts(one, depth + 1)
    elif isinstance(thing, (list, tuple)) and depth < 8:
        for one in thing:
            yield from _parts(one, depth + 1)
