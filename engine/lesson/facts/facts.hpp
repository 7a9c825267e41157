// Facts are the numbers that lessons show. Most facts are computed on the CPU from the open scene. Some
// groups of facts are read from a measured run.
#pragma once

#include "engine/run/layer_result.hpp"
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

struct LessonRun;

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

}  // namespace spira
