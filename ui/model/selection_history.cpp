#include "ui/model/selection_history.hpp"

namespace spira::ui {
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
  // New voxels or layers make the recorded selections invalid.
  connect(workspace, &Workspace::voxelsChanged, this, restart);
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
  // The layer must be set first, because setLayer() also sets a stride and clears the offsets.
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
