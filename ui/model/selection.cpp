#include "ui/model/selection.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

/// Returns the voxel at `stride` that contains `chosen`. Returns an empty value if the level of `stride` is
/// finer, because several of its voxels are inside `chosen`.
std::optional<ChosenVoxel> at_stride(const ChosenVoxel& chosen, int stride) {
  if (stride < chosen.stride) return std::nullopt;
  ChosenVoxel coarse{chosen.voxel, stride};
  for (auto& coordinate : coarse.voxel)
    coordinate -= coordinate % stride;
  return coarse;
}

}  // namespace

void Selection::setLayer(int layer) {
  if (layer == layer_) return;
  layer_ = layer;
  emit layerChanged(layer);
}

void Selection::setStride(int stride) {
  if (stride == stride_) return;
  stride_ = stride;
  const auto voxel = picked_ ? at_stride(*picked_, stride) : std::nullopt;
  const bool moves = voxel != voxel_;
  voxel_ = voxel;
  emit strideChanged(stride);
  if (moves) emit voxelChanged();
}

void Selection::setColumns(std::vector<int> columns) {
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  if (columns == columns_) return;
  columns_ = std::move(columns);
  emit columnsChanged();
}

void Selection::setVoxel(std::optional<ChosenVoxel> voxel) {
  if (voxel != voxel_ || !voxel) picked_ = voxel;
  if (voxel == voxel_ && neighbours_shown_) return;
  voxel_ = voxel;
  neighbours_shown_ = true;
  emit voxelChanged();
  if (voxel_) emit voxelChosen();
}

void Selection::setNeighboursShown(bool shown) {
  if (shown == neighbours_shown_) return;
  neighbours_shown_ = shown;
  emit voxelChanged();
}

void Selection::setRows(std::shared_ptr<const ChosenRows> rows) {
  if (rows == rows_) return;
  rows_ = std::move(rows);
  emit rowsChanged();
}

void Selection::setPhase(std::optional<StageGroup> phase) {
  if (phase == phase_) return;
  phase_ = phase;
  emit phaseChanged();
}

void Selection::setHover(const Hover& hover) {
  if (hover == hover_) return;
  hover_ = hover;
  emit hoverChanged();
}

void Selection::setTried(std::optional<TriedThreshold> tried) {
  if (tried == tried_) return;
  tried_ = tried;
  emit triedChanged();
}

void Selection::setColourBy(ColourBy colour_by) {
  if (colour_by == colour_by_) return;
  colour_by_ = colour_by;
  emit colourByChanged();
}

void Selection::setLook(const ColourLook& look) {
  if (look == look_) return;
  look_ = look;
  emit lookChanged();
}

void Selection::setVoxelStyle(VoxelStyle style) {
  if (style == voxel_style_) return;
  voxel_style_ = style;
  emit voxelStyleChanged();
}

void Selection::setHiddenLabels(const std::set<std::uint32_t>& labels) {
  if (labels == hidden_labels_) return;
  hidden_labels_ = labels;
  emit hiddenLabelsChanged();
}

void Selection::setSlab(std::optional<std::pair<double, double>> slab) {
  if (slab == slab_) return;
  slab_ = slab;
  emit slabChanged();
}

void Selection::clear() {
  setColumns({});
  setVoxel(std::nullopt);
  setRows(nullptr);
  setPhase(std::nullopt);
  setLayer(-1);
}

}  // namespace spira::ui
