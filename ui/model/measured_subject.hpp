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
  int layer = -1;  ///< For a layer, a threshold or densities. -1: the whole network, or the map of the scene.
  int threshold = -1;               ///< For a threshold.
  PackSpec pack;                    ///< For a packing.
  int repetitions = 0;              ///< Number of repetitions; 0 if it is that of the run.
  int kernel_size = 3, stride = 1;  ///< For the map of the scene.
};

[[nodiscard]] std::vector<std::string> command_of(MeasuredWith how, const MeasuredSubject& subject);
/// Names the subject of the command: "layer conv1", "t = 2 of layer conv1".
[[nodiscard]] QString textOf(const MeasuredWith& how, const MeasuredSubject& subject);

}  // namespace spira::ui
