#include "app/python/module/arrays.hpp"

#include <cstdint>
#include <dlpack/dlpack.h>
#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <spira/error.hpp>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace spira::python {
namespace {

// The consumer of a capsule renames it, so that the tensor is freed only once.
constexpr const char *capsule_name = "dltensor", *used_capsule_name = "used_dltensor";

std::string list_text(const Py_ssize_t* shape, int dimensions) {
  std::string text = "[";
  for (int axis = 0; axis < dimensions; ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
  return text + "]";
}

/// Returns the type of values that a format of the module `struct` describes, or nothing if the library has
/// no such type.
std::optional<DataType> type_of_format(const char* format, Py_ssize_t item_bytes) {
  std::string text = format == nullptr ? "B" : format;
  if (text.size() == 2 && (text[0] == '@' || text[0] == '=' || text[0] == '<')) text.erase(0, 1);
  if (text == "e") return DataType::float16;
  if (text == "f") return DataType::float32;
  if (text == "d") return DataType::float64;
  if ((text == "i" || text == "l") && item_bytes == 4) return DataType::int32;
  return std::nullopt;
}

std::optional<DataType> type_of_dlpack(const DLDataType& type) {
  if (type.lanes != 1) return std::nullopt;
  if (type.code == kDLFloat && type.bits == 16) return DataType::float16;
  if (type.code == kDLFloat && type.bits == 32) return DataType::float32;
  if (type.code == kDLFloat && type.bits == 64) return DataType::float64;
  if (type.code == kDLInt && type.bits == 32) return DataType::int32;
  return std::nullopt;
}

const char* type_text(DataType type) {
  switch (type) {
    case DataType::float16:
      return "<f2";
    case DataType::float64:
      return "<f8";
    case DataType::int32:
      return "<i4";
    case DataType::float32:
      break;
  }
  return "<f4";
}

[[noreturn]] void throw_wrong_type(py::handle array, const std::string& name, const Py_buffer& buffer) {
  std::string type = buffer.format == nullptr ? "values" : buffer.format;
  if (py::hasattr(array, "dtype")) type = py::str(array.attr("dtype"));
  throw py::type_error(name + ": is " + type + " " + list_text(buffer.shape, buffer.ndim) +
                       "; the library reads float16, float32, float64 and int32");
}

/// Returns a view of the memory of a buffer, or a copy if the memory is not row-major or not aligned.
Tensor tensor_of_memory(const Py_buffer& buffer, DataType type, std::shared_ptr<const void> owner) {
  std::vector<std::int64_t> shape(buffer.shape, buffer.shape + buffer.ndim);
  const bool aligned = reinterpret_cast<std::uintptr_t>(buffer.buf) % size_of(type) == 0;
  if (aligned && PyBuffer_IsContiguous(&buffer, 'C') != 0)
    return Tensor::owning(std::move(owner), buffer.buf, type, std::move(shape));
  auto copy =
      std::make_shared<std::vector<double>>(static_cast<std::size_t>(buffer.len) / sizeof(double) + 1);
  if (PyBuffer_ToContiguous(copy->data(), &buffer, buffer.len, 'C') != 0) throw py::error_already_set();
  const void* data = copy->data();
  return Tensor::owning(std::move(copy), data, type, std::move(shape));
}

Tensor tensor_of_buffer(py::handle array, const std::string& name) {
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(array.ptr(), buffer.get(), PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0)
    throw py::error_already_set();
  const std::shared_ptr<const Py_buffer> owner(buffer.release(), [](Py_buffer* used) {
    const py::gil_scoped_acquire acquired;  // Any thread may destroy the last copy of a tensor.
    PyBuffer_Release(used);
    const std::unique_ptr<Py_buffer> freed(used);
  });
  const auto type = type_of_format(owner->format, owner->itemsize);
  if (!type) throw_wrong_type(array, name, *owner);
  return tensor_of_memory(*owner, *type, owner);
}

/// Returns the memory of an array. Throws `Error(usage)` if neither the CPU nor a CUDA device can read it.
Memory memory_of(py::handle array, const std::string& name) {
  const auto device = py::cast<std::pair<int, int>>(array.attr("__dlpack_device__")()).first;
  if (device == kDLCPU || device == kDLCUDAHost) return Memory::host;
  if (device == kDLCUDA || device == kDLCUDAManaged) return Memory::cuda;
  throw Error(ErrorKind::usage, name + ": is in memory of DLPack device " + std::to_string(device) +
                                    "; the library reads host memory and memory of CUDA devices");
}

/// Returns a view of GPU memory. Throws `Error(usage)` unless it is in row-major order. `strides_bytes` can
/// be `nullptr`.
Tensor view_of_gpu(const void* data, DataType type, const std::vector<std::int64_t>& shape,
                   const std::int64_t* strides_bytes, py::handle array, const std::string& name) {
  auto distance = static_cast<std::int64_t>(size_of(type));
  bool row_major = true;
  for (std::size_t axis = shape.size(); axis-- > 0; distance *= shape[axis]) {
    if (strides_bytes != nullptr && shape[axis] > 1) row_major = row_major && strides_bytes[axis] == distance;
  }
  if (!row_major)
    throw Error(ErrorKind::usage,
                name + ": is in GPU memory and not in row-major order; make it contiguous first");
  const std::shared_ptr<PyObject> owner(py::handle(array).inc_ref().ptr(), [](PyObject* used) {
    const py::gil_scoped_acquire acquired;  // Any thread may destroy the last copy of a tensor.
    Py_DECREF(used);
  });
  return Tensor::owning(owner, data, type, shape, Memory::cuda);
}

/// Reads `__cuda_array_interface__`. Ignores its stream, because the caller orders the streams.
Tensor tensor_of_gpu(py::handle array, const py::dict& interface, const std::string& name) {
  const auto format = py::cast<std::string>(interface["typestr"]);
  std::optional<DataType> type;
  for (const auto one : {DataType::float16, DataType::float32, DataType::float64, DataType::int32}) {
    if (format == type_text(one)) type = one;
  }
  if (!type)
    throw py::type_error(name + ": is '" + format +
                         "'; the library reads float16, float32, float64 and int32");
  const auto shape = py::cast<std::vector<std::int64_t>>(interface["shape"]);
  std::vector<std::int64_t> strides;
  if (interface.contains("strides") && !interface["strides"].is_none())
    strides = py::cast<std::vector<std::int64_t>>(interface["strides"]);
  const auto address = py::cast<std::uintptr_t>(py::cast<py::tuple>(interface["data"])[0]);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python describes addresses as numbers.
  return view_of_gpu(reinterpret_cast<const void*>(address), *type, shape,
                     strides.empty() ? nullptr : strides.data(), array, name);
}

Tensor tensor_of_dlpack(py::handle array, const std::string& name) {
  const Memory memory = memory_of(array, name);
  // The stream -1 means that the producer does not synchronise: the caller orders the streams.
  const py::object capsule =
      memory == Memory::cuda ? array.attr("__dlpack__")(py::arg("stream") = -1) : array.attr("__dlpack__")();
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), capsule_name));
  if (managed == nullptr) throw py::error_already_set();
  PyCapsule_SetName(capsule.ptr(), used_capsule_name);
  const std::shared_ptr<DLManagedTensor> owner(managed, [](DLManagedTensor* used) {
    const py::gil_scoped_acquire acquired;
    if (used->deleter != nullptr) used->deleter(used);
  });
  const DLTensor& tensor = owner->dl_tensor;
  const auto axes = static_cast<std::size_t>(tensor.ndim);
  std::vector<Py_ssize_t> shape(tensor.shape, tensor.shape + axes), strides(axes);
  Py_buffer buffer{};
  buffer.buf = static_cast<char*>(tensor.data) + tensor.byte_offset;
  buffer.itemsize = tensor.dtype.bits / 8;
  buffer.ndim = tensor.ndim;
  buffer.shape = shape.data();
  buffer.strides = strides.data();
  buffer.len = buffer.itemsize;
  for (std::size_t axis = axes; axis-- > 0; buffer.len *= shape[axis])
    strides[axis] = tensor.strides == nullptr ? buffer.len : tensor.strides[axis] * buffer.itemsize;
  const auto type = type_of_dlpack(tensor.dtype);
  if (!type) throw_wrong_type(array, name, buffer);
  if (memory == Memory::cuda) {
    const std::vector<std::int64_t> lengths(shape.begin(), shape.end()),
        distances(strides.begin(), strides.end());
    return view_of_gpu(buffer.buf, *type, lengths, distances.data(), py::handle(capsule), name);
  }
  return tensor_of_memory(buffer, *type, owner);
}

py::tuple shape_of(const Tensor& tensor) {
  py::tuple shape(tensor.shape().size());
  for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis)
    shape[axis] = tensor.shape()[axis];
  return shape;
}

/// Returns the value of `__array_interface__` or `__cuda_array_interface__`. A tensor in other memory does
/// not have the attribute.
py::dict interface_of(const Tensor& tensor, Memory memory) {
  if (tensor.memory() != memory)
    throw py::attribute_error(memory == Memory::host ? "the tensor is in GPU memory"
                                                     : "the tensor is in host memory");
  py::dict interface;
  interface["version"] = 3;
  interface["shape"] = shape_of(tensor);
  interface["typestr"] = type_text(tensor.type());
  // PyTorch refuses GPU memory that is marked as read-only.
  const bool read_only = memory == Memory::host;
  interface["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(tensor.data()), read_only);
  if (memory == Memory::cuda) interface["stream"] = py::none();  // The caller orders the streams.
  return interface;
}

py::object numpy_array(const py::object& tensor, const py::object& type, const py::object& copy) {
  const py::object array = py::module_::import("numpy").attr("asarray")(tensor, type);
  return copy.ptr() == Py_True ? array.attr("copy")() : array;
}

/// A tensor that a consumer of DLPack owns.
struct ExportedTensor {
  Tensor tensor;
  std::vector<std::int64_t> shape, strides;
  DLManagedTensor managed{};
};

void free_unused_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, capsule_name) == 0) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, capsule_name));
  managed->deleter(managed);
}

py::capsule dlpack_of(const Tensor& tensor, const py::object& /*stream*/) {
  if (tensor.memory() != Memory::host)
    throw py::buffer_error("the tensor is in GPU memory; use __cuda_array_interface__");
  auto exported = std::make_unique<ExportedTensor>();
  exported->tensor = tensor;
  exported->shape = tensor.shape();
  exported->strides.resize(exported->shape.size());
  std::int64_t values = 1;
  for (std::size_t axis = exported->shape.size(); axis-- > 0; values *= exported->shape[axis])
    exported->strides[axis] = values;
  DLTensor& made = exported->managed.dl_tensor;
  made.data = const_cast<void*>(tensor.data());  // DLPack cannot mark memory as read-only.
  made.device = {kDLCPU, 0};
  made.ndim = static_cast<int>(exported->shape.size());
  made.dtype = {static_cast<std::uint8_t>(tensor.type() == DataType::int32 ? kDLInt : kDLFloat),
                static_cast<std::uint8_t>(8 * size_of(tensor.type())), 1};
  made.shape = exported->shape.data();
  made.strides = exported->strides.data();
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = [](DLManagedTensor* used) {
    const std::unique_ptr<ExportedTensor> freed(static_cast<ExportedTensor*>(used->manager_ctx));
  };
  PyObject* capsule = PyCapsule_New(&exported->managed, capsule_name, &free_unused_capsule);
  if (capsule == nullptr) throw py::error_already_set();
  static_cast<void>(exported.release());  // The capsule owns it.
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace

Tensor tensor_from(py::handle array, const std::string& name) {
  if (py::isinstance<Tensor>(array)) return py::cast<Tensor>(array);
  if (PyObject_CheckBuffer(array.ptr()) != 0) return tensor_of_buffer(array, name);
  const py::object interface = py::getattr(array, "__cuda_array_interface__", py::none());
  if (!interface.is_none()) return tensor_of_gpu(array, py::cast<py::dict>(interface), name);
  if (py::hasattr(array, "__dlpack__")) return tensor_of_dlpack(array, name);
  if (py::hasattr(array, "__array__") || py::hasattr(array, "__array_interface__"))
    return tensor_of_buffer(py::module_::import("numpy").attr("asarray")(array), name);
  throw py::type_error(name + ": is " + std::string(py::str(py::type::of(array).attr("__name__"))) +
                       "; expected a NumPy array, or an object with __dlpack__ or __array__");
}

void add_tensor(py::module_& module) {
  py::class_<Tensor>(module, "Tensor", "An array of numbers in host or GPU memory. Read-only.")
      .def(py::init([](const py::object& array) { return tensor_from(array, "array"); }), py::arg("array"),
           "Creates a view of an array in row-major order, or copies another array.")
      .def_property_readonly("shape", &shape_of)
      .def_property_readonly("dtype", [](const Tensor& tensor) { return text_of(tensor.type()); })
      .def_property_readonly(
          "memory", [](const Tensor& tensor) { return tensor.memory() == Memory::host ? "host" : "cuda"; })
      .def("__len__", &Tensor::rows)
      .def("__repr__",
           [](const Tensor& tensor) {
             return "<spira.Tensor " + text_of(tensor.type()) + " " + std::string(py::str(shape_of(tensor))) +
                    ">";
           })
      .def_property_readonly("__array_interface__",
                             [](const Tensor& tensor) { return interface_of(tensor, Memory::host); })
      .def_property_readonly("__cuda_array_interface__",
                             [](const Tensor& tensor) { return interface_of(tensor, Memory::cuda); })
      .def("__array__", &numpy_array, py::arg("dtype") = py::none(), py::arg("copy") = py::none())
      .def("__dlpack__", &dlpack_of, py::kw_only(), py::arg("stream") = py::none())
      .def("__dlpack_device__", [](const Tensor& tensor) {
        return std::make_pair(static_cast<int>(tensor.memory() == Memory::host ? kDLCPU : kDLCUDA), 0);
      });
}

}  // namespace spira::python
