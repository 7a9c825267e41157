// Facts: the numbers that lessons show. Most are computed on the CPU from the open scene; some groups read
// the measured run of the input.
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
  std::string name;  ///< "density.l1.2"; the part before the first dot is the name of the group
  double value = 0;
  double error = 0;  ///< half the width of the 95 % interval; 0 if exact
  std::string unit;  ///< "m", "ms"; empty for counts and shares
  /// If only a sample was examined: the number of examined items, and the number of all items. Otherwise
  /// both are 0.
  std::size_t sampled = 0, of = 0;
  std::string source{};  ///< count, spread and device of a measured value; empty if computed
};

struct LessonRun;

/// Values that a lesson page uses instead of the values of the open scene.
struct LessonTrial {
  /// Packing to try. If empty, the packing of the scene with a z field that is one bit too short.
  std::optional<PackSpec> pack{};
  int c_in = 32, c_out = 32;  ///< channels of the layer whose work is modelled
  bool operator==(const LessonTrial&) const = default;
};

/// The open scene and the selection as values, so that a worker thread can compute facts.
struct LessonInput {
  std::shared_ptr<const VoxelScene> scene;  ///< never null
  int kernel_size = 3;
  int stride = 1;                              ///< stride of the examined level, which the scene must have
  std::shared_ptr<const LayerResult> layer{};  ///< selected layer; null if none is selected or it was not run
  std::shared_ptr<const LessonRun> run{};  ///< measured run (lesson_run.hpp); null if nothing was measured
  std::optional<Voxel> voxel{};            ///< selected voxel, on the level of `stride`
  std::vector<int> columns{};              ///< selected offsets as map columns, ascending
  std::vector<std::int32_t> rows{};  ///< rows of the lasso selection on the level of `stride`, ascending
  LessonTrial trial{};
  /// Voxel size when the lesson began, in metres. Zeros stand for the voxel size of the scene.
  std::array<double, 3> first_voxel_m{};
  bool operator==(const LessonInput&) const = default;
};

/// Returns the offsets of the kernel and level of `input`, for searches in packed words. Throws
/// `Error(does_not_fit)` if the packing of the scene has too few guard cells for them.
[[nodiscard]] KernelOffsets offsets_of(const LessonInput& input);

/// Facts about one topic, which are computed together.
struct FactGroup {
  std::string_view name;
  /// Returns all names of the group. The input decides which of these facts exist.
  std::vector<std::string> (*names)();
  std::vector<Fact> (*compute)(const LessonInput&, Job&);
};
[[nodiscard]] std::span<const FactGroup> fact_groups() noexcept;
/// Returns the fact names of all groups: the names that a lesson may use.
[[nodiscard]] std::vector<std::string> fact_names();
/// Returns the part of a name before the first dot.
[[nodiscard]] std::string_view group_of_fact(std::string_view name) noexcept;
/// Throws `Error(usage)` if the group does not exist and `Error(cancelled)` if the job is stopped.
[[nodiscard]] std::vector<Fact> compute_facts(std::string_view group, const LessonInput& input, Job& job);

}  // namespace spira
