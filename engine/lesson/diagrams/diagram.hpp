// Defines the data of the diagrams in the lessons on dataflows and indexing. Views draw this data. If a
// diagram has an animation, its data contains the state before and the state after the animation.
#pragma once

#include "engine/lesson/facts/facts.hpp"
#include "engine/map/redundancy.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spira {

/// Some rows of a kernel map as a matrix. The rows are outputs that are adjacent in the list of voxels. The
/// columns are all offsets of the kernel.
struct MapMatrix {
  enum class Play : std::uint8_t {
    fill,     ///< Fills the cells row by row.
    rows,     ///< Works row by row (output-stationary). An empty cell costs as much as a full cell.
    columns,  ///< Works column by column (weight-stationary) and adds each pair to its output.
    /// Divides the matrix: columns with an L1 norm below `threshold` are dense, the others are lists of
    /// pairs.
    divide,
    /// Shows that the pairs of the offset -delta mirror the pairs of delta, so one of the columns is
    /// redundant.
    halves
  };
  Play play = Play::fill;
  std::vector<std::int64_t> outputs;  ///< The rows of the shown outputs in the level.
  /// The offsets in the order in which they are drawn: sorted by L1 norm, or in ascending order for `halves`.
  std::vector<int> columns;
  std::vector<int> norms;    ///< The L1 norm of each column.
  std::vector<char> filled;  ///< Shape: `[outputs * columns]`. 1 if the output has an input at the offset.
  int threshold = 0;         ///< The threshold t. Used only by `divide`.

  [[nodiscard]] bool at(std::size_t row, std::size_t column) const {
    return filled[(row * columns.size()) + column] != 0;
  }
};

/// Some outputs of a kernel map in their natural order and sorted by their masks.
struct LessonSorting {
  bool folds = false;                 ///< If true, the diagram shows the splits and their partial sums.
  std::vector<std::int64_t> outputs;  ///< The rows of the shown outputs in the level.
  RowsPicture natural, sorted;        ///< Has one bin per output.
  Redundancy before, after;           ///< The slots in natural order, and in the order of `sorted`.
  std::size_t marked = 0;             ///< The output with the most pairs, as an index of `outputs`.

  /// Returns the number of pairs of an output in the columns of a split. `output` is an index of `outputs`.
  [[nodiscard]] int pairs_of(std::size_t output, int split) const;
};

/// Curves over the threshold t, over the layers of a network, or over the L1 norm of the offsets.
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
    chosen,  ///< The curve of the voxels in the lasso selection.
    stride_1,
    stride_2,
    stride_4,
    stride_8,
    stride_16
  };
  enum class Over : std::uint8_t { threshold, layer, norm };
  struct Point {
    int x = 0;
    double value = 0, spread = 0;  ///< `spread` is the interquartile range. 0 if it is not known.
  };
  struct Curve {
    Of of = Of::dense_slots;
    std::vector<Point> points;  ///< In ascending order of x.
  };
  Over over = Over::threshold;
  std::string unit;           ///< The unit of y: "ms", "B" or "%". Empty if y is a count per voxel.
  std::vector<Curve> curves;  ///< Empty if nothing was counted or measured.
};

/// Boxes on horizontal lanes, as in a Gantt chart, and the positions to which an animation moves them.
struct LessonLanes {
  enum class Unit : std::uint8_t {
    ms,    ///< The length of a box is a measured time.
    waits  ///< All boxes have the same length, because only the dependencies are shown.
  };
  enum class Reveal : std::uint8_t {
    in_time,  ///< The boxes appear at their start times.
    moving    ///< All boxes are visible and move from `begin` to `begin_after`.
  };
  struct Piece {
    StageKey stage;
    int lane = 0;
    double begin = 0, length = 0;  ///< In the unit of LessonLanes::unit.
    double begin_after = 0;        ///< Position on the same lane after the animation, for `moving`.
    /// True for stages that compute voxels, levels or maps. False for stages that compute features.
    bool indexing = false;
  };
  Unit unit = Unit::ms;
  Reveal reveal = Reveal::in_time;
  std::vector<std::string> lanes;
  std::vector<Piece> pieces;  ///< Empty if nothing was measured.
  /// Returns the largest end position of all boxes, before or after the animation.
  [[nodiscard]] double longest() const;
};

/// A column chart. It shows the density of each offset, or the slowdown of each stage: its in-situ time
/// divided by its isolated time.
struct LessonColumns {
  enum class Of : std::uint8_t { density, in_situ_ratio };
  struct Column {
    /// An offset such as "(1, 0, -1)", in steps of the level's stride, or the name of a stage.
    std::string name;
    /// The L1 norm of an offset. For a stage, 0 if it computes voxels, levels or maps, and 1 for features.
    int group = 0;
    double value = 0;
    int offset = -1;  ///< The column of the offset in the kernel map. -1 if the entry is a stage.
  };
  Of of = Of::density;
  std::vector<Column> columns;  ///< In the order of drawing, sorted by group.
};

/// The levels of the scene, computed in two ways: step by step, each from the previous level; and in closed
/// form, each from level 0.
struct LessonLevels {
  struct Level {
    int stride = 1;
    std::int64_t voxels = 0;
    bool equal = true;  ///< True if both ways compute exactly the keys of the level in the scene.
  };
  std::vector<Level> levels;  ///< In ascending order of strides, beginning with level 0.
};

/// The cost of running stages concurrently: a chart of the slowdown of each stage (left) and a chart of the
/// memory of the kernel maps (right).
struct LessonPrice {
  LessonColumns ratios;
  LessonCurves held;
};

using LessonDiagram = std::variant<std::monostate, MapMatrix, LessonSorting, LessonCurves, LessonLanes,
                                   LessonColumns, LessonLevels, LessonPrice>;

/// Returns true if `kind` is the name of a diagram. `kind` must be an entry of lesson_motions(). Some
/// diagrams also animate the 3D scene.
[[nodiscard]] bool is_diagram(std::string_view kind) noexcept;
/// Returns the diagram of this kind, or an empty diagram if it needs a run or a sweep that does not exist.
[[nodiscard]] LessonDiagram lesson_diagram(std::string_view kind, const LessonInput& input, Job& job);
/// Returns the outputs that a matrix shows: consecutive rows that begin at the selected voxel. If no voxel is
/// selected, they begin in the middle of the list of voxels.
[[nodiscard]] std::vector<std::int64_t> matrix_outputs(const LessonInput& input);
/// Returns the outputs that the diagrams of sorting show: at most twenty rows at equal distances in the list
/// of voxels. Consecutive outputs would have nearly equal masks.
[[nodiscard]] std::vector<std::int64_t> sampled_outputs(const LessonInput& input);
/// Returns the outputs that are the rows of a diagram. Returns an empty list if the rows of the diagram are
/// not outputs.
[[nodiscard]] std::vector<std::int64_t> outputs_of_diagram(std::string_view kind, const LessonInput& input);
/// Returns the sampled outputs, sorted by their masks in `splits` splits. Throws `Error(usage)` if the
/// kernel does not allow this number of splits.
[[nodiscard]] LessonSorting sorted_rows(const LessonInput& input, int splits, Job& job);

/// Returns the densities of all K^3 offsets of the kernel on the level of `input`, as shares of the voxels.
/// They are sorted by L1 norm, then by descending density.
[[nodiscard]] LessonColumns norm_columns(const LessonInput& input, Job& job);
/// Returns the mean density in percent as a function of the L1 norm, beginning with norm 1. Each level of the
/// scene has one curve.
[[nodiscard]] LessonCurves stride_curves(const LessonInput& input, Job& job);

/// Returns for each t the number of dense slots and of sparse pairs per voxel, on the level of `input`.
[[nodiscard]] LessonCurves work_curves(const LessonInput& input, Job& job);
/// Returns the measured time as a function of t for the sweep. If `with_model` is true, also returns the
/// modelled times.
[[nodiscard]] LessonCurves sweep_curves(const LessonInput& input, bool with_model, Job& job);
/// Returns, for each layer, the bytes of the kernel maps that are in memory while the layer is computed.
[[nodiscard]] LessonCurves held_curves(const LessonInput& input);
/// Returns for each stage its in-situ time divided by its isolated time. Returns an empty diagram if the run
/// has no in-situ times.
[[nodiscard]] LessonColumns ratio_columns(const LessonInput& input);
[[nodiscard]] LessonLevels level_links(const LessonInput& input, Job& job);
/// Returns the isolated stages as boxes, one after another. One lane contains the stages of indexing, the
/// other lane contains the stages of features.
[[nodiscard]] LessonLanes serial_lanes(const LessonInput& input);
/// Returns one box per level. The boxes move from their positions in step-by-step computation to the earliest
/// possible positions in closed-form computation.
[[nodiscard]] LessonLanes level_lanes(const LessonInput& input);
/// Returns one box per level and map. The boxes move from their positions in the order of the layers to the
/// earliest possible positions.
[[nodiscard]] LessonLanes map_lanes(const LessonInput& input);
/// Returns the isolated stages one after another and, on the lanes below them, the tracks of the timeline.
/// All lanes have the same time axis.
[[nodiscard]] LessonLanes overlap_lanes(const LessonInput& input);

}  // namespace spira
