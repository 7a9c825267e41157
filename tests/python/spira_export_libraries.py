"""Stand-ins for libraries that cannot be installed here. Names, attributes and layouts are those of the real classes.

They compute with dictionaries, cell by cell, and share no code with the exporter.
"""
import itertools
import sys
import types

import torch
from torch import nn


def convolve(features, in_cells, out_cells, offsets, stride, weight, transposed=False):
    """Adds up the products of a convolution. `offsets` has one offset for each matrix of `weight`, in input cells."""
    fine, coarse = (out_cells, in_cells) if transposed else (in_cells, out_cells)
    rows = {cell: row for row, cell in enumerate(fine)}
    result = torch.zeros(len(out_cells), weight.shape[-1])
    for matrix, offset in zip(weight, offsets):
        for row, cell in enumerate(coarse):
            other = rows.get(tuple(c * s + o for c, s, o in zip(cell, stride, offset)))
            if other is not None:
                source, target = (row, other) if transposed else (other, row)
                result[target] += features[source] @ matrix
    return result


def offsets_of(size, first, first_axis_fastest):
    """Returns the offsets of a box, in the order of the matrices of a library."""
    steps = [tuple(step) for step in itertools.product(*(range(k) for k in (size[::-1] if first_axis_fastest else size)))]
    return [tuple(i + f for i, f in zip(step[::-1] if first_axis_fastest else step, first)) for step in steps]


def tuples(rows):
    return [tuple(row) for row in rows.tolist()]


def pose_as(name, version, *classes):
    """Makes classes look as if they came from a library."""
    module = types.ModuleType(name)
    module.__version__ = version
    sys.modules[name] = module
    for one in classes:
        one.__module__ = name + ".nn"
        setattr(module, one.__name__, one)
    return module


# torchsparse 2.1 and 1.4

class TorchsparseTensor:
    def __init__(self, feats, coords, stride=(1, 1, 1)):
        self.feats, self.coords, self.stride, self.maps = feats, coords, stride, {}


class TorchsparseConv3d(nn.Module):
    old = False  # torchsparse 1.4 has the batch index last, and coordinates in voxels of the input.

    def __init__(self, in_channels, out_channels, kernel_size, stride=(1, 1, 1), transposed=False, bias=False):
        super().__init__()
        self.in_channels, self.out_channels, self.kernel_size, self.stride = in_channels, out_channels, kernel_size, stride
        self.dilation, self.padding, self.transposed, self.generative = 1, (0, 0, 0), transposed, False
        volume = kernel_size[0] * kernel_size[1] * kernel_size[2]
        self.kernel = nn.Parameter(torch.randn(volume, in_channels, out_channels) / volume if volume > 1 else torch.randn(in_channels, out_channels))
        self.bias = nn.Parameter(torch.randn(out_channels)) if bias else None

    def cells(self, coords, stride):
        if self.old:
            return [tuple(c // s for c, s in zip(cell, stride)) for cell in tuples(coords[:, :3])]
        return tuples(coords[:, 1:])

    def forward(self, x):
        size, fine = self.kernel_size, self.cells(x.coords, x.stride)
        even = size[0] * size[1] * size[2] % 2 == 0
        submanifold = self.stride == (1, 1, 1)
        first = tuple(-((k - 1) // 2) for k in size) if submanifold else (0, 0, 0)
        weight = self.kernel if self.kernel.dim() == 3 else self.kernel[None]
        stride, coords, out = x.stride, x.coords, fine
        if self.transposed:
            coords, stride = x.maps[x.stride]
            out = self.cells(coords, stride)
        elif not submanifold:
            stride = tuple(a * b for a, b in zip(x.stride, self.stride))
            bounds = [(max(cell[axis] for cell in fine) + 1 - size[axis]) // self.stride[axis] + 1 for axis in range(3)]
            found = {tuple((v - o) // s for v, o, s in zip(cell, step, self.stride)) for cell in fine for step in offsets_of(size, first, False)
                     if all((v - o) % s == 0 for v, o, s in zip(cell, step, self.stride))}
            if self.old:
                found = {tuple(v // s for v, s in zip(cell, self.stride)) for cell in fine}
            out = sorted(cell for cell in found if self.old or all(0 <= c < n for c, n in zip(cell, bounds)))
            rows = torch.tensor([tuple(c * s for c, s in zip(cell, stride)) if self.old else cell for cell in out], dtype=torch.int32)
            batch = torch.zeros(len(out), 1, dtype=torch.int32)
            coords = torch.cat([rows, batch] if self.old else [batch, rows], 1)
        features = convolve(x.feats, fine, out, offsets_of(size, first, not even), self.stride, weight, self.transposed)
        result = TorchsparseTensor(features if self.bias is None else features + self.bias, coords, stride)
        result.maps = {**x.maps, stride: (x.coords, x.stride)} if not submanifold and not self.transposed else x.maps
        return result


class PointTensor(TorchsparseTensor):
    """As in core/models/utils.py of SPVNAS: C is a float, with the batch index first."""


def rows_at(coords):
    return {cell: row for row, cell in enumerate(tuples(coords[:, 1:]))}


def mean_at(z, coords, stride):
    rows = rows_at(coords)
    inside = [rows.get(tuple(int(v // s) for v, s in zip(point, stride))) for point in z.C[:, 1:].tolist()]
    points = [[at for at, row in enumerate(inside) if row == wanted] for wanted in range(len(coords))]
    result = TorchsparseTensor(torch.stack([z.F[one].mean(dim=0) if one else torch.zeros(z.F.shape[1]) for one in points]), coords, stride)
    return result


def initial_voxelize(z, init_res, after_res):
    z.C = torch.cat([z.C[:, :1], z.C[:, 1:] * init_res / after_res], 1)
    return mean_at(z, torch.unique(torch.floor(z.C).int(), dim=0), (1, 1, 1))


def point_to_voxel(x, z):
    result = mean_at(z, x.coords, x.stride)
    result.maps = x.maps
    return result


def voxel_to_point(x, z, nearest=False):
    rows, values = rows_at(x.coords), torch.zeros(len(z.C), x.F.shape[1])
    for at, point in enumerate(z.C[:, 1:].tolist()):
        scaled = [v / s for v, s in zip(point, x.stride)]
        found, total = [], 1e-8
        for step in itertools.product((0, 1), repeat=3):
            cell = tuple(int(v // 1) + i for v, i in zip(scaled, step))
            weight = 1.0
            for v, c in zip(scaled, cell):
                weight *= 1 - abs(v - c)
            if cell in rows and not (nearest and any(step)):
                found.append((weight, rows[cell]))
                total += weight
        for weight, row in found:
            values[at] += weight / total * x.F[row]
    return PointTensor(values, z.C)


def features(tensor):
    return tensor.feats


def set_features(tensor, values):
    tensor.feats = values


def set_coordinates(tensor, values):
    tensor.coords = values


TorchsparseTensor.F = property(features, set_features)
TorchsparseTensor.C = property(lambda tensor: tensor.coords, set_coordinates)
TorchsparseTensor.__name__ = "SparseTensor"
TorchsparseConv3d.__name__ = "Conv3d"


# MinkowskiEngine 0.5

class MinkowskiTensor:
    def __init__(self, features, coordinates, tensor_stride, maps=None):
        self.F, self.C, self.tensor_stride, self.maps = features, coordinates, tensor_stride, maps or {}


class MinkowskiConvolution(nn.Module):
    is_transpose = False

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, bias=False):
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_generator = types.SimpleNamespace(kernel_size=[kernel_size] * 3, kernel_stride=[stride] * 3, kernel_dilation=[1] * 3,
                                                      region_type="RegionType.HYPER_CUBE")
        volume = kernel_size ** 3
        self.kernel = nn.Parameter(torch.randn(volume, in_channels, out_channels) / volume if volume > 1 else torch.randn(in_channels, out_channels))
        self.bias = nn.Parameter(torch.randn(1, out_channels)) if bias else None

    def forward(self, x):
        size, stride = self.kernel_generator.kernel_size, self.kernel_generator.kernel_stride
        before = x.tensor_stride[0]
        fine = [tuple(c // before for c in cell) for cell in tuples(x.C[:, 1:])]
        out, after, coordinates = fine, before, x.C
        if self.is_transpose:
            after = before // stride[0]
            coordinates = x.maps[after]
            out = [tuple(c // after for c in cell) for cell in tuples(coordinates[:, 1:])]
        elif stride[0] > 1:
            after = before * stride[0]
            out = sorted({tuple(c // s for c, s in zip(cell, stride)) for cell in fine})
            coordinates = torch.tensor([(0, *(c * after for c in cell)) for cell in out], dtype=torch.int32)
        first = [-(k // 2) if k % 2 else 0 for k in size]
        weight = self.kernel if self.kernel.dim() == 3 else self.kernel[None]
        features = convolve(x.F, fine, out, offsets_of(size, first, True), stride, weight, self.is_transpose)
        return MinkowskiTensor(features if self.bias is None else features + self.bias, coordinates, [after] * 3, {**x.maps, before: x.C})


class MinkowskiConvolutionTranspose(MinkowskiConvolution):
    is_transpose = True


class MinkowskiMaxPooling(nn.Module):
    def __init__(self, kernel_size, stride):
        super().__init__()
        self.kernel_generator = types.SimpleNamespace(kernel_size=[kernel_size] * 3, kernel_stride=[stride] * 3, kernel_dilation=[1] * 3)

    @staticmethod
    def reduce(rows):
        return rows.max(dim=0).values

    def forward(self, x):
        size, stride = self.kernel_generator.kernel_size, self.kernel_generator.kernel_stride[0]
        before = x.tensor_stride[0]
        fine = {tuple(c // before for c in cell): row for row, cell in enumerate(tuples(x.C[:, 1:]))}
        out = sorted({tuple(c // stride for c in cell) for cell in fine})
        first = [-(k // 2) if k % 2 else 0 for k in size]
        found = [[fine[at] for offset in offsets_of(size, first, True) if (at := tuple(c * stride + o for c, o in zip(cell, offset))) in fine]
                 for cell in out]
        values = torch.stack([self.reduce(x.F[rows]) if rows else torch.zeros(x.F.shape[1]) for rows in found])
        coordinates = torch.tensor([(0, *(c * before * stride for c in cell)) for cell in out], dtype=torch.int32)
        return MinkowskiTensor(values, coordinates, [before * stride] * 3, {**x.maps, before: x.C})


class MinkowskiAvgPooling(MinkowskiMaxPooling):
    @staticmethod
    def reduce(rows):
        return rows.mean(dim=0)


class MinkowskiInstanceNorm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.rand(1, channels) + 0.5), nn.Parameter(torch.randn(1, channels))

    def forward(self, x):
        centred = x.F - x.F.mean(dim=0)
        values = centred / (centred.square().mean(dim=0) + 1e-8).sqrt()
        return MinkowskiTensor(values * self.weight + self.bias, x.C, x.tensor_stride, x.maps)


MinkowskiTensor.__name__ = "SparseTensor"


# SparseConvNet

class SparseConvNetTensor:
    def __init__(self, features=None, metadata=None, spatial_size=None):
        self.features, self.metadata, self.spatial_size = features, metadata, spatial_size

    def get_spatial_locations(self):
        return self.metadata[tuple(self.spatial_size.tolist())]


class _Scn(nn.Module):
    def output(self, x, features, size=None):
        result = SparseConvNetTensor()
        result.features, result.metadata, result.spatial_size = features, x.metadata, x.spatial_size if size is None else size
        return result


class SubmanifoldConvolution(_Scn):
    def __init__(self, dimension, nIn, nOut, filter_size, bias):
        super().__init__()
        self.filter_size = torch.tensor([filter_size] * dimension)
        self.weight = nn.Parameter(torch.randn(filter_size ** 3, 1, nIn, nOut) / filter_size ** 3)
        if bias:
            self.bias = nn.Parameter(torch.randn(nOut))

    def forward(self, x):
        size = self.filter_size.tolist()
        cells = tuples(x.get_spatial_locations()[:, :3])
        features = convolve(x.features, cells, cells, offsets_of(size, [-(k // 2) for k in size], False), (1, 1, 1), self.weight[:, 0])
        return self.output(x, features + getattr(self, "bias", 0))


class Convolution(_Scn):
    def __init__(self, dimension, nIn, nOut, filter_size, filter_stride, bias):
        super().__init__()
        self.filter_size, self.filter_stride = torch.tensor([filter_size] * dimension), torch.tensor([filter_stride] * dimension)
        self.weight = nn.Parameter(torch.randn(filter_size ** 3, 1, nIn, nOut) / 2)
        if bias:
            self.bias = nn.Parameter(torch.randn(nOut))

    def forward(self, x):
        size, stride = self.filter_size.tolist(), self.filter_stride.tolist()
        after = torch.div(x.spatial_size - self.filter_size, self.filter_stride, rounding_mode="trunc") + 1
        cells = tuples(x.get_spatial_locations()[:, :3])
        out = sorted({tuple(c // s for c, s in zip(cell, stride)) for cell in cells})
        x.metadata[tuple(after.tolist())] = torch.tensor([(*cell, 0) for cell in out])
        features = convolve(x.features, cells, out, offsets_of(size, (0, 0, 0), False), stride, self.weight[:, 0])
        return self.output(x, features + getattr(self, "bias", 0), after)


class Deconvolution(Convolution):
    def forward(self, x):
        size, stride = self.filter_size.tolist(), self.filter_stride.tolist()
        after = (x.spatial_size - 1) * self.filter_stride + self.filter_size
        cells, out = tuples(x.get_spatial_locations()[:, :3]), tuples(x.metadata[tuple(after.tolist())][:, :3])
        features = convolve(x.features, cells, out, offsets_of(size, (0, 0, 0), False), stride, self.weight[:, 0], True)
        return self.output(x, features + getattr(self, "bias", 0), after)


class BatchNormalization(_Scn):
    def __init__(self, nPlanes, leakiness):
        super().__init__()
        self.nPlanes, self.eps, self.leakiness = nPlanes, 1e-4, leakiness
        self.register_buffer("running_mean", torch.randn(nPlanes))
        self.register_buffer("running_var", torch.rand(nPlanes) + 0.5)
        self.weight, self.bias = nn.Parameter(torch.rand(nPlanes) + 0.5), nn.Parameter(torch.randn(nPlanes))

    def forward(self, x):
        values = (x.features - self.running_mean) / (self.running_var + self.eps) ** 0.5 * self.weight + self.bias
        return self.output(x, torch.where(values > 0, values, values * self.leakiness))


class NetworkInNetwork(_Scn):
    def __init__(self, nIn, nOut, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(nIn, nOut))
        if bias:
            self.bias = nn.Parameter(torch.randn(nOut))

    def forward(self, x):
        return self.output(x, x.features @ self.weight + getattr(self, "bias", 0))


# In spconv 1.x, all layers with the same `indice_key` use the kernel map of the first of these layers, even if their kernel sizes differ.

class SparseConvTensor:
    def __init__(self, features, indices, spatial_shape, batch_size):
        self.features, self.indices, self.spatial_shape, self.indice_dict = features, indices, spatial_shape, {}


class SparseConvolution(nn.Module):
    subm, inverse, transposed, groups, bias, conv1x1 = True, False, False, 1, None, False

    def __init__(self, in_channels, out_channels, kernel_size, indice_key):
        super().__init__()
        self.in_channels, self.out_channels, self.kernel_size, self.indice_key = in_channels, out_channels, list(kernel_size), indice_key
        self.stride, self.padding, self.dilation = [1, 1, 1], [0, 0, 0], [1, 1, 1]
        self.weight = nn.Parameter(torch.randn(*kernel_size, in_channels, out_channels) / 9)

    def forward(self, x):
        cells = tuples(x.indices[:, 1:])
        own = offsets_of(self.kernel_size, [-(k // 2) for k in self.kernel_size], False)
        offsets, *_ = x.indice_dict.setdefault(self.indice_key, (own, cells))
        features = convolve(x.features, cells, cells, offsets, (1, 1, 1), self.weight.reshape(-1, self.in_channels, self.out_channels))
        result = SparseConvTensor(features, x.indices, x.spatial_shape, 1)
        result.indice_dict = x.indice_dict
        return result
