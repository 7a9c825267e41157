// Declares the groups of facts, and functions that create facts and their names.
#pragma once

#include "engine/job/job.hpp"
#include "engine/lesson/facts/facts.hpp"
#include "engine/run/voxel_scene.hpp"

#include <cstdint>
#include <vector>

namespace spira {

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
