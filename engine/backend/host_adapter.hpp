// A back end that wraps another one and keeps all arguments and results in host memory. Checks use it, and so
// does the window, which shows the results of a device. Every call copies, so its times are meaningless.
#pragma once

#include "engine/backend/backend.hpp"

#include <memory>

namespace spira {

/// `device` must outlive the adapter. Uploaded weights and points stay in the memory of `device`.
[[nodiscard]] std::unique_ptr<Backend> make_host_adapter(Backend& device);

}  // namespace spira
