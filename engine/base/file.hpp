// Whole files in and out, with limits and without half-written results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Throws Error(input) naming the file: missing, a folder, not readable, or larger than `max_bytes`.
[[nodiscard]] std::vector<std::byte> read_file(const std::filesystem::path& file, std::uint64_t max_bytes);
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file, std::uint64_t max_bytes);

/// Writes to a temporary name beside `file`, then renames. Throws Error(input) when that fails; nothing is
/// left behind.
void write_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace spira
