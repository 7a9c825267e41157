// Verifies a back end against the simple reference in double precision, for all mapping algorithms, layouts,
// dataflows and packings.
#pragma once

#include "engine/voxel/grid.hpp"

#include <memory>
#include <string>
#include <vector>

namespace spira {

class Backend;
struct Network;

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

}  // namespace spira
