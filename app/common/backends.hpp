// The back ends of this build.
#pragma once

#include "engine/backend/registry.hpp"

namespace spira::app {

[[nodiscard]] Registry make_registry();

}  // namespace spira::app
