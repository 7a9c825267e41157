// Facts are the numbers that lessons show. Most of them are computed from the open scene on the CPU. Some
// groups come from a measured run.
#pragma once

#include "engine/job/job.hpp"
#include "engine/run/measurement.hpp"
#include "engine/run/voxel_scene.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct KernelMap;
struct LessonRun;

struct Fact {
  std::string name;  ///< For example "density.l1.2". The part before the first dot is the name of the group.
  double value = 0;
  double error = 0;  ///< Half the width of the 95 % interval. 0 if the value is exact.
  std::string unit;  ///< Such as "m" or "ms". Empty for counts and shares.
  /// If only a sample was examined, the number of examined items and the number of all items. Otherwise both
  /// are 0.
  std::size_t sampled = 0, of = 0;
  /// The number of samples, the spread and the device of a measured value. Empty if the value was computed.
  std::string source{};
};

/// Values that the user tries out on a lesson page instead of the values of the open scene.
struct LessonTrial {
  /// The packing to try. If empty, the packing of the scene with one bit less for z than the scene needs.
  std::optional<PackSpec> pack{};
  int c_in = 32, c_out = 32;  ///< Channels of the layer whose work is modelled.
  bool operator==(const LessonTrial&) const = default;
};

/// The open scene and the selection. They are stored as values, so that a worker thread can compute facts.
struct LessonInput {
  std::shared_ptr<const VoxelScene> scene;  ///< Must not be `nullptr`.
  int kernel_size = 3;
  /// The stride of the examined level. The scene must have a level with this stride and the floor rule.
  int stride = 1;
  /// The result of the selected layer. `nullptr` if no layer is selected or if it has not run.
  std::shared_ptr<const LayerResult> layer{};
  /// The measured run (lesson_run.hpp). `nullptr` if nothing was measured.
  std::shared_ptr<const LessonRun> run{};
  std::optional<Voxel> voxel{};  ///< The selected voxel on the level of `stride`.
  std::vector<int> columns{};    ///< Columns of the selected offsets in the kernel map, in ascending order.
  /// Rows of the voxels in the lasso selection on the level of `stride`, in ascending order.
  std::vector<std::int32_t> rows{};
  LessonTrial trial{};
  /// The voxel size in metres when the lesson began. If zero, the voxel size of the scene is used.
  std::array<double, 3> first_voxel_m{};
  /// The native map of the level of `stride`, for a kernel of `kernel_size`. `nullptr` if there is none.
  std::shared_ptr<const KernelMap> map{};
  bool operator==(const LessonInput&) const = default;
};

/// Returns the offsets of the kernel on the level of `input`, for searches in packed words. Throws
/// `Error(does_not_fit)` if the packing of the scene has too few guard cells for these offsets.
[[nodiscard]] KernelOffsets offsets_of(const LessonInput& input);

/// The facts about one topic, which are computed together.
struct FactGroup {
  std::string_view name;
  /// Returns the names of all facts that the group can contain. Which of them exist depends on the input.
  std::vector<std::string> (*names)();
  std::vector<Fact> (*compute)(const LessonInput&, Job&);
};
[[nodiscard]] std::span<const FactGroup> fact_groups() noexcept;
/// Returns the names of the facts of all groups. Lessons may use only these names.
[[nodiscard]] std::vector<std::string> fact_names();
/// Returns the part of a fact name before the first dot.
[[nodiscard]] std::string_view group_of_fact(std::string_view name) noexcept;
/// Computes the facts of a group. Throws `Error(usage)` if the group does not exist, and `Error(cancelled)`.
[[nodiscard]] std::vector<Fact> compute_facts(std::string_view group, const LessonInput& input, Job& job);

// The declarations below create single facts and their names, and compute the groups of facts.

[[nodiscard]] inline Fact exact_fact(const std::string& name, double value, const std::string& unit = {}) {
  return {name, value, 0, unit, 0, 0};
}
[[nodiscard]] inline Fact count_fact(const std::string& name, std::int64_t value) {
  return exact_fact(name, static_cast<double>(value));
}
/// Returns "name.x", "name.y" or "name.z".
[[nodiscard]] inline std::string of_axis(const std::string& name, std::size_t axis) {
  return name + "." + "xyz"[axis];
}
inline void add_axes(std::vector<std::string>& names, const std::string& name) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    names.push_back(of_axis(name, axis));
}
constexpr std::int64_t rows_per_checkpoint = 65'536;

/// Returns the names of the facts in the "work" group: the work of a submanifold layer on the level of the
/// input's stride. A name contains the threshold: "work.t3." is t = 3, and "work.tmax." is the fully
/// output-stationary layer.
[[nodiscard]] std::vector<std::string> work_fact_names();
[[nodiscard]] std::vector<Fact> work_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "work_shuffled" group: like the "work" group, but for the same
/// number of voxels at random positions.
[[nodiscard]] std::vector<std::string> shuffled_work_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_work_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "search" group: searches on the level of the input's stride.
[[nodiscard]] std::vector<std::string> search_fact_names();
[[nodiscard]] std::vector<Fact> search_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "search_shuffled" group: searches among the same number of voxels at
/// random positions.
[[nodiscard]] std::vector<std::string> shuffled_search_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_search_facts(const LessonInput& input, Job& job);

/// Returns the number of comparisons of a bottom-up merge sort of `words`. The sort begins with runs of one
/// word. Each pass merges pairs of runs, so the length of the runs doubles.
[[nodiscard]] std::int64_t merge_comparisons(std::vector<std::uint64_t> words, Job& job);
/// Returns the words of a level, each once, in the order of their first points in the file.
[[nodiscard]] std::vector<std::uint64_t> words_in_file_order(const VoxelScene& scene, int stride, Job& job);

[[nodiscard]] std::vector<std::string> selection_fact_names();
/// Returns the facts about the selection. If an object is not selected, its count is 0 and its other facts
/// are omitted.
[[nodiscard]] std::vector<Fact> selection_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts about the points before voxelization: their number and their extents in
/// metres.
[[nodiscard]] std::vector<std::string> scene_fact_names();
[[nodiscard]] std::vector<Fact> scene_facts_of(const LessonInput& input, Job& job);
/// Returns the names of the facts about the number of points per voxel and about the shift of the voxel
/// indices.
[[nodiscard]] std::vector<std::string> voxel_fact_names();
[[nodiscard]] std::vector<Fact> voxel_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "indexing" group. They compare the closed-form and the step-by-step
/// computation of the levels.
[[nodiscard]] std::vector<std::string> indexing_fact_names();
[[nodiscard]] std::vector<Fact> indexing_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "network" group: serial and concurrent times of the measured run,
/// and the memory of its kernel maps. Without a run, only the fact "network.measured" exists.
[[nodiscard]] std::vector<std::string> network_fact_names();
[[nodiscard]] std::vector<Fact> network_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "threshold" group: the measured and the modelled time for each t in
/// the sweep of the run.
[[nodiscard]] std::vector<std::string> threshold_fact_names();
[[nodiscard]] std::vector<Fact> threshold_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "search_times" group: the median times of the map searches. The
/// facts exist only if the searches were measured for the open scene.
[[nodiscard]] std::vector<std::string> search_time_fact_names();
[[nodiscard]] std::vector<Fact> search_time_facts(const LessonInput& input, Job& job);

/// Returns the row of the voxel that the search diagrams show: the selected voxel, or the voxel in the middle
/// of the array if no voxel is selected.
[[nodiscard]] std::int64_t traced_row(const LessonInput& input);
/// Returns the column of the offset that the search diagrams show: the selected offset, or the offset one
/// step up in z if no offset is selected. For K = 1, returns the only column.
[[nodiscard]] int traced_column(const LessonInput& input);

/// Returns the names of the facts in the "traced" group: all searches for the voxel of traced_row(), step by
/// step. Names that begin with "traced.one" are about the query of traced_column() and its z-group.
[[nodiscard]] std::vector<std::string> traced_fact_names();
[[nodiscard]] std::vector<Fact> traced_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts in the "layer" group: the result of the selected layer. "layer.chosen" is 0
/// if no layer is selected.
[[nodiscard]] std::vector<std::string> layer_fact_names();
[[nodiscard]] std::vector<Fact> layer_facts(const LessonInput& input, Job& job);

}  // namespace spira
