"""Turns recorded nodes into the layers of a network file. Norms, additions and activations are merged into the convolution before them."""
import numpy as np

from .cells import unique_cells
from .errors import ExportError
from .replay import three

ORDER = ["norm", "add", "activation"]
WITH_ACTIVATION = ("norm", "affine", "add", "multiply", "concat", "pool", "layer_norm", "instance_norm", "union_add", "drop_axis", "to_points",
                   "to_voxels")
SOURCES = ("input", "points")
MAX_STRIDE = 64  # of the coarsest level that `spira` can run


class Layer:
    """A layer of the file: the nodes that it contains, its entry in the file (`entry`) and its tensors by name."""

    def __init__(self, node):
        self.nodes, self.entry, self.tensors = [node], {}, {}
        self.first = node
        self.merged = ["activation"] if node.facts.get("activation", "none") != "none" and node.kind in ("conv", "norm", "pool") else []
        self.residual = None

    end = property(lambda self: self.nodes[-1])


class Network:
    """The layers of a record. `layers` is in the order of the file; `opaque` lists the layers that network files cannot express."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.readers = {}
        self._alive()
        self.ends = {}      # node -> Layer that ends with it
        self.layers = []
        for node in self.nodes:
            if node.kind not in SOURCES:
                self._place(node)
        position = {node: at for at, node in enumerate(self.nodes)}
        self.layers.sort(key=lambda layer: position[layer.end])
        self.names = {node: layer.first.name for node, layer in self.ends.items()}
        self.names.update((node, node.kind) for node in self.nodes if node.kind in SOURCES)
        for layer in self.layers:
            _write(layer, self)
        self.opaque = [layer for layer in self.layers if layer.first.kind == "opaque"]
        coarsest = max((max(node.level.stride) for node in self.nodes if node.level), default=1)
        entries = {layer.entry["name"]: layer.entry for layer in self.layers}
        self.wide = coarsest > MAX_STRIDE or any(_is_wide(layer.entry, entries) for layer in self.layers)
        for layer in self.layers:
            if layer.entry["op"] == "conv":
                del layer.entry["op"]

    def behind_opaque(self):
        """Returns the convolutions that need the output of an opaque operation. `spira` cannot run them in the network."""
        skipped, found = set(), []
        for layer in self.layers:
            entry = layer.entry
            sources = [*entry["inputs"], entry.get("residual"), entry.get("map_of"), entry.get("voxels_of")]
            if layer.first.kind != "opaque" and skipped.isdisjoint(sources):
                continue
            skipped.add(entry["name"])
            if layer.first.kind == "conv":
                found.append(layer)
        return found

    def _alive(self):
        """Keeps the nodes that a result, a convolution or another kept node reads, and finds the readers of each node."""
        nodes, results = self.recorder.nodes, self.recorder.results
        kept = set(results)
        for node in nodes[::-1]:
            if node.kind in ("conv", "dense", "input"):
                kept.add(node)
            if node in kept:
                kept.update(node.inputs)
        inline = {node for node in kept if node.kind == "concat" and node not in results
                  and all(reader.kind == "conv" for reader in nodes if reader in kept and node in reader.inputs)}
        self.nodes = [node for node in nodes if node in kept and node not in inline]
        for node in self.nodes:
            node.inputs = [one for part in node.inputs for one in (part.inputs if part in inline else [part])]
            for one in dict.fromkeys(node.inputs):
                self.readers.setdefault(one, []).append(node)

    def _open(self, node, step):
        """Returns the layer that ends with a node if a step can be merged into it, else `None`."""
        layer = self.ends.get(node)
        if layer is None or step in layer.merged or node in self.recorder.results or len(self.readers[node]) != 1:
            return None
        allowed = ORDER if layer.first.kind == "conv" else ["activation"] if layer.first.kind in WITH_ACTIVATION else []
        return layer if step in allowed else None

    def _place(self, node):
        """Merges a node into an earlier layer, or begins a new layer."""
        layer = None
        if node.kind in ("norm", "activation"):
            layer = self._open(node.inputs[0], node.kind)
            if layer and node.kind == "norm" and node.facts.get("activation", "none") != "none" and "activation" in layer.merged:
                layer = None
        elif node.kind == "add" and node.inputs[0] is not node.inputs[1]:
            found = [(one, self._open(one, "add")) for one in node.inputs]
            found = sorted((pair for pair in found if pair[1]), key=lambda pair: "activation" in pair[1].merged)
            if found:
                layer = found[0][1]
                layer.residual = next(one for one in node.inputs if one is not found[0][0])
        if layer is None:
            layer = Layer(node)
            self.layers.append(layer)
        else:
            del self.ends[layer.end]
            layer.nodes.append(node)
            layer.merged.append(node.kind)
            if node.kind == "norm" and node.facts.get("activation", "none") != "none":
                layer.merged.append("activation")
        self.ends[node] = layer


def _number(values):
    """Returns one number if the values of all axes are equal, else a list."""
    return int(values[0]) if len(set(values)) == 1 else [int(one) for one in values]


def _is_wide(entry, entries):
    """Returns true if a layer uses keys or values that `spira` cannot run yet. `entries` contains all layers by name."""
    if entry.get("op", "conv") not in ("conv", "pool"):
        return entry["op"] == "opaque"
    if "dilation" in entry:
        return True
    size, stride = three(entry["kernel_size"]), three(entry.get("stride", 1))
    owner = entries.get(entry.get("map_of"), entry)
    return (max(size) > 7 or any(one & (one - 1) for one in stride)
            or (owner["kernel_size"] != entry["kernel_size"] and
                (entry.get("transposed", False) or np.prod(size) < np.prod(three(owner["kernel_size"])))))


def _write(layer, network):
    """Fills the entry and the tensors of a layer."""
    first, end = layer.first, layer.end
    kind = "affine" if first.kind == "norm" else first.kind
    entry = layer.entry
    entry.update(name=first.name, op=kind, inputs=[network.names[one] for one in first.inputs])
    if kind == "opaque":
        entry["operation"] = f"{first.provider[0]} {first.facts['what']}"
        entry["input_shapes"] = [list(one.value.shape) for one in first.inputs]
        entry["output_shape"] = list(end.value.shape)
        if first.facts.get("multiply_adds") is not None:
            entry["multiply_adds"] = first.facts["multiply_adds"]
        return
    if kind == "dense":
        entry.update(cells=[int(one) for one in first.facts["bounds"]], axes=first.facts["axes"], shape=first.facts["shape"])
        return
    if kind in ("conv", "pool"):
        _write_kernel(layer, network)
    if kind == "to_voxels":
        entry["voxels_of"] = _name_of_voxels(first, network)
    if kind == "pool":
        entry["reduce"] = first.facts["reduce"]
    entry["in_channels"] = sum(one.value.shape[1] for one in first.inputs)
    entry["out_channels"] = int(end.value.shape[1])
    if kind in ("add", "multiply", "activation", "union_add"):
        del entry["in_channels"]
    if kind == "conv":
        _write_weights(layer)
    elif kind in ("layer_norm", "instance_norm"):
        entry["eps"] = first.facts["eps"]
        layer.tensors.update(scale=first.facts["scale"], shift=first.facts["shift"])
    elif kind == "affine":
        scale, shift = (first.facts["scale"], first.facts["shift"]) if first.kind == "affine" else _fold(first)
        layer.tensors.update(scale=scale, shift=shift)
    active = [node for node in layer.nodes if node.facts.get("activation", "none") != "none"]
    entry["activation"] = active[0].facts["activation"] if active else "none"
    if entry["activation"] == "leaky_relu":
        entry["slope"] = active[0].facts["slope"]
    if layer.residual is not None:
        entry["residual"] = network.names[layer.residual]
    if sorted(layer.merged, key=ORDER.index) != layer.merged:
        entry["order"] = layer.merged
    layer.tensors = {name: np.ascontiguousarray(tensor, np.float32) for name, tensor in layer.tensors.items()}


def _name_of_voxels(node, network):
    """Returns the name of an earlier layer, or `input`, that has the voxels of a node."""
    wanted = unique_cells(node.level.cells)
    return next(network.names[one] for one in network.nodes if one in network.names and one.level is not None
                and one.level.stride == node.level.stride and np.array_equal(unique_cells(one.level.cells), wanted))


def _write_kernel(layer, network):
    facts, entry = layer.first.facts, layer.entry
    kernel, owner = facts["kernel"], facts.get("map_of")
    centred = tuple(d * (k // 2) if k % 2 else 0 for k, d in zip(kernel["size"], kernel["dilation"]))
    entry["kernel_size"] = _number(kernel["size"])
    plain = facts["transposed"] and owner.facts["rule"] == "floor" and kernel["padding"] == centred and set(kernel["dilation"]) == {1}
    if facts["transposed"]:
        entry["transposed"] = True
    # Without the key map_of, a transposed layer runs on the map of a layer with the same kernel size and the floor rule.
    if owner and not plain:
        entry["map_of"] = owner.name
        return
    if set(kernel["stride"]) != {1}:
        entry["stride"] = _number(kernel["stride"])
    if kernel["padding"] != centred and not facts["transposed"]:
        entry["padding"] = _number(kernel["padding"])
    if set(kernel["dilation"]) != {1}:
        entry["dilation"] = _number(kernel["dilation"])
    if facts.get("rule") == "reached":
        entry["rule"] = "reached"
        if facts["bounds"] is not None:
            entry["cells"] = [int(one) for one in facts["bounds"]]


def _write_weights(layer):
    facts, entry = layer.first.facts, layer.entry
    layer.tensors["weight"] = facts["weight"]
    if facts["bias"] is not None:
        entry["bias"] = True
        layer.tensors["bias"] = facts["bias"]
    norm = next((node for node in layer.nodes if node.kind == "norm"), None)
    entry["norm"] = {"eps": norm.facts["eps"]} if norm else False
    if norm:
        names = ("weight", "bias", "running_mean", "running_var")
        layer.tensors.update((f"bn.{name}", tensor) for name, tensor in zip(names, norm.facts["tensors"]))


def _fold(norm):
    """Returns the scale and the shift of a norm."""
    weight, bias, mean, variance = (one.astype(np.float64) for one in norm.facts["tensors"])
    scale = weight / np.sqrt(variance + norm.facts["eps"])
    return scale, bias - mean * scale


def check_finite(layers):
    """Throws `ExportError` if a weight is not finite. The reader refuses such a file."""
    for layer in layers:
        for name, tensor in layer.tensors.items():
            if not np.isfinite(tensor).all():
                raise ExportError(f"{layer.first.name}: {name} has NaN or infinite values")
