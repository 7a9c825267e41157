// Reads whole files up to a size limit. Writes whole files, so that a failed write leaves no incomplete file.
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

/// A callback of read_file(), which reads large files in parts and calls it between two parts. `done` is the
/// number of bytes that were read so far, and `total` is the size of the file. The callback can throw to stop
/// the reading.
using BetweenParts = std::function<void(std::int64_t done, std::int64_t total)>;

/// Returns the content of a file. Throws `Error(input)` with the name of the file if it is missing, is a
/// folder, cannot be read, or is larger than `max_bytes`.
[[nodiscard]] std::vector<std::byte> read_file(const std::filesystem::path& file, std::uint64_t max_bytes,
                                               const BetweenParts& between = {});
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file, std::uint64_t max_bytes);

/// Returns true if both paths are the same existing file. The paths can be links or have different spellings.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Returns true if `file` is a device, a pipe or an open descriptor, such as /dev/null, /dev/stdout or
/// /dev/fd/63. write_file() writes to such a file and never replaces it.
[[nodiscard]] bool is_stream(const std::filesystem::path& file);

/// Throws `Error(input)` if write_file() would fail. Callers check this before long work. Neither creates nor
/// changes a file.
void require_writable(const std::filesystem::path& file);

/// Writes all bytes to a file. If this fails, throws `Error(input)` and leaves the old file unchanged.
/// - Symbolic links are followed. An existing file keeps its mode and owner.
/// - The bytes are written to a temporary file in the same folder and flushed to the disk. Then the temporary
///   file replaces `file`.
/// - A file with several hard links, or in a folder without write permission, is overwritten directly.
/// - Devices and pipes are written as streams. If `stop` is requested while the function waits for the reader
///   of a pipe, it throws `Error(cancelled)`.
void write_file(const std::filesystem::path& file, std::string_view bytes, const std::stop_token& stop = {});

/// Identifies the content of a file at one moment. It changes whenever the file is written or replaced. All
/// fields are zero if the file does not exist.
struct FileVersion {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileVersion&) const = default;
};
[[nodiscard]] FileVersion version_of(const std::filesystem::path& file);

/// Writes a file like write_file() if its version is `expected`. If the version differs, another program
/// changed the file: returns false and writes nothing. Callers that write to the same folder at the same time
/// wait for each other.
[[nodiscard]] bool write_file_if_unchanged(const std::filesystem::path& file, const FileVersion& expected,
                                           std::string_view bytes);

}  // namespace spira
