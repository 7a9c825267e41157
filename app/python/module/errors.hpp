// Makes the errors of the library Python exceptions.
#pragma once

#include <pybind11/pybind11.h>

namespace spira::python {

/// Adds the class `Error` to the module, with one subclass for each kind, and translates `spira::Error`.
void add_errors(pybind11::module_& module);

}  // namespace spira::python
