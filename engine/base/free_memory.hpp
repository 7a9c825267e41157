// Determines how much memory this process can still allocate, so that excessive requests fail with a clear
// message.
#pragma once

#include <cstdint>
#include <optional>

namespace spira {

/// Returns the bytes that are available now: the smallest of the free memory of the system, the remaining
/// limit of this process and `most`. Returns an empty optional if none of the three is known.
[[nodiscard]] std::optional<std::uint64_t> free_memory_bytes(std::optional<std::uint64_t> most = {});

}  // namespace spira
