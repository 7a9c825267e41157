// Treats the neighbourhoods of all layers of a network as one setting.
#pragma once

#include "engine/map/neighbourhood.hpp"

#include <optional>

namespace spira {

struct Network;

/// Returns the neighbourhood of the layers that set_neighbourhood() changes. Returns an empty value if they
/// have different neighbourhoods, or if the network has no such layer.
[[nodiscard]] std::optional<Neighbourhood> common_neighbourhood(const Network& network);

}  // namespace spira
