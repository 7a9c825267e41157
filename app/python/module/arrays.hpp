// Converts arrays between Python and the library, without a copy where the memory allows it.
#pragma once

#include <pybind11/pybind11.h>
#include <spira/tensor.hpp>
#include <string>

namespace spira::python {

/// Returns a view of a Python array that keeps the array alive: a `Tensor`, or an object with the buffer
/// protocol (NumPy arrays), `__dlpack__` or `__array__`. Arrays in another order than row-major, with gaps or
/// with unaligned values are copied. `name` is the name of the argument in errors. Throws `TypeError` if the
/// object is not an array or has values that the library cannot read, and `Error(usage)` if it is not in host
/// memory.
[[nodiscard]] Tensor tensor_from(pybind11::handle array, const std::string& name);

/// Adds the class `Tensor` to the module.
void add_tensor(pybind11::module_& module);

}  // namespace spira::python
