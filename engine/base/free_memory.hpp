// How much memory this process could still take, so that an absurd wish is refused in words.
#pragma once

#include <cstdint>
#include <optional>

namespace spira {

/// Bytes that the system has left, or less where the process is limited; empty where that cannot be known.
[[nodiscard]] std::optional<std::uint64_t> free_memory_bytes();

}  // namespace spira
