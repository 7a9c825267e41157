// The CPU back end. It uses all cores, z-delta search over sorted keys, and gather and Eigen products in
// panels that fit the cache.
#pragma once

#include "engine/backend/registry.hpp"

namespace spira {

[[nodiscard]] Registry::Entry cpu_backend();

}  // namespace spira
