// Verifies a back end against the simple reference in double precision, for all mapping algorithms, layouts,
// dataflows and packings.
#pragma once

#include "engine/run/level_build.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/grid.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace spira {

class Backend;
class Job;
struct Network;
struct Plan;
class Session;

struct VerifyRow {
  std::string layer;    ///< A layer, such as "conv1_1 3x3x3 32->32".
  std::string setting;  ///< Example: "zdelta, t 2, 12/12/8, fp32".
  /// The last part of `setting`, which is a packing or a precision. Tables are grouped by it.
  std::string with;
  /// Largest value of |y - y_ref| / bound in the output. A row passes if the value is at most 1. The bound is
  /// defined in docs/measuring.md.
  double worst_ratio = 0;
  double worst_abs = 0, worst_rel = 0;
  bool maps_equal = true;
  bool passed = true;
  std::string fault;  ///< Empty if the row passed.
};
struct VerifyOptions {
  Grid grid;
  std::uint64_t seed = 1;
  bool quick = false;  ///< If true, only some thresholds t are verified.
};
/// The results of a verification, with one row per layer and setting. Packings that the scene does not fit
/// are skipped, and `notes` contains their names.
struct VerifyResult {
  std::vector<VerifyRow> rows;
  std::vector<std::string> notes;
  [[nodiscard]] bool passed() const;
};
[[nodiscard]] VerifyResult verify(Backend& subject, Backend& reference,
                                  std::shared_ptr<const PointCloud> cloud, const Network& network,
                                  const VerifyOptions& options, Job& job);

// Compares the outputs of two plans. The threshold t only changes the order in which products are summed, so
// the outputs must be equal except for rounding errors.

struct OutputDifference {
  double max_abs = 0;
  /// `max_abs` divided by the largest value of the reference output.
  double max_rel = 0;
  /// True if `max_rel` is within the tolerance, and NaN and infinite values are at the same positions in both
  /// outputs.
  bool ok = true;
  std::int64_t non_finite = 0;  ///< Values that are NaN or infinite in one output or in both.
};

/// Returns the allowed difference as a share of the largest value. Sums in another order differ only by
/// rounding errors.
[[nodiscard]] double output_tolerance(Precision precision) noexcept;

/// Compares two outputs of a layer. Both must be in host memory. Throws `Error(internal)` if their shapes or
/// precisions differ.
[[nodiscard]] OutputDifference output_difference(const Features& output, const Features& reference);

/// Compares the outputs of `plan` with the outputs for t = max, and returns one difference per layer. Both
/// outputs of a layer are computed from the same inputs, which `plan` produced. Layers that have not run with
/// `plan` run first. A layer with NaN or infinite values always fails the check, because such values hide
/// errors. Throws `Error(cancelled)` or `Error(device)`.
[[nodiscard]] std::vector<OutputDifference> check_outputs(Session& session, const Plan& plan, Job& job);

// Verifies a compiled network (Backend::compile) against the reference.

struct CompiledCheck {
  const Network& network;
  const Levels& levels;
  const NetworkWeights& weights;
  PackSpec pack;
  Precision precision;
  /// If true, only one of the layers with equal ShapeKey is verified.
  bool quick;
};

/// Adds a row for each level, one row for the input features, and one row for each layer. The reference
/// computes each layer from the inputs of the compiled run, so that errors do not accumulate over layers.
/// Adds a note if the network cannot be compiled. `subject` must return results in host memory. `truth` must
/// come from the reference.
void verify_compiled(Backend& subject, Backend& reference, const CompiledCheck& check,
                     const BuiltLevels& truth, VerifyResult& result, Job& job);

}  // namespace spira
