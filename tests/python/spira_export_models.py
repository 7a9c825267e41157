"""Networks of sparse convolutions for the tests of the exporter, written with spconv from descriptions of the published architectures."""
import numpy as np
import spconv.pytorch as spconv
import torch
from torch import nn


def draw(model, seed=1):
    """Draws all weights and norm statistics from a fixed seed, so that the features keep their size."""
    torch.manual_seed(seed)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm1d):
            nn.init.uniform_(module.weight, 0.5, 1.2)
            nn.init.uniform_(module.bias, -0.3, 0.3)
            nn.init.uniform_(module.running_mean, -0.3, 0.3)
            nn.init.uniform_(module.running_var, 0.1, 1.8)
    return model


def scene(shape, channels, seed=3, count=900):
    """Returns features and indices (batch, z, y, x) of a rough surface with some isolated voxels, inside a box of (z, y, x) cells."""
    rng = np.random.RandomState(seed)
    size = int(count ** 0.5) + 1
    heights = np.cumsum(rng.randint(-1, 2, (size, size)), axis=1) + shape[0] // 2
    cells = {(int(np.clip(heights[y, x], 0, shape[0] - 1)), y + shape[1] - size, x + shape[2] - size)
             for y in range(size) for x in range(size) if rng.random_sample() < 0.9}
    cells.update(tuple(int(rng.randint(0, n)) for n in shape) for _ in range(40))
    cells = np.array(sorted(cells), np.int32)[rng.permutation(len(cells))]
    indices = np.column_stack([np.zeros(len(cells), np.int32), cells])
    return torch.from_numpy(rng.standard_normal((len(cells), channels)).astype(np.float32)), torch.from_numpy(indices)


def frames(indices):
    return int(indices[:, 0].max()) + 1


def batch(shape, channels, seeds=(3, 5), indices=(0, 2)):
    """Returns features and indices of several frames in random order. Batch indices between those of the frames have no voxels."""
    parts = [scene(shape, channels, seed) for seed in seeds]
    for index, (_, cells) in zip(indices, parts):
        cells[:, 0] = index
    features, cells = torch.cat([one for one, _ in parts]), torch.cat([one for _, one in parts])
    order = torch.from_numpy(np.random.RandomState(1).permutation(len(cells)))
    return features[order], cells[order]


def norm(channels, eps=1e-3):
    return nn.BatchNorm1d(channels, eps=eps, momentum=0.01)


def submanifold(inputs, outputs, key, size=3, eps=1e-3, bias=False):
    return spconv.SparseSequential(spconv.SubMConv3d(inputs, outputs, size, padding=size // 2, bias=bias, indice_key=key), norm(outputs, eps),
                                   nn.ReLU())


def strided(inputs, outputs, key, size=3, stride=2, padding=1, eps=1e-3):
    return spconv.SparseSequential(spconv.SparseConv3d(inputs, outputs, size, stride=stride, padding=padding, bias=False, indice_key=key),
                                   norm(outputs, eps), nn.ReLU())


class Residual(spconv.SparseModule):
    """Two submanifold layers. The input, or a 1x1x1 layer of it, is added before the last ReLU."""

    def __init__(self, inputs, outputs, key, eps=1e-3, bias=False):
        super().__init__()
        self.conv1 = spconv.SubMConv3d(inputs, outputs, 3, padding=1, bias=bias, indice_key=key)
        self.bn1 = norm(outputs, eps)
        self.conv2 = spconv.SubMConv3d(outputs, outputs, 3, padding=1, bias=bias, indice_key=key)
        self.bn2 = norm(outputs, eps)
        self.relu = nn.ReLU(inplace=True)
        self.short = None
        if inputs != outputs:
            self.short = spconv.SparseSequential(spconv.SubMConv3d(inputs, outputs, 1, bias=False), norm(outputs, eps))

    def forward(self, x):
        y = self.conv1(x)
        y = y.replace_feature(self.relu(self.bn1(y.features)))
        y = self.conv2(y)
        y = y.replace_feature(self.bn2(y.features))
        short = self.short(x) if self.short else x
        return y.replace_feature(self.relu(y.features + short.features))


class UNet(nn.Module):
    """A U-Net with K2 s2 layers and inverse layers, as SpUNet and MinkUNet have it."""

    def __init__(self, channels, stem, encoder, decoder, classes, blocks, eps):
        super().__init__()
        self.stem = submanifold(channels, encoder[0], "stem", stem, eps)
        self.down, self.encoder, self.up, self.decoder = (nn.ModuleList() for _ in range(4))
        width, skips = encoder[0], [encoder[0]]
        for level, outputs in enumerate(encoder[1:]):
            self.down.append(strided(width, outputs, f"down{level}", 2, 2, 0, eps))
            self.encoder.append(spconv.SparseSequential(*(Residual(outputs, outputs, f"level{level}", eps) for _ in range(blocks))))
            width = outputs
            skips.append(width)
        for level, outputs in zip(range(len(encoder) - 2, -1, -1), decoder):
            self.up.append(spconv.SparseSequential(
                spconv.SparseInverseConv3d(width, outputs, 2, bias=False, indice_key=f"down{level}"), norm(outputs, eps), nn.ReLU()))
            self.decoder.append(Residual(outputs + skips[level], outputs, f"level{level - 1}", eps))
            width = outputs
        self.head = spconv.SubMConv3d(width, classes, 1, bias=True)

    def forward(self, features, indices):
        shape = (indices[:, 1:].max(0).values + 96).tolist()
        x = self.stem(spconv.SparseConvTensor(features, indices, shape, frames(indices)))
        skips = [x]
        for down, encoder in zip(self.down, self.encoder):
            x = encoder(down(x))
            skips.append(x)
        skips.pop()
        for up, decoder in zip(self.up, self.decoder):
            x = up(x)
            x = decoder(x.replace_feature(torch.cat([x.features, skips.pop().features], dim=1)))
        return self.head(x).features


def spunet():
    return draw(UNet(6, 5, [32, 32, 64, 128, 256], [256, 128, 96, 96], 13, 2, 1e-3))


def minkunet():
    return draw(UNet(4, 3, [32, 32, 64, 128, 256], [256, 128, 96, 96], 19, 2, 1e-5))


class VoxelBackBone8x(nn.Module):
    """The backbone of SECOND: plain layers or residual blocks, three layers K3 s2, a last layer (3, 1, 1) with stride (2, 1, 1)."""

    def __init__(self, channels, shape, residual):
        super().__init__()
        self.shape = [shape[0] + 1, *shape[1:]]
        widths = [16, 32, 64, 128] if residual else [16, 32, 64, 64]
        self.conv_input = submanifold(channels, 16, "subm1")
        self.stages = nn.ModuleList()
        before = 16
        for stage, width in enumerate(widths, 1):
            layers = []
            if stage > 1:
                layers.append(strided(before, width, f"spconv{stage}", padding=(0, 1, 1) if stage == 4 else 1))
            if residual:
                layers += [Residual(width, width, f"res{stage}", bias=True) for _ in range(2)]
            else:
                layers += [submanifold(width, width, f"subm{stage}") for _ in range(1 if stage == 1 else 2)]
            self.stages.append(spconv.SparseSequential(*layers))
            before = width
        self.conv_out = strided(before, 128, "spconv_down2", (3, 1, 1), (2, 1, 1), 0)

    def stages_of(self, features, indices):
        x = self.conv_input(spconv.SparseConvTensor(features, indices, self.shape, frames(indices)))
        outputs = []
        for stage in self.stages:
            x = stage(x)
            outputs.append(x)
        return outputs

    def forward(self, batch):
        outputs = self.stages_of(batch["voxel_features"], batch["voxel_coords"])
        batch["encoded_spconv_tensor"] = self.conv_out(outputs[-1])
        batch["multi_scale_3d_features"] = {f"x_conv{at}": one for at, one in enumerate(outputs, 1)}
        return batch


class VoxelNeXt(nn.Module):
    """The backbone of VoxelNeXt: the levels of strides 8, 16 and 32 are joined, z is dropped, and 2-D layers follow."""

    def __init__(self, channels, shape, sizes=(3, 3, 3, 3, 3)):
        super().__init__()
        self.shape = [shape[0] + 1, *shape[1:]]
        self.conv_input = submanifold(channels, 16, "subm1")
        self.stages = nn.ModuleList()
        before = 16
        for stage, width in enumerate((16, 32, 64, 128, 128, 128), 1):
            layers = [strided(before, width, f"spconv{stage}", sizes[stage - 2], padding=sizes[stage - 2] // 2)] if stage > 1 else []
            layers += [Residual(width, width, f"res{stage}", bias=True) for _ in range(2)]
            self.stages.append(spconv.SparseSequential(*layers))
            before = width
        self.conv_out = spconv.SparseSequential(spconv.SparseConv2d(128, 128, 3, stride=1, padding=1, bias=False, indice_key="spconv_down2"),
                                                nn.BatchNorm1d(128), nn.ReLU())
        self.shared_conv = spconv.SparseSequential(spconv.SubMConv2d(128, 128, 3, stride=1, padding=1, bias=True), nn.BatchNorm1d(128), nn.ReLU(True))
        self.head = spconv.SparseSequential(spconv.SubMConv2d(128, 64, 3, padding=1, bias=False, indice_key="head"), nn.BatchNorm1d(64), nn.ReLU(),
                                            spconv.SubMConv2d(64, 3, 1, bias=True, indice_key="head_out"))

    @staticmethod
    def without_z(x):
        indices, rows = torch.unique(x.indices[:, [0, 2, 3]], dim=0, return_inverse=True)
        features = x.features.new_zeros((indices.shape[0], x.features.shape[1]))
        features.index_add_(0, rows, x.features)
        return spconv.SparseConvTensor(features=features, indices=indices, spatial_shape=x.spatial_shape[1:], batch_size=x.batch_size)

    def forward(self, batch):
        x = self.conv_input(spconv.SparseConvTensor(batch["voxel_features"], batch["voxel_coords"], self.shape, frames(batch["voxel_coords"])))
        ends = []
        for stage in self.stages:
            x = stage(x)
            ends.append(x)
        fine, middle, coarse = ends[3:]
        middle.indices[:, 1:] *= 2
        coarse.indices[:, 1:] *= 4
        joined = fine.replace_feature(torch.cat([fine.features, middle.features, coarse.features]))
        joined.indices = torch.cat([fine.indices, middle.indices, coarse.indices])
        return self.head(self.shared_conv(self.conv_out(self.without_z(joined)))).features


class BirdsEyeView(nn.Module):
    """A backbone whose last level becomes a dense tensor [frames, C * D, H, W]."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone

    def forward(self, batch):
        dense = self.backbone(batch)["encoded_spconv_tensor"].dense()
        return dense.view(len(dense), -1, *dense.shape[3:])


class UNetV2(VoxelBackBone8x):
    """The U-Net of Part-A2: inverse K3 layers, concatenation, sums of channel groups, and an addition after a ReLU."""

    def __init__(self, channels, shape):
        super().__init__(channels, shape, False)
        self.lateral, self.merge, self.invert = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for stage, width, after in ((4, 64, 64), (3, 64, 32), (2, 32, 16), (1, 16, 16)):
            self.lateral.append(Residual(width, width, f"subm{stage}"))
            self.merge.append(submanifold(2 * width, width, f"subm{stage}"))
            self.invert.append(spconv.SparseSequential(spconv.SparseInverseConv3d(width, after, 3, bias=False, indice_key=f"spconv{stage}"),
                                                       norm(after), nn.ReLU()) if stage > 1 else submanifold(width, after, "last"))

    def forward(self, batch):
        stages = self.stages_of(batch["voxel_features"], batch["voxel_coords"])
        batch["encoded_spconv_tensor"] = self.conv_out(stages[-1])
        bottom = stages[-1]
        for lateral, merge, invert, skip in zip(self.lateral, self.merge, self.invert, stages[::-1]):
            x = lateral(skip)
            x = x.replace_feature(torch.cat((bottom.features, x.features), dim=1))
            merged = merge(x)
            groups = x.features.view(x.features.shape[0], merged.features.shape[1], -1).sum(dim=2)
            bottom = invert(merged.replace_feature(merged.features + groups))
        batch["point_features"] = bottom.features
        return batch


class Cylinder(nn.Module):
    """A block of Cylinder3D: (1, 3, 3) and (3, 1, 3) kernels, LeakyReLU before the norm, and a gate of three sigmoids."""

    def __init__(self, channels=8):
        super().__init__()
        self.left, self.right = self.branch(channels, ((1, 3, 3), (3, 1, 3)), "l"), self.branch(channels, ((3, 1, 3), (1, 3, 3)), "r")
        self.gates = nn.ModuleList(spconv.SparseSequential(spconv.SubMConv3d(channels, channels, size, bias=False, indice_key=f"g{at}"),
                                                           norm(channels), nn.Sigmoid()) for at, size in enumerate(((3, 1, 1), (1, 3, 1), (1, 1, 3))))
        self.down = spconv.SparseConv3d(channels, channels, 3, stride=(2, 2, 1), padding=1, bias=False)

    @staticmethod
    def branch(channels, sizes, key):
        layers = []
        for size in sizes:
            layers += [spconv.SubMConv3d(channels, channels, size, bias=False, indice_key=f"{key}{size}"), nn.LeakyReLU(), norm(channels)]
        return spconv.SparseSequential(*layers)

    def forward(self, x):
        x = x.replace_feature(self.left(x).features + self.right(x).features)
        gate = sum(one(x).features for one in self.gates)
        return self.down(x.replace_feature(gate * x.features))
