// Registers the CUDA back end. It uses the first device that the CUDA driver lists. Set the environment
// variable CUDA_VISIBLE_DEVICES to select another device.
#pragma once

#include "engine/backend/backend.hpp"

namespace spira {

[[nodiscard]] Registry::Entry cuda_backend();

}  // namespace spira
