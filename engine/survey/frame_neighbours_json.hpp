// Converts FrameNeighbours to JSON and back, for surveys and `spira neighbours`.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/survey/frame_neighbours.hpp"

#include <nlohmann/json.hpp>

namespace spira {

/// Returns all values as the members of one object.
[[nodiscard]] nlohmann::ordered_json frame_neighbours_json(const FrameNeighbours& found);
/// Reads the members of frame_neighbours_json(). Throws `Error(input)` if a value is invalid.
[[nodiscard]] FrameNeighbours frame_neighbours_from(const JsonFields& fields);

}  // namespace spira
