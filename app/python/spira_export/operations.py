"""Records the dense operations of torch between sparse modules. Unknown operations become `opaque`."""
import numpy as np
import torch

from . import libraries
from .errors import ExportError

ACTIVATIONS = {"relu", "leaky_relu", "sigmoid", "elu", "gelu", "silu", "tanh"}
SAME_ORDER = {"view", "_unsafe_view", "reshape", "_reshape_alias", "alias", "detach", "contiguous", "clone", "_to_copy", "unsqueeze", "squeeze",
              "flatten", "lift_fresh"}
KEEP_ROWS = {"_softmax", "_log_softmax", "softplus", "hardtanh", "hardswish", "hardsigmoid", "mish", "exp", "log", "sqrt", "pow",
             "abs", "neg", "clamp", "prelu", "_prelu_kernel", "erf", "celu", "selu", "native_batch_norm", "cudnn_batch_norm", *ACTIVATIONS}
NORMS = {"native_batch_norm": 5, "cudnn_batch_norm": 5, "miopen_batch_norm": 5, "_native_batch_norm_legit": 5,
         "_native_batch_norm_legit_no_training": None, "_batch_norm_no_update": None}  # The values are positions of the argument `training`.


class Node:
    """An operation that ran. `value` is its output; `level` is the coordinate set of its rows, or `None`."""

    def __init__(self, kind, name, inputs, value, level, library=("torch", torch.__version__), **facts):
        self.kind, self.name, self.inputs, self.value, self.level, self.provider = kind, name, inputs, value, level, library
        self.facts = facts


class Operations:
    """Adds the operations that torch dispatches to the record of a recorder."""

    def __init__(self, recorder):
        self.recorder = recorder

    def dispatch(self, function, arguments, keywords):
        """Runs an operation of torch and records it if it reads a recorded tensor."""
        entries = [entry for entry in map(self.recorder.entry, tensors_in((arguments, keywords))) if entry]
        if not entries:
            return function(*arguments, **keywords)
        name = function._schema.name.split("::")[-1]
        in_place = name.endswith("_") and not name.endswith("__")
        first = arguments[0] if arguments else None
        old = self.recorder.entry(first) if in_place else None
        if old and old.node.value.data_ptr() == first.data_ptr():
            old.node.value = first.clone()
        result = function(*arguments, **keywords)
        if old and old.other_shape:
            raise ExportError(f"{self.recorder.name(name)}: writes into a view of {old.node.name}, which cannot be recorded")
        self._record(name.rstrip("_") if in_place else name, arguments, keywords, entries, result, in_place)
        return result

    def _record(self, name, arguments, keywords, entries, result, in_place):
        node, other_shape = entries[0].node, entries[0].other_shape
        whole = name in ("slice", "expand") and not other_shape and result.shape == node.value.shape
        if (name in SAME_ORDER or whole) and isinstance(result, torch.Tensor) and result.is_floating_point() and not in_place:
            # Keep only shapes that include the batch, so ignore the result of squeeze(0) and similar shapes.
            if node.kind == "dense" and result.dim() > 1 and result.shape[0] == node.value.shape[0]:
                node.facts["shape"] = list(result.shape[1:])
            same = result.shape == node.value.shape or node.kind == "dense"
            self.recorder.keep(result, node, not same)
            return
        if name == "index_add" and in_place and self._scatter(arguments, keywords, result):
            return
        if name == "sum" and other_shape and self._group_sum(arguments, node, result):
            return
        if not any(entry.other_shape for entry in entries) and isinstance(result, (torch.Tensor, tuple)):
            handler = {"add": self._sum, "sub": self._sum, "rsub": self._sum, "mul": self._product, "div": self._product, "cat": self._concat,
                       "addmm": self._matrix, "mm": self._matrix, "linear": self._matrix}.get(name)
            if name in ACTIVATIONS:
                handler = self._activation
            elif name in NORMS:
                handler = self._norm
            elif name == "native_layer_norm":
                handler = self._layer_norm
            if handler and handler(name, arguments, keywords, result, in_place):
                return
        inputs = list(dict.fromkeys(entry.node for entry in entries))
        for one in tensors_in(result):
            if isinstance(one, torch.Tensor):
                same_rows = name in KEEP_ROWS and not other_shape and one.shape == node.value.shape
                level = node.level if same_rows else None  # Other operations may change the order of the rows.
                self.recorder.add(Node("opaque", self.recorder.name(name), inputs, one, level, what=name,
                                       multiply_adds=_multiply_adds(name, arguments, one)), in_place)

    def _rows(self, tensor):
        """Returns the node of a tensor with one row for each cell, or `None`."""
        entry = self.recorder.entry(tensor)
        return entry.node if entry and entry.node.level is not None and tensor.dim() == 2 else None

    def _new(self, kind, operation, inputs, value, in_place, **facts):
        self.recorder.add(Node(kind, self.recorder.name(operation), inputs, value, inputs[0].level, **facts), in_place)
        return True

    def _constant(self, value, channels):
        """Returns one number for each channel if an operand is a number or a constant tensor, else `None`."""
        if isinstance(value, (int, float)):
            return np.full(channels, value, np.float64)
        if isinstance(value, torch.Tensor) and self.recorder.entry(value) is None and value.numel() in (1, channels) and \
                (value.numel() == 1 or value.shape[-1] == channels):
            return np.broadcast_to(value.detach().double().cpu().numpy().reshape(-1), (channels,)).copy()
        return None

    def _affine(self, operation, node, scale, shift, result, in_place):
        if (scale == 1).all() and (shift == 0).all():
            self.recorder.keep(result, node, in_place=in_place)
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
        operation = name
        if name == "rsub":
            name, arguments = "sub", arguments[1::-1]
        found = self._operands(arguments) if keywords.get("alpha", 1) == 1 and len(arguments) == 2 else None
        if not found or (name == "sub" and found[1]):
            return False
        node, other, constant, reverse = found
        if other:
            return self._new("add", "add", [node, other], result, in_place)
        scale = np.full(len(constant), -1.0 if name == "sub" and reverse else 1.0)
        return self._affine(operation, node, scale, -constant if name == "sub" and not reverse else constant, result, in_place)

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
        if all(nodes) and axis == 0 and len({one.value.shape[1] for one in nodes}) == 1:
            # The rows of several levels. They become a union_add if their equal cells are added later.
            self.recorder.add(Node("opaque", self.recorder.name(name), nodes, result, None, what=name, stack=nodes), in_place)
            return True
        if not all(nodes) or axis not in (1, -1) or any(one.level is not nodes[0].level for one in nodes):
            return False
        return self._new("concat", "concat", nodes, result, in_place)

    def _scatter(self, arguments, keywords, result):
        """Records a sum of rows into a tensor of zeros. The cells of the result show later which rows were added."""
        if len(arguments) != 4 or keywords or arguments[1] != 0:
            return False
        target, source = self.recorder.entry(arguments[0]), self.recorder.entry(arguments[3])
        if not target or not source or source.other_shape or target.node.value.any():
            return False
        parts = source.node.facts.get("stack", [source.node])
        if any(part.level is None for part in parts):
            return False
        self.recorder.add(Node("opaque", self.recorder.name("index_add"), [source.node], result, None, what="index_add", scatter=parts), True)
        return True

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
            return False  # The norm would use the statistics of the scene instead of trained statistics.
        weight, bias, mean, variance = (None if one is None else one.detach().float().cpu().numpy() for one in arguments[1:5])
        weight = np.ones_like(mean) if weight is None else weight
        bias = np.zeros_like(mean) if bias is None else bias
        return self._new("norm", "norm", [node], result[0] if isinstance(result, (tuple, list)) else result, False,
                         tensors=(weight, bias, mean, variance), eps=float(arguments[-1]))

    def _layer_norm(self, name, arguments, keywords, result, in_place):
        node = self._rows(arguments[0])
        if not node or keywords or list(arguments[1]) != [node.value.shape[1]]:
            return False
        scale, shift = (np.full(node.value.shape[1], fill, np.float32) if one is None else one.detach().float().cpu().numpy()
                        for one, fill in zip(arguments[2:4], (1, 0)))
        return self._new("layer_norm", "norm", [node], result[0], False, scale=scale, shift=shift, eps=float(arguments[4]))

    def _matrix(self, name, arguments, keywords, result, in_place):
        bias, tensor, weight = (arguments[0], *arguments[1:3]) if name == "addmm" else (None, *arguments[:2])
        if name == "linear":
            bias, weight = (arguments[2] if len(arguments) > 2 else None), weight.t()
        node = self._rows(tensor)
        if not node or keywords or self.recorder.entry(weight) or (bias is not None and bias.dim() != 1):
            return False
        self.recorder.linear(node, result, *(None if one is None else one.detach().float().cpu().numpy() for one in (weight, bias)))
        return True

    def _group_sum(self, arguments, node, result):
        tensor, axes = arguments[0], list(arguments[1]) if len(arguments) == 2 else None
        if node.level is None or tensor.dim() != 3 or axes not in ([2], [-1]) or tensor.shape[0] != len(node.value) or \
                tensor.shape[1] * tensor.shape[2] != node.value.shape[1]:
            return False
        return self._new("group_sum", "group_sum", [node], result, False)


def _multiply_adds(name, arguments, result):
    """Returns the number of multiply-adds of a product of matrices, or `None` for other operations."""
    first = {"mm": 0, "bmm": 0, "linear": 0, "addmm": 1, "baddbmm": 1}.get(name)
    return None if first is None else int(result.numel()) * int(arguments[first].shape[-1])


def tensors_in(thing, depth=0):
    """Yields all tensors and sparse tensors in nested lists, tuples and dictionaries."""
    if isinstance(thing, torch.Tensor) or libraries.is_sparse_tensor(thing):
        yield thing
    elif isinstance(thing, dict) and depth < 8:
        for one in thing.values():
            yield from tensors_in(one, depth + 1)
    elif isinstance(thing, (list, tuple)) and depth < 8:
        for one in thing:
            yield from tensors_in(one, depth + 1)
