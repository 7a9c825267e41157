// Diagrams of the lessons on dataflows and indexing, as plain data that a view draws. A diagram contains the
// states before and after its animation.
#pragma once

#include "engine/lesson/facts/facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spira {

/// A part of a kernel map as a matrix. Its rows are outputs that are adjacent in the array, and its columns
/// are all offsets.
struct MapMatrix {
  enum class Play : std::uint8_t {
    fill,     ///< fills the cells row by row
    rows,     ///< output-stationary: empty cells cost as much as full cells
    columns,  ///< weight-stationary: the pairs of one offset after another, with the additions to each output
    divide,   ///< columns below `threshold` are dense, the others become pairs
    halves    ///< the pairs of -delta mirror the pairs of delta, so that half of the columns is not stored
  };
  Play play = Play::fill;
  std::vector<std::int64_t> outputs;  ///< rows of the level
  std::vector<int> columns;  ///< offsets in drawing order: by norm, or in ascending order for `halves`
  std::vector<int> norms;    ///< [columns]
  std::vector<char> filled;  ///< `[outputs * columns]`, 1 if there is an input
  int threshold = 0;         ///< used by `divide`

  [[nodiscard]] bool at(std::size_t row, std::size_t column) const {
    return filled[(row * columns.size()) + column] != 0;
  }
};

/// Curves over thresholds, over the layers of a network, or over the L1 norms of offsets.
struct LessonCurves {
  enum class Of : std::uint8_t {
    dense_slots,
    sparse_pairs,
    measured,
    modelled,
    held_network_wide,
    held_layer_by_layer,
    whole_scene,
    walls,
    ground,
    poles,
    scattered,
    chosen,  ///< lasso selection
    stride_1,
    stride_2,
    stride_4,
    stride_8,
    stride_16
  };
  enum class Over : std::uint8_t { threshold, layer, norm };
  struct Point {
    int x = 0;
    double value = 0, spread = 0;  ///< `spread` is the IQR, 0 if there is none
  };
  struct Curve {
    Of of = Of::dense_slots;
    std::vector<Point> points;  ///< ascending in x
  };
  Over over = Over::threshold;
  std::string unit;           ///< "ms", "B", "%"; empty for a count per voxel
  std::vector<Curve> curves;  ///< empty if nothing was counted or measured
};

/// Pieces of work on lanes, and the positions that they move to.
struct LessonLanes {
  enum class Unit : std::uint8_t {
    ms,    ///< measured time
    waits  ///< all pieces have the same length; only the dependencies are shown
  };
  enum class Reveal : std::uint8_t {
    in_time,  ///< pieces appear as their time passes
    moving    ///< all pieces are visible and move from `begin` to `begin_after`
  };
  struct Piece {
    StageKey stage;
    int lane = 0;
    double begin = 0, length = 0;  ///< in `unit`
    double begin_after = 0;        ///< final position on the same lane, for `moving`
    bool indexing = false;         ///< true for voxels, levels and maps, false for features
  };
  Unit unit = Unit::ms;
  Reveal reveal = Reveal::in_time;
  std::vector<std::string> lanes;
  std::vector<Piece> pieces;  ///< empty if nothing was measured
  /// Returns the latest end of all pieces, at their first and final positions.
  [[nodiscard]] double longest() const;
};

/// A column chart: the density of each offset, or the slowdown of each stage in situ (the time in situ
/// divided by the isolated time).
struct LessonColumns {
  enum class Of : std::uint8_t { density, in_situ_ratio };
  struct Column {
    std::string name;  ///< "(1, 0, -1)" in steps of the level, or the name of a stage
    /// L1 norm of an offset. For stages, 0 is voxels, levels and maps, and 1 is features.
    int group = 0;
    double value = 0;
    int offset = -1;  ///< column of the map; -1 if the value is not about an offset
  };
  Of of = Of::density;
  std::vector<Column> columns;  ///< in drawing order, sorted by group
};

/// The levels of the scene, computed step by step from the previous level and in closed form from level 0.
struct LessonLevels {
  struct Level {
    int stride = 1;
    std::int64_t voxels = 0;
    bool equal = true;  ///< true if both computations give exactly the keys of the level in the scene
  };
  std::vector<Level> levels;  ///< ascending strides; the first is level 0
};

/// Cost of running stages concurrently: the slowdown of each stage on the left, the memory of the maps on
/// the right.
struct LessonPrice {
  LessonColumns ratios;
  LessonCurves held;
};

using LessonDiagram = std::variant<std::monostate, MapMatrix, LessonCurves, LessonLanes, LessonColumns,
                                   LessonLevels, LessonPrice>;

/// Returns true if a kind of lesson_motions() is a diagram. Some of these also animate the scene.
[[nodiscard]] bool is_diagram(std::string_view kind) noexcept;
/// Returns true if the diagram is a `MapMatrix`.
[[nodiscard]] bool is_matrix(std::string_view kind) noexcept;
/// Returns an empty diagram if the run or the sweep to draw does not exist.
[[nodiscard]] LessonDiagram lesson_diagram(std::string_view kind, const LessonInput& input, Job& job);
/// Returns the outputs that a matrix shows: consecutive rows that start at the selected voxel, or at the
/// voxel in the middle of the array if none is selected.
[[nodiscard]] std::vector<std::int64_t> matrix_outputs(const LessonInput& input);

/// Returns all K^3 offsets of the kernel on the level of `input`, sorted by norm and then by descending
/// density. Values are shares of the voxels.
[[nodiscard]] LessonColumns norm_columns(const LessonInput& input, Job& job);
/// Returns one curve for each level of the scene: the mean density by L1 norm, in percent, starting at norm
/// 1.
[[nodiscard]] LessonCurves stride_curves(const LessonInput& input, Job& job);

/// Returns the dense slots and sparse pairs per voxel for each t, counted on the open level.
[[nodiscard]] LessonCurves work_curves(const LessonInput& input, Job& job);
/// Returns the times of the sweep of the run and, if `with_model` is true, the modelled times.
[[nodiscard]] LessonCurves sweep_curves(const LessonInput& input, bool with_model, Job& job);
/// Returns the bytes of the maps held while each layer is computed.
[[nodiscard]] LessonCurves held_curves(const LessonInput& input);
/// Returns, for each stage, the time in situ divided by the isolated time. Returns an empty diagram if the
/// run was not measured in situ.
[[nodiscard]] LessonColumns ratio_columns(const LessonInput& input);
/// Returns the levels of the scene, recomputed step by step and in closed form.
[[nodiscard]] LessonLevels level_links(const LessonInput& input, Job& job);
/// Returns the isolated stages end to end, with indexing on one lane and features on the other.
[[nodiscard]] LessonLanes serial_lanes(const LessonInput& input);
/// Returns the levels in step-by-step order, and the positions where they can begin if they are computed in
/// closed form.
[[nodiscard]] LessonLanes level_lanes(const LessonInput& input);
/// Returns the levels and maps in the order of the layers, and the earliest positions where they can begin.
[[nodiscard]] LessonLanes map_lanes(const LessonInput& input);
/// Returns the isolated stages end to end, and below them the tracks of the timeline, on one time axis.
[[nodiscard]] LessonLanes overlap_lanes(const LessonInput& input);

}  // namespace spira
