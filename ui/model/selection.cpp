#include "ui/model/selection.hpp"

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

/// Returns the voxel at `stride` that contains `chosen`. Returns an empty value in two cases: the level of
/// `stride` is finer, so that several of its voxels are inside `chosen`; or one of the levels does not use
/// the floor rule, so that it may have no voxel there.
std::optional<ChosenVoxel> at_stride(const ChosenVoxel& chosen, int stride) {
  if (stride < chosen.stride || stride >= first_numbered_level) return std::nullopt;
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

void Selection::clear() {
  setColumns({});
  setVoxel(std::nullopt);
  setRows(nullptr);
  setPhase(std::nullopt);
  setLayer(-1);
}

ShownMap shown_map(const Workspace& workspace, const Selection& selection) {
  ShownMap of_layer = workspace.shownMap(selection.layer());
  const auto& voxels = workspace.scene().voxels();
  // If the stride of the layer is coarser than all levels of the scene, the views cannot show it.
  const auto& result = workspace.results().layer(of_layer.layer);
  // The map of a layer on points has no voxels.
  if (result && result->scene->level(result->levels.stride_out).rule.is_points())
    return workspace.scene().map(selection.stride());
  const bool beyond_levels = of_layer.layer >= 0 && voxels && !has_level(*voxels, of_layer.stride_out);
  if (workspace.results().report() || of_layer.stride_out == selection.stride() || beyond_levels)
    return of_layer;
  return workspace.scene().map(selection.stride());
}

bool has_shown_map(const Workspace& workspace, int layer) {
  if (layer < 0) return true;
  const Network& network = *workspace.network();
  const auto at = static_cast<std::size_t>(layer);
  if (!network.layers[at].has_map()) return false;
  const Levels levels = levels_of(network);
  return !levels.set(levels.layers[at].stride_out).rule.is_points();
}

FollowedSelection::FollowedSelection(const Selection* followed, const Workspace* workspace, QObject* parent)
    : Selection(parent), followed_(followed) {
  for (const auto changed : {&Selection::columnsChanged, &Selection::voxelChanged, &Selection::rowsChanged,
                             &Selection::hoverChanged, &Selection::phaseChanged})
    connect(followed_, changed, this, &FollowedSelection::follow);
  connect(followed_, &Selection::layerChanged, this, &FollowedSelection::follow);
  connect(followed_, &Selection::strideChanged, this, &FollowedSelection::follow);
  connect(&workspace->scene(), &OpenScene::voxelsChanged, this, [this] { setPinned(false); });
  connect(workspace, &Workspace::networkChanged, this, [this] { setPinned(false); });
  follow();
}

void FollowedSelection::setPinned(bool pinned) {
  if (pinned == pinned_) return;
  pinned_ = pinned;
  setHover({});
  follow();
  emit pinnedChanged(pinned);
}

void FollowedSelection::follow() {
  if (pinned_) return;
  setLayer(followed_->layer());
  setStride(followed_->stride());
  setColumns(followed_->columns());
  setVoxel(followed_->voxel());
  setRows(followed_->rows());
  setPhase(followed_->phase());
  setHover(followed_->hover());
}

namespace {

constexpr std::size_t most = 100;

}  // namespace

SelectionHistory::SelectionHistory(Selection* selection, const Workspace* workspace, QObject* parent)
    : QObject(parent), selection_(selection), choices_{now()} {
  for (const auto changed : {&Selection::columnsChanged, &Selection::voxelChanged, &Selection::rowsChanged,
                             &Selection::phaseChanged})
    connect(selection_, changed, this, &SelectionHistory::noteSoon);
  connect(selection_, &Selection::layerChanged, this, &SelectionHistory::noteSoon);
  connect(selection_, &Selection::strideChanged, this, &SelectionHistory::noteSoon);
  const auto restart = [this] {
    restart_ = true;
    noteSoon();
  };
  // Clear the history, because the recorded selections do not apply to new voxels or layers.
  connect(&workspace->scene(), &OpenScene::voxelsChanged, this, restart);
  connect(workspace, &Workspace::networkChanged, this, restart);
}

SelectionHistory::Choice SelectionHistory::now() const {
  return {selection_->layer(), selection_->stride(), selection_->columns(),
          selection_->voxel(), selection_->rows(),   selection_->phase()};
}

/// Records the selection after the current event, because one click may change layer, stride and offsets.
void SelectionHistory::noteSoon() {
  if (applying_ || pending_) return;
  pending_ = true;
  QMetaObject::invokeMethod(this, &SelectionHistory::note, Qt::QueuedConnection);
}

void SelectionHistory::note() {
  if (!pending_) return;
  pending_ = false;
  if (restart_) {
    restart_ = false;
    choices_ = {now()};
    at_ = 0;
    return emit changed();
  }
  if (now() == choices_[at_]) return;
  choices_.resize(at_ + 1);
  choices_.push_back(now());
  if (choices_.size() > most) choices_.erase(choices_.begin());
  at_ = choices_.size() - 1;
  emit changed();
}

void SelectionHistory::back() {
  note();
  if (!canGoBack()) return;
  --at_;
  apply();
}

void SelectionHistory::forward() {
  note();
  if (!canGoForward()) return;
  ++at_;
  apply();
}

void SelectionHistory::apply() {
  const Choice choice = choices_[at_];
  applying_ = true;
  // Set the layer first, because setLayer() also sets a stride and clears the offsets.
  selection_->setLayer(choice.layer);
  selection_->setStride(choice.stride);
  selection_->setColumns(choice.columns);
  selection_->setVoxel(choice.voxel);
  selection_->setRows(choice.rows);
  selection_->setPhase(choice.phase);
  applying_ = false;
  emit changed();
}

}  // namespace spira::ui
