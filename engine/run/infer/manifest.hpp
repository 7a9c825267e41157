// The list of finished frames in the output folder of `spira infer`. An interrupted command continues with
// it.
#pragma once

#include "engine/scene/shard.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace spira {

/// The hashes that determine the results of a frame.
struct RunFingerprints {
  std::uint64_t network = 0, weights = 0;
  /// Hash of all other settings: plan, grid, crop, packing, precision, back end, layers and program version.
  std::uint64_t settings = 0;
  bool operator==(const RunFingerprints&) const = default;
};

/// One line of a manifest: a frame that is finished or has failed.
struct FrameLine {
  std::string frame;        ///< The file name without the folder.
  std::uint64_t bytes = 0;  ///< Result of frame_bytes() for the frame.
  RunFingerprints run;
  std::string file;  ///< The name of the results file. Empty if the frame has failed.
  std::uint64_t file_bytes = 0;
  std::int64_t points = 0, voxels = 0;
  std::string pack;  ///< The packing of the frame, as text.
  double read_ms = 0, engine_ms = 0;
  std::string fault;  ///< One line. Empty if the frame is finished.
};

/// Returns one line of JSON, without a line end.
[[nodiscard]] std::string frame_line_json(const FrameLine& line, const std::optional<Shard>& shard);
/// Returns an empty optional if the text is not a line of a manifest.
[[nodiscard]] std::optional<FrameLine> parse_frame_line(std::string_view text);

/// Appends whole lines to the manifest of one shard. Only one process can open it at a time.
class Manifest {
 public:
  /// Opens `manifest.jsonl` in `folder`, or `manifest-K-of-N.jsonl` for a shard. Removes an incomplete last
  /// line, which an interrupted process may have left. Reads the lines of all manifests in the folder, so a
  /// command can continue with another number of shards. Throws `Error(input)` if the file cannot be written,
  /// or if another process has opened it.
  Manifest(const std::filesystem::path& folder, const std::optional<Shard>& shard);
  ~Manifest();
  Manifest(const Manifest&) = delete;
  Manifest& operator=(const Manifest&) = delete;

  /// Returns true if a line states that the frame is finished with these fingerprints, the frame still has
  /// the same size, and its results file exists with the stated size.
  [[nodiscard]] bool finished(const std::filesystem::path& frame, const RunFingerprints& run) const;
  /// Appends a line and flushes it to the disk. Throws `Error(input)` if it cannot be written.
  void append(const FrameLine& line);

 private:
  void read_lines();

  std::filesystem::path folder_, file_;
  std::optional<Shard> shard_;
  int descriptor_ = -1;
  std::map<std::string, FrameLine> lines_;  ///< The last line of each frame.
};

}  // namespace spira
