// The parts of the bars of StageChart: groups of stages, or the passes of a training step.
#pragma once

#include "engine/job/stage_tree.hpp"

#include <QBrush>
#include <QString>

#include <cstdint>
#include <variant>

namespace spira::ui {

class Theme;

enum class PassPart : std::uint8_t {
  voxels,  ///< Voxelizes the scene and computes the levels.
  maps,    ///< Builds a kernel map, without `orders`.
  orders,  ///< Sorts the rows of a map for a feature kernel.
  forward,
  dgrad,   ///< The gradient with respect to the inputs of a layer.
  wgrad,   ///< The gradient with respect to the weights of a layer.
  reduce,  ///< Adds the partial sums of a pass.
  repack   ///< Converts the fp32 weights to the forms that kernels read.
};
using BarPart = std::variant<StageGroup, PassPart>;

[[nodiscard]] QString partText(const BarPart& part);
/// Returns a text that is shorter than partText() if possible.
[[nodiscard]] QString shortPartText(const BarPart& part);
/// Returns the colour of a part. The three passes have three shades of one colour.
[[nodiscard]] QColor partColour(const Theme& theme, const BarPart& part);
/// Returns the pattern of a part. Each of the three passes has its own pattern, all other parts are solid.
[[nodiscard]] Qt::BrushStyle partPattern(const BarPart& part);

}  // namespace spira::ui
