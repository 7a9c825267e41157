// A back end whose arguments and results are all in host memory, around one that works in its own: for
// checks, and for the window, which shows what a device made. Every call copies, so it is never timed.
#pragma once

#include "engine/backend/backend.hpp"

#include <memory>

namespace spira {

/// `device` must outlive the adapter. Weights and uploaded points stay where `device` puts them.
[[nodiscard]] std::unique_ptr<Backend> make_host_adapter(Backend& device);

}  // namespace spira
