"""Reads and writes safetensors files with NumPy."""
import json
import pathlib
import struct

import numpy as np

from .errors import ExportError

DTYPES = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I32": np.dtype("<i4")}


def write_safetensors(path, tensors, metadata):
    """Writes float32, float16 and int32 arrays, sorted by name. `metadata` is a dictionary of strings."""
    header, offset = {"__metadata__": metadata}, 0
    for name, tensor in sorted(tensors.items()):
        dtype = next(key for key, value in DTYPES.items() if value == tensor.dtype)
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [offset, offset + tensor.nbytes]}
        offset += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, tensor in sorted(tensors.items()):
            file.write(np.ascontiguousarray(tensor).tobytes())


def read_safetensors(path):
    """Returns the tensors by name, and the metadata. Throws `ExportError` if the file is not valid."""
    data = pathlib.Path(path).read_bytes()
    try:
        begin = 8 + struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:begin])
        metadata = header.pop("__metadata__", {})
        tensors = {}
        for name, entry in header.items():
            first, last = entry["data_offsets"]
            tensors[name] = np.frombuffer(data[begin + first:begin + last], DTYPES[entry["dtype"]]).reshape(entry["shape"])
        return tensors, metadata
    except (AttributeError, KeyError, TypeError, ValueError, struct.error) as error:
        raise ExportError(f"{path} is not a valid safetensors file ({error})") from error
