// A scene that another program hands over: standard input, which is read once and is no file to come back to.
#pragma once

#include "engine/job/job.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace spira {

inline constexpr std::string_view standard_input = "-";  ///< as a scene; the file of that name is "./-"
inline constexpr std::string_view standard_input_name = "standard input";  ///< as it is spoken of

[[nodiscard]] inline bool is_standard_input(const std::filesystem::path& scene) {
  return scene == standard_input;
}

/// All bytes up to its end; waits for the writer, with a checkpoint at least every 50 ms. Throws Error(input)
/// naming standard input: a terminal, not readable, empty, or more than `max_bytes`; NotEnoughMemory as soon
/// as it is longer than `free_bytes`, since nobody knows its length before; Error(cancelled).
[[nodiscard]] std::vector<std::byte> read_standard_input(std::uint64_t max_bytes,
                                                         std::optional<std::uint64_t> free_bytes, Job& job);

/// The same of any open descriptor, which is called `name`.
[[nodiscard]] std::vector<std::byte> read_to_end(int descriptor, std::string_view name,
                                                 std::uint64_t max_bytes,
                                                 std::optional<std::uint64_t> free_bytes, Job& job);

}  // namespace spira
