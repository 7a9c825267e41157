// Lists the back ends that are linked into the program. app/common/backends.cpp creates the registry, which
// is not a singleton.
#pragma once

#include "engine/backend/device_facts.hpp"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace spira {

class Backend;

struct BackendOptions {
  int threads = 0;                     ///< CPU threads; 0 means one per core.
  std::size_t memory_limit_bytes = 0;  ///< 0 means no limit.
  /// If true, new memory is filled with poison_byte. This reveals reads of uninitialised memory.
  bool poison = false;
};

class Registry {
 public:
  struct Entry {
    BackendKind kind;
    /// Returns the devices of this back end. For each unusable device, the result contains the reason. Never
    /// throws.
    std::function<std::vector<DeviceListing>()> list;
    std::function<std::shared_ptr<Backend>(const BackendOptions&)> make;
  };
  explicit Registry(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] std::vector<DeviceListing> devices() const;
  /// Creates the back end with this name: "cpu", "cuda", "reference", or "auto" for the first usable device
  /// (CUDA before CPU). Throws Error(usage) for another name, and Error(device) with the reason if the back
  /// end cannot run.
  [[nodiscard]] std::shared_ptr<Backend> make(std::string_view name,
                                              const BackendOptions& options = {}) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace spira
