// The back ends that are linked in. Made once by app/common/backends.cpp and handed on; not a singleton.
#pragma once

#include "engine/backend/backend.hpp"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace spira {

struct BackendOptions {
  int threads = 0;                     ///< CPU: 0 = one a core
  std::size_t memory_limit_bytes = 0;  ///< 0: none
  bool poison = false;                 ///< fresh memory holds poison_byte: who reads what nobody wrote shows
};

class Registry {
 public:
  struct Entry {
    BackendKind kind;
    std::function<std::vector<DeviceListing>()> list;  ///< never throws; not usable rows say why
    std::function<std::shared_ptr<Backend>(const BackendOptions&)> make;
  };
  explicit Registry(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] std::vector<DeviceListing> devices() const;
  /// "auto" (the first usable, CUDA before CPU), "cpu", "cuda", "reference". Throws Error(usage) for another
  /// name, Error(device) where it cannot run, with the reason.
  [[nodiscard]] std::shared_ptr<Backend> make(std::string_view name,
                                              const BackendOptions& options = {}) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace spira
