// When the output of a layer is of no use any more.
#pragma once

#include "engine/network/network.hpp"

#include <vector>

namespace spira {

/// The last layer that reads each output, its residual among what it reads; -1: none does, it stays.
[[nodiscard]] std::vector<int> last_readers(const Network& network);

}  // namespace spira
