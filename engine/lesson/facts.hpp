// Facts: numbers about the open scene that lessons show. Each is computed from the scene, on the CPU; none is
// taken from a run that was timed.
#pragma once

#include "engine/run/session.hpp"

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
  std::string name;  ///< "density.l1.2"; what stands before the first dot is its group
  double value = 0;
  double error = 0;                 ///< half width of the 95 % interval; 0: exact
  std::string unit;                 ///< "m", "ms"; empty: a count or a share
  std::size_t sampled = 0, of = 0;  ///< how many were looked at of how many; both 0: all
  std::string source{};             ///< of a measured one: of how many, its spread, where; empty: computed
};

struct LessonRun;

/// What a page tries and the open scene does not have.
struct LessonTrial {
  std::optional<PackSpec> pack{};  ///< empty: that of the scene, with a field of z that is one bit too short
  int c_in = 32, c_out = 32;       ///< channels of the layer whose work is modelled
  bool operator==(const LessonTrial&) const = default;
};

/// What is open and what is chosen, as values: facts are computed on a worker.
struct LessonInput {
  std::shared_ptr<const VoxelScene> scene;  ///< never null
  int kernel_size = 3;
  int stride = 1;                              ///< of the level that is looked at; one of the scene's
  std::shared_ptr<const LayerResult> layer{};  ///< the chosen one; null: none, or it was not run
  std::shared_ptr<const LessonRun> run{};      ///< what was measured (lesson_run.hpp); null: nothing
  std::optional<Voxel> voxel{};                ///< the chosen one, of that stride
  std::vector<int> columns{};                  ///< the chosen offsets, ascending
  std::vector<std::int32_t> rows{};  ///< the voxels that were drawn around, at that stride; ascending
  LessonTrial trial{};
  std::array<double, 3> first_voxel_m{};  ///< with which the lesson began; zeros: that of the scene
  bool operator==(const LessonInput&) const = default;
};

/// Of the kernel and the level that are looked at, for searches among packed words. Throws
/// Error(does_not_fit) where the packing of the scene is too tight for them.
[[nodiscard]] KernelOffsets offsets_of(const LessonInput& input);

/// One topic, computed together.
struct FactGroup {
  std::string_view name;
  std::vector<std::string> (*names)();  ///< all that it can give; which it does depends on the input
  std::vector<Fact> (*compute)(const LessonInput&, Job&);
};
[[nodiscard]] std::span<const FactGroup> fact_groups() noexcept;
/// Of all groups: what a lesson may name.
[[nodiscard]] std::vector<std::string> fact_names();
/// What stands before the first dot.
[[nodiscard]] std::string_view group_of_fact(std::string_view name) noexcept;
/// Throws Error(usage) for a group that there is not, Error(cancelled) when stopped.
[[nodiscard]] std::vector<Fact> compute_facts(std::string_view group, const LessonInput& input, Job& job);

}  // namespace spira
