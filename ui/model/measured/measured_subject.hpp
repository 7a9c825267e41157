// Identifies what a displayed number describes, and builds the command that measures it again.
#pragma once

#include "engine/report/reproduce.hpp"

#include <QString>

#include <string>
#include <vector>

namespace spira::ui {

struct MeasuredSubject {
  enum class Kind { run, layer, threshold, packing, densities, scene };
  Kind kind = Kind::run;
  int layer = -1;  ///< Index of the layer. -1 means the whole network. For densities, -1 means a map of the
                   ///< scene without a network.
  int threshold = -1;   ///< The threshold t, if `kind` is `threshold`.
  PackSpec pack;        ///< Used only if `kind` is `packing`.
  int repetitions = 0;  ///< Number of repetitions. 0 uses the number of the run.
  /// Parameters of the map of the scene. Used for densities if `layer` is -1.
  int kernel_size = 3, stride = 1;
};

[[nodiscard]] std::vector<std::string> command_of(MeasuredWith how, const MeasuredSubject& subject);
/// Returns the display name of the subject, such as "layer conv1" or "t = 2 of layer conv1".
[[nodiscard]] QString textOf(const MeasuredWith& how, const MeasuredSubject& subject);

}  // namespace spira::ui
