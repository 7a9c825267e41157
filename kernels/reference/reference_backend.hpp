// The reference back end: unpacked coordinates, std::map and double precision. It is slow but simple, and all
// tests compare with it.
#pragma once

#include "engine/backend/registry.hpp"

namespace spira {

[[nodiscard]] Registry::Entry reference_backend();

}  // namespace spira
