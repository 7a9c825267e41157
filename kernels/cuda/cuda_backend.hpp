// The CUDA back end. In this version it finds devices; its kernels are not there yet.
#pragma once

#include "engine/backend/registry.hpp"

namespace spira {

[[nodiscard]] Registry::Entry cuda_backend();

}  // namespace spira
