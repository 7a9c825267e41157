// Divides the frames of a folder into shards, so that several processes or machines can share the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace spira {

/// One of `count` shards of a list of frames. The frame with index i belongs to shard number i mod count + 1.
struct Shard {
  std::int64_t number = 1, count = 1;
  std::int64_t frames = 0;  ///< Number of frames in the whole list.
  std::uint64_t list = 0;   ///< list_fingerprint() of the whole list.

  [[nodiscard]] std::int64_t own_frames() const noexcept { return (frames - number + count) / count; }
  /// Returns the index of a frame in the whole list. `at` is its index in the shard.
  [[nodiscard]] std::int64_t index_of(std::int64_t at) const noexcept { return at * count + number - 1; }
  [[nodiscard]] std::string text() const;  ///< Returns the text for parse_shard().
  bool operator==(const Shard&) const = default;
};

/// The maximum number of shards.
constexpr std::int64_t max_shards = 1'000'000;

/// Parses "K/N" with 1 <= K <= N <= max_shards. Throws `Error(usage)` for other texts.
[[nodiscard]] Shard parse_shard(const std::string& text);

/// Returns a hash of the names and sizes of the frames, without their folder. The size of a scene that is a
/// folder is the sum of the sizes of its files.
[[nodiscard]] std::uint64_t list_fingerprint(const std::vector<std::filesystem::path>& frames);

/// Returns the size of a file, or the sum of the sizes of the files in a folder, in bytes.
[[nodiscard]] std::uint64_t frame_bytes(const std::filesystem::path& frame);

/// Removes the frames of other shards from `frames`. Returns the shard with the facts of the whole list. The
/// shard is empty if it has a higher number than there are frames. Throws the errors of parse_shard().
[[nodiscard]] Shard take_shard(const std::string& text, std::vector<std::filesystem::path>& frames);

/// A file with the results of one shard.
struct ShardFile {
  std::string file;
  Shard shard;
};
/// Throws `Error(input)` unless the files contain each shard of one list exactly once. Shards without frames
/// may be missing. If `partial` is true, all shards may be missing.
void require_all_shards(const std::vector<ShardFile>& files, bool partial);

}  // namespace spira
