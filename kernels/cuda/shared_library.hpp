// A library that is looked for when the program runs, so that building and starting need it as little as
// machines without it do.
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
  /// The first of `names` that the loader finds. It stays loaded: what it registered with the driver must not
  /// lose its code while the process ends.
  explicit SharedLibrary(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!library_) library_.reset(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
    }
  }
  [[nodiscard]] bool found() const noexcept { return library_ != nullptr; }
  /// Null where the library has no such function, or is not there itself.
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
