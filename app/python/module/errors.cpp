#include "app/python/module/errors.hpp"

#include <array>
#include <cstring>
#include <spira/error.hpp>
#include <string>

namespace py = pybind11;

namespace spira::python {
namespace {

struct ErrorClass {
  const char* kind;
  const char* name;
  const char* text;
  PyObject* base;  ///< A second base class of Python, or `nullptr`.
  PyObject* type = nullptr;
};

/// Returns the classes in the order of ErrorKind.
std::array<ErrorClass, 7>& classes() {
  static std::array<ErrorClass, 7> all{
      {{"usage", "UsageError", "An argument is wrong.", PyExc_ValueError},
       {"input", "InputError", "A file or the given data cannot be read or is not valid.", PyExc_ValueError},
       {"does_not_fit", "DoesNotFitError", "The scene is too large for packed coordinates.", nullptr},
       {"device", "DeviceError", "The device does not exist or failed.", nullptr},
       {"memory", "OutOfMemoryError", "The host or the device has too little memory.", PyExc_MemoryError},
       {"cancelled", "CancelledError", "A stop was requested.", nullptr},
       {"internal", "InternalError", "A fault of the library.", nullptr}}};
  return all;
}

void set_error(const Error& error) {
  const auto& found = classes().at(static_cast<std::size_t>(error.kind()));
  // Names of files may contain any bytes.
  PyObject* text = PyUnicode_DecodeUTF8(error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())),
                                        "backslashreplace");
  if (text == nullptr) return;
  PyErr_SetObject(found.type, text);
  Py_DECREF(text);
}

}  // namespace

void add_errors(py::module_& module) {
  PyObject* base = PyErr_NewExceptionWithDoc("spira.Error", "An error of the library. `kind` is its cause.",
                                             PyExc_RuntimeError, nullptr);
  if (base == nullptr) throw py::error_already_set();
  module.add_object("Error", base);
  for (ErrorClass& one : classes()) {
    py::tuple bases = py::make_tuple(py::handle(base));
    if (one.base != nullptr) bases = py::make_tuple(py::handle(base), py::handle(one.base));
    py::dict attributes;
    attributes["kind"] = one.kind;
    one.type = PyErr_NewExceptionWithDoc((std::string("spira.") + one.name).c_str(), one.text, bases.ptr(),
                                         attributes.ptr());
    if (one.type == nullptr) throw py::error_already_set();
    module.add_object(one.name, one.type);
  }
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const Error& error) {
      set_error(error);
    }
  });
}

}  // namespace spira::python
