"""Runs a model once and records the executed operations: a list of nodes in the order of execution.

Global module hooks record sparse modules. A dispatch mode of torch records the dense operations between them, by the identity of tensors.
"""
import contextlib
import functools
import inspect
import typing

import numpy as np
import torch

from . import libraries
from .cells import CellIndex, floor_cells, for_columns, reached_bounds, reached_cells, sorted_rows, unique_cells, voxels_of
from .errors import ExportError
from .operations import Node, Operations, tensors_in

try:
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:
    TorchDispatchMode = None


class Level:
    """A coordinate set in the order of its rows.

    `cells` has the columns batch index, x, y, z, in units of the level; `stride` is the size of a cell in input voxels. `placed` is false if an operation that the exporter does
    not know made the set, so that its stride is a guess.
    """

    def __init__(self, cells, stride, placed=True):
        self.cells, self.stride, self.placed = cells, stride, placed


class Entry(typing.NamedTuple):
    """A recorded tensor. `other_shape` is true if it is a view whose shape differs from the output of the node."""
    tensor: torch.Tensor
    node: Node
    version: int
    other_shape: bool


class Recorder:
    """Records one forward pass. Use `run`; afterwards `nodes` and `results` contain the record."""

    def __init__(self, model, axes=None):
        if TorchDispatchMode is None:
            raise ExportError(f"the exporter requires torch 1.13 or later, but this is torch {torch.__version__}")
        self.axes = axes
        self.nodes, self.results = [], []
        self.shape = None  # The number of cells of the input along x, y and z.
        self.points, self.points_level = None, None  # The positions of the points [P, 3] and their coordinate set, if the model reads points.
        self._paths = {module: name for name, module in model.named_modules()}
        self._table = {}    # Maps the id of a tensor to its Entry. The entry keeps the tensor, so that no other tensor gets its id.
        self._levels = {}   # Maps (stride, content) to the Level.
        self._maps = []     # (node, input level, output level) of each strided layer.
        self._owners = {}   # Maps the id of the map data of spconv to (data, node).
        self._stack = []    # (path, true if the module has no children, map data before the call) of each running module.
        self._lifts = 0
        self._used_names = {"input"}
        self._mode = _Mode(Operations(self))

    def run(self, model, inputs):
        """Runs the model and returns its result."""
        hooks = [torch.nn.modules.module.register_module_forward_pre_hook(self._before),
                 torch.nn.modules.module.register_module_forward_hook(self._after)]
        with contextlib.ExitStack() as stack:
            for hook in hooks:
                stack.callback(hook.remove)
            for one in libraries.sparse_tensor_classes():
                self._patch(one, stack)
            for module, name, function in libraries.point_functions():
                setattr(module, name, self._recording(name, function))
                stack.callback(setattr, module, name, function)
            for one in tensors_in(inputs):
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
        for one in tensors_in(result):
            entry = self.entry(libraries.features_of(one) if libraries.is_sparse_tensor(one) else one)
            if entry and entry.node.kind != "input" and entry.node not in self.results:
                self.results.append(entry.node)
        return result

    # The functions below suspend the dispatch mode. It is suspended inside sparse modules and while a sparse tensor is constructed, because
    # torch 1.13 fails there otherwise.

    @contextlib.contextmanager
    def lifted(self):
        """Suspends the dispatch mode."""
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
                if running and self._lifts == 1 and type(tensor).__name__ != "SparseConvNetTensor":
                    entry = self.entry(libraries.features_of(tensor))
                    # VoxelNeXt replaces the features of a tensor before its indices.
                    whole = not hasattr(tensor, "indices") or len(tensor.indices) == len(libraries.features_of(tensor))
                    if not self.nodes or (entry and entry.node.level is None and whole):
                        self._read(tensor)

        def to_dense(tensor, *arguments, **keywords):
            entry = self.entry(libraries.features_of(tensor)) if self._running and self._lifts == 0 else None
            with self.lifted() if entry else contextlib.nullcontext():
                result = dense(tensor, *arguments, **keywords)
            if entry and isinstance(result, torch.Tensor):
                self._dense(tensor, result)
            return result

        for name, new in (("__init__", constructor), ("dense", to_dense if dense else None)):
            if new:
                own = one.__dict__.get(name)
                setattr(one, name, new)
                stack.callback(*((setattr, one, name, own) if own else (delattr, one, name)))

    _running = property(lambda self: self._mode.active or self._lifts > 0)

    # Tensors and coordinate sets.

    def entry(self, tensor):
        """Returns the entry of a recorded tensor, or `None`. Throws `ExportError` if the tensor was changed through another view."""
        found = self._table.get(id(tensor)) if isinstance(tensor, torch.Tensor) else None
        if found and found.version != tensor._version:
            raise ExportError(f"{found.node.name}: its output was changed through a view, which cannot be recorded; use an operation that "
                              "returns a new tensor")
        return found

    def keep(self, tensor, node, other_shape=False, in_place=False):
        """Records that a tensor contains the output of a node. torch increases the version after an operation in place."""
        self._table[id(tensor)] = Entry(tensor, node, tensor._version + int(in_place), other_shape)

    def add(self, node, in_place=False):
        """Appends a node. Its value is a recorded tensor from now on."""
        if node.kind == "concat":
            parts = [part.inputs if part.kind == "concat" else [part] for part in node.inputs]
            node.inputs = [one for part in parts for one in part]
        self.nodes.append(node)
        self.keep(node.value, node, in_place=in_place)
        return node

    def name(self, operation):
        """Returns an unused name: the path of the running module, and the operation if the module has children."""
        path, leaf = self._stack[-1][:2] if self._stack else ("", False)
        base = path if leaf and path else (path + "." + operation).lstrip(".")
        name, number = base, 1
        while name in self._used_names:
            number += 1
            name = f"{base}.{number}"
        self._used_names.add(name)
        return name

    def _level(self, cells, stride, placed=True):
        cells = np.ascontiguousarray(cells)
        return self._levels.setdefault((stride, cells.tobytes()), Level(cells, stride, placed))

    def _known_level(self, node, cells):
        """Returns the coordinate set that has these cells. A new one gets the stride of the closest earlier node with a coordinate set."""
        found = [level for (_, content), level in self._levels.items() if content == np.ascontiguousarray(cells).tobytes()]
        while not found and node.level is None and node.inputs:
            node = node.inputs[0]
        return found[-1] if found else self._level(cells, node.level.stride if node.level else (1, 1, 1), False)

    def _coordinates(self, tensor):
        if self.axes is None:
            self.axes = libraries.axes_of(tensor)
        return libraries.coordinates_of(tensor, self.axes)

    def _read(self, tensor):
        """Returns the node of the features of a sparse tensor. The first sparse tensor is the input of the network."""
        features = libraries.features_of(tensor)
        entry = self.entry(features)
        cells, shape = self._coordinates(tensor)
        if entry is None:
            first = not self.nodes
            if first and len(unique_cells(cells)) != len(cells):
                raise ExportError(f"{len(cells) - len(unique_cells(cells)):,} voxels of the input occur more than once")
            self.shape = shape if first else self.shape
            return self.add(Node("input" if first else "opaque", "input" if first else self.name("sparse_tensor"), [], features,
                                 self._level(cells, (1, 1, 1), first), what="another sparse tensor"))
        node = entry.node
        if node.level is None and "scatter" in node.facts and not entry.other_shape:
            node = self._add_sets(node, cells) or node
        if entry.other_shape or node.level is None or not np.array_equal(node.level.cells, cells):
            level = self._known_level(node, cells)
            if node.kind == "opaque" and node.level is None and not entry.other_shape:
                node.level = level
            else:
                node = self.add(Node("opaque", self.name("new_coordinates"), [node], features, level, what="new coordinates"))
        return node

    def _add_sets(self, node, cells):
        """Returns the node of a union_add or drop_axis if the cells of a sum of rows are those of such a layer, else `None`."""
        parts = node.facts["scatter"]
        finest = tuple(int(one) for one in np.min([part.level.stride for part in parts], axis=0))
        voxels = [voxels_of(part.level.cells, part.level.stride) for part in parts]
        whole = for_columns(finest, cells, 1)
        union, ordered = unique_cells(np.concatenate(voxels) // whole), cells[sorted_rows(cells)]
        placed = all(part.level.placed for part in parts)
        if len(parts) > 1 and np.array_equal(union, ordered):
            return self.add(Node("union_add", self.name("union_add"), parts, node.value, self._level(cells, finest, placed)))
        if not np.array_equal(unique_cells(union * for_columns((1, 1, 0), union, 1)), ordered):
            return None
        if len(parts) > 1:
            index, total = CellIndex(union), parts[0].value.new_zeros((len(union), node.value.shape[1]))
            for part, own in zip(parts, voxels):
                total.index_add_(0, torch.from_numpy(index.rows(own // whole)).to(total.device), part.value)
            parts = [self.add(Node("union_add", self.name("union_add"), parts, total, self._level(union, finest, placed)))]
        flat = self._level(cells, (*finest[:2], 1), placed)
        return self.add(Node("drop_axis", self.name("drop_axis"), parts, node.value, flat))

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
        read = [self.entry(libraries.features_of(one) if libraries.is_sparse_tensor(one) else one) for one in tensors_in(inputs)]
        read = [entry.node for entry in read if entry]
        for one in tensors_in(output) if read else []:
            if libraries.is_sparse_tensor(one):
                if self.entry(libraries.features_of(one)) is None:
                    self._opaque_module(module, read[0], one)
            elif self.entry(one) is None:
                self.add(Node("opaque", self.name("opaque"), read, one, None, libraries.provider_of(module), what=type(module).__name__))

    def _opaque_module(self, module, node, output, why=""):
        cells, _ = self._coordinates(output)
        stride = node.level.stride
        if not np.array_equal(cells, node.level.cells):
            stride = tuple(a * b for a, b in zip(stride, libraries.stride_of(module, self.axes)))
        what = type(module).__name__ + (f" ({why})" if why else "")
        self.add(Node("opaque", self.name("opaque"), [node], libraries.features_of(output), self._level(cells, stride, node.level.placed),
                      libraries.provider_of(module), what=what))

    def _sparse_module(self, module, tensor, output):
        node = self._read(tensor)
        library, features = libraries.provider_of(module), libraries.features_of(output)
        norm, linear = libraries.scn_norm_of(module), libraries.scn_linear_of(module)
        if norm:
            self.add(Node("norm", self.name("norm"), [node], features, node.level, library, tensors=norm[:4], eps=norm[4],
                          activation=norm[5], slope=norm[6]))
            return
        instance_norm = libraries.instance_norm_of(module)
        if instance_norm:
            scale, shift, eps = instance_norm
            self.add(Node("instance_norm", self.name("norm"), [node], features, node.level, library, scale=scale, shift=shift, eps=eps))
            return
        if linear:
            self.linear(node, features, linear[0], linear[1], library)
            return
        facts = libraries.convolution_of(module, self.axes) or libraries.pool_of(module, self.axes)
        if facts is None or facts.unsupported:
            self._opaque_module(module, node, output, facts.unsupported if facts else "")
            return
        data = self._stack[-1][2]
        found = self._find_map(facts, node.level, output, data)
        if isinstance(found, str):
            self._opaque_module(module, node, output, found)
            return
        kernel, level, extra = found
        pool = isinstance(facts, libraries.Pool)
        name = self.name("pool" if pool else "conv")
        if not pool and "map_of" in extra and not facts.transposed:
            try:
                facts.weight = facts.to_map(extra["map_of"].facts["kernel"]["size"])
            except ExportError as error:
                raise ExportError(f"{name}: {error}") from error
        more = {"reduce": facts.reduce} if pool else {"weight": facts.weight, "bias": facts.bias}
        new = self.add(Node("pool" if pool else "conv", name, [node], features, level, library, kernel=kernel, transposed=facts.transposed,
                            activation=facts.activation, slope=facts.slope, **more, **extra))
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
        out_level = self._level(cells, tuple(a * b for a, b in zip(level.stride, stride)), level.placed)
        kernels = [dict(facts.kernel, padding=padding) for padding in getattr(facts, "paddings", [facts.kernel["padding"]])]
        all_bounds = [shape] if shape else [None] + [reached_bounds((level.cells[:, -3:].max(axis=0) + 1).tolist(), one) for one in kernels]

        def floor():
            if np.array_equal(floor_cells(level.cells, stride), ordered):
                return kernels[-1], out_level, {"rule": "floor"}
            return None

        def reached():
            for kernel in kernels:
                for bounds in all_bounds:
                    if np.array_equal(reached_cells(level.cells, kernel, bounds), ordered):
                        return kernel, out_level, {"rule": "reached", "bounds": bounds}
            return None

        tiles = facts.kernel["size"] == stride and not any(facts.kernel["padding"]) and facts.kernel["dilation"] == (1, 1, 1)
        first, second = (floor, reached) if facts.rule != "reached" or tiles else (reached, floor)
        if len(unique_cells(cells)) != len(cells):
            return "repeated output cells"
        return first() or second() or "the output cells follow neither the floor rule nor the reached rule"

    # Points.

    def _recording(self, name, function):
        """Returns a function that also records a call of a function of SPVNAS."""
        @functools.wraps(function)
        def recorded(*arguments, **keywords):
            if not self._running or self._lifts > 0:
                return function(*arguments, **keywords)
            with self.lifted():
                result = function(*arguments, **keywords)
                given = dict(inspect.signature(function).bind(*arguments, **keywords).arguments)
                self._move_points(name, given, result)
            return result
        return recorded

    def _move_points(self, name, given, result):
        tensors = list(given.values())
        voxels = None if name == "initial_voxelize" else self._read(tensors[0])
        points = tensors[0] if voxels is None else tensors[1]
        node = self._points_node(points)
        features = libraries.features_of(result)
        library = libraries.provider_of(result)
        why = "" if node else "other points than before"
        if name == "voxel_to_point":
            why = why or ("nearest=True" if given.get("nearest") else "")
            if not why:
                self.add(Node("to_points", self.name(name), [voxels], features, self.points_level, library))
                return
        else:
            cells, _ = self._coordinates(result)
            source = next(one for one in self.nodes if one.kind == "input") if voxels is None else voxels
            if voxels is None and not np.array_equal(unique_cells(source.level.cells), unique_cells(cells)):
                why = why or "voxels of another size than those of the input"
            if not why:
                level = self._level(cells, source.level.stride, source.level.placed) if voxels is None else voxels.level
                self.add(Node("to_voxels", self.name(name), [node], features, level, library))
                return
        level = self.points_level if node and name == "voxel_to_point" else None
        self.add(Node("opaque", self.name(name), [one for one in (voxels, node) if one], features, level, library, what=f"{name} ({why})"))

    def _points_node(self, tensor):
        """Returns the node of the features of a PointTensor, or `None` if its points are others than before.

        The features of the input become the features of the points when they are used at points for the first time.
        """
        positions = libraries.positions_of(tensor, self.axes)
        if self.points is None:
            self.points = positions
            cells = np.zeros((len(positions), 4), np.int64)  # The rows of points have numbers instead of coordinates.
            cells[:, 1] = np.arange(len(positions))
            self.points_level = self._level(cells, (1, 1, 1))
        if not np.array_equal(self.points, positions):
            return None
        entry = self.entry(libraries.features_of(tensor))
        if entry is None or (entry.node.level is not self.points_level and entry.node.kind != "input"):
            return None
        if entry.node.kind != "input":
            return entry.node
        known = next((one for one in self.nodes if one.kind == "points"), None)
        if known is None:
            known = Node("points", "points", [], libraries.features_of(tensor), self.points_level)
            self.nodes.append(known)
        return known

    def _dense(self, tensor, result):
        cells, shape = self._coordinates(tensor)
        node = self._read(tensor)
        known = shape is not None and result.dim() == 5 and result.shape[1] == node.value.shape[1] and "SparseConvTensor" in \
            libraries.class_names(tensor)
        self.add(Node("dense" if known else "opaque", self.name("dense"), [node], result, None, libraries.provider_of(tensor),
                      what="dense", bounds=shape, shape=list(result.shape[1:]), axes=self.axes))

    def linear(self, node, value, weight, bias, library=("torch", torch.__version__)):
        """Appends a linear layer, which is a convolution with one cell. `weight` has the shape [C_in, C_out]."""
        self.add(Node("conv", self.name("linear"), [node], value, node.level, library, weight=weight[None], bias=bias, transposed=False,
                      kernel={"size": (1, 1, 1), "stride": (1, 1, 1), "padding": (0, 0, 0), "dilation": (1, 1, 1)}))


if TorchDispatchMode is not None:
    class _Mode(TorchDispatchMode):
        """Sends each operation of torch to `operations`."""

        def __init__(self, operations):
            super().__init__()
            self.operations, self.active = operations, False

        def __enter__(self):
            self.active = True
            return super().__enter__()

        def __exit__(self, *arguments):
            self.active = False
            return super().__exit__(*arguments)

        def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
            return self.operations.dispatch(function, arguments, keywords or {})
