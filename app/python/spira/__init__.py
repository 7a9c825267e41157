"""Runs, profiles and tunes sparse convolution networks on point clouds. docs/python.md of SpiraScope describes the package."""
from ._spira import (CancelledError, CompiledOutput, CompiledRunner, DeviceError, DeviceInfo, DoesNotFitError, Error, InputError,
                     InternalError, LayerInfo, Model, Network, OutOfMemoryError, Output, Result, Runner, Scene, Stop, Tensor, UsageError,
                     Voxels, compare, devices, profile, read_scene, tune, version, voxelize)

__version__ = version()
__all__ = ["CancelledError", "CompiledOutput", "CompiledRunner", "DeviceError", "DeviceInfo", "DoesNotFitError", "Error", "InputError",
           "InternalError", "LayerInfo", "Model", "Network", "OutOfMemoryError", "Output", "Result", "Runner", "Scene", "Stop", "Tensor",
           "UsageError", "Voxels", "compare", "devices", "profile", "read_scene", "tune", "version", "voxelize"]
