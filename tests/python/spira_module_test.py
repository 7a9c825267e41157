"""The Python package `spira`, from an installed prefix: arrays without copies, errors, Ctrl-C, threads, memory, PyTorch and docs/python.md.

Requires NumPy. The tests of `spira.torch` also require PyTorch. Environment variables: SPIRA_BUILD is the build directory, SPIRA_PROGRAM
the path of `spira`, and SPIRA_CMAKE the path of CMake.
"""
import ast
import contextlib
import gc
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

try:
    import numpy as np
except ImportError as error:
    print(f"spira_module_test: a Python module cannot be imported: {error}", file=sys.stderr)
    sys.exit(77)
try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
ORACLE = ROOT / "tests" / "fixtures" / "oracle" / "unetv2"
PROGRAM = os.environ["SPIRA_PROGRAM"]
LITTLE = {"schema": "spira.network 2", "name": "little", "layers": [
    {"name": "stem", "out_channels": 8},
    {"name": "down", "kernel_size": 2, "stride": 2, "out_channels": 16},
    {"name": "up", "kernel_size": 2, "stride": 2, "transposed": True, "out_channels": 8},
    {"name": "join", "inputs": ["up", "stem"], "out_channels": 6}], "outputs": ["down", "join"]}
needs_torch = unittest.skipUnless(torch, "PyTorch cannot be imported")


def setUpModule():
    """Installs the package, moves it, and imports it."""
    global FOLDER, spira
    FOLDER = pathlib.Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, FOLDER, True)
    subprocess.run([os.environ["SPIRA_CMAKE"], "--install", os.environ["SPIRA_BUILD"], "--prefix", FOLDER / "first", "--component", "python3-spira"],
                   check=True, capture_output=True)
    (FOLDER / "first").rename(FOLDER / "moved")
    (package,) = (FOLDER / "moved").glob("lib/python*/*-packages")
    sys.path.insert(0, str(package))
    import spira
    assert pathlib.Path(spira.__file__).parent.parent == package, spira.__file__
    spira.little = write("little.json", json.dumps(LITTLE))


def write(name, text):
    (FOLDER / name).write_text(text)
    return FOLDER / name


def tensors_of(file):
    """Returns the arrays of a .safetensors file: name -> array."""
    data = file.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    types = {"F32": "<f4", "F16": "<f2", "I32": "<i4", "I64": "<i8"}
    return {name: np.frombuffer(data[8 + length:][slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items()}


def points(count, seed=1):
    return np.random.default_rng(seed).uniform(0, 10, (count, 3)).astype("f4")


def address(array):
    return np.asarray(array).__array_interface__["data"][0]


def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class ModuleTest(unittest.TestCase):
    def model(self, **options):
        return spira.Model(spira.Network(spira.little), **{"device": "cpu", "threads": 1, **options})

    def features(self, scene, model=None):
        return np.asarray(spira.Runner(model or self.model()).run(scene, voxel_m=0.5).outputs[-1].features)

    def refused(self, kind, text, call, *values, **options):
        """Checks that the call raises an error of one line that matches `text`."""
        with self.assertRaises(kind) as caught:
            call(*values, **options)
        self.assertRegex(str(caught.exception), f"^{text}$")
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception


class ArraysTest(ModuleTest):
    def test_arrays_are_views_in_and_out(self):
        for dtype in ("f2", "f4", "f8", "i4"):
            array = np.arange(12).reshape(4, 3).astype(dtype)
            tensor = spira.Tensor(array)
            self.assertEqual((tensor.shape, tensor.dtype, tensor.memory, len(tensor)), ((4, 3), array.dtype.name, "host", 4))
            for back in (np.asarray(tensor), np.from_dlpack(tensor), tensor.__array__()):
                self.assertEqual(address(back), address(array))
                np.testing.assert_array_equal(back, array, strict=True)
                self.assertFalse(back.flags.writeable)
        self.assertNotEqual(address(tensor.__array__(copy=True)), address(array))
        self.assertEqual(np.asarray(tensor, dtype="f8").dtype, "f8")

    def test_views_keep_their_owner_alive(self):
        array = points(100)
        count = sys.getrefcount(array)
        view = np.from_dlpack(spira.Tensor(array))
        self.assertEqual(sys.getrefcount(array), count + 1)
        del view
        self.assertEqual(sys.getrefcount(array), count)
        spira.Tensor(array).__dlpack__()  # A capsule that nothing consumes.
        self.assertEqual(sys.getrefcount(array), count)
        features = self.features(spira.Scene.points(array))  # The runner and the result no longer exist.
        gc.collect()
        np.testing.assert_array_equal(features, self.features(spira.Scene.points(array)))

    def test_strided_read_only_and_unaligned_arrays_give_the_same_values(self):
        array = points(300)
        right = self.features(spira.Scene.points(array))
        read_only = array.copy()
        read_only.flags.writeable = False
        self.assertEqual(address(spira.Tensor(read_only)), address(read_only))
        wide = np.zeros((300, 8), "f4")
        wide[:, 1:7:2] = array
        raw = np.empty(array.nbytes + 1, "u1")
        unaligned = np.ndarray(array.shape, "f4", raw, 1)
        unaligned[:] = array
        for other in (read_only, wide[:, 1:7:2], np.asfortranarray(array), np.ascontiguousarray(array[::-1])[::-1], unaligned):
            np.testing.assert_array_equal(np.asarray(spira.Tensor(other)), array)
            np.testing.assert_array_equal(self.features(spira.Scene.points(other)), right)

    def test_objects_with_an_array_or_dlpack_are_arrays(self):
        array = points(20)

        class WithArray:
            def __array__(self, dtype=None):
                return array

        class WithDlpack:
            device = 1

            def __dlpack__(self, stream=None):
                return array.__dlpack__()

            def __dlpack_device__(self):
                return (self.device, 0)

        for given in (WithArray(), WithDlpack(), memoryview(array), spira.Tensor(array)):
            self.assertEqual(address(spira.Tensor(given)), address(array))
        for device, refusal in ((2, "GPU memory; scenes are read from host memory"),
                                (10, "memory of DLPack device 10; the library reads host memory and memory of CUDA devices")):
            WithDlpack.device = device
            self.refused(spira.UsageError, f"positions: is in {refusal}", spira.Scene.points, WithDlpack())

    def test_arrays_in_gpu_memory(self):
        class OnGpu:
            def __init__(self, **changes):
                self.__cuda_array_interface__ = {"shape": (4, 3), "typestr": "<f4", "data": (4096, False), "version": 3, **changes}

        tensor = spira.Tensor(OnGpu())
        self.assertEqual((tensor.shape, tensor.dtype, tensor.memory), ((4, 3), "float32", "cuda"))
        self.assertEqual(tensor.__cuda_array_interface__["data"][0], 4096)
        self.assertEqual(spira.Tensor(OnGpu(strides=(12, 4))).shape, (4, 3))
        self.refused(spira.UsageError, "array: is in GPU memory and not in row-major order; make it contiguous first", spira.Tensor,
                     OnGpu(strides=(4, 16)))
        self.refused(TypeError, "array: is '<i8'; the library reads float16, float32, float64 and int32", spira.Tensor, OnGpu(typestr="<i8"))
        self.refused(spira.UsageError, "positions: is in GPU memory; scenes are read from host memory", spira.Scene.points, OnGpu())
        self.refused(spira.UsageError, "model: runs on the CPU; CompiledRunner needs a model on a GPU", spira.CompiledRunner,
                     spira.Model(spira.Network("resn21"), device="cpu"), spira.read_scene("street"))

    def test_empty_arrays(self):
        self.assertEqual(np.asarray(spira.Tensor(np.zeros((0, 3), "f4"))).shape, (0, 3))
        self.assertEqual(np.from_dlpack(spira.Tensor(np.zeros((0, 3), "f4"))).shape, (0, 3))

    @needs_torch
    def test_tensors_of_pytorch_are_views_in_and_out(self):
        given = torch.from_numpy(points(50))
        self.assertEqual(address(spira.Tensor(given)), given.data_ptr())
        back = torch.from_dlpack(spira.Tensor(given))
        self.assertEqual((back.data_ptr(), back.shape, back.dtype), (given.data_ptr(), given.shape, given.dtype))
        for other in (given.t().contiguous().t(), given[::2], given.half(), given.int()):
            self.assertTrue(torch.equal(torch.from_dlpack(spira.Tensor(other)), other))
        self.refused(TypeError, r"array: is torch.int64 \[50, 3\]; the library reads .*", spira.Tensor, given.long())


class RunTest(ModuleTest):
    def test_outputs_are_those_of_the_program(self):
        file = FOLDER / "street.safetensors"
        stem, down, up, join = LITTLE["layers"]
        native = {**LITTLE, "layers": [{**stem, "neighbours": "ball"}, {**down, "kernel_size": 3, "neighbours": "cube"}, {**up, "kernel_size": 3}, join]}
        for network in (spira.little, write("native.json", json.dumps(native))):
            subprocess.run([PROGRAM, "run", "street", "--network", network, "--backend", "cpu", "--grid", "0.3", "--repeat", "1", "--warmup", "0",
                            "--outputs", file], check=True, capture_output=True)
            model = spira.Model(spira.Network(network), device="cpu", threads=1)
            result = spira.Runner(model).run(spira.read_scene("street"), voxel_m=0.3)
            self.assertEqual([output.layer for output in result.outputs], ["down", "join"])
            for output in result.outputs:
                for name in ("features", "coordinates"):
                    np.testing.assert_array_equal(np.asarray(getattr(output, name)), tensors_of(file)[f"{output.layer}.{name}"])
                self.assertEqual(output.features.shape[0], len(output.coordinates))

    def test_voxels_keep_their_coordinates_and_batch(self):
        network = {"schema": "spira.network 2", "name": "copy", "in_channels": 2, "input": {"features": "file"},
                   "layers": [{"name": "copy", "kernel_size": 1, "out_channels": 2, "norm": False, "activation": "none"}]}
        runner = spira.Runner(spira.Model(spira.Network(write("copy.json", json.dumps(network))), device="cpu"))
        cells = np.array([[0, -7, 8, 9], [0, 1, 2, 3], [1, 7, 8, 9]], "i4")
        scene = spira.Scene.voxels(cells, np.ones((3, 2), "f4"))
        self.assertEqual((scene.size, scene.has_voxels), (3, True))
        result = runner.run(scene)
        np.testing.assert_array_equal(np.asarray(result.outputs[0].coordinates) + [0, *result.shift], cells)

    def test_voxelize_equals_numpy(self):
        random = np.random.default_rng(3)
        positions, features = random.uniform(-20, 900, (5000, 3)), random.uniform(-1, 1, (5000, 4)).astype("f4")
        made = spira.voxelize(positions, (40, 20, 60), features)
        cells, rows, counts = np.unique(np.floor(positions / (40, 20, 60)).astype("i4"), axis=0, return_inverse=True, return_counts=True)
        self.assertLess(len(cells), 5000)
        np.testing.assert_array_equal(np.asarray(made.coordinates), cells)
        np.testing.assert_array_equal(np.asarray(made.voxel_of_point), rows.reshape(-1))
        sums = np.zeros((len(cells), 4))
        np.add.at(sums, rows.reshape(-1), features)
        np.testing.assert_allclose(np.asarray(made.features), sums / counts[:, None], atol=1e-6)
        self.assertEqual(spira.voxelize(positions.astype("f4"), 0.5).features.shape[1], 0)
        self.assertEqual(spira.Scene.voxels(made.coordinates, made.features).size, len(cells))

    def test_networks_and_devices_describe_themselves(self):
        network = spira.Network(str(spira.little))
        self.assertEqual((network.name, network.input_channels, network.outputs, network.voxel_m), ("little", 4, ["down", "join"], [0, 0, 0]))
        up = network.layers[2]
        self.assertEqual((up.name, up.operation, up.inputs, up.kernel_size, up.stride, up.transposed, up.in_channels, up.out_channels),
                         ("up", "conv", ["down"], [2, 2, 2], [2, 2, 2], True, 16, 8))
        model = self.model()
        self.assertEqual((model.network.name, model.device.kind, model.device.usable, model.device.why_not), ("little", "cpu", True, ""))
        self.assertGreater(model.device.memory_bytes, 0)
        self.assertIn("cpu", [device.kind for device in spira.devices()])

    def test_messages_contain_the_name_of_the_scene(self):
        runner, nothing = spira.Runner(self.model()), np.zeros((0, 3), "f4")
        self.refused(ValueError, "points: contains no points", runner.run, spira.Scene.points(nothing), voxel_m=1)
        self.refused(ValueError, "scan 3: contains no points", runner.run, spira.Scene.points(nothing, name="scan 3"), voxel_m=1)
        cells = spira.Scene.voxels(np.zeros((1, 3), "i4"), np.zeros((1, 1), "f4"), name="frame 7")
        self.refused(ValueError, "frame 7: each voxel has 1 input feature, but network little reads 4", runner.run, cells)

    def test_options_reach_the_library(self):
        scene = spira.Scene.points(points(200), np.ones(200, "f4"))
        runner = spira.Runner(self.model(precision="float16"))
        (stem,) = runner.run(scene, voxel_m=(0.5, 0.5, 1), outputs=["stem"]).outputs
        self.assertEqual((stem.layer, stem.features.dtype, np.asarray(stem.features).dtype), ("stem", "float16", "f2"))
        self.assertFalse(np.array_equal(self.features(scene), self.features(scene, self.model(seed=2))))

    def test_threads_share_a_model(self):
        model, scene = self.model(), spira.Scene.points(points(500))
        found = []
        threads = [threading.Thread(target=lambda: found.append(self.features(scene, model))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        for features in found:
            np.testing.assert_array_equal(features, self.features(scene))

    def test_a_second_call_of_a_runner_is_refused(self):
        runner, scene, stop = spira.Runner(self.model()), spira.read_scene("street"), spira.Stop()
        ended = threading.Event()

        def run():
            while not ended.is_set():
                with contextlib.suppress(spira.CancelledError, spira.UsageError):
                    runner.run(scene, voxel_m=0.02, stop=stop)  # Takes much longer than a call with large voxels.

        def call_until_refused():
            while True:
                runner.run(scene, voxel_m=2)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            self.refused(spira.UsageError, "runner: another call is running; use a separate runner for each thread", call_until_refused)
        finally:
            ended.set()
            stop.request()
            thread.join()
        self.assertEqual(len(runner.run(scene, voxel_m=0.5).outputs), 2)

    def test_memory_does_not_grow(self):
        runner, array = spira.Runner(self.model()), points(400)

        def once():
            result = runner.run(spira.Scene.points(array[::-1]), voxel_m=0.5)
            np.from_dlpack(result.outputs[-1].features)
            np.asarray(result.outputs[0].coordinates)
            with contextlib.suppress(spira.UsageError):
                runner.run(spira.Scene.points(array), outputs=["missing"])

        for _ in range(200):
            once()
        grown = []
        for _ in range(3):  # The allocator can grow once if other processes delay the threads of the runs. A leak grows each time.
            before = resident_bytes()
            for _ in range(1000):
                once()
            grown.append(resident_bytes() - before)
            if grown[-1] < 2e6:  # Losing one of these arrays in each run would need more than 4 MB.
                return
        self.fail(f"1,000 runs need these additional bytes each time: {grown}")


class ErrorsTest(ModuleTest):
    def test_wrong_arguments_are_one_line(self):
        right, runner = spira.Scene.points(points(100)), spira.Runner(self.model())
        for kind, text, call, *values in (
                (TypeError, r"positions: is int64 \[2, 3\]; the library reads float16, float32, float64 and int32", spira.Scene.points,
                 np.zeros((2, 3), "i8")),
                (TypeError, r"positions: is >f4 \[2, 3\]; the library reads .*", spira.Scene.points, np.zeros((2, 3), ">f4")),
                (TypeError, r"positions: is list; expected a NumPy array, or an object with __dlpack__ or __array__", spira.Scene.points, [1]),
                (ValueError, r"positions: is int32 \[2, 3\]; expected float32 or float64 \[points, 3\]", spira.Scene.points, np.zeros((2, 3), "i4")),
                (ValueError, r"positions: is float32 \[3, 2\]; expected float32 or float64 \[points, 3\]", spira.Scene.points, np.zeros((3, 2), "f4")),
                (ValueError, r"intensity: has 4 values, but positions has 2 rows", spira.Scene.points, np.zeros((2, 3), "f4"), np.zeros(4, "f4")),
                (ValueError, r"tensor: the shape must have at least one dimension", spira.Tensor, np.array(1.0)),
                (ValueError, r"coordinates: is float32 \[2, 3\]; expected int32 .*", spira.Scene.voxels, np.zeros((2, 3), "f4"), np.zeros((2, 1), "f4"))):
            with self.subTest(text):
                self.refused(kind, text, call, *values)
        self.refused(ValueError, "features: has 3 rows, but positions has 2", spira.voxelize, np.zeros((2, 3)), 1, np.zeros((3, 1), "f4"))
        self.refused(ValueError, "voxel_m: each edge must be finite and greater than 0", spira.voxelize, np.zeros((2, 3)), None)
        self.refused(ValueError, "device: is 'tpu'; expected automatic, cpu or cuda", self.model, device="tpu")
        self.refused(ValueError, "precision: is 'int8'; expected float32 or float16", self.model, precision="int8")
        self.refused(ValueError, "memory: is 'disk'; expected host or cuda", runner.run, right, voxel_m=1, memory="disk")
        for voxel in ("0.1", (1, 2), [1, 2, "x"]):
            self.refused(TypeError, r"voxel_m: is .*; expected a number, or 3 numbers along x, y and z", runner.run, right, voxel_m=voxel)
        self.refused(ValueError, "outputs: network little has no layer 'head'", runner.run, right, voxel_m=1, outputs=["head"])
        self.assertEqual(len(runner.run(right, voxel_m=1).outputs), 2)

    def test_each_kind_has_its_class_and_its_text(self):
        far = spira.Scene.points(np.array([[0, 0, 0], [1e9, 1e9, 1e9]]))
        runner = spira.Runner(self.model(memory_limit_bytes=1_000_000))
        stop = spira.Stop()
        stop.request()
        kinds = {
            "usage": (ValueError, spira.UsageError, "voxel_m: the voxel size is missing.*", lambda: runner.run(far)),
            "input": (ValueError, spira.InputError, "positions: row 1 has a value that is NaN or infinite",
                      lambda: spira.Scene.points(np.array([[0, 0, 0], [0, np.nan, 0]]))),
            "does_not_fit": (spira.Error, spira.DoesNotFitError, ".*", lambda: runner.run(far, voxel_m=1e-3)),
            "memory": (MemoryError, spira.OutOfMemoryError, "memory limit: .*", lambda: runner.run(spira.Scene.points(points(60_000)), voxel_m=0.1)),
            "cancelled": (spira.Error, spira.CancelledError, "cancelled: measuring the extent",
                          lambda: runner.run(spira.Scene.points(points(9)), voxel_m=1, stop=stop)),
        }
        if not any(device.kind == "cuda" and device.usable for device in spira.devices()):
            kinds["device"] = (spira.Error, spira.DeviceError, ".*", lambda: self.model(device="cuda"))
        for name, (base, kind, text, call) in kinds.items():
            with self.subTest(name):
                error = self.refused(base, text, call)
                self.assertIs(type(error), kind)
                self.assertIsInstance(error, spira.Error)
                self.assertEqual((error.kind, type(error).__module__), (name, "spira"))
        self.assertEqual(spira.InternalError.kind, "internal")
        self.assertEqual(len(runner.run(spira.Scene.points(points(100)), voxel_m=1).outputs), 2)

    def test_texts_are_those_of_the_program(self):
        for name, text in (("later.json", '{"schema": "spira.network 3", "name": "later", "layers": []}'), ("broken.json", "{")):
            file = write(name, text)
            done = subprocess.run([PROGRAM, "network", file], capture_output=True, text=True)
            error = self.refused(spira.InputError, ".*", spira.Network, file)
            self.assertIn(str(error), done.stderr)
            self.assertIn(name, str(error))
        self.refused(spira.InputError, r".*wei\\xffght.*", self.model, weights=os.fsdecode(b"wei\xffght"))


class StopTest(ModuleTest):
    def long_profile(self, **options):
        spira.profile(self.model(), spira.read_scene("street"), voxel_m=0.2, repetitions=10_000, **options)

    def delay_of(self, kind, end):
        """Returns the smallest time in seconds between `end` and the exception, because other processes can delay this one."""
        delays = []
        for _ in range(3):
            stop, stopped = spira.Stop(), []

            def stop_now():
                stopped.append(time.monotonic())
                end(stop)

            timer = threading.Timer(0.3, stop_now)
            timer.start()
            with self.assertRaises(kind):
                self.long_profile(stop=stop)
            delays.append(time.monotonic() - stopped[0])
            timer.join()
        return min(delays)

    def test_ctrl_c_ends_a_call(self):
        self.assertLess(self.delay_of(KeyboardInterrupt, lambda stop: os.kill(os.getpid(), signal.SIGINT)), 2)

    def test_another_thread_ends_a_call(self):
        self.assertLess(self.delay_of(spira.CancelledError, spira.Stop.request), 2)

    def test_other_threads_run_during_a_call(self):
        stop, ticks = spira.Stop(), []

        def tick():
            for _ in range(20):
                time.sleep(0.01)
                ticks.append(time.monotonic())
            stop.request()

        thread = threading.Thread(target=tick)
        thread.start()
        with self.assertRaises(spira.CancelledError):
            self.long_profile(stop=stop)
        ended = time.monotonic()
        thread.join()
        self.assertEqual(len([one for one in ticks if one < ended]), 20)


class ReportsTest(ModuleTest):
    def test_reports_are_those_of_the_program(self):
        model, scene = self.model(), spira.Scene.points(points(2000))
        before, after = (spira.profile(model, scene, voxel_m=0.5, repetitions=3, warmup=0) for _ in range(2))
        self.assertEqual(before["schema"], "spira.report")
        self.assertEqual([layer["name"] for layer in before["layers"]], ["stem", "down", "up", "join"])
        comparison = spira.compare(before, after)
        self.assertEqual(comparison["schema"], "spira.compare")
        tuned = spira.tune(model, [scene], voxel_m=0.5, budget_s=0.5)
        files = [write(f"{name}.json", json.dumps(value)) for name, value in
                 (("report", before), ("compare", comparison), ("little.tune", tuned))]
        subprocess.run([PROGRAM, "validate", *files], check=True, capture_output=True)
        np.testing.assert_allclose(self.features(scene, self.model(plan=files[2])), self.features(scene), rtol=1e-4, atol=1e-4)
        self.refused(spira.InputError, "current: .*", spira.compare, before, {})
        self.refused(spira.UsageError, "budget_s: must be finite and greater than 0", spira.tune, model, [scene], budget_s=0)


@needs_torch
class TorchTest(ModuleTest):
    def backbone(self, *outputs):
        from spira.torch import Backbone
        network = spira.Network(ORACLE / "unetv2.json")
        return Backbone(spira.Model(network, device="cpu", threads=1, weights=ORACLE / "unetv2.safetensors"), *outputs)

    @staticmethod
    def inputs(capture):
        """Returns the features and the indices (batch index, z, y, x) of a capture."""
        cells, features = (torch.from_numpy(capture[name].copy()) for name in ("coords", "features"))
        if cells.shape[1] == 3:
            cells = torch.cat([torch.zeros_like(cells[:, :1]), cells], 1)
        return features, cells[:, [0, 3, 2, 1]]

    def test_the_grid_is_that_of_spconv_and_of_the_program(self):
        for name in ("capture", "batch"):
            file = ORACLE / f"unetv2.{name}.safetensors"
            capture = tensors_of(file)
            bev = self.backbone()(*self.inputs(capture))
            wanted = capture["bev.dense"] if name == "batch" else capture["bev.dense"][None]
            self.assertEqual(bev.shape, wanted.shape)
            self.assertLess(np.abs(bev.numpy() - wanted).max(), 1e-5 * np.abs(wanted).max())
            outputs = FOLDER / "bev.safetensors"
            subprocess.run([PROGRAM, "run", "--voxels", file, "--network", ORACLE / "unetv2.json", "--weights", ORACLE / "unetv2.safetensors",
                            "--backend", "cpu", "--repeat", "1", "--warmup", "0", "--outputs", outputs], check=True, capture_output=True)
            np.testing.assert_array_equal(bev.numpy().reshape(-1), tensors_of(outputs)["bev.dense"].reshape(-1))
        padded = self.backbone()(*self.inputs(capture), batch_size=6)
        self.assertTrue(torch.equal(padded[:4], bev))
        self.assertEqual(padded[4:].abs().sum(), 0)

    def test_sparse_outputs_have_features_and_indices(self):
        capture = tensors_of(ORACLE / "unetv2.capture.safetensors")
        features, indices = self.inputs(capture)
        values = self.backbone(["conv5", "bev"])(features, indices)
        self.assertEqual(list(values), ["conv5", "bev"])
        rows, cells = values["conv5"]
        self.assertEqual((rows.shape, cells.shape, cells.dtype), ((len(features), 8), indices.shape, torch.int32))
        self.assertEqual(sorted(cells.tolist()), sorted(indices.tolist()))
        found = {tuple(cell[1:].tolist()): row for cell, row in zip(cells, rows.numpy())}
        for cell, row in zip(capture["conv5.coords"], capture["conv5.output"]):
            np.testing.assert_allclose(found[tuple(cell[::-1])], row, atol=1e-5)

    def test_wrong_inputs_are_one_line(self):
        backbone = self.backbone()
        features, indices = self.inputs(tensors_of(ORACLE / "unetv2.capture.safetensors"))
        self.refused(RuntimeError, "features: requires a gradient, but .*", backbone, features.clone().requires_grad_(), indices)
        self.refused(TypeError, r"indices: is torch.int64 \[\d+, 4\]; expected torch.int32 .*", backbone, features, indices.long())
        self.refused(TypeError, r"indices: is torch.int32 \[\d+, 3\]; expected torch.int32 .*", backbone, features, indices[:, 1:])
        self.refused(ValueError, r"batch_size: is 0, but the largest batch index is 0", backbone, features, indices, batch_size=0)
        self.refused(ValueError, r"features: is float16 \[\d+, 4\]; expected float32 \[voxels, channels\]", backbone, features.half(), indices)


class PackageTest(ModuleTest):
    def test_the_package_needs_neither_numpy_nor_torch(self):
        code = ("import sys; sys.modules.update(numpy=None, torch=None); sys.path.insert(0, sys.argv[1]); import spira; "
                "print(spira.Runner(spira.Model(spira.Network('resn21'))).run(spira.read_scene('random'), voxel_m=1).outputs[0].features.shape[1])")
        done = subprocess.run([sys.executable, "-I", "-c", code, sys.path[0]], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("128\n", ""))

    def test_the_stubs_have_the_names_of_the_module(self):
        folder = pathlib.Path(spira.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        stubs = {}
        for node in ast.parse((folder / "_spira.pyi").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                stubs[node.name] = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            elif isinstance(node, ast.FunctionDef):
                stubs[node.name] = {argument.arg for argument in node.args.args + node.args.kwonlyargs}
        self.assertEqual(sorted(stubs), sorted(spira.__all__))
        for name, members in stubs.items():
            thing = getattr(spira, name)
            if not isinstance(thing, type):
                self.assertEqual(members, set(re.findall(r"(\w+):", thing.__doc__.split("->")[0])), name)
            elif not issubclass(thing, Exception):
                given = {member for member in vars(thing) if not member.startswith("_pybind11") and member not in ("__module__", "__doc__")}
                self.assertEqual(members - {"__init__", "__repr__"}, given - {"__init__", "__repr__", "__new__"}, name)

    def test_the_page_runs(self):
        page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
        self.assertGreaterEqual(len(blocks), 5)
        try:
            import matplotlib
            matplotlib.use("Agg")
            modules = {}
        except ImportError:
            modules = {"matplotlib": unittest.mock.MagicMock(), "matplotlib.pyplot": unittest.mock.MagicMock()}
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(FOLDER)
        names = {}
        with unittest.mock.patch.dict(sys.modules, modules), contextlib.redirect_stdout(None):
            for block in blocks:
                if "torch" in block and torch is None:
                    continue
                exec(compile(block.replace("budget_s=30", "budget_s=2"), "docs/python.md", "exec"), names)


if __name__ == "__main__":
    unittest.main()
