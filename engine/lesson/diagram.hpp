// The diagrams of the lessons on dataflows and indexing as plain data: what is drawn at the beginning of a
// motion and at its end. A view draws them; nothing here knows how.
#pragma once

#include "engine/lesson/facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spira {

/// A few rows of a kernel map: outputs that stand together in the array, against all offsets.
struct MapMatrix {
  enum class Play : std::uint8_t {
    fill,     ///< the cells of a row after the other
    rows,     ///< output-stationary: empty cells cost as full ones
    columns,  ///< weight-stationary: pairs of one offset after the other, and how often an output is added to
    divide,   ///< columns below `threshold` are dense, the others become pairs
    halves    ///< the pairs of -delta are those of delta: half of the columns is not stored
  };
  Play play = Play::fill;
  std::vector<std::int64_t> outputs;  ///< rows of the level
  std::vector<int> columns;  ///< offsets in the order they are drawn: by norm, for `halves` as numbered
  std::vector<int> norms;    ///< [columns]
  std::vector<char> filled;  ///< [outputs * columns], 1: an input is there
  int threshold = 0;         ///< of `divide`

  [[nodiscard]] bool at(std::size_t row, std::size_t column) const {
    return filled[(row * columns.size()) + column] != 0;
  }
};

/// Values over thresholds, over the layers of a network, or over the L1 norms of offsets.
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
    chosen,  ///< what was drawn around
    stride_1,
    stride_2,
    stride_4,
    stride_8,
    stride_16
  };
  enum class Over : std::uint8_t { threshold, layer, norm };
  struct Point {
    int x = 0;
    double value = 0, spread = 0;  ///< spread: IQR; 0: none
  };
  struct Curve {
    Of of = Of::dense_slots;
    std::vector<Point> points;  ///< ascending in x
  };
  Over over = Over::threshold;
  std::string unit;           ///< "ms", "B", "%"; empty: a count a voxel
  std::vector<Curve> curves;  ///< empty: nothing was counted or measured
};

/// Pieces of work on lanes, and where they go.
struct LessonLanes {
  enum class Unit : std::uint8_t {
    ms,    ///< as measured
    waits  ///< every piece is as long: only what waits for what is shown
  };
  enum class Reveal : std::uint8_t {
    in_time,  ///< pieces appear as their time passes
    moving    ///< all are there, and go from `begin` to `begin_after`
  };
  struct Piece {
    std::string stage;
    int lane = 0;
    double begin = 0, length = 0;  ///< in `unit`
    double begin_after = 0;        ///< of `moving`: where it ends up, on the same lane
    bool indexing = false;         ///< voxels, levels and maps; else features
  };
  Unit unit = Unit::ms;
  Reveal reveal = Reveal::in_time;
  std::vector<std::string> lanes;        ///< names
  std::vector<Piece> pieces;             ///< empty: nothing was measured
  [[nodiscard]] double longest() const;  ///< of both positions
};

/// A column each: the density of every offset, or how much every piece of a run stretched beside the others.
struct LessonColumns {
  enum class Of : std::uint8_t { density, in_situ_ratio };
  struct Column {
    std::string name;  ///< "(1, 0, -1)" in steps of the level, or a stage
    int group = 0;     ///< norm of the offset; 0: voxels, levels and maps, 1: features
    double value = 0;
    int offset = -1;  ///< column of the map; -1: it is about no offset
  };
  Of of = Of::density;
  std::vector<Column> columns;  ///< in the order they are drawn: groups stand together
};

/// From what each level is made: step by step from the one before, or all from level 0.
struct LessonLevels {
  struct Level {
    int stride = 1;
    std::int64_t voxels = 0;
    bool equal = true;  ///< both ways give the level of the scene, word by word
  };
  std::vector<Level> levels;  ///< ascending; the first is level 0
};

/// What it costs to run side by side: time on the left, memory on the right.
struct LessonPrice {
  LessonColumns ratios;
  LessonCurves held;
};

using LessonDiagram = std::variant<std::monostate, MapMatrix, LessonCurves, LessonLanes, LessonColumns,
                                   LessonLevels, LessonPrice>;

/// Kinds of lesson_motions() that are diagrams; some move in the scene as well.
[[nodiscard]] bool is_diagram(std::string_view kind) noexcept;
/// Those of a MapMatrix.
[[nodiscard]] bool is_matrix(std::string_view kind) noexcept;
/// Empty where there is nothing to draw: no run, no sweep.
[[nodiscard]] LessonDiagram lesson_diagram(std::string_view kind, const LessonInput& input, Job& job);
/// The outputs that a matrix is of: from the chosen voxel on, or from that in the middle of the array.
[[nodiscard]] std::vector<std::int64_t> matrix_outputs(const LessonInput& input);

}  // namespace spira
