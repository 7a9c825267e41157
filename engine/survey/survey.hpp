// Surveys a data set: one row per frame, and a summary of all frames.
#pragma once

#include "engine/base/error.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/scene/shard.hpp"
#include "engine/survey/frame_neighbours.hpp"
#include "engine/survey/summary.hpp"
#include "engine/voxel/fit.hpp"
#include "engine/voxel/grid.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

class Backend;

struct SurveyRequest {
  /// The folder as the user entered it, or the folder of the first frame if the user selected single frames.
  std::string folder;
  bool picked = false;  ///< True if the user selected single frames instead of a folder.
  /// The frames in the order of the rows. For a folder, this is the order of list_frames().
  std::vector<std::filesystem::path> frames;
  /// If it is set, `frames` contains only the frames of this shard of the folder.
  std::optional<Shard> shard;
  std::string format;  ///< The id of the file format. If empty, the format of each frame is detected.
  /// The grid of all frames. If empty, a grid that suits the first readable frame is used for all frames.
  std::optional<Grid> grid;
  std::optional<Bounds> crop_m;  ///< The crop of every frame. The upper corner does not belong to the crop.
  /// The packing of every frame. If empty, each frame uses the first packing that fits.
  std::optional<PackSpec> pack;
  /// The kernel size and the maximum stride with which fit() checks the packings.
  int judged_kernel_size = 5, judged_max_stride = 16;
  /// The network for which the packings are checked, as the user entered it, and its Levels::needs. If empty,
  /// the packings are checked for judged_kernel_size and judged_max_stride.
  std::string network;
  std::optional<PackNeeds> network_needs;
  std::uint64_t network_fingerprint = 0;  ///< 0 if there is no network.
  /// The kernel size and the stride for which densities are computed. They must not exceed judged_kernel_size
  /// and judged_max_stride. If the kernel size is 0, no densities are computed.
  int density_kernel_size = 0, density_stride = 1;
  /// The map whose neighbours are counted. Its kernel must be native, and the packings are checked for this
  /// map instead of the other requirements. If empty, no neighbours are counted.
  std::optional<MapKey> neighbours_of;
  PositionKind positions = PositionKind::nearest;  ///< The positions that `neighbours_of` reads.
  [[nodiscard]] PackNeeds needs() const;  ///< Returns the requirements for which the packings are checked.
};

struct FrameExtent {
  std::array<std::int64_t, 3> span{};  ///< The size of the frame in cells.
  /// Number of cells from coordinate 0 to the highest voxel, after the shift. A packing must hold them.
  std::array<std::int64_t, 3> fit_cells{};
  std::array<int, 3> bits{};  ///< Number of bits for `span`, without guard cells.
  [[nodiscard]] int bits_sum() const noexcept { return bits[0] + bits[1] + bits[2]; }
};

/// Returns the extent of a frame for a network with these levels.
[[nodiscard]] FrameExtent extent_of(const VoxelRange& range, const LevelReach& levels);

struct FrameDensities {
  std::int64_t voxels = 0, pairs = 0;  ///< Counted on the level of `density_stride`.
  std::vector<L1Density> groups;       ///< In ascending order of L1 norms, as in Densities.
};

/// The results for one frame. After an error, the values that were computed before it are kept.
struct FrameRow {
  std::string name;                    ///< The file name without the folder.
  std::optional<std::int64_t> points;  ///< Empty if the file could not be read.
  std::optional<FrameExtent> extent;
  std::optional<std::int64_t> voxels;
  std::optional<FrameDensities> densities;
  std::optional<FrameNeighbours> neighbours;
  /// Whether the frame fits each packing of `Survey::packings`, in order. Empty if the frame has no points.
  std::vector<bool> fits;
  /// The notes about the file, then the notes about the grid, one line each.
  std::vector<std::string> notes{};
  std::optional<ErrorKind> fault_kind;  ///< `input`, `does_not_fit` or a device error.
  std::string fault;                    ///< One line, without the file name.
  [[nodiscard]] bool surveyed() const noexcept { return !fault_kind; }
};

struct Survey {
  SurveyRequest request;
  LengthUnit unit = LengthUnit::metres;  ///< Unit of `grid` and of the coordinates of all frames.
  std::optional<Grid> grid;              ///< The grid of all frames. Empty if no frame could be read.
  /// The name of the frame from which the grid was computed. Empty if the grid was requested.
  std::string grid_from;
  std::vector<FrameRow> rows;
  /// The usual packings, the requested packing, and packings that fit the largest extents of all frames.
  std::vector<PackSpec> packings;
  SurveySummary summary;
  /// Returns true if the survey was stopped before all frames had a row.
  [[nodiscard]] bool partial() const noexcept { return rows.size() < request.frames.size(); }
};

/// Computes `packings` and `summary` from the rows. The survey may be incomplete, as in the callback of
/// survey_frames().
void summarise(Survey& survey);

/// Surveys one frame after another, so that only one frame is in memory. If a frame cannot be read, does not
/// fit or needs too much memory, its row contains the fault. After each row, calls `done` with the survey so
/// far, whose `packings` and `summary` are empty. If the job is stopped, returns the completed rows and their
/// summary. Throws `Error(usage)` if the request is not valid for any frame.
[[nodiscard]] Survey survey_frames(SurveyRequest request, Backend& backend, Job& job,
                                   const std::function<void(const Survey&)>& done = {});

/// Returns the command that repeats the survey, as separate words. If `densities` is true and the survey has
/// densities, the command contains the kernel size and stride of the densities. Otherwise, it contains the
/// kernel size and stride for which packings are checked. A survey of neighbours has the command `spira
/// neighbours`.
[[nodiscard]] std::vector<std::string> command_of_survey(const Survey& survey, bool densities);

/// Returns all rows and the summary as JSON. The text ends with a newline.
[[nodiscard]] std::string survey_json(const Survey& survey);
/// Reads a survey from the text of survey_json(). Its packings are those of the file, and its summary is
/// computed from its rows. If the packings were checked for a network, `network_needs` is missing, and the
/// caller must set it before summarise(). The frames that have a row are names without a folder. Throws
/// `Error(input)` with the name of the file and the member if a value is invalid.
[[nodiscard]] Survey read_survey(std::string_view text, const std::string& file);

struct SurveyFile {
  std::string file;
  Survey survey;
};
/// Merges surveys of all shards of a folder. The result is equal to the survey of the whole folder, because
/// the rows are kept and the statistics are computed again. If `partial` is true, shards and frames may be
/// missing. Throws `Error(input)` if a shard is missing or occurs twice, or if the folder or a setting
/// differs between the surveys.
[[nodiscard]] Survey merge_surveys(std::vector<SurveyFile> parts, bool partial);

}  // namespace spira
