#include "ui/lessons/lesson_runs.hpp"

#include "engine/base/error.hpp"
#include "ui/model/measured_here.hpp"

#include <QFile>

#include <utility>

namespace spira::ui {
namespace {

/// Of a GPU that ran a whole network as one graph, with every t and without a scene.
constexpr const char* shipped_file = ":/lesson-runs/h200-minkunet42-lidar-street.spira.json";

}  // namespace

LessonRuns::LessonRuns(Workspace* workspace, QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      open_run_(new OpenRun(workspace, this)),
      reading_(new JobRunner(this)) {
  for (const auto signal : {&Workspace::measurementChanged, &Workspace::sweepsChanged})
    connect(workspace_, signal, this, &LessonRuns::followHere);
  connect(reading_, &JobRunner::failed, this, &LessonRuns::failed);
}

LessonRuns::~LessonRuns() {
  delete reading_;  // its jobs post to this
}

void LessonRuns::begin(const std::shared_ptr<const Report>& opened) {
  active_ = true;
  chosen_.reset();
  opened_ = opened ? run_of_report(*opened, true) : nullptr;
  here_ = runOfThisWindow();
}

void LessonRuns::end() {
  active_ = false;
  needs_ = {};
  here_ = opened_ = nullptr;
}

void LessonRuns::want(const std::vector<std::string>& facts) {
  needs_ = run_needs(facts);
  if (needs_ != RunNeeds{} && !shipped_ && !reading_->busy()) readShipped();
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
  reading_->start(tr("Reading the recorded run"), [this](Job&, const JobRunner::Post& post) {
    QFile file(shipped_file);
    if (!file.open(QIODevice::ReadOnly)) return;
    auto made = run_of_report(parse_report(file.readAll().toStdString(), shipped_file), true);
    post([this, made = std::move(made)] {
      shipped_ = made;
      emit changed();
    });
  });
}

void LessonRuns::followHere() {
  if (!active_) return;
  here_ = runOfThisWindow();
  emit changed();
}

std::shared_ptr<const LessonRun> LessonRuns::runOfThisWindow() const {
  if (workspace_->report() || !workspace_->voxels() || !workspace_->network()) return nullptr;
  if (const auto report = open_run_->report()) return run_of_report(*report, false);
  if (!workspace_->thresholdSweep()) return nullptr;
  auto run = std::make_shared<LessonRun>();
  run->network = workspace_->network();
  run->thresholds = workspace_->thresholdSweep();
  run->source = "this run, " + run->thresholds->device.name + ", " + run->network->name + " on " +
                workspace_->sceneFacts()->name;
  return run;
}

}  // namespace spira::ui
