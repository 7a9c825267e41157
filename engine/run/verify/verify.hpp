// Compares a back end with the simple reference in double precision, for all mapping algorithms, layouts,
// dataflows and packings.
#pragma once

#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/grid.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spira {

class Backend;
class Job;
struct BuiltLevels;
struct Levels;
struct Network;
struct NetworkWeights;
struct Plan;
struct PointCloud;
class Session;

struct VerifyRow {
  std::string layer;    ///< For example "conv1_1 3x3x3 32->32".
  std::string setting;  ///< For example "zdelta, t 2, 12/12/8, fp32".
  /// The last element of `setting`: a packing or a precision. Tables group the rows by it.
  std::string with;
  /// The largest value of |y - y_ref| / bound in the output. A row passes only if this value is at most 1.
  /// docs/measuring.md defines the bound.
  double worst_ratio = 0;
  double worst_abs = 0, worst_rel = 0;
  bool maps_equal = true;
  bool passed = true;
  /// True if values of fp16 are NaN or infinite at the same positions in both results, and the row passed.
  /// The back end then agrees with the reference, but the check cannot show that such values are correct.
  bool overflow = false;
  std::string note;   ///< Describes the overflow. Empty if there is none.
  std::string fault;  ///< Empty if the row passed.
};
struct VerifyOptions {
  Grid grid;
  std::uint64_t seed = 1;
  bool quick = false;  ///< True to verify only some thresholds t.
  /// True to also verify gradients. Throws `Error(device)` if the back end has no gradients.
  bool training = false;
  /// Names of the dataflows with which convolutions are verified (see engine/backend/dataflow.hpp). A layer
  /// ignores the dataflows that it cannot run. If the list is empty, features are verified with all
  /// thresholds and layouts and up to 5 splits, and gradients with all dataflows.
  std::vector<std::string> dataflows{};
};
/// The results of a verification: one row per layer and setting. Packings that the scene does not fit are
/// skipped and named in `notes`.
struct VerifyResult {
  std::vector<VerifyRow> rows;
  std::vector<std::string> notes;
  [[nodiscard]] bool passed() const;
};
[[nodiscard]] VerifyResult verify(Backend& subject, Backend& reference,
                                  std::shared_ptr<const PointCloud> cloud, const Network& network,
                                  const VerifyOptions& options, Job& job);

// The declarations below compare the outputs of two plans. The threshold t only changes the order in which
// products are added, so the outputs may differ only by rounding errors.

struct OutputDifference {
  double max_abs = 0;
  /// `max_abs` divided by the largest value of the reference output.
  double max_rel = 0;
  /// True if `max_rel` is within the tolerance and NaN and infinite values are at the same positions.
  bool ok = true;
  std::int64_t non_finite = 0;  ///< Number of values that are NaN or infinite in at least one of the outputs.
};

/// Returns the allowed difference (rounding errors of sums in a different order) as a share of the largest
/// value.
[[nodiscard]] double output_tolerance(Precision precision) noexcept;

/// Compares two outputs of a layer, which must be in host memory. Throws `Error(internal)` if their shapes or
/// precisions differ.
[[nodiscard]] OutputDifference output_difference(const Features& output, const Features& reference);

/// Compares the output of each layer under `plan` with its output for t = max. Both outputs are computed from
/// the same inputs: the results of the earlier layers under `plan`. Layers without a result are run first. A
/// layer with NaN or infinite values fails, because such values hide errors. Throws `Error(cancelled)` or
/// `Error(device)`.
[[nodiscard]] std::vector<OutputDifference> check_outputs(Session& session, const Plan& plan, Job& job);

// The declarations below compare a compiled network (Backend::compile()) with the reference.

struct CompiledCheck {
  const Network& network;
  const Levels& levels;
  const NetworkWeights& weights;
  PackSpec pack;
  Precision precision;
  /// If true, verifies only one layer of all layers with the same ShapeKey.
  bool quick;
};

/// Adds one row to `result` for each level, one row for the input features, and one row for each layer. The
/// reference computes each layer from the inputs of the compiled run, so that errors do not accumulate over
/// layers. If the network cannot be compiled, adds a note instead. `subject` must return results in host
/// memory. `truth` must come from the reference.
void verify_compiled(Backend& subject, Backend& reference, const CompiledCheck& check,
                     const BuiltLevels& truth, VerifyResult& result, Job& job);

}  // namespace spira
