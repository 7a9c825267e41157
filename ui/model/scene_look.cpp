#include "ui/model/scene_look.hpp"

namespace spira::ui {

void SceneLook::setColourBy(ColourBy colour_by) {
  if (colour_by == colour_by_) return;
  colour_by_ = colour_by;
  emit colourByChanged();
}

void SceneLook::setColours(const ColourLook& colours) {
  if (colours == colours_) return;
  colours_ = colours;
  emit coloursChanged();
}

void SceneLook::setHiddenLabels(const std::set<std::uint32_t>& labels) {
  if (labels == hiding_.labels) return;
  hiding_.labels = labels;
  emit hiddenLabelsChanged();
}

void SceneLook::setSlab(std::optional<std::pair<double, double>> slab) {
  if (slab == hiding_.slab_m) return;
  hiding_.slab_m = slab;
  emit slabChanged();
}

void SceneLook::setVoxelStyle(VoxelStyle style) {
  if (style == voxel_style_) return;
  voxel_style_ = style;
  emit voxelStyleChanged();
}

void SceneLook::setPointPercent(int percent) {
  if (std::exchange(point_percent_, percent) != percent) emit pointPercentChanged();
}

void SceneLook::setCellsOnPoint(bool on) {
  if (std::exchange(cells_on_point_, on) != on) emit cellsOnPointChanged();
}

}  // namespace spira::ui
