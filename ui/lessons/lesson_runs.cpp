#include "ui/lessons/lesson_runs.hpp"

#include "engine/base/error.hpp"
#include "engine/report/report_exports.hpp"
#include "ui/model/neighbours.hpp"

#include <QFile>

#include <utility>

namespace spira::ui {
namespace {

/// A run that was recorded on a GPU. It contains the times of the whole network as one CUDA graph and a sweep
/// over t, but no scene.
constexpr const char* shipped_file = ":/lesson-runs/h100-minkunet42-lidar-street.spira.json";

void read_run(const QString& name, Job& /*job*/, const Send<std::shared_ptr<const LessonRun>>& send) {
  QFile file(name);
  if (!file.open(QIODevice::ReadOnly)) return;
  send(run_of_report(
      std::make_shared<const Report>(parse_report(file.readAll().toStdString(), name.toStdString()))));
}

}  // namespace

LessonRuns::LessonRuns(Tasks& tasks, Workspace* workspace, QObject* parent)
    : QObject(parent), workspace_(workspace), reading_(tasks) {
  for (const auto signal : {&RunResults::measurementChanged, &RunResults::sweepsChanged})
    connect(&workspace_->results(), signal, this, &LessonRuns::followHere);
  connect(&reading_, &TaskSlot::failed, this, &LessonRuns::failed);
}

void LessonRuns::begin(const std::shared_ptr<const Report>& opened) {
  active_ = true;
  chosen_.reset();
  opened_ = opened ? run_of_report(opened) : nullptr;
  here_ = runOfThisWindow();
}

void LessonRuns::end() {
  active_ = false;
  needs_ = {};
  here_ = opened_ = nullptr;
}

void LessonRuns::want(const std::vector<std::string>& facts) {
  needs_ = run_needs(facts);
  if (needs_ != RunNeeds{} && !shipped_ && !reading_.busy()) readShipped();
  emit changed();
}

void LessonRuns::choose(Of which) {
  chosen_ = which;
  emit changed();
}

std::vector<LessonRuns::Of> LessonRuns::choices() const {
  std::vector<Of> there;
  for (const Of which : {Of::here, Of::opened, Of::shipped}) {
    if (run(which)) there.push_back(which);
  }
  return there;
}

LessonRuns::Of LessonRuns::current() const {
  if (chosen_ && run(*chosen_)) return *chosen_;
  for (const Of which : choices()) {
    if (missing_of(*run(which), needs_) == RunNeeds{}) return which;
  }
  return Of::shipped;
}

const std::shared_ptr<const LessonRun>& LessonRuns::run(Of which) const {
  return which == Of::here ? here_ : which == Of::opened ? opened_ : shipped_;
}

std::shared_ptr<const LessonRun> LessonRuns::run() const {
  return needs_ == RunNeeds{} ? nullptr : run(current());
}

void LessonRuns::readShipped() {
  reading_.start(tr("Reading the recorded run"), read_run, shipped_file,
                 [this](const std::shared_ptr<const LessonRun>& made) {
                   shipped_ = made;
                   emit changed();
                 });
}

void LessonRuns::followHere() {
  if (!active_) return;
  here_ = runOfThisWindow();
  emit changed();
}

std::vector<std::shared_ptr<const Densities>> LessonRuns::densitiesOfLayers() const {
  std::vector<std::shared_ptr<const Densities>> all;
  for (int layer = 0; layer < static_cast<int>(workspace_->network()->layers.size()); ++layer) {
    const auto& result = workspace_->results().layer(layer);
    if (!result) return {};
    all.push_back(std::make_shared<const Densities>(result->densities));
  }
  return all;
}

/// Returns a run that shares the results of the window instead of copying them, because a running sweep calls
/// this function after each new value. Only the densities are copied: they are small, and a shared pointer
/// to them would keep the maps and features of the layers in memory.
std::shared_ptr<const LessonRun> LessonRuns::runOfThisWindow() const {
  const auto& network = workspace_->network();
  if (workspace_->results().report() || !workspace_->scene().voxels() || !network) return nullptr;
  auto run = std::make_shared<LessonRun>();
  run->network = network;
  run->thresholds = workspace_->results().thresholdSweep();
  const auto& measured = workspace_->results().measurement();
  // If the measurement and the network have different numbers of layers, the measurement belongs to another
  // network.
  if (measured && measured->layers.size() == network->layers.size()) {
    run->measurement = measured;
    run->layer_densities = densitiesOfLayers();
  }
  if (!run->measurement && !run->thresholds) return nullptr;
  const DeviceFacts& device = run->measurement ? run->measurement->device : run->thresholds->device;
  run->source =
      "this run, " + device.name + ", " + network->name + " on " + workspace_->scene().facts()->name;
  return run;
}

QString source_text(const LessonRun& run) {
  const QString source = QString::fromStdString(run.source) + ".";
  return run.recorded ? source + " " + LessonRuns::tr("Measured on a different machine and scene.") : source;
}

LessonTimer::LessonTimer(Timed what, Workspace* workspace, Selection* selection, EngineLane* lane,
                         SweepJobs* sweeps, QObject* parent)
    : QObject(parent),
      what_(what),
      workspace_(workspace),
      selection_(selection),
      lane_(lane),
      sweeps_(sweeps) {
  // A page sets first the kernel and then the level. Wait a moment before timing, so that both are set.
  constexpr int rest_ms = 100;
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &LessonTimer::begin);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &LessonTimer::follow);
  connect(&workspace_->requested(), &RequestedSettings::sceneKernelChanged, this, &LessonTimer::follow);
  connect(workspace_, &Workspace::networkChanged, this, &LessonTimer::follow);
  connect(selection_, &Selection::strideChanged, this, &LessonTimer::follow);
  connect(sweeps_, &SweepJobs::timed, this, &LessonTimer::keep);
  connect(&lane_->task(), &TaskSlot::started, this, [this] { started_.reset(); });
  connect(&lane_->task(), &TaskSlot::finished, this, &LessonTimer::jobEnded);
}

TimedSubject LessonTimer::subject() const {
  const KernelShape kernel = what_ == Timed::searches ? KernelShape(workspace_->requested().sceneKernelSize())
                                                      : scene_kernel(*workspace_);
  return {what_, workspace_->scene().voxels(), kernel, floor_stride(*selection_)};
}

bool LessonTimer::possible() const {
  if (!workspace_->scene().voxels()) return false;
  return what_ == Timed::searches || (scene_kernel(*workspace_).native() && floor_stride(*selection_) == 1);
}

void LessonTimer::setWanted(bool wanted) {
  if (wanted == wanted_) return;
  wanted_ = wanted;
  refused_.reset();
  if (!wanted && started_ && lane_->trying()) lane_->cancel();
  follow();
}

void LessonTimer::forget() {
  setWanted(false);
  last_.reset();
}

std::shared_ptr<const LessonRun> LessonTimer::run() const {
  return last_ && last_->subject == subject() ? last_->run : nullptr;
}

bool LessonTimer::busy() const {
  return wanted_ && possible() && !run() && refused_ != subject();
}

void LessonTimer::follow() {
  if (!busy()) return rest_.stop();
  if (started_ != subject()) rest_.start();
}

void LessonTimer::begin() {
  // While another job runs, do nothing: jobEnded() calls this function again.
  if (!busy() || lane_->busy()) return;
  if (disturbed_ && disturbed_()) return rest_.start();
  const TimedSubject now = subject();
  sweeps_->time(now);
  started_ = now;
}

void LessonTimer::keep(const LessonTiming& timing) {
  if (timing.subject.what != what_) return;
  last_ = timing;
  emit changed();
}

/// Records that a timing failed or was stopped, so that it is not restarted automatically.
void LessonTimer::jobEnded() {
  const auto ours = std::exchange(started_, std::nullopt);
  if (ours && !run()) {
    refused_ = ours;
    emit changed();
  }
  follow();
}

}  // namespace spira::ui
