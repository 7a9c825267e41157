// Facts are the numbers that lessons show. Most facts are computed on the CPU from the open scene. Some
// groups of facts are read from a measured run.
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

struct LessonRun;

struct Fact {
  std::string name;  ///< such as "density.l1.2"; the part before the first dot is the name of the group
  double value = 0;
  double error = 0;  ///< half the width of the 95 % interval; 0 if the value is exact
  std::string unit;  ///< such as "m" or "ms"; empty for counts and shares
  /// Number of examined items and number of all items, if only a sample was examined. Otherwise both are 0.
  std::size_t sampled = 0, of = 0;
  /// Number of samples, spread and device of a measured value; empty if the value is computed.
  std::string source{};
};

/// Values that a lesson page tries out instead of the values of the open scene.
struct LessonTrial {
  /// Packing to try. If it is empty, the packing of the scene with one z bit less than the scene needs is
  /// used.
  std::optional<PackSpec> pack{};
  int c_in = 32, c_out = 32;  ///< channels of the layer whose work is modelled
  bool operator==(const LessonTrial&) const = default;
};

/// The open scene and the selection. Stored as values, so that a worker thread can compute facts.
struct LessonInput {
  std::shared_ptr<const VoxelScene> scene;  ///< must not be null
  int kernel_size = 3;
  int stride = 1;  ///< stride of the examined level; the scene must have this level
  /// Result of the selected layer; null if no layer is selected or the layer has not run.
  std::shared_ptr<const LayerResult> layer{};
  std::shared_ptr<const LessonRun> run{};  ///< measured run (lesson_run.hpp); null if nothing was measured
  std::optional<Voxel> voxel{};            ///< selected voxel on the level of `stride`
  std::vector<int> columns{};  ///< columns of the selected offsets in the kernel map, in ascending order
  /// Rows of the lasso selection on the level of `stride`, in ascending order.
  std::vector<std::int32_t> rows{};
  LessonTrial trial{};
  /// Voxel size in metres when the lesson began. If it is zero, the voxel size of the scene is used.
  std::array<double, 3> first_voxel_m{};
  bool operator==(const LessonInput&) const = default;
};

/// Returns the offsets of the kernel on the level of `input`, for searches in packed words. Throws
/// `Error(does_not_fit)` if the packing of the scene has too few guard cells for these offsets.
[[nodiscard]] KernelOffsets offsets_of(const LessonInput& input);

/// Facts about one topic, which are computed together.
struct FactGroup {
  std::string_view name;
  /// Returns the names of all facts that the group can contain. The input decides which of these facts
  /// exist.
  std::vector<std::string> (*names)();
  std::vector<Fact> (*compute)(const LessonInput&, Job&);
};
[[nodiscard]] std::span<const FactGroup> fact_groups() noexcept;
/// Returns the fact names of all groups. A lesson may use only these names.
[[nodiscard]] std::vector<std::string> fact_names();
/// Returns the part of a fact name before the first dot.
[[nodiscard]] std::string_view group_of_fact(std::string_view name) noexcept;
/// Returns the facts of the group. Throws `Error(usage)` if the group does not exist and `Error(cancelled)`
/// if the job is stopped.
[[nodiscard]] std::vector<Fact> compute_facts(std::string_view group, const LessonInput& input, Job& job);

// Declares the groups of facts, and functions that create facts and their names.

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

/// Returns the fact names of group "work": a submanifold layer on the level of the input's stride. Names
/// contain the threshold: "work.t3." is t = 3, and "work.tmax." is the fully output-stationary layer.
[[nodiscard]] std::vector<std::string> work_fact_names();
[[nodiscard]] std::vector<Fact> work_facts(const LessonInput& input, Job& job);

/// Returns the fact names of group "work_shuffled": the facts of group "work" for the same number of voxels
/// at random positions.
[[nodiscard]] std::vector<std::string> shuffled_work_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_work_facts(const LessonInput& input, Job& job);

/// Returns the fact names of group "search": searches on the level of the input's stride.
[[nodiscard]] std::vector<std::string> search_fact_names();
[[nodiscard]] std::vector<Fact> search_facts(const LessonInput& input, Job& job);

/// Returns the fact names of group "search_shuffled": searches among the same number of voxels at random
/// positions.
[[nodiscard]] std::vector<std::string> shuffled_search_fact_names();
[[nodiscard]] std::vector<Fact> shuffled_search_facts(const LessonInput& input, Job& job);

/// Returns the number of comparisons of a bottom-up merge sort. It starts with runs of one word and doubles
/// their length in each pass.
[[nodiscard]] std::int64_t merge_comparisons(std::vector<std::uint64_t> words, Job& job);
/// Returns the distinct words of a level, in the order of their first points in the file.
[[nodiscard]] std::vector<std::uint64_t> words_in_file_order(const VoxelScene& scene, int stride, Job& job);

[[nodiscard]] std::vector<std::string> selection_fact_names();
/// Returns the facts about the selection. Facts about an object that is not selected are omitted, and its
/// count is 0.
[[nodiscard]] std::vector<Fact> selection_facts(const LessonInput& input, Job& job);

/// Returns the names of the facts about the points before voxelization: their number and their extents in
/// metres.
[[nodiscard]] std::vector<std::string> scene_fact_names();
[[nodiscard]] std::vector<Fact> scene_facts_of(const LessonInput& input, Job& job);
/// Returns the names of the facts about the number of points per voxel and about the shift of the voxel
/// indices.
[[nodiscard]] std::vector<std::string> voxel_fact_names();
[[nodiscard]] std::vector<Fact> voxel_facts(const LessonInput& input, Job& job);

/// Returns the fact names of group "indexing": the levels of the scene, computed in closed form and step by
/// step.
[[nodiscard]] std::vector<std::string> indexing_fact_names();
[[nodiscard]] std::vector<Fact> indexing_facts(const LessonInput& input, Job& job);

/// Returns the fact names of group "network": serial and concurrent times of the measured run, and the
/// memory of its kernel maps. Without a run, only the fact "network.measured" exists.
[[nodiscard]] std::vector<std::string> network_fact_names();
[[nodiscard]] std::vector<Fact> network_facts(const LessonInput& input, Job& job);

/// Returns the fact names of group "threshold": the measured and the modelled time of each t in the sweep of
/// the run.
[[nodiscard]] std::vector<std::string> threshold_fact_names();
[[nodiscard]] std::vector<Fact> threshold_facts(const LessonInput& input, Job& job);

/// Returns the fact names of group "search_times": median times of the map searches, if they were measured
/// for the open scene.
[[nodiscard]] std::vector<std::string> search_time_fact_names();
[[nodiscard]] std::vector<Fact> search_time_facts(const LessonInput& input, Job& job);

/// Returns the row of the voxel in the search diagrams: the selected voxel, or the voxel in the middle of
/// the array if none is selected.
[[nodiscard]] std::int64_t traced_row(const LessonInput& input);
/// Returns the column of the offset in the search diagrams: the selected offset, or the offset one step up
/// in z if none is selected. For a kernel of size 1, returns its only column.
[[nodiscard]] int traced_column(const LessonInput& input);

/// Returns the fact names of group "traced": all searches for the voxel of traced_row(), step by step. Names
/// with "traced.one" are about the query of traced_column() and its z-group.
[[nodiscard]] std::vector<std::string> traced_fact_names();
[[nodiscard]] std::vector<Fact> traced_facts(const LessonInput& input, Job& job);

/// Returns the fact names of group "layer": the result of the selected layer. "layer.chosen" is 0 if no
/// layer is selected.
[[nodiscard]] std::vector<std::string> layer_fact_names();
[[nodiscard]] std::vector<Fact> layer_facts(const LessonInput& input, Job& job);

}  // namespace spira
