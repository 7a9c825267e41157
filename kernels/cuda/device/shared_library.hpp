// A shared library that is loaded at run time. The program also builds and starts on machines without the
// library.
#pragma once

#include <dlfcn.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spira::cuda {

class SharedLibrary {
 public:
  SharedLibrary() = default;
  /// Loads the first of `names` that the loader finds. The library is never unloaded, because it may register
  /// code with the driver that must exist until the process ends.
  explicit SharedLibrary(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!library_) library_.reset(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
    }
  }
  [[nodiscard]] bool found() const noexcept { return library_ != nullptr; }
  /// Returns a function of the library, or `nullptr` if the library was not found or does not contain the
  /// function.
  template <class Function> [[nodiscard]] Function function(const char* name) const {
    return library_ ? reinterpret_cast<Function>(dlsym(library_.get(), name)) : nullptr;
  }

 private:
  struct Close {
    void operator()(void* library) const noexcept { static_cast<void>(dlclose(library)); }
  };
  std::unique_ptr<void, Close> library_;
};

}  // namespace spira::cuda
