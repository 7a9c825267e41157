// Determines when the output of a layer is no longer needed.
#pragma once

#include "engine/network/network.hpp"

#include <vector>

namespace spira {

/// Returns the index of the last layer that reads each output, as an input or as a residual. -1 means that no
/// layer reads the output; it must be kept.
[[nodiscard]] std::vector<int> last_readers(const Network& network);

}  // namespace spira
