// Whole files in and out, with limits and without half-written results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Asked between the parts of a large file: bytes that were read, and all. It may throw to end the reading.
using BetweenParts = std::function<void(std::int64_t done, std::int64_t total)>;

/// Throws Error(input) naming the file: missing, a folder, not readable, or larger than `max_bytes`.
[[nodiscard]] std::vector<std::byte> read_file(const std::filesystem::path& file, std::uint64_t max_bytes,
                                               const BetweenParts& between = {});
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file, std::uint64_t max_bytes);

/// Before long work: throws Error(input) as write_file would, where `file` cannot be written. What is there
/// stays as it is; nothing is left behind.
void require_writable(const std::filesystem::path& file);

/// Writes to a temporary name beside `file`, then renames. Throws Error(input) when that fails; nothing is
/// left behind.
void write_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace spira
