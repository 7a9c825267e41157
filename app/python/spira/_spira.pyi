import os
from typing import Any, Literal, Optional, Sequence, Union, final

File = Union[str, "os.PathLike[str]"]
# A NumPy array, a Tensor, or another object with the buffer protocol, `__dlpack__`, `__array__` or `__cuda_array_interface__`.
Array = Any
# The edges of a voxel along x, y and z in metres, or one number for all. None: the voxel size of the network file.
VoxelSize = Union[None, float, Sequence[float]]
Kind = Literal["usage", "input", "does_not_fit", "device", "memory", "cancelled", "internal"]
Report = dict[str, Any]

class Error(RuntimeError):
    """An error of the library. Its text is one line, the same that the program `spira` prints."""
    kind: Kind

class UsageError(Error, ValueError):
    """An argument is wrong: a name, a shape, a data type, or a plan of another network."""

class InputError(Error, ValueError):
    """A file or the given data cannot be read or is not valid."""

class DoesNotFitError(Error):
    """The scene is too large for packed coordinates. A larger voxel size helps."""

class DeviceError(Error):
    """The device does not exist or failed."""

class OutOfMemoryError(Error, MemoryError):
    """The host or the device has too little memory."""

class CancelledError(Error):
    """A stop was requested."""

class InternalError(Error):
    """A fault of the library."""

@final
class Stop:
    """Requests the stop of the calls that got this object."""
    def __init__(self) -> None: ...
    def request(self) -> None:
        """Ends the calls, on the CPU within 100 ms. Can be called from any thread."""

@final
class Tensor:
    """A read-only array of numbers in host or GPU memory. `numpy.asarray(tensor)` and `torch.from_dlpack(tensor)` share its memory."""
    def __init__(self, array: Array) -> None:
        """Creates a view of an array in row-major order, or copies another array."""
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Literal["float16", "float32", "float64", "int32"]: ...
    @property
    def memory(self) -> Literal["host", "cuda"]: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any: ...
    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

@final
class LayerInfo:
    """A layer of a network. Lists of three numbers are in the order x, y, z."""
    @property
    def name(self) -> str: ...
    @property
    def operation(self) -> str: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def kernel_size(self) -> list[int]: ...
    @property
    def stride(self) -> list[int]: ...
    @property
    def transposed(self) -> bool: ...
    @property
    def in_channels(self) -> int: ...
    @property
    def out_channels(self) -> int: ...

@final
class Network:
    """An immutable network without weights: "minkunet42", "resn21", "resnl20", "fcgf", "sbnet" or a network file."""
    def __init__(self, preset_or_file: File) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def input_channels(self) -> int: ...
    @property
    def layers(self) -> list[LayerInfo]: ...
    @property
    def outputs(self) -> list[str]: ...
    @property
    def voxel_m(self) -> list[float]:
        """The voxel size in metres that the network file requires. Zeros if the file names none."""

@final
class DeviceInfo:
    @property
    def kind(self) -> Literal["cpu", "cuda"]: ...
    @property
    def name(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def usable(self) -> bool: ...
    @property
    def why_not(self) -> str: ...

@final
class Model:
    """An immutable network with weights, precision and plan on a device. Any number of threads may use it, each with its own Runner."""
    def __init__(self, network: Network, *, device: Literal["automatic", "cpu", "cuda"] = "automatic", threads: int = 0,
                 memory_limit_bytes: int = 0, weights: Optional[File] = None, seed: int = 1,
                 precision: Literal["float32", "float16"] = "float32", plan: Optional[File] = None, deterministic: bool = True,
                 device_index: int = 0) -> None:
        """Reads the weights and the plan. Without `weights`, they are random numbers from `seed`. `threads` is the number of CPU threads
        of each runner; 0 means one per core. `device_index` is the index of the GPU."""
    @property
    def network(self) -> Network: ...
    @property
    def device(self) -> DeviceInfo: ...

@final
class Scene:
    """Immutable points or voxels in host memory."""
    @staticmethod
    def points(positions: Array, intensity: Optional[Array] = None, *, name: str = "") -> Scene:
        """Copies points: positions, float32 or float64 [points, 3] in metres, and intensity, float32 [points]. Messages and reports contain the
        name, or "points" without one."""
    @staticmethod
    def voxels(coordinates: Array, features: Array, *, name: str = "") -> Scene:
        """Copies voxels: coordinates, int32 [voxels, 3] (x, y, z) or [voxels, 4] with the batch index first, and features, float32 [voxels,
        channels]. Messages and reports contain the name, or "voxels" without one."""
    @property
    def size(self) -> int:
        """The number of points or voxels."""
    @property
    def has_voxels(self) -> bool: ...

@final
class Voxels:
    """Points in voxels. `Scene.voxels(voxels.coordinates, voxels.features)` is a scene of them."""
    @property
    def coordinates(self) -> Tensor:
        """int32 [voxels, 3]: x, y, z in voxels, sorted by x, then y, then z."""
    @property
    def features(self) -> Tensor:
        """float32 [voxels, channels]: the mean over the points of each voxel."""
    @property
    def voxel_of_point(self) -> Tensor:
        """int32 [points]: the row of `coordinates` with the voxel of each point."""

@final
class Output:
    """The output of one layer. `features` is [voxels, channels]; `coordinates` is [voxels, 3] (x, y, z), or [voxels, 4] with the batch index
    first, in voxels of the input. A layer with the operation "dense" has a grid and no coordinates."""
    @property
    def layer(self) -> str: ...
    @property
    def features(self) -> Tensor: ...
    @property
    def coordinates(self) -> Tensor: ...

@final
class Result:
    """The outputs of a run. `coordinates + shift` are the coordinates of the input."""
    @property
    def outputs(self) -> list[Output]: ...
    @property
    def shift(self) -> list[int]: ...

@final
class Runner:
    """Runs a model on scenes. Only one thread at a time may use a runner."""
    def __init__(self, model: Model) -> None: ...
    def run(self, scene: Scene, *, voxel_m: VoxelSize = None, outputs: Sequence[str] = (), memory: Literal["host", "cuda"] = "host",
            stop: Optional[Stop] = None) -> Result:
        """Voxelises the scene and runs all layers. `outputs` are names of layers; without names, the outputs of the network."""

@final
class CompiledOutput:
    """The GPU memory of an output, which every run overwrites. `features` is [capacity, channels] and `coordinates` [capacity, 3 or 4]; a layer
    with the operation "dense" has a grid and no coordinates. `rows` [1] is the number of valid rows, or -1 if the scene exceeded the capacity."""
    @property
    def layer(self) -> str: ...
    @property
    def features(self) -> Tensor: ...
    @property
    def coordinates(self) -> Tensor: ...
    @property
    def rows(self) -> Tensor: ...

@final
class CompiledRunner:
    """A network as one CUDA graph, for scenes in GPU memory. Only one thread at a time may use a compiled runner."""
    def __init__(self, model: Model, example: Scene, *, voxel_m: VoxelSize = None, outputs: Sequence[str] = (), headroom: float = 1.0,
                 low: Sequence[float] = (0, 0, 0), high: Sequence[float] = (0, 0, 0)) -> None:
        """Compiles the network for scenes with up to `headroom` times the points and voxels of `example`, in the box from `low` to `high`, or in
        the bounding box of `example`."""
    def enqueue(self, positions: Array, values: Optional[Array] = None, *, stream: Optional[int] = None) -> None:
        """Adds a run to a CUDA stream and returns at once. The arrays are in GPU memory: points and intensities, or voxels and features, as in
        `Scene`. `stream` is its address, such as `torch.cuda.current_stream().cuda_stream`; without it, the default stream."""
    def wait(self) -> None:
        """Waits until all runs have finished. Raises `DoesNotFitError` if a scene exceeded the capacity since the last call."""
    @property
    def outputs(self) -> list[CompiledOutput]: ...
    @property
    def shift(self) -> list[int]:
        """Is added to coordinates, as `Result.shift`. It is the same for all runs."""

def version() -> str: ...
def devices() -> list[DeviceInfo]:
    """Returns the devices that the package supports, also those that cannot be used on this machine."""

def read_scene(file: File, *, format: str = "", stop: Optional[Stop] = None) -> Scene:
    """Reads a scan or a voxel file, or generates "street", "room" or "random", or "street:7" for the seed 7."""

def voxelize(positions: Array, voxel_m: VoxelSize, features: Optional[Array] = None, *, stop: Optional[Stop] = None) -> Voxels:
    """Computes the voxel floor(p / voxel_m) of each point p, and the means of the features of its points. positions: float32 or float64
    [points, 3] in metres; features: float32 [points, channels]."""

def profile(model: Model, scene: Scene, *, voxel_m: VoxelSize = None, repetitions: int = 5, warmup: int = 1, stop: Optional[Stop] = None) -> Report:
    """Measures the network, and each layer and stage of it. Returns the report that `spira run -o` writes."""

def tune(model: Model, scenes: Sequence[Scene], *, voxel_m: VoxelSize = None, budget_s: float = 30, stop: Optional[Stop] = None) -> Report:
    """Measures the settings of each layer, and chooses the fastest. Returns the tuning profile that `spira tune -o` writes."""

def compare(baseline: Report, current: Report) -> Report:
    """Compares two reports row by row, like `spira compare --json`."""
