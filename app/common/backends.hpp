// The list of back ends that this build contains.
#pragma once

#include "engine/backend/registry.hpp"

namespace spira::app {

[[nodiscard]] Registry make_registry();

}  // namespace spira::app
