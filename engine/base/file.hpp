// Reads whole files up to a size limit, and writes whole files so that a failed write does not leave an
// incomplete file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Called between the parts of a large file with the bytes read so far and the total. It may throw to stop
/// the reading.
using BetweenParts = std::function<void(std::int64_t done, std::int64_t total)>;

/// Returns the content of a file. Throws Error(input) with the name of the file if it is missing, is a
/// folder, is not readable, or is larger than `max_bytes`.
[[nodiscard]] std::vector<std::byte> read_file(const std::filesystem::path& file, std::uint64_t max_bytes,
                                               const BetweenParts& between = {});
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file, std::uint64_t max_bytes);

/// Returns true if both paths name the same existing file, even through links or with different spellings.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Returns true if `file` is a device, a pipe or an open descriptor (/dev/null, /dev/stdout, /dev/fd/63).
/// write_file() writes to it and never replaces it.
[[nodiscard]] bool is_stream(const std::filesystem::path& file);

/// Throws Error(input) if write_file() would fail, so that callers can check before long work. Changes
/// nothing and leaves nothing behind.
void require_writable(const std::filesystem::path& file);

/// Writes all bytes, or throws Error(input) and leaves the old file as it was.
/// - Symbolic links are followed, and an existing file keeps its mode and owner.
/// - The bytes go to a temporary file in the same folder, are flushed to the disk, and then replace `file`.
/// - A file with several hard links, or in a folder without write permission, is written in place.
/// - Devices and pipes are written as streams. While the function waits for a reader of a pipe, a request to
///   `stop` makes it throw Error(cancelled).
void write_file(const std::filesystem::path& file, std::string_view bytes, const std::stop_token& stop = {});

/// Identifies the content of a file at one moment. It changes whenever the file is written or replaced, and
/// is all zero if the file does not exist.
struct FileVersion {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileVersion&) const = default;
};
[[nodiscard]] FileVersion version_of(const std::filesystem::path& file);

/// Writes a file as write_file() does, unless its version is no longer `expected` because another program
/// changed it. Returns false and writes nothing in that case. Writers of the same folder that use this
/// function wait for each other.
[[nodiscard]] bool write_file_if_unchanged(const std::filesystem::path& file, const FileVersion& expected,
                                           std::string_view bytes);

}  // namespace spira
