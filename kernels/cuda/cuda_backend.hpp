// The CUDA back end. For now: device discovery.
#pragma once

#include "engine/backend/registry.hpp"

namespace spira {

[[nodiscard]] Registry::Entry cuda_backend();

}  // namespace spira
