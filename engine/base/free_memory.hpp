// How much memory this process could still take, so that an absurd wish is refused in words.
#pragma once

#include <cstdint>
#include <optional>

namespace spira {

/// Bytes that the system has left at this moment, or less where the process is limited, and no more than
/// `most`; empty where nothing of that is known.
[[nodiscard]] std::optional<std::uint64_t> free_memory_bytes(std::optional<std::uint64_t> most = {});

}  // namespace spira
