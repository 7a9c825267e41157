// Creates the back end under test: the CPU back end, or the back end that the environment variable
// SPIRA_TEST_BACKEND names. Its results are in host memory.
#pragma once

#include "app/common/backends.hpp"
#include "engine/backend/backend.hpp"

#include <cstdlib>
#include <memory>
#include <string>

namespace spira::test {

[[nodiscard]] inline std::string subject_name() {
  const char* named = std::getenv("SPIRA_TEST_BACKEND");
  return named == nullptr ? "cpu" : named;
}

/// Returns the back end under test. The adapter and the device back end that it wraps are deleted together.
/// New memory is filled with a poison value, unless SPIRA_TEST_POISON is "off". Set it to "off" for tools
/// that detect uninitialised reads, because these tools treat poisoned memory as initialised.
[[nodiscard]] inline std::shared_ptr<Backend> make_subject(BackendOptions options = {}) {
  const char* poison = std::getenv("SPIRA_TEST_POISON");
  options.poison = poison == nullptr || std::string(poison) != "off";
  auto device = app::make_registry().make(subject_name(), options);
  if (device->results_are_host_memory()) return device;
  Backend* adapter = make_host_adapter(*device).release();
  return {adapter, [device](Backend* owned) { std::unique_ptr<Backend>(owned).reset(); }};
}

}  // namespace spira::test
