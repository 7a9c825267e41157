#include "engine/lesson/diagrams/diagram.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/diagrams/shapes.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/lesson/facts/sorting_facts.hpp"
#include "engine/map/kernel_offsets.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace spira {
namespace {

constexpr std::int64_t max_outputs = 20;  // More rows are not legible in a small window.
constexpr int shown_threshold = 3;

constexpr std::array<std::pair<std::string_view, MapMatrix::Play>, 5> matrices{
    {{"matrix", MapMatrix::Play::fill},
     {"rows", MapMatrix::Play::rows},
     {"columns", MapMatrix::Play::columns},
     {"divide", MapMatrix::Play::divide},
     {"halves", MapMatrix::Play::halves}}};

constexpr std::array<std::pair<std::string_view, LessonDiagram (*)(const LessonInput&, Job&)>, 2>
    sort_diagrams{
        {{"sorted",
          [](const LessonInput& input, Job& job) -> LessonDiagram { return sorted_rows(input, 1, job); }},
         {"splits",
          [](const LessonInput& input, Job& job) -> LessonDiagram { return sorted_rows(input, 2, job); }}}};

constexpr std::array<std::pair<std::string_view, LessonDiagram (*)(const LessonInput&, Job&)>, 12> others{
    {{"norms", [](const LessonInput& input, Job& job) -> LessonDiagram { return norm_columns(input, job); }},
     {"strides",
      [](const LessonInput& input, Job& job) -> LessonDiagram { return stride_curves(input, job); }},
     {"floor", [](const LessonInput& input, Job& job) -> LessonDiagram { return level_links(input, job); }},
     {"work", [](const LessonInput& input, Job& job) -> LessonDiagram { return work_curves(input, job); }},
     {"sweep",
      [](const LessonInput& input, Job& job) -> LessonDiagram { return sweep_curves(input, false, job); }},
     {"model",
      [](const LessonInput& input, Job& job) -> LessonDiagram { return sweep_curves(input, true, job); }},
     {"shapes", [](const LessonInput& input, Job& job) -> LessonDiagram { return shape_curves(input, job); }},
     {"held",
      [](const LessonInput& input, Job&) -> LessonDiagram {
        return LessonPrice{ratio_columns(input), held_curves(input)};
      }},
     {"serial", [](const LessonInput& input, Job&) -> LessonDiagram { return serial_lanes(input); }},
     {"levels", [](const LessonInput& input, Job&) -> LessonDiagram { return level_lanes(input); }},
     {"maps", [](const LessonInput& input, Job&) -> LessonDiagram { return map_lanes(input); }},
     {"overlap", [](const LessonInput& input, Job&) -> LessonDiagram { return overlap_lanes(input); }}}};

template <class Table> auto find_kind(const Table& table, std::string_view kind) {
  return std::find_if(table.begin(), table.end(), [kind](const auto& one) { return one.first == kind; });
}

MapMatrix map_matrix(MapMatrix::Play play, const LessonInput& input) {
  MapMatrix matrix;
  matrix.play = play;
  matrix.outputs = matrix_outputs(input);
  const CoordSet& level = input.scene->level(input.stride);
  const KernelOffsets offsets(input.kernel_size, input.stride);
  matrix.threshold = std::min(shown_threshold, offsets.max_threshold());
  matrix.columns.resize(static_cast<std::size_t>(offsets.columns()));
  std::iota(matrix.columns.begin(), matrix.columns.end(), 0);
  if (play != MapMatrix::Play::halves)
    std::stable_sort(matrix.columns.begin(), matrix.columns.end(),
                     [&](int a, int b) { return offsets.l1(a) < offsets.l1(b); });
  for (const int column : matrix.columns)
    matrix.norms.push_back(offsets.l1(column));
  for (const std::int64_t output : matrix.outputs) {
    const Voxel q = voxel_at(level, output);
    for (const int column : matrix.columns) {
      const Voxel d = offsets.offset(column);
      const bool found = row_of_voxel(level, {q[0] + d[0], q[1] + d[1], q[2] + d[2]}).has_value();
      matrix.filled.push_back(found ? 1 : 0);
    }
  }
  return matrix;
}

}  // namespace

double LessonLanes::longest() const {
  double end = 0;
  for (const Piece& piece : pieces)
    end =
        std::max(end, std::max(piece.begin, reveal == Reveal::moving ? piece.begin_after : 0) + piece.length);
  return end;
}

std::vector<std::int64_t> matrix_outputs(const LessonInput& input) {
  const std::int64_t size = size_of(input.scene->level(input.stride));
  const std::int64_t count = std::min(max_outputs, size);
  std::vector<std::int64_t> outputs(static_cast<std::size_t>(count));
  if (count > 0) std::iota(outputs.begin(), outputs.end(), std::min(traced_row(input), size - count));
  return outputs;
}

LessonSorting sorted_rows(const LessonInput& input, int splits, Job& job) {
  LessonSorting sorting;
  sorting.folds = splits > 1;
  sorting.outputs = sampled_outputs(input);
  const KernelMap map = map_of_outputs(input, sorting.outputs, job);
  const RowSorting natural{0, drawn_tile_rows}, sorted{splits, drawn_tile_rows};
  const auto bins = static_cast<int>(sorting.outputs.size());
  sorting.natural = rows_picture(map, natural, bins);
  sorting.sorted = rows_picture(map, sorted, bins);
  const std::vector<Redundancy> counts = redundancy(map, std::array{natural, sorted});
  sorting.before = counts[0];
  sorting.after = counts[1];
  int most = 0;
  for (std::size_t output = 0; output < sorting.outputs.size(); ++output) {
    int pairs = 0;
    for (int split = 0; split < splits; ++split)
      pairs += sorting.pairs_of(output, split);
    if (pairs > most) sorting.marked = output;
    most = std::max(most, pairs);
  }
  return sorting;
}

int LessonSorting::pairs_of(std::size_t output, int split) const {
  int pairs = 0;
  for (int column = 0; column < natural.columns; ++column) {
    const std::size_t cell =
        (output * static_cast<std::size_t>(natural.columns)) + static_cast<std::size_t>(column);
    pairs += sorted.split_of(column) == split && natural.filled[cell] > 0 ? 1 : 0;
  }
  return pairs;
}

std::vector<std::int64_t> sampled_outputs(const LessonInput& input) {
  const std::int64_t size = size_of(input.scene->level(input.stride)), count = std::min(max_outputs, size);
  std::vector<std::int64_t> outputs;
  for (std::int64_t at = 0; at < count; ++at)
    outputs.push_back(at * size / count);
  return outputs;
}

std::vector<std::int64_t> outputs_of_diagram(std::string_view kind, const LessonInput& input) {
  if (find_kind(matrices, kind) != matrices.end()) return matrix_outputs(input);
  if (find_kind(sort_diagrams, kind) != sort_diagrams.end()) return sampled_outputs(input);
  return {};
}

bool is_diagram(std::string_view kind) noexcept {
  return find_kind(matrices, kind) != matrices.end() ||
         find_kind(sort_diagrams, kind) != sort_diagrams.end() || find_kind(others, kind) != others.end();
}

LessonDiagram lesson_diagram(std::string_view kind, const LessonInput& input, Job& job) {
  job.checkpoint({"preparing the diagram", 0, 0});
  if (const auto matrix = find_kind(matrices, kind); matrix != matrices.end())
    return map_matrix(matrix->second, input);
  if (const auto sorting = find_kind(sort_diagrams, kind); sorting != sort_diagrams.end())
    return sorting->second(input, job);
  if (const auto other = find_kind(others, kind); other != others.end()) return other->second(input, job);
  return {};
}

}  // namespace spira
