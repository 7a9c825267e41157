// A survey of a data set: one row a frame, and what the frames say together. Pure data, apart from the pass.
#pragma once

#include "engine/base/error.hpp"
#include "engine/map/densities.hpp"
#include "engine/survey/summary.hpp"
#include "engine/voxel/grid.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spira {

class Backend;

struct SurveyRequest {
  std::string folder;                         ///< as given; of picked frames the first one's
  bool picked = false;                        ///< one by one, instead of a folder with all that is in it
  std::vector<std::filesystem::path> frames;  ///< in the order of the rows: list_frames()
  std::string format;                         ///< id; empty: guessed for each frame
  std::optional<Grid> grid;      ///< empty: the one that suits the first frame that can be read, for all
  std::optional<Bounds> crop_m;  ///< of each frame; half-open
  std::optional<PackSpec> pack;  ///< empty: for each frame the first that fits
  int judged_kernel_size = 5, judged_max_stride = 16;  ///< what packings are judged for, as in fit()
  int density_kernel_size = 0, density_stride = 1;     ///< size 0: no densities; within what is judged
};

struct FrameExtent {
  std::array<std::int64_t, 3> span{};       ///< cells of the frame per axis
  std::array<std::int64_t, 3> fit_cells{};  ///< cells from the shifted zero on: what a packing must hold
  std::array<int, 3> bits{};                ///< for `span`, without guard cells
  [[nodiscard]] int bits_sum() const noexcept { return bits[0] + bits[1] + bits[2]; }
};

/// For strides up to `max_stride`.
[[nodiscard]] FrameExtent extent_of(const VoxelRange& range, int max_stride);

struct FrameDensities {
  std::int64_t voxels = 0, pairs = 0;  ///< of the level at density_stride
  std::vector<L1Density> groups;       ///< by ascending norm, as in Densities
};

/// A fault ends a frame where it stands: what was known before stays.
struct FrameRow {
  std::string name;                    ///< of the file, without its folder
  std::optional<std::int64_t> points;  ///< empty: could not be read
  std::optional<FrameExtent> extent;
  std::optional<std::int64_t> voxels;
  std::optional<FrameDensities> densities;
  std::vector<bool> fits;               ///< by Survey::packings; empty for a frame without points
  std::vector<std::string> notes{};     ///< of the file, then of the grid; one line each
  std::optional<ErrorKind> fault_kind;  ///< input, does_not_fit or device
  std::string fault;                    ///< one line, without the name
  [[nodiscard]] bool surveyed() const noexcept { return !fault_kind; }
};

struct Survey {
  SurveyRequest request;
  std::optional<Grid> grid;  ///< used for all frames; empty where none could be read
  std::string grid_from;     ///< name of the frame that it was chosen to suit; empty where it was asked for
  std::vector<FrameRow> rows;
  /// The usual ones, the one asked for, and those that fit the largest extent of each axis over the frames.
  std::vector<PackSpec> packings;
  SurveySummary summary;
  /// Stopped before all frames of the request had a row.
  [[nodiscard]] bool partial() const noexcept { return rows.size() < request.frames.size(); }
};

/// Fills packings and summary of a survey that has rows only, as `done` below gets it.
void summarise(Survey& survey);

/// Frame by frame: memory of one frame. A frame that cannot be read, does not fit or needs more memory than
/// there is is a row with its fault. `done` sees the survey after each row, without packings and summary.
/// Stopping the job gives the rows that were finished, summarised. Throws Error(usage) for a request that no
/// frame could satisfy.
[[nodiscard]] Survey survey_frames(SurveyRequest request, Backend& backend, Job& job,
                                   const std::function<void(const Survey&)>& done = {});

}  // namespace spira
