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
  int layer = -1;       ///< Layer index. -1 means the whole network, or the map of the scene for densities.
  int threshold = -1;   ///< t, if `kind` is `threshold`.
  PackSpec pack;        ///< Set if `kind` is `packing`.
  int repetitions = 0;  ///< Number of repetitions; 0 if it is that of the run.
  int kernel_size = 3, stride = 1;  ///< Used for the scene map, if `layer` is -1.
};

[[nodiscard]] std::vector<std::string> command_of(MeasuredWith how, const MeasuredSubject& subject);
/// Names the subject of the command: "layer conv1", "t = 2 of layer conv1".
[[nodiscard]] QString textOf(const MeasuredWith& how, const MeasuredSubject& subject);

}  // namespace spira::ui
