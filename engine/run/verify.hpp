// Any back end against the naive reference in double precision, over all mappings, layouts, dataflows and
// packings.
#pragma once

#include "engine/run/session.hpp"

#include <memory>
#include <string>
#include <vector>

namespace spira {

struct VerifyRow {
  std::string layer;       ///< "conv1_1 3x3x3 32->32"
  std::string setting;     ///< "zdelta, t 2, 12/12/8, fp32"
  std::string with;        ///< the end of it, on which tables part their rows: a packing or a precision
  double worst_ratio = 0;  ///< largest |y - y_ref| / bound; <= 1 passes (bound: docs/measuring.md)
  double worst_abs = 0, worst_rel = 0;
  bool maps_equal = true;
  bool passed = true;
  std::string fault;  ///< empty where passed
};
struct VerifyOptions {
  Grid grid;
  std::uint64_t seed = 1;
  bool quick = false;  ///< fewer settings of t
};
/// One row a layer and setting. Packings that the scene does not fit are left out and named in `notes`.
struct VerifyResult {
  std::vector<VerifyRow> rows;
  std::vector<std::string> notes;
  [[nodiscard]] bool passed() const;
};
[[nodiscard]] VerifyResult verify(Backend& subject, Backend& reference,
                                  std::shared_ptr<const PointCloud> cloud, const Network& network,
                                  const VerifyOptions& options, Job& job);

}  // namespace spira
