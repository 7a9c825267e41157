// Reads a scene that another program writes to standard input. Standard input can be read only once.
#pragma once

#include "engine/job/job.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace spira {

/// The scene name that means standard input. A file with this name can be opened as "./-".
inline constexpr std::string_view standard_input = "-";
inline constexpr std::string_view standard_input_name = "standard input";  ///< Name in messages.

[[nodiscard]] inline bool is_standard_input(const std::filesystem::path& scene) {
  return scene == standard_input;
}

/// Returns all bytes up to the end of standard input. Waits for the writer, with a checkpoint at least every
/// 50 ms. Throws `Error(input)` if standard input is a terminal, is not readable, is empty, or has more than
/// `max_bytes`. Throws NotEnoughMemory as soon as the input exceeds `free_bytes`, because the length of the
/// input is not known in advance. Throws `Error(cancelled)`.
[[nodiscard]] std::vector<std::byte> read_standard_input(std::uint64_t max_bytes,
                                                         std::optional<std::uint64_t> free_bytes, Job& job);

/// Reads any open file descriptor in the same way as read_standard_input(). Messages contain `name`.
[[nodiscard]] std::vector<std::byte> read_to_end(int descriptor, std::string_view name,
                                                 std::uint64_t max_bytes,
                                                 std::optional<std::uint64_t> free_bytes, Job& job);

}  // namespace spira
