"""The exporter writes networks of other libraries, checks them, and refuses what it cannot express.

Requires torch and spconv. The environment variable SPIRA_PROGRAM is the path of `spira`, for the tests that run an exported network.
"""
import contextlib
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

os.environ["OMP_NUM_THREADS"] = "1"  # spconv has a race with more than one thread.
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "app" / "python"), str(ROOT / "tests" / "python")]
try:
    import numpy as np
    import spconv.pytorch as spconv
    import torch
    from torch import nn
except ImportError as error:
    print(f"spira_export_test: a Python module cannot be imported: {error}", file=sys.stderr)
    sys.exit(77)
import spira_export  # noqa: E402
import spira_export_libraries as stand_in  # noqa: E402
import spira_export_models as models  # noqa: E402
from spira_export.tensor_file import read_safetensors, write_safetensors  # noqa: E402

torch.set_num_threads(1)
SHAPE = (40, 48, 48)


class ExportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def export(self, model, inputs, capture=False, **options):
        """Exports a model. Returns the summary, the layers by name, and the printed text."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            summary = spira_export.export(model, inputs, self.folder / "net", capture, **options)
        self.document = json.loads((self.folder / "net.json").read_text(encoding="utf-8"))
        print(f"{self.id().split('.')[-1]}: {printed.getvalue().strip()}", file=sys.stderr)
        return summary, {layer["name"]: layer for layer in self.document["layers"]}, printed.getvalue()

    def refused(self, model, inputs, *parts, **options):
        """Checks that the export stops with one line that contains all `parts`, and that it writes nothing."""
        with self.assertRaises(spira_export.ExportError) as caught:
            self.export(model, inputs, **options)
        for part in parts:
            self.assertIn(part, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        self.assertEqual(list(self.folder.glob("net.*")), [])

    def weights(self):
        return read_safetensors(self.folder / "net.safetensors")[0]

    def verify(self, layers):
        """Compares all layers with the capture by `spira verify`."""
        program = os.environ.get("SPIRA_PROGRAM")
        if not program or not os.access(program, os.X_OK):
            print("SPIRA_PROGRAM is not a program: the network is not run", file=sys.stderr)
            return
        net = str(self.folder / "net")
        done = subprocess.run([program, "verify", "--network", net + ".json", "--weights", net + ".safetensors", "--capture",
                               net + ".capture.safetensors"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{layers} layers against the capture: all passed", done.stdout)


class TodayTest(ExportTest):
    """Networks that `spira` can run."""

    def check_u_net(self, model, channels, eps):
        features, indices = models.scene(SHAPE, channels)
        summary, layers, _ = self.export(model, (features, indices), capture=True)
        self.assertTrue(summary.runs_today)
        self.assertEqual(summary.opaque, [])
        self.assertLess(summary.largest_difference, 1e-6)
        self.assertEqual(set(self.document), {"schema", "name", "title", "in_channels", "input", "outputs", "origin", "layers"})
        self.assertEqual(set(self.document["origin"]), {"library", "torch", "exporter", "date"})
        self.assertEqual(self.document["outputs"], [self.document["layers"][-1]["name"]])
        self.assertEqual(layers["stem.0"]["norm"], {"eps": eps})
        self.assertEqual(layers["decoder.0.conv1"]["inputs"], ["up.0.0", "encoder.2.1.conv2"])
        self.assertEqual(layers["decoder.0.conv2"]["residual"], "decoder.0.short.0")
        self.verify(len(layers))

    def test_a_spunet_runs_in_spira(self):
        self.check_u_net(models.spunet(), 6, 1e-3)

    def test_a_minkunet_runs_in_spira(self):
        self.check_u_net(models.minkunet(), 4, 1e-5)

    def test_inverse_layers_run_on_the_map_of_a_reached_layer(self):
        features, indices = models.scene(SHAPE, 4, count=200)
        model = spconv.SparseSequential(
            spconv.SubMConv3d(4, 8, (1, 3, 3), padding=(0, 1, 1), bias=False, indice_key="a"),
            spconv.SubMConv3d(8, 8, (1, 3, 3), padding=(0, 1, 1), bias=False, indice_key="a"),
            spconv.SparseConv3d(8, 16, 3, stride=(1, 2, 2), padding=1, bias=False, indice_key="down"),
            spconv.SparseInverseConv3d(16, 8, 3, indice_key="down", bias=False), models.norm(8), nn.ReLU())
        summary, layers, _ = self.export(models.draw(model), spconv.SparseConvTensor(features, indices, list(SHAPE), 1), capture=True)
        self.assertTrue(summary.runs_today)
        plain = {"inputs": ["0"], "in_channels": 8, "out_channels": 8, "norm": False, "activation": "none"}
        self.assertEqual(layers["1"], {"name": "1", "kernel_size": [3, 3, 1], **plain})
        self.assertEqual(layers["2"], {**plain, "name": "2", "inputs": ["1"], "kernel_size": 3, "stride": [2, 2, 1], "rule": "reached",
                                       "cells": [24, 24, 40], "out_channels": 16})
        self.assertEqual(layers["3"], {**plain, "name": "3", "inputs": ["2"], "kernel_size": 3, "transposed": True, "map_of": "2",
                                       "in_channels": 16, "norm": {"eps": 1e-3}, "activation": "relu"})
        self.verify(len(layers))

    def test_a_capture_contains_the_input_and_a_sample_of_each_layer(self):
        features, indices = models.scene(SHAPE, 4, count=200)
        model = models.strided(4, 8, "down", 2, 2, 0)
        x = spconv.SparseConvTensor(features, indices, [200] * 3, 1)
        self.export(model, x, capture=True)
        tensors, metadata = read_safetensors(self.folder / "net.capture.safetensors")
        self.assertEqual(metadata["schema"], "spira.capture 1")
        self.assertEqual(set(tensors), {"coords", "features", "0.rows", "0.coords", "0.output", "0.cells"})
        np.testing.assert_array_equal(tensors["coords"], indices.numpy()[:, :0:-1])
        np.testing.assert_array_equal(tensors["features"], features.numpy())
        cells = np.unique(indices.numpy()[:, :0:-1] // 2 * 2, axis=0)
        np.testing.assert_array_equal(tensors["0.cells"], cells)
        self.assertEqual(tensors["0.rows"].tolist(), [len(cells)])
        with torch.no_grad():
            after = model.eval()(x)
        rows = {tuple(cell): row for row, cell in enumerate((after.indices.numpy()[:, :0:-1] * 2).tolist())}
        expected = after.features.numpy()[[rows[tuple(cell)] for cell in tensors["0.coords"].tolist()]]
        np.testing.assert_allclose(tensors["0.output"], expected, rtol=0, atol=1e-6)

    def test_the_mode_of_each_module_is_restored(self):
        model = nn.Sequential(models.submanifold(4, 8, "a", bias=True), spconv.SubMConv3d(8, 8, 3, bias=True, indice_key="b"))
        model.train()
        model[0][1].eval()
        before = [module.training for module in model.modules()]
        features, indices = models.scene(SHAPE, 4, count=100)
        self.export(model, spconv.SparseConvTensor(features, indices, list(SHAPE), 1))
        self.assertEqual([module.training for module in model.modules()], before)
        self.assertFalse(hasattr(spconv.SparseConvTensor.__init__, "__wrapped__") or torch.nn.modules.module._global_forward_hooks)


class BackboneTest(ExportTest):
    """Backbones of detectors and operations between convolutions. `spira` can run some of these networks."""

    def check_levels(self, outputs):
        """Checks that strided layers have the reached rule, and that their cells after the layer are the shapes of spconv."""
        strided = [layer for layer in self.document["layers"] if layer.get("stride", 1) != 1 and not layer.get("transposed")]
        self.assertEqual([layer["rule"] for layer in strided], ["reached"] * len(strided))
        captured = read_safetensors(self.folder / "net.capture.safetensors")[0]
        stride = np.ones(3, int)
        for layer, output in zip(strided, outputs):
            self.assertEqual(layer["cells"], output.spatial_shape[::-1])
            stride = stride * np.array(layer["stride"])
            expected = output.indices.numpy()[:, :0:-1] * stride
            np.testing.assert_array_equal(captured[layer["name"] + ".cells"], expected[np.lexsort(expected.T[::-1])])

    def check_backbone(self, model, channels, runs_today):
        features, indices = models.scene(SHAPE, channels)
        batch = {"voxel_features": features, "voxel_coords": indices}
        summary, layers, _ = self.export(models.draw(model), batch, capture=True)
        self.assertEqual(summary.opaque, [])
        self.assertEqual(summary.runs_today, runs_today)
        self.assertLess(summary.largest_difference, 1e-5)
        if runs_today:
            self.assertEqual(set(self.document), {"schema", "name", "title", "in_channels", "input", "outputs", "origin", "layers"})
            self.verify(len(layers))
        return summary, layers, batch

    def test_a_voxelbackbone8x(self):
        _, layers, batch = self.check_backbone(models.VoxelBackBone8x(4, SHAPE, False), 4, True)
        self.check_levels([batch["multi_scale_3d_features"][f"x_conv{at}"] for at in (2, 3, 4)] + [batch["encoded_spconv_tensor"]])
        self.assertEqual(layers["stages.3.0.0"]["padding"], [1, 1, 0])
        last = layers["conv_out.0"]
        self.assertEqual((last["kernel_size"], last["stride"], last["padding"]), ([1, 1, 3], [1, 1, 2], 0))

    def test_a_voxelresbackbone8x_in_less_than_10_seconds(self):
        summary, layers, batch = self.check_backbone(models.VoxelBackBone8x(5, SHAPE, True), 5, True)
        self.check_levels([batch["multi_scale_3d_features"][f"x_conv{at}"] for at in (2, 3, 4)] + [batch["encoded_spconv_tensor"]])
        self.assertTrue(layers["stages.0.0.conv1"]["bias"])
        self.assertEqual(layers["stages.0.0.conv2"]["residual"], "conv_input.0")
        self.assertLess(summary.seconds, 10)

    def test_a_unetv2(self):
        _, layers, _ = self.check_backbone(models.UNetV2(4, SHAPE), 4, True)
        self.assertEqual(layers["invert.0.0"]["map_of"], "stages.3.0.0")
        self.assertNotIn("stride", layers["invert.0.0"])
        self.assertEqual(self.document["input"], {"features": "file", "grid": {"cells": [48, 48, 41]}})
        self.assertEqual(layers["merge.0.0"]["order"], ["norm", "activation", "add"])
        self.assertEqual(layers["merge.0.0"]["residual"], "group_sum")
        self.assertEqual(layers["group_sum"]["op"], "group_sum")

    def test_a_voxelnext(self):
        for size in (3, 5):
            _, layers, _ = self.check_backbone(models.VoxelNeXt(5, SHAPE, (size, size, 3, 3, 3)), 5, True)
            self.assertEqual((layers["union_add"]["op"], layers["union_add"]["inputs"]), ("union_add", [f"stages.{at}.2.conv2" for at in (3, 4, 5)]))
            self.assertEqual((layers["drop_axis"]["op"], layers["drop_axis"]["inputs"]), ("drop_axis", ["union_add"]))
            last = layers["conv_out.0"]
            self.assertEqual((last["kernel_size"], last["rule"], last["cells"]), ([3, 3, 1], "reached", [6, 6, 1]))

    def test_sums_of_other_rows_are_opaque(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = spconv.SubMConv3d(4, 8, 3, bias=False), spconv.SubMConv3d(8, 8, 3, bias=False)

            def forward(self, x):
                x = self.first(x)
                half = x.indices.clone()
                half[:, 3] //= 2
                indices, rows = torch.unique(half, dim=0, return_inverse=True)
                features = x.features.new_zeros((len(indices), 8)).index_add_(0, rows, x.features)
                return self.last(spconv.SparseConvTensor(features, indices, x.spatial_shape, 1))
        features, indices = models.scene(SHAPE, 4, count=200)
        summary, layers, _ = self.export(Model(), spconv.SparseConvTensor(features, indices, list(SHAPE), 1))
        self.assertEqual([what for _, what in summary.opaque], ["torch index_add"])

    def test_a_dense_output(self):
        _, layers, _ = self.check_backbone(models.BirdsEyeView(models.VoxelBackBone8x(4, SHAPE, False)), 4, True)
        self.assertEqual({key: layers["backbone.dense" if "backbone.dense" in layers else "dense"][key] for key in ("op", "cells", "axes", "shape")},
                         {"op": "dense", "cells": [6, 6, 2], "axes": "zyx", "shape": [256, 6, 6]})

    def test_a_cylinder_block(self):
        features, indices = models.scene(SHAPE, 8)
        summary, layers, _ = self.export(models.draw(models.Cylinder()), spconv.SparseConvTensor(features, indices, list(SHAPE), 1), capture=True)
        self.assertEqual(summary.opaque, [])
        self.assertTrue(summary.runs_today)
        self.verify(len(layers))
        self.assertEqual((layers["left.0"]["kernel_size"], layers["left.0"]["order"]), ([3, 3, 1], ["activation", "norm"]))
        self.assertEqual(layers["multiply"]["op"], "multiply")
        self.assertEqual(layers["down"]["stride"], [1, 2, 2])

    def test_norm_before_convolution_becomes_affine(self):
        model = models.draw(spconv.SparseSequential(models.norm(4, 1e-4), nn.LeakyReLU(0.2), spconv.SubMConv3d(4, 8, 3, bias=False)))
        features, indices = models.scene(SHAPE, 4, count=100)
        _, layers, _ = self.export(model, spconv.SparseConvTensor(features, indices, list(SHAPE), 1))
        self.assertEqual({key: layers["0"][key] for key in ("op", "activation", "slope")}, {"op": "affine", "activation": "leaky_relu", "slope": 0.2})
        self.assertEqual(set(self.weights()), {"0.scale", "0.shift", "2.weight"})

    def test_pools_and_layer_norms(self):
        model = spconv.SparseSequential(
            spconv.SubMConv3d(4, 8, 3, bias=False), nn.LayerNorm(8, eps=1e-3), nn.GELU(), spconv.SparseMaxPool3d(2, 2, indice_key="pool"),
            spconv.SubMConv3d(8, 8, 3, bias=False), nn.LayerNorm(8, elementwise_affine=False), spconv.SparseInverseConv3d(8, 4, 2, indice_key="pool", bias=False),
            spconv.SparseMaxPool3d(3, 2, padding=1), spconv.SparseConv3d(4, 4, 1, stride=2, bias=False))
        torch.manual_seed(4)
        nn.init.uniform_(model[1].weight), nn.init.uniform_(model[1].bias)
        features, indices = models.scene(SHAPE, 4)
        summary, layers, _ = self.export(model, spconv.SparseConvTensor(features, indices, list(SHAPE), 1), capture=True)
        self.assertEqual((summary.opaque, summary.runs_today), ([], True))
        self.assertEqual((layers["1"]["op"], layers["1"]["eps"], layers["1"]["activation"]), ("layer_norm", 1e-3, "gelu"))
        self.assertEqual(layers["3"], {"name": "3", "op": "pool", "inputs": ["1"], "kernel_size": 2, "stride": 2, "reduce": "max", "in_channels": 8,
                                       "out_channels": 8, "activation": "relu"})
        self.assertEqual(layers["6"]["transposed"], True)
        self.assertEqual((layers["7"]["rule"], layers["7"]["kernel_size"]), ("reached", 3))
        self.assertEqual((layers["8"]["rule"], layers["8"]["stride"]), ("reached", 2))
        self.verify(len(layers))

    def test_dense_operations_between_convolutions(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = spconv.SubMConv3d(4, 8, 3, bias=False), spconv.SubMConv3d(8, 8, 3, bias=False)
                self.linear, self.scale = nn.Linear(8, 8), nn.Parameter(torch.rand(8))

            def forward(self, x):
                x = self.first(x)
                y = nn.functional.gelu(self.linear(x.features))
                y = torch.tanh((1 - y) * self.scale) / 2 + nn.functional.silu(x.features).contiguous()
                y = nn.functional.elu(nn.functional.dropout(y, training=False)[:] + 0)
                return self.last(x.replace_feature(y)), torch.sigmoid(y)
        features, indices = models.scene(SHAPE, 4, count=200)
        summary, layers, _ = self.export(Model(), spconv.SparseConvTensor(features, indices, list(SHAPE), 1), capture=True)
        self.assertEqual(summary.opaque, [])
        self.assertTrue(summary.runs_today)
        self.verify(len(layers))
        self.assertEqual([(layer["name"], layer.get("op", "conv"), layer["activation"]) for layer in layers.values()],
                         [("first", "conv", "none"), ("linear", "conv", "gelu"), ("rsub", "affine", "none"), ("mul", "affine", "tanh"),
                          ("div", "affine", "none"), ("silu", "activation", "silu"), ("add", "add", "elu"), ("last", "conv", "none"),
                          ("sigmoid", "activation", "sigmoid")])
        self.assertEqual(self.document["outputs"], ["last", "sigmoid"])

    def test_k2_s2_with_a_shape_that_clips_has_the_reached_rule(self):
        features, indices = models.scene((41, 49, 49), 4)
        for shape, rule in (([145, 145, 145], "floor"), ([41, 49, 49], "reached")):
            with self.subTest(rule):
                _, layers, _ = self.export(models.strided(4, 8, "d", 2, 2, 0), spconv.SparseConvTensor(features, indices, shape, 1))
                self.assertEqual(layers["0"].get("rule", "floor"), rule)


class BatchTest(ExportTest):
    """Models that are called with several frames at once. Frame 1 of 3 has no voxels."""

    def check(self, model, inputs, indices):
        summary, layers, _ = self.export(models.draw(model), inputs, capture=True)
        self.assertEqual((summary.opaque, summary.runs_today), ([], True))
        captured = read_safetensors(self.folder / "net.capture.safetensors")[0]
        np.testing.assert_array_equal(captured["coords"], indices.numpy()[:, [0, 3, 2, 1]])
        self.assertEqual(set(captured[next(iter(layers)) + ".coords"][:, 0]), {0, 2})
        self.verify(len(layers))
        return layers, captured

    def test_a_u_net(self):
        features, indices = models.batch(SHAPE, 6)
        self.check(models.spunet(), (features, indices), indices)

    def test_a_backbone_with_a_dense_output(self):
        features, indices = models.batch(SHAPE, 4)
        model = models.BirdsEyeView(models.VoxelBackBone8x(4, SHAPE, False))
        layers, captured = self.check(model, {"voxel_features": features, "voxel_coords": indices}, indices)
        name = next(name for name, layer in layers.items() if layer.get("op") == "dense")
        self.assertEqual(layers[name]["shape"], [256, 6, 6])
        self.assertEqual(captured[name + ".dense"].shape, (3, 256, 6, 6))
        self.assertFalse(captured[name + ".dense"][1].any())

    def test_a_union_of_levels_and_a_level_without_z(self):
        features, indices = models.batch(SHAPE, 5)
        layers, _ = self.check(models.VoxelNeXt(5, SHAPE, (3, 3, 3, 3, 3)), {"voxel_features": features, "voxel_coords": indices}, indices)
        self.assertLessEqual({"union_add", "drop_axis"}, set(layers))

    def test_empty_frames_at_the_end_are_not_in_the_capture(self):
        features, indices = models.batch(SHAPE, 4, indices=(0, 1))
        model = nn.Sequential(models.strided(4, 8, "down", 2, 2, 0), spconv.ToDense())
        captured = self.dense_capture(model, spconv.SparseConvTensor(features, indices, list(SHAPE), 4))
        self.assertEqual(captured["1.dense"].shape, (2, 8, 20, 24, 24))
        indices[:, 0] = 2
        keep = np.unique(indices.numpy(), axis=0, return_index=True)[1]
        x = spconv.SparseConvTensor(features[keep], indices[keep], list(SHAPE), 4)
        captured = self.dense_capture(model, x)
        self.assertEqual(captured["1.dense"].shape, (8, 20, 24, 24))
        self.assertEqual(captured["coords"].shape[1], 3)

    def dense_capture(self, model, x):
        _, layers, _ = self.export(model, x, capture=True)
        self.verify(len(layers))
        return read_safetensors(self.folder / "net.capture.safetensors")[0]

    def test_layers_behind_an_opaque_operation(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.down = spconv.SubMConv3d(4, 8, 3, bias=False), models.strided(8, 8, "d", 2, 2, 0)

            def forward(self, x):
                x = self.first(x)
                return self.down(x.replace_feature(torch.softmax(x.features, 1)))
        features, indices = models.batch(SHAPE, 4)
        self.export(Model(), spconv.SparseConvTensor(features, indices, list(SHAPE), 3), capture=True)
        captured = read_safetensors(self.folder / "net.capture.safetensors")[0]
        np.testing.assert_array_equal(captured["down.0.in_coords"], indices.numpy()[:, [0, 3, 2, 1]])
        self.run_captured("batch of 3")

    def run_captured(self, *parts):
        """Runs the layers behind opaque parts from their captured inputs."""
        program = os.environ.get("SPIRA_PROGRAM")
        if not program or not os.access(program, os.X_OK):
            print("SPIRA_PROGRAM is not a program: the network is not run", file=sys.stderr)
            return
        net = str(self.folder / "net")
        done = subprocess.run([program, "run", "--network", net + ".json", "--weights", net + ".safetensors", "--capture",
                               net + ".capture.safetensors", "--repeat", "1"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(part, done.stdout + done.stderr)


class OtherLibrariesTest(ExportTest):
    """Stand-ins with the layouts of libraries that cannot be installed here."""

    def cells(self, count=120):
        features, indices = models.scene((12, 16, 16), 4, count=count)
        return features, indices[:, 1:]

    def check(self, model, x, **options):
        summary, layers, _ = self.export(model, x, **options)
        self.assertEqual(summary.opaque, [])
        self.assertLess(summary.largest_difference, 1e-5)
        return layers

    def test_torchsparse_2(self):
        stand_in.pose_as("torchsparse", "2.1.0", stand_in.TorchsparseTensor, stand_in.TorchsparseConv3d)
        conv = stand_in.TorchsparseConv3d
        features, cells = self.cells()
        x = stand_in.TorchsparseTensor(features, torch.nn.functional.pad(cells, (1, 0)))
        layers = self.check(nn.Sequential(conv(4, 8, (3, 3, 3), bias=True), conv(8, 8, (2, 3, 3)), conv(8, 6, (3, 3, 3), (2, 2, 2)),
                                          conv(6, 5, (1, 1, 1)), conv(5, 4, (3, 3, 3), (2, 2, 2), True)), x)
        self.assertEqual((layers["2"]["rule"], layers["2"]["padding"], layers["4"]["map_of"]), ("reached", 0, "2"))

    def spvcnn(self, nearest=False, resolution=1):
        """Returns a small SPVCNN: voxels, points, voxels, a coarser level, points."""
        stand_in.pose_as("torchsparse", "2.1.0", stand_in.TorchsparseTensor, stand_in.TorchsparseConv3d)
        conv = stand_in.TorchsparseConv3d

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem, self.down = conv(4, 8, (3, 3, 3)), conv(8, 6, (2, 2, 2), (2, 2, 2))
                self.up, self.head = conv(6, 8, (2, 2, 2), (2, 2, 2), True), nn.Linear(8, 3)
                self.transform = nn.Sequential(nn.Linear(8, 6), nn.BatchNorm1d(6), nn.ReLU(True))

            def forward(self, x):
                z = stand_in.PointTensor(x.F, x.C.float())
                x0 = self.stem(stand_in.initial_voxelize(z, resolution, 1))
                z0 = stand_in.voxel_to_point(x0, z, nearest=nearest)
                x1 = self.down(stand_in.point_to_voxel(x0, z0))
                z1 = stand_in.voxel_to_point(x1, z0)
                z1.F = z1.F + self.transform(z0.F)
                y = self.up(stand_in.point_to_voxel(x1, z1))
                return self.head(stand_in.voxel_to_point(y, z1).F)
        return Model()

    def test_the_points_of_spvcnn(self):
        features, cells = self.cells()
        x = stand_in.TorchsparseTensor(features, torch.nn.functional.pad(cells, (1, 0)))
        original = stand_in.voxel_to_point
        layers = self.check(models.draw(self.spvcnn()), x, capture=True)
        self.assertIs(stand_in.voxel_to_point, original)
        self.assertEqual(layers["initial_voxelize"]["inputs"], ["points"])
        self.assertEqual(layers["initial_voxelize"]["voxels_of"], "input")
        self.assertEqual((layers["point_to_voxel.2"]["op"], layers["point_to_voxel.2"]["voxels_of"]), ("to_voxels", "down"))
        self.assertEqual((layers["transform.0"]["residual"], layers["transform.0"]["order"]), ("voxel_to_point.2", ["norm", "activation", "add"]))
        self.verify(len(layers))

    def test_points_that_network_files_cannot_express_are_opaque(self):
        features, cells = self.cells()
        for options, what in (({"nearest": True}, "voxel_to_point (nearest=True)"),
                              ({"resolution": 0.5}, "initial_voxelize (voxels of another size than those of the input)")):
            x = stand_in.TorchsparseTensor(features, torch.nn.functional.pad(cells, (1, 0)))
            summary, _, _ = self.export(models.draw(self.spvcnn(**options)), x)
            self.assertIn(what, summary.opaque[0][1])

    def test_points_of_several_frames_are_refused(self):
        features, cells = self.cells()
        cells = torch.nn.functional.pad(cells, (1, 0))
        cells[len(cells) // 2:, 0] = 1
        self.refused(models.draw(self.spvcnn()), stand_in.TorchsparseTensor(features, cells),
                     "the points belong to several frames; call a model that reads points with one frame")

    def test_torchsparse_1(self):
        stand_in.pose_as("torchsparse", "1.4.0", stand_in.TorchsparseTensor, stand_in.TorchsparseConv3d)
        conv = stand_in.TorchsparseConv3d
        self.addCleanup(setattr, conv, "old", False)
        conv.old = True
        features, cells = self.cells()
        x = stand_in.TorchsparseTensor(features, torch.nn.functional.pad(cells, (0, 1)))
        layers = self.check(nn.Sequential(conv(4, 8, (3, 3, 3)), conv(8, 6, (2, 2, 2), (2, 2, 2)), conv(6, 6, (3, 3, 3)),
                                          conv(6, 4, (2, 2, 2), (2, 2, 2), True)), x, capture=True)
        self.assertNotIn("op", layers["1"])
        self.verify(4)

    def test_minkowski_engine(self):
        stand_in.pose_as("MinkowskiEngine", "0.5.4", stand_in.MinkowskiTensor, stand_in.MinkowskiConvolution, stand_in.MinkowskiConvolutionTranspose)
        conv, transpose = stand_in.MinkowskiConvolution, stand_in.MinkowskiConvolutionTranspose
        features, cells = self.cells()
        x = stand_in.MinkowskiTensor(features, torch.nn.functional.pad(cells, (1, 0)), [1, 1, 1])
        layers = self.check(nn.Sequential(conv(4, 8, 5), conv(8, 8, 2, 2), conv(8, 6, 3, 2), conv(6, 6, 1), transpose(6, 8, 3, 2),
                                          transpose(8, 4, 2, 2, bias=True)), x, capture=True)
        self.assertEqual(layers["4"]["kernel_size"], 3)
        self.verify(6)

    def test_pools_and_instance_norms_of_minkowski_engine(self):
        one = stand_in
        one.pose_as("MinkowskiEngine", "0.5.4", one.MinkowskiTensor, one.MinkowskiConvolution, one.MinkowskiMaxPooling, one.MinkowskiAvgPooling,
                    one.MinkowskiInstanceNorm)
        features, cells = self.cells()
        x = one.MinkowskiTensor(features, torch.nn.functional.pad(cells, (1, 0)), [1, 1, 1])
        layers = self.check(nn.Sequential(one.MinkowskiConvolution(4, 8, 3), one.MinkowskiInstanceNorm(8), one.MinkowskiMaxPooling(2, 2),
                                          one.MinkowskiConvolution(8, 8, 1, 2), one.MinkowskiAvgPooling(3, 2)), x, capture=True)
        self.assertEqual(layers["1"]["eps"], 1e-8)
        self.assertEqual(layers["2"], {"name": "2", "op": "pool", "inputs": ["1"], "kernel_size": 2, "stride": 2, "reduce": "max",
                                       "in_channels": 8, "out_channels": 8, "activation": "none"})
        self.assertEqual((layers["3"]["kernel_size"], layers["3"]["stride"]), (1, 2))
        self.assertEqual((layers["4"]["reduce"], layers["4"]["kernel_size"]), ("mean", 3))
        self.verify(5)

    def test_sparseconvnet(self):
        one = stand_in
        one.pose_as("sparseconvnet", "0.2", one.SparseConvNetTensor, one.SubmanifoldConvolution, one.Convolution, one.Deconvolution,
                    one.BatchNormalization, one.NetworkInNetwork)
        features, cells = self.cells()
        size = torch.tensor([16, 16, 16])
        x = one.SparseConvNetTensor(features, {(16, 16, 16): torch.nn.functional.pad(cells, (0, 1))}, size)
        layers = self.check(nn.Sequential(one.SubmanifoldConvolution(3, 4, 8, 3, False), one.BatchNormalization(8, 0), one.Convolution(3, 8, 6, 2, 2, True),
                                          one.BatchNormalization(6, 0.333), one.NetworkInNetwork(6, 5, False), one.Deconvolution(3, 5, 4, 2, 2, False)), x)
        self.assertEqual((layers["0"]["activation"], layers["0"]["norm"]), ("relu", {"eps": 1e-4}))
        self.assertEqual((layers["2"]["activation"], layers["2"]["slope"]), ("leaky_relu", 0.333))

    def test_spconv_1_runs_layers_on_the_map_of_an_earlier_layer(self):
        conv, tensor = stand_in.SparseConvolution, stand_in.SparseConvTensor
        conv.__module__ = tensor.__module__ = "spconv.conv"
        features, indices = models.scene((12, 16, 16), 4, count=120)
        model = nn.Sequential(conv(4, 4, (1, 3, 3), "a"), conv(4, 4, (3, 3, 3), "a"), conv(4, 4, (3, 3, 3), "b"))
        layers = self.check(model, tensor(features, indices, [12, 16, 16], 1), capture=True)
        self.assertEqual(layers["1"]["map_of"], "0")
        self.assertEqual((layers["0"]["kernel_size"], layers["1"]["kernel_size"]), ([3, 3, 1], 3))
        self.verify(3)
        self.assertNotIn("map_of", layers["2"])
        self.assertEqual(self.weights()["1.weight"].shape, (27, 4, 4))


class RefusalTest(ExportTest):
    """What the exporter cannot express is refused or listed."""

    def setUp(self):
        super().setUp()
        features, indices = models.scene(SHAPE, 4, count=100)
        self.input = spconv.SparseConvTensor(features, indices, list(SHAPE), 1)

    def test_another_cell_order_is_refused_with_the_name_of_the_layer(self):
        model = models.VoxelBackBone8x(4, SHAPE, False)
        conv = model.stages[1][1][0]

        def flipped(x):
            weight = conv.weight.data
            conv.weight.data = weight.flip(1, 2, 3).contiguous()
            result = type(conv).forward(conv, x)
            conv.weight.data = weight
            return result
        conv.forward = flipped
        features, indices = models.scene(SHAPE, 4)
        self.refused(models.draw(model), {"voxel_features": features, "voxel_coords": indices}, "stages.1.1.0: ", "spconv 2.3.8", "differs by")

    def test_an_unknown_operation_becomes_opaque_and_is_listed(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = spconv.SubMConv3d(4, 8, 3, bias=False), spconv.SubMConv3d(8, 8, 3, bias=False)

            def forward(self, x):
                x = self.first(x)
                return self.last(x.replace_feature(torch.softmax(x.features, 1)))
        summary, layers, printed = self.export(Model(), self.input)
        self.assertEqual(summary.opaque, [("_softmax", "torch _softmax")])
        self.assertIn("operations that cannot be exported (1): _softmax (torch _softmax)", printed)
        rows = len(self.input.features)
        self.assertEqual(layers["_softmax"], {"name": "_softmax", "op": "opaque", "inputs": ["first"], "operation": "torch _softmax",
                                              "input_shapes": [[rows, 8]], "output_shape": [rows, 8]})
        self.assertEqual(layers["last"]["inputs"], ["_softmax"])

    def test_layers_behind_an_opaque_operation_run_from_their_captured_inputs(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.linear = spconv.SubMConv3d(4, 8, 3, bias=False), nn.Linear(8, 8)
                self.last, self.down = spconv.SubMConv3d(8, 8, 3, bias=False), models.strided(8, 4, "d", 2, 2, 0)

            def forward(self, x):
                x = self.first(x)
                order = torch.arange(len(x.features)).flip(0)
                return self.down(self.last(x.replace_feature(self.linear(x.features[order])[order])))
        _, layers, _ = self.export(Model(), self.input, capture=True)
        rows = len(self.input.features)
        self.assertEqual(layers["linear"]["multiply_adds"], rows * 8 * 8)
        self.assertNotIn("multiply_adds", layers["index"])
        cells = {tuple(one) for one in self.input.indices[:, 1:].tolist()}
        pairs = sum(tuple(a + b for a, b in zip(one, step)) in cells for one in cells for step in itertools.product((-1, 0, 1), repeat=3))
        self.assertEqual(layers["first"]["multiply_adds"], pairs * 4 * 8)
        captured = read_safetensors(self.folder / "net.capture.safetensors")[0]
        self.assertEqual(captured["last.in_coords"].shape, (rows, 3))
        self.assertEqual(captured["down.0.in_features"].shape, (rows, 8))
        self.assertNotIn("first.in_coords", captured)
        program = os.environ.get("SPIRA_PROGRAM")
        if not program or not os.access(program, os.X_OK):
            print("SPIRA_PROGRAM is not a program: the network is not run", file=sys.stderr)
            return
        command = [program, "run", "--capture", str(self.folder / "net.capture.safetensors"), "--network", str(self.folder / "net.json"),
                   "--weights", str(self.folder / "net.safetensors"), "--repeat", "1"]
        done = subprocess.run([*command, "--layer", "last", "--outputs", str(self.folder / "last.safetensors")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        outputs = read_safetensors(self.folder / "last.safetensors")[0]
        found = {tuple(cell): row for cell, row in zip((outputs["last.coordinates"]).tolist(), outputs["last.features"])}
        low = np.array(list(found)).min(axis=0) - captured["last.in_coords"].min(axis=0)
        for cell, expected in zip(captured["last.coords"], captured["last.output"]):
            np.testing.assert_allclose(found[tuple((cell + low).tolist())], expected, atol=1e-4)
        both = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(both.returncode, 0, both.stderr)
        self.assertIn("down.0", both.stdout)

    def test_residuals_and_outputs_behind_an_opaque_operation_are_captured(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.down, self.block = models.strided(4, 8, "d", 2, 2, 0), models.Residual(8, 8, "b")

            def forward(self, x):
                x = self.down(x)
                return self.block(x.replace_feature(torch.softmax(x.features, 1)))
        for indices in (self.input.indices, models.batch(SHAPE, 4)[1]):
            features = torch.randn(len(indices), 4)
            self.export(models.draw(Model()), spconv.SparseConvTensor(features, indices, list(SHAPE), 3), capture=True)
            captured, metadata = read_safetensors(self.folder / "net.capture.safetensors")
            np.testing.assert_array_equal(captured["block.conv2.in_stride"], [2, 2, 2])
            self.assertEqual(captured["block.conv2.in_residual"].shape, captured["block.conv2.in_features"].shape)
            out = self.run_captured()
            for name in ("block.conv1", "block.conv2"):
                self.assertRegex(out, name + r" differs from the capture by \S+e-[6-9] of the largest value \(24 of [0-9,]+ rows\)\n")
            one = self.run_captured("--layer", "block.conv2", "-o", str(self.folder / "one.json"))
            self.assertRegex(one, r"block.conv2 differs from the capture by \S+e-[6-9] of")
            report = json.loads((self.folder / "one.json").read_text(encoding="utf-8"))
            self.assertIn("from the capture", report["network"]["origin"]["captured output"])
        weights = self.weights()
        weights["block.conv2.weight"] = weights["block.conv2.weight"] * 1.01
        write_safetensors(self.folder / "net.safetensors", weights, {})
        self.assertRegex(self.run_captured(), "block.conv2 differs from the capture by .*; this exceeds the limit")

    def run_captured(self, *more):
        """Runs the layers behind opaque parts. Returns the output."""
        net = str(self.folder / "net")
        done = subprocess.run([os.environ["SPIRA_PROGRAM"], "run", "--network", net + ".json", "--weights", net + ".safetensors", "--capture",
                               net + ".capture.safetensors", "--repeat", "1", *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def test_an_operation_that_moves_rows_leaves_its_coordinate_set(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.down, self.linear, self.last = models.strided(4, 8, "d", 2, 2, 0), nn.Linear(8, 8), spconv.SubMConv3d(8, 8, 3, bias=False)

            def forward(self, x):
                x = self.down(x)
                order = torch.arange(len(x.features)).flip(0)
                return self.last(x.replace_feature(self.linear(x.features[order])[order]))
        summary, layers, _ = self.export(Model(), self.input, capture=True)
        self.assertEqual(summary.opaque, [("index", "torch index"), ("linear", "torch addmm"), ("index.2", "torch index")])
        captured = read_safetensors(self.folder / "net.capture.safetensors")[0]
        self.assertEqual(sorted(name for name in captured if name.endswith(".output")), ["down.0.output", "index.2.output", "last.output"])
        np.testing.assert_array_equal(captured["last.coords"] % 2, 0)

    def test_layers_on_new_coordinates_are_not_in_the_capture(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.down = spconv.SubMConv3d(4, 8, 3, bias=False), models.strided(8, 8, "d", 2, 2, 0)

            def forward(self, x):
                x = self.first(x)
                return self.down(spconv.SparseConvTensor(x.features[::2], x.indices[::2].contiguous(), x.spatial_shape, 1))
        summary, layers, _ = self.export(Model(), self.input, capture=True)
        self.assertEqual((summary.opaque, layers["down.0"]["inputs"]), ([("slice", "torch slice")], ["slice"]))
        captured = read_safetensors(self.folder / "net.capture.safetensors")[0]
        self.assertEqual([name for name in captured if name.endswith(".output")], ["first.output"])

    def test_a_write_into_a_view_is_refused(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = spconv.SubMConv3d(4, 8, 3, bias=False), spconv.SubMConv3d(8, 8, 3, bias=False)

            def forward(self, x):
                x = self.first(x)
                x.features[:, :4] *= 2
                return self.last(x)
        self.refused(Model(), self.input, "first", "view")

    def test_batch_indices_above_255_are_refused(self):
        self.input.indices[3:, 0] = 256
        self.refused(models.submanifold(4, 8, "a"), spconv.SparseConvTensor(self.input.features, self.input.indices, list(SHAPE), 257),
                     "the batch indices are 0 to 256; expected 0 to 255")

    def test_repeated_voxels_are_refused(self):
        self.input.indices[3:5] = self.input.indices[0]
        self.refused(models.submanifold(4, 8, "a"), self.input, "2 voxels of the input occur more than once")

    def test_a_transposed_layer_with_new_voxels_is_opaque(self):
        model = nn.Sequential(models.strided(4, 8, "d", 2, 2, 0), spconv.SparseConvTranspose3d(8, 4, 3, stride=2, bias=False), spconv.SubMConv3d(4, 4, 3))
        summary, layers, _ = self.export(model, self.input)
        self.assertEqual(summary.opaque, [("1", "spconv SparseConvTranspose3d (a transposed layer with a new coordinate set)")])
        self.assertEqual(layers["2"]["inputs"], ["1"])

    def test_a_level_of_stride_128_does_not_run_today(self):
        features, indices = models.scene((40, 48, 48), 4, count=100)
        x = spconv.SparseConvTensor(features, indices, [400] * 3, 1)
        for levels, runs in ((6, True), (7, False)):
            model = nn.Sequential(*(models.strided(4, 4, f"d{at}", 2, 2, 0) for at in range(levels)))
            self.assertEqual(self.export(model, x)[0].runs_today, runs)

    def test_dilated_and_large_kernels_and_other_strides_do_not_run_today(self):
        for size, stride, dilation, runs in ((3, 1, 1, True), (3, 1, 2, False), (7, 1, 1, True), (9, 1, 1, False), ((9, 1, 1), 1, 1, False),
                                             ((1, 7, 4), 4, 1, True), (3, 3, 1, False), (1, 2, 1, True), (1, 3, 1, False)):
            with self.subTest(size=size, stride=stride, dilation=dilation):
                model = nn.Sequential(spconv.SparseConv3d(4, 4, size, stride=stride, dilation=dilation, bias=False))
                self.assertEqual(self.export(model, self.input)[0].runs_today, runs)

    def test_a_model_without_sparse_convolutions_is_refused(self):
        self.refused(nn.Linear(4, 4), torch.zeros(3, 4), "no sparse convolution ran")

    def test_weights_that_are_not_finite_are_refused(self):
        model = models.submanifold(4, 8, "a")
        model[0].weight.data[0, 0, 0, 0, 0] = float("nan")
        self.refused(model, self.input, "0: weight has NaN")

    def test_checkpoints(self):
        model = models.submanifold(4, 8, "a")
        models.draw(model, 5)
        weight = model[0].weight.detach().clone()
        state = {"backbone_3d." + key: value for key, value in model.state_dict().items()}
        torch.save({"model_state": {**state, "head.weight": torch.zeros(3)}}, self.folder / "good.pth")
        nn.init.zeros_(model[0].weight)
        self.export(model, self.input, checkpoint=self.folder / "good.pth")
        self.assertTrue(torch.equal(model[0].weight, weight))
        for file in self.folder.glob("net.*"):
            file.unlink()
        torch.save({"other": torch.zeros(3)}, self.folder / "other.pth")
        self.refused(model, self.input, "other.pth: 0.weight is missing", checkpoint=self.folder / "other.pth")
        torch.save(Unsafe(self.folder / "ran"), self.folder / "unsafe.pth")
        self.refused(model, self.input, "unsafe.pth: contains other objects than weights", "load it into the model",
                     checkpoint=self.folder / "unsafe.pth")
        torch.save({**model.state_dict(), "0.weight": torch.zeros(3)}, self.folder / "shape.pth")
        self.refused(model, self.input, "shape.pth: ", "size mismatch for 0.weight", checkpoint=self.folder / "shape.pth")
        (self.folder / "cut.pth").write_bytes((self.folder / "good.pth").read_bytes()[:300])
        self.refused(model, self.input, "cut.pth: cannot be read: ", checkpoint=self.folder / "cut.pth")
        for name, content in (("empty.pth", b""), ("page.pth", b"<!DOCTYPE html>"), ("zeros.pth", bytes(400)), ("text.pth", b"weights\n")):
            (self.folder / name).write_bytes(content)
            self.refused(model, self.input, name + ": cannot be read: it is damaged, or no PyTorch checkpoint (", checkpoint=self.folder / name)
        torch.save({0: torch.zeros(3)}, self.folder / "number.pth")
        self.refused(model, self.input, "number.pth: 0.weight is missing", checkpoint=self.folder / "number.pth")
        self.refused(model, self.input, "none.pth: No such file", checkpoint=self.folder / "none.pth")
        self.assertFalse((self.folder / "ran").exists())


class Unsafe:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return pathlib.Path.touch, (self.path,)


if __name__ == "__main__":
    unittest.main()
