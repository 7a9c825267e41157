// What a number on the screen is of, and the command that measures it again.
#pragma once

#include "engine/report/reproduce.hpp"

#include <QString>

#include <string>
#include <vector>

namespace spira::ui {

struct MeasuredSubject {
  enum class Kind { run, layer, threshold, packing, densities, scene };
  Kind kind = Kind::run;
  int layer = -1;       ///< of a layer, a threshold or densities; -1: the network, or the scene's own map
  int threshold = -1;   ///< of a threshold
  PackSpec pack;        ///< of a packing
  int repetitions = 0;  ///< that were taken; 0: those of the run
  int kernel_size = 3, stride = 1;  ///< of the scene's own map
};

[[nodiscard]] std::vector<std::string> command_of(MeasuredWith how, const MeasuredSubject& subject);
/// "layer conv1", "t = 2 of layer conv1": what the command speaks of.
[[nodiscard]] QString textOf(const MeasuredWith& how, const MeasuredSubject& subject);

}  // namespace spira::ui
