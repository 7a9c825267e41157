// The CUDA back end: the first device that the driver lists (CUDA_VISIBLE_DEVICES chooses another).
#pragma once

#include "engine/backend/registry.hpp"

namespace spira {

[[nodiscard]] Registry::Entry cuda_backend();

}  // namespace spira
