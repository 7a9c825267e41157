"""The texts and tensors of the three files of an exported network."""
import json

import numpy as np

from .cells import sorted_rows

SAMPLE = 24


def network_text(head, layers):
    """Returns the text of a network file, with one line for each layer. `head` contains the keys before the layers."""
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    rows = ",\n".join("  " + json.dumps(layer) for layer in layers)
    return "\n".join(["{", *lines, ' "layers": [', rows, " ]", "}", ""])


def capture_tensors(coords, features, outputs, shift, rng):
    """Returns the tensors of a capture file.

    `outputs` contains (name of the coordinate set, cells in voxels of the input, values) of each layer by name, for a dense layer followed
    by its grid. The set of a layer on points is "points"; its cells are then only counted. All coordinates are moved by
    `shift`. `rng` draws the recorded rows.
    """
    shift = np.array(shift, np.int32)
    tensors = {"coords": coords + shift, "features": features}
    sets = set()
    for name, (one, cells, values, *dense) in outputs.items():
        if dense:
            tensors[name + ".dense"] = dense[0]
            continue
        if one == "points":
            rows = np.sort(rng.permutation(len(cells))[:SAMPLE])
            tensors[name + ".rows"] = np.array([len(cells)], np.int32)
            tensors[name + ".points"] = rows.astype(np.int32)
            tensors[name + ".output"] = values[rows]
            continue
        order = sorted_rows(cells)
        rows = order[np.sort(rng.permutation(len(cells))[:SAMPLE])]
        tensors[name + ".rows"] = np.array([len(cells)], np.int32)
        tensors[name + ".coords"] = cells[rows] + shift
        tensors[name + ".output"] = values[rows]
        if one not in sets:
            sets.add(one)
            tensors[name + ".cells"] = cells[order] + shift
    return tensors
