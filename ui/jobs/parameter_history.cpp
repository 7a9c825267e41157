#include "ui/jobs/parameter_history.hpp"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QScopedValueRollback>

#include <utility>

namespace spira::ui {

class ParameterHistory::Step : public QUndoCommand {
 public:
  /// `gesture` identifies the gesture to which the change belongs. 0 means that it belongs to no gesture.
  Step(ParameterHistory* history, Parameters before, Parameters after, int gesture)
      : QUndoCommand(difference(before, after)),
        history_(history),
        before_(std::move(before)),
        after_(std::move(after)),
        gesture_(gesture) {}

  void undo() override { history_->apply(after_, before_); }
  void redo() override {
    // QUndoStack calls redo() when the step is pushed. At that time, the change has already been made.
    if (std::exchange(made_, true)) history_->apply(before_, after_);
  }
  [[nodiscard]] int id() const override { return 1; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const Step*>(other);
    if (gesture_ == 0 || next->gesture_ != gesture_ || next->text() != text()) return false;
    after_ = next->after_;
    // The difference is empty if the user dragged back to the initial value.
    if (difference(before_, after_).isEmpty()) setObsolete(true);
    return true;
  }

 private:
  ParameterHistory* history_;
  Parameters before_, after_;
  int gesture_;
  bool made_ = false;
};

ParameterHistory::ParameterHistory(Workspace* workspace, Selection* selection, ViewParts* parts,
                                   EngineLane* lane, SceneJobs* scenes, RunJobs* runs, QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      selection_(selection),
      parts_(parts),
      scenes_(scenes),
      runs_(runs),
      known_(parameters_of(*workspace, *selection, *parts)) {
  constexpr int max_steps = 500;
  stack_.setUndoLimit(max_steps);
  for (const auto changed : {&Workspace::networkChanged, &Workspace::weightsChanged})
    connect(workspace_, changed, this, &ParameterHistory::record);
  for (const auto changed : {&RequestedSettings::planChanged, &RequestedSettings::precisionChoiceChanged,
                             &RequestedSettings::deviceChoiceChanged, &RequestedSettings::sceneKernelChanged})
    connect(&workspace_->requested(), changed, this, &ParameterHistory::record);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &ParameterHistory::recordVoxels);
  connect(&selection_->look(), &SceneLook::colourByChanged, this, &ParameterHistory::record);
  connect(&selection_->look(), &SceneLook::coloursChanged, this, &ParameterHistory::record);
  connect(&selection_->look(), &SceneLook::voxelStyleChanged, this, &ParameterHistory::record);
  connect(&selection_->look(), &SceneLook::hiddenLabelsChanged, this, &ParameterHistory::record);
  connect(&selection_->look(), &SceneLook::slabChanged, this, &ParameterHistory::record);
  connect(parts_, &ViewParts::changed, this, &ParameterHistory::record);
  // If an undo was cancelled, the open scene is unchanged, so the next undo step starts from its grid and
  // packing.
  connect(&lane->task(), &TaskSlot::finished, this, [this] {
    if (!workspace_->scene().voxels()) return;
    known_.grid = workspace_->scene().voxels()->grid;
    known_.pack = workspace_->scene().voxels()->pack;
    known_.pack_automatic = workspace_->requested().packAutomatic();
  });
  QCoreApplication::instance()->installEventFilter(this);
}

void ParameterHistory::begin() {
  known_ = parameters_of(*workspace_, *selection_, *parts_);
  stack_.clear();
}

void ParameterHistory::setPaused(bool paused) {
  paused_ = paused;
  const auto& voxels = workspace_->scene().voxels();
  // If another scene was opened during the pause, record its grid and packing.
  if (!paused && voxels && voxels->cloud != cloud_) recordVoxels();
  known_ = parameters_of(*workspace_, *selection_, *parts_);
}

/// Records all parameters except grid and packing. recordVoxels() records the grid and the packing after
/// voxelising, because a request may be refused.
void ParameterHistory::record() {
  if (workspace_->results().report() != report_) {
    report_ = workspace_->results().report();
    return begin();
  }
  Parameters now = parameters_of(*workspace_, *selection_, *parts_);
  now.grid = known_.grid;
  now.pack = known_.pack;
  now.pack_automatic = known_.pack_automatic;
  push(now);
}

void ParameterHistory::recordVoxels() {
  const auto& voxels = workspace_->scene().voxels();
  if (!voxels || paused_) return;
  const bool next_frame = workspace_->scene().frames().size() > 1 && workspace_->scene().frames() == frames_;
  frames_ = workspace_->scene().frames();
  if (std::exchange(cloud_, voxels->cloud) != voxels->cloud) {
    if (!next_frame) return begin();
    known_.grid = voxels->grid;
    known_.pack = voxels->pack;
    known_.pack_automatic = workspace_->requested().packAutomatic();
    return;
  }
  Parameters now = known_;
  now.grid = voxels->grid;
  now.pack = voxels->pack;
  now.pack_automatic = workspace_->requested().packAutomatic();
  push(now);
}

void ParameterHistory::push(const Parameters& now) {
  const Parameters before = std::exchange(known_, now);
  if (applying_ || paused_ || difference(before, now).isEmpty()) return;
  stack_.push(new Step(this, before, now, held_ ? gesture_ : 0));
}

/// Applies only the parameters that differ between `from` and `to`. For example, if the user chose a
/// different packing for a later frame, this step does not change it.
void ParameterHistory::apply(const Parameters& from, const Parameters& to) {
  const QScopedValueRollback applying(applying_, true);
  if (from.network != to.network || from.weights != to.weights) runs_->useNetwork(to.network, to.weights);
  if (from.device != to.device) workspace_->requested().chooseDevice(to.device);
  workspace_->choosePrecision(to.precision);
  if (from.network != to.network || from.plan.layers != to.plan.layers) {
    Plan plan = to.plan;
    // Keep the current precision, because the device may have changed since this step.
    plan.precision = workspace_->requested().plan().precision;
    workspace_->setPlan(plan);
  }
  if (from.scene_kernel_size != to.scene_kernel_size)
    workspace_->requested().setSceneKernelSize(to.scene_kernel_size);
  if (from.colour_by != to.colour_by) selection_->look().setColourBy(to.colour_by);
  if (!(from.look == to.look)) selection_->look().setColours(to.look);
  if (from.voxel_style != to.voxel_style) selection_->look().setVoxelStyle(to.voxel_style);
  if (from.hidden_labels != to.hidden_labels) selection_->look().setHiddenLabels(to.hidden_labels);
  if (from.slab_m != to.slab_m) selection_->look().setSlab(to.slab_m);
  if (!(from.parts == to.parts)) parts_->set(to.parts);
  const bool other_grid = from.grid.voxel_m != to.grid.voxel_m || from.grid.crop_m != to.grid.crop_m ||
                          from.grid.positions != to.grid.positions;
  if (!other_grid && !other_pack(from, to)) return;
  if (other_grid) known_.grid = to.grid;
  if (other_pack(from, to)) {
    known_.pack = to.pack;
    known_.pack_automatic = to.pack_automatic;
  }
  workspace_->requested().setGridAndPack(known_.grid, known_.pack);
  workspace_->requested().setPackAutomatic(known_.pack_automatic);
  scenes_->voxelize();
}

bool ParameterHistory::eventFilter(QObject* watched, QEvent* event) {
  // Wheel events that follow each other within this time belong to one gesture.
  constexpr qint64 one_turn_ms = 700;
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      ++gesture_;
      held_ = true;
      break;
    case QEvent::KeyPress:
      if (!static_cast<QKeyEvent*>(event)->isAutoRepeat()) ++gesture_;
      holdUntilHandled();
      break;
    case QEvent::Wheel:
      if (!last_wheel_.isValid() || last_wheel_.elapsed() > one_turn_ms) ++gesture_;
      last_wheel_.start();
      holdUntilHandled();
      break;
    case QEvent::MouseButtonRelease:
      // A change that is made when the mouse button is released still belongs to the drag.
      holdUntilHandled();
      break;
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

void ParameterHistory::holdUntilHandled() {
  held_ = true;
  QMetaObject::invokeMethod(
      this, [this, gesture = gesture_] { held_ = held_ && gesture != gesture_; }, Qt::QueuedConnection);
}

}  // namespace spira::ui
