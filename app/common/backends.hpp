// Creates the list of the back ends that this build contains.
#pragma once

#include "app/common/backends.hpp"
#include "engine/backend/backend.hpp"

namespace spira::app {

[[nodiscard]] Registry make_registry();

}  // namespace spira::app
