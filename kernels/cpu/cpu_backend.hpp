// The CPU back end: all cores, z-delta search over sorted keys, gather and Eigen products in cache-sized
// panels.
#pragma once

#include "engine/backend/registry.hpp"

namespace spira {

[[nodiscard]] Registry::Entry cpu_backend();

}  // namespace spira
