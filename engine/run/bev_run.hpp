// Runs a bird's-eye view network (SBNet) on a scene: projects the points, makes the mask, finds the active
// blocks, and computes one unit after another.
#pragma once

#include "engine/backend/birds_eye.hpp"
#include "engine/bev/unit.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/bev_facts.hpp"
#include "engine/run/measurement.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace spira {

class Session;

struct BevSettings {
  Area area;
  MaskSpec mask;
  /// The mask that the user made, with the area above. If it is set, `mask` only names it.
  std::shared_ptr<const Mask> given_mask{};
  Precision precision = Precision::fp32;
  std::vector<UnitPlan> units;  ///< One for each unit of the network.
  std::int64_t min_cells = 1;   ///< BlockShape::min_cells
};

/// Returns one plan for each unit: `plan`, or dense for units that cannot run it because its core is larger
/// than their image. Throws `Error(usage)` if no unit can run it.
[[nodiscard]] std::vector<UnitPlan> unit_plans(const std::vector<BevUnit>& units, const Area& area,
                                               UnitPlan plan);
/// Returns the reason why a unit cannot run a plan, or an empty string. Blocks must not be larger than the
/// image.
[[nodiscard]] std::string why_not_unit_plan(const BevUnit& unit, const Area& area, const UnitPlan& plan);

/// Returns the request that runs a unit dense. `weights` has one entry for each layer of the network and must
/// outlive the request.
[[nodiscard]] UnitRequest unit_request(const Network& network, const BevUnit& unit, const Area& area,
                                       const std::vector<UploadedWeights>& weights);
/// Returns the cells of the mask as the voxels of a voxel file, with the values of the image as features. The
/// image must be in host memory. The result has the name and the source of `of`.
[[nodiscard]] PointCloud cells_as_voxels(const Mask& mask, const Features& image, const PointCloud& of);
/// Prepares the layers of a network as submanifold layers on cells from cells_as_voxels().
[[nodiscard]] std::unique_ptr<Session> load_rows(std::shared_ptr<Backend> backend, const Network& network,
                                                 std::shared_ptr<const NetworkWeights> weights,
                                                 PointCloud cells, Precision precision, Job& job);

class BevRun {
 public:
  /// Uploads the points and the weights. Throws `Error(usage)` if a unit cannot run its plan or if only some
  /// units run on rows, `Error(device)` if the back end has no bird's-eye view, and `Error(memory)` or
  /// `Error(device_memory)` before memory is allocated if the images do not fit.
  BevRun(std::shared_ptr<Backend> backend, std::shared_ptr<const PointCloud> cloud,
         std::shared_ptr<const Network> network, std::shared_ptr<const NetworkWeights> weights,
         BevSettings settings, Job& job);
  ~BevRun();
  BevRun(const BevRun&) = delete;
  BevRun& operator=(const BevRun&) = delete;

  /// Called with each unit and its output, in the memory of the back end.
  using Visit = std::function<void(std::size_t unit, const Features& output)>;
  /// Runs the network once, from points in the memory of the back end to the last output: the stages project,
  /// mask, blocks[..] and features[..]. The stage of a unit has the name of its last layer. Returns when the
  /// output is complete.
  void run(Job& job, const Visit& visit = {}) const;
  /// Runs and times run() repeatedly.
  [[nodiscard]] Measurement measure(const SamplingProtocol& how, Job& job) const;
  /// Computes the output of each unit from the same input on both back ends, and compares the two. The input
  /// of a unit is the output of an earlier unit of this run. Not for the method rows.
  [[nodiscard]] std::vector<OutputDifference> compare_with(Backend& reference, Job& job) const;
  /// Runs the network also with all units dense, and compares the outputs of each unit.
  [[nodiscard]] std::vector<DenseDifference> difference_from_dense(Job& job) const;

  [[nodiscard]] const BevFacts& facts() const noexcept { return facts_; }
  [[nodiscard]] const Mask& mask() const noexcept { return mask_; }
  [[nodiscard]] const std::vector<BevUnit>& units() const noexcept { return units_; }
  [[nodiscard]] const Network& network() const noexcept { return *network_; }
  [[nodiscard]] const NetworkWeights& weights() const noexcept { return *weights_; }
  [[nodiscard]] const PointCloud& cloud() const noexcept { return *points_.cloud; }
  [[nodiscard]] const BevSettings& settings() const noexcept { return settings_; }
  /// Returns the blocks of a unit.
  [[nodiscard]] BlockShape blocks_of(std::size_t unit) const;
  /// Returns an upper bound of the memory of run(), and the memory of weights and points, in bytes.
  [[nodiscard]] std::size_t run_bytes() const;

 private:
  class Pass;
  [[nodiscard]] UnitRequest request_of(std::size_t unit, const std::vector<UploadedWeights>& weights) const;
  [[nodiscard]] bool on_rows() const noexcept;
  void require_sound_plans() const;
  void prepare_rows(Job& job);
  void fill_facts();

  std::shared_ptr<Backend> backend_;
  std::shared_ptr<const Network> network_;
  std::shared_ptr<const NetworkWeights> weights_;
  BevSettings settings_;
  std::vector<BevUnit> units_;
  UploadedPoints points_;
  std::vector<UploadedWeights> uploaded_;  // one for each layer
  Mask mask_;
  BevFacts facts_;
  std::unique_ptr<Session> rows_;  // for the method rows
};

}  // namespace spira
