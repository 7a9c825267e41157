// Registers the CUDA back end. It uses the first device that the driver lists. The environment variable
// CUDA_VISIBLE_DEVICES selects another device.
#pragma once

#include "engine/backend/backend.hpp"

namespace spira {

[[nodiscard]] Registry::Entry cuda_backend();

}  // namespace spira
