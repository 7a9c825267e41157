// Data of the diagrams in the lessons on dataflows and indexing. A view draws the data. A diagram with an
// animation stores the states before and after the animation.
#pragma once

#include "engine/lesson/facts/facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spira {

/// A part of a kernel map as a matrix. The rows are outputs that are adjacent in the array of voxels. The
/// columns are all offsets.
struct MapMatrix {
  enum class Play : std::uint8_t {
    fill,     ///< fills the cells row by row
    rows,     ///< processes the matrix row by row (output-stationary); an empty cell costs as much as a full
              ///< cell
    columns,  ///< processes one column after another (weight-stationary) and adds each pair to its output
    /// Splits the matrix: columns with an L1 norm below `threshold` are dense, the others become lists of
    /// pairs.
    divide,
    /// Shows that the pairs of -delta mirror the pairs of delta, so that half of the columns need not be
    /// stored.
    halves
  };
  Play play = Play::fill;
  std::vector<std::int64_t> outputs;  ///< rows of the shown outputs in the level
  /// Offsets in drawing order: sorted by L1 norm, or in ascending order for `halves`.
  std::vector<int> columns;
  std::vector<int> norms;    ///< L1 norm of each column
  std::vector<char> filled;  ///< shape: `[outputs * columns]`; 1 if the output has an input at the offset
  int threshold = 0;         ///< t, used only by `divide`

  [[nodiscard]] bool at(std::size_t row, std::size_t column) const {
    return filled[(row * columns.size()) + column] != 0;
  }
};

/// Curves over the threshold t, over the layers of a network, or over the L1 norm of an offset.
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
    chosen,  ///< curve of the voxels in the lasso selection
    stride_1,
    stride_2,
    stride_4,
    stride_8,
    stride_16
  };
  enum class Over : std::uint8_t { threshold, layer, norm };
  struct Point {
    int x = 0;
    double value = 0, spread = 0;  ///< `spread` is the interquartile range (IQR), or 0 if it is not known
  };
  struct Curve {
    Of of = Of::dense_slots;
    std::vector<Point> points;  ///< sorted by x in ascending order
  };
  Over over = Over::threshold;
  std::string unit;           ///< unit of y: "ms", "B" or "%"; empty for a count per voxel
  std::vector<Curve> curves;  ///< empty if nothing was counted or measured
};

/// Boxes on horizontal lanes, like a Gantt chart, and the positions to which the animation moves the boxes.
struct LessonLanes {
  enum class Unit : std::uint8_t {
    ms,    ///< the length of a box is a measured time
    waits  ///< all boxes have the same length, because only the dependencies are shown
  };
  enum class Reveal : std::uint8_t {
    in_time,  ///< boxes appear one after another, at their start times
    moving    ///< all boxes are visible and move from `begin` to `begin_after`
  };
  struct Piece {
    StageKey stage;
    int lane = 0;
    double begin = 0, length = 0;  ///< in the unit of LessonLanes::unit
    double begin_after = 0;        ///< position after the animation on the same lane, for `moving`
    bool indexing = false;  ///< true for stages of voxels, levels and maps; false for stages of features
  };
  Unit unit = Unit::ms;
  Reveal reveal = Reveal::in_time;
  std::vector<std::string> lanes;
  std::vector<Piece> pieces;  ///< empty if nothing was measured
  /// Returns the latest end of all boxes, both before and after the animation.
  [[nodiscard]] double longest() const;
};

/// A column chart. It shows the density of each offset, or the slowdown of each stage (its time in situ
/// divided by its isolated time).
struct LessonColumns {
  enum class Of : std::uint8_t { density, in_situ_ratio };
  struct Column {
    /// An offset such as "(1, 0, -1)", in steps of the level's stride, or the name of a stage.
    std::string name;
    /// For an offset: its L1 norm. For a stage: 0 if the stage computes voxels, levels or maps, and 1 if it
    /// computes features.
    int group = 0;
    double value = 0;
    int offset = -1;  ///< column in the kernel map; -1 if this entry is a stage
  };
  Of of = Of::density;
  std::vector<Column> columns;  ///< in drawing order, sorted by group
};

/// The levels of the scene, computed in two ways: step by step from the previous level, and in closed form
/// from level 0.
struct LessonLevels {
  struct Level {
    int stride = 1;
    std::int64_t voxels = 0;
    bool equal = true;  ///< true if both computations return exactly the keys of the level in the scene
  };
  std::vector<Level> levels;  ///< sorted by stride in ascending order; the first level is level 0
};

/// The cost of running stages concurrently: a chart of the slowdown of each stage (left) and a chart of the
/// memory of the maps (right).
struct LessonPrice {
  LessonColumns ratios;
  LessonCurves held;
};

using LessonDiagram = std::variant<std::monostate, MapMatrix, LessonCurves, LessonLanes, LessonColumns,
                                   LessonLevels, LessonPrice>;

/// Returns true if `kind`, an entry of lesson_motions(), is a diagram. Some diagrams also animate the 3D
/// scene.
[[nodiscard]] bool is_diagram(std::string_view kind) noexcept;
/// Returns true if lesson_diagram() returns a `MapMatrix` for this kind.
[[nodiscard]] bool is_matrix(std::string_view kind) noexcept;
/// Returns the diagram of this kind. Returns an empty diagram if it needs a measured run or a sweep and
/// there is none.
[[nodiscard]] LessonDiagram lesson_diagram(std::string_view kind, const LessonInput& input, Job& job);
/// Returns the outputs that a matrix shows: consecutive rows that start at the selected voxel, or at the
/// voxel in the middle of the array if none is selected.
[[nodiscard]] std::vector<std::int64_t> matrix_outputs(const LessonInput& input);

/// Returns the density of all K^3 offsets of the kernel on the level of `input`. The columns are sorted by
/// L1 norm and then by descending density. A density is a share of the voxels.
[[nodiscard]] LessonColumns norm_columns(const LessonInput& input, Job& job);
/// Returns one curve for each level of the scene: the mean density in percent over the L1 norm, starting at
/// norm 1.
[[nodiscard]] LessonCurves stride_curves(const LessonInput& input, Job& job);

/// Returns the number of dense slots and of sparse pairs per voxel for each t, counted on the level of
/// `input`.
[[nodiscard]] LessonCurves work_curves(const LessonInput& input, Job& job);
/// Returns the measured time for each t, from the sweep of the run. Also returns the modelled times if
/// `with_model` is true.
[[nodiscard]] LessonCurves sweep_curves(const LessonInput& input, bool with_model, Job& job);
/// Returns the bytes of the kernel maps that are in memory while each layer is computed.
[[nodiscard]] LessonCurves held_curves(const LessonInput& input);
/// Returns the time in situ divided by the isolated time for each stage. Returns an empty diagram if the run
/// has no in-situ times.
[[nodiscard]] LessonColumns ratio_columns(const LessonInput& input);
[[nodiscard]] LessonLevels level_links(const LessonInput& input, Job& job);
/// Returns the isolated stages one after another in time, on two lanes: one lane for the stages of indexing
/// and one lane for the stages of the features.
[[nodiscard]] LessonLanes serial_lanes(const LessonInput& input);
/// Returns the levels at their positions in step-by-step order, and their earliest possible positions if
/// they are computed in closed form.
[[nodiscard]] LessonLanes level_lanes(const LessonInput& input);
/// Returns the levels and maps in the order of the layers, and the earliest position at which each can
/// begin.
[[nodiscard]] LessonLanes map_lanes(const LessonInput& input);
/// Returns the isolated stages one after another and, below them, the tracks of the timeline. Both use the
/// same time axis.
[[nodiscard]] LessonLanes overlap_lanes(const LessonInput& input);

}  // namespace spira
