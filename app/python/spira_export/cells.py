"""Coordinate sets: the two rules for the cells after a strided layer, and the search for neighbours.

Cells are int64 arrays with the columns x, y, z, or batch index, x, y, z. Coordinates are in units of their own level. A kernel is a
dictionary with `size`, `stride`, `padding` and `dilation`, each a tuple for x, y and z.
"""
import itertools

import numpy as np


def steps_of(kernel):
    """Returns the offsets from stride * output cell to the input cell, one for each matrix of a weight: x slowest, z fastest."""
    size, padding, dilation = (np.array(kernel[key]) for key in ("size", "padding", "dilation"))
    return np.array(list(itertools.product(*(range(one) for one in size))), np.int64).reshape(-1, 3) * dilation - padding


def for_columns(values, cells, fill):
    """Returns values for x, y and z with a first value `fill` if the cells have a batch index."""
    return np.array([*[fill] * (cells.shape[1] - 3), *values], np.int64)


def voxels_of(cells, stride):
    """Returns the low corners of cells in input voxels."""
    return cells * for_columns(stride, cells, 1)


def sorted_rows(cells):
    """Returns the row numbers in lexicographic order of the cells."""
    return np.lexsort(cells.T[::-1])


def unique_cells(cells):
    """Returns the different cells in lexicographic order."""
    ordered = cells[sorted_rows(cells)]
    if len(ordered) == 0:
        return ordered
    return ordered[np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])]


def floor_cells(cells, stride):
    """Returns the cells by the floor rule: the coordinates divided by the stride and rounded down."""
    return unique_cells(np.floor_divide(cells, for_columns(stride, cells, 1)))


def reached_cells(cells, kernel, bounds):
    """Returns the cells by the reached rule: each output cell that reads at least one input cell.

    `bounds` contains the number of output cells along x, y and z. If it is `None`, no output cell is clipped.
    """
    stride = for_columns(kernel["stride"], cells, 1)
    found = []
    for step in steps_of(kernel):
        scaled = cells - for_columns(step, cells, 0)
        whole = scaled[(scaled % stride == 0).all(axis=1)] // stride
        if bounds is not None:
            whole = whole[((whole[:, -3:] >= 0) & (whole[:, -3:] < np.array(bounds))).all(axis=1)]
        found.append(whole)
    return unique_cells(np.concatenate(found))


def reached_bounds(shape, kernel):
    """Returns the number of output cells for each axis, from the number of input cells."""
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in
                 zip(shape, kernel["size"], kernel["stride"], kernel["padding"], kernel["dilation"]))


class CellIndex:
    """Finds the rows of cells in a coordinate set."""

    def __init__(self, cells):
        zeros = np.zeros(cells.shape[1], np.int64)
        self.low = cells.min(axis=0) if len(cells) else zeros
        self.span = (cells.max(axis=0) if len(cells) else zeros) - self.low + 1
        keys = self._keys(cells)
        self.order = np.argsort(keys, kind="stable")
        self.keys = keys[self.order]

    def _keys(self, cells):
        keys = np.zeros(len(cells), np.int64)
        for column, low, span in zip(cells.T, self.low, self.span):
            keys = keys * span + (column - low)
        return keys

    def rows(self, cells):
        """Returns the row of each cell, or -1 if the set does not contain the cell."""
        rows = np.full(len(cells), -1, np.int64)
        inside = ((cells >= self.low) & (cells < self.low + self.span)).all(axis=1)
        keys = self._keys(cells[inside])
        at = np.minimum(np.searchsorted(self.keys, keys), max(0, len(self.keys) - 1))
        if len(self.keys):
            rows[inside] = np.where(self.keys[at] == keys, self.order[at], -1)
        return rows


def pairs(kernel, in_index, out_cells, transposed):
    """Yields, for each matrix of a weight, (rows of `out_cells`, rows of the input set) that it connects.

    A transposed layer has fine output cells. It uses the kernel map from fine to coarse cells with input and output exchanged.
    """
    stride = for_columns(kernel["stride"], out_cells, 1)
    for step in (for_columns(one, out_cells, 0) for one in steps_of(kernel)):
        if transposed:
            scaled = out_cells - step
            source = in_index.rows(scaled // stride)
            source[(scaled % stride != 0).any(axis=1)] = -1
        else:
            source = in_index.rows(out_cells * stride + step)
        target = np.flatnonzero(source >= 0)
        yield target, source[target]
