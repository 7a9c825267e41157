// The naive back end: unpacked triplets, std::map and double. Slow and obvious; the oracle of all tests.
#pragma once

#include "engine/backend/registry.hpp"

namespace spira {

[[nodiscard]] Registry::Entry reference_backend();

}  // namespace spira
