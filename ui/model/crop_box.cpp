#include "ui/model/crop_box.hpp"

#include <algorithm>

namespace spira::ui {
namespace {

bool holds(const Bounds& outer, const Bounds& inner) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (outer.low[axis] > inner.low[axis] || outer.high[axis] < inner.high[axis]) return false;
  }
  return true;
}

}  // namespace

CropBox::CropBox(Workspace* workspace, QObject* parent)
    : QObject(parent), workspace_(workspace), applied_(workspace->requested().grid()) {
  connect(&workspace_->requested(), &RequestedSettings::gridChanged, this, &CropBox::followGrid);
  connect(&workspace_->scene(), &OpenScene::cloudChanged, this, [this] {
    if (!workspace_->scene().cloud()) setEditing(false);
    setExtents(std::nullopt);
  });
}

std::optional<Bounds> CropBox::box() const {
  if (draft_) return draft_;
  return applied_.crop_m ? applied_.crop_m : whole();
}

std::optional<Bounds> CropBox::whole() const {
  return extents_ ? std::optional(on_whole_voxels(*extents_, applied_)) : std::nullopt;
}

void CropBox::setEditing(bool editing) {
  if (editing == editing_) return;
  editing_ = editing;
  emit editingChanged(editing);
}

std::optional<std::int64_t> CropBox::kept() const {
  return counted_ && counted_ == box() ? std::optional(kept_) : std::nullopt;
}

void CropBox::setBox(const Bounds& box) {
  Bounds sorted = box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sorted.low[axis] = std::min(box.low[axis], box.high[axis]);
    sorted.high[axis] = std::max(box.low[axis], box.high[axis]);
  }
  if (this->box() == sorted) return;
  draft_ = sorted;
  emit boxChanged();
}

void CropBox::commit() {
  if (!draft_) return;
  const Bounds box = *draft_;
  draft_.reset();
  emit applyRequested(extents_ && holds(box, *whole()) ? std::nullopt : std::optional(box));
  emit boxChanged();
}

void CropBox::reset() {
  draft_.reset();
  emit applyRequested(std::nullopt);
  emit boxChanged();
}

/// Updates the box after the grid of the Workspace changed. If a requested crop was refused, box() returns
/// the previous crop again.
void CropBox::followGrid() {
  applied_ = workspace_->requested().grid();
  // Emit nothing while a draft exists, because the user may still be dragging the box.
  if (!draft_) emit boxChanged();
}

void CropBox::setExtents(const std::optional<Bounds>& extents) {
  extents_ = extents;
  counted_.reset();
  emit extentsChanged();
  emit boxChanged();
}

void CropBox::setKept(const Bounds& box, std::int64_t points) {
  counted_ = box;
  kept_ = points;
  emit keptChanged();
}

}  // namespace spira::ui
