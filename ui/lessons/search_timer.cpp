#include "ui/lessons/search_timer.hpp"

#include <utility>

namespace spira::ui {

SearchTimer::SearchTimer(Workspace* workspace, Selection* selection, EngineJobs* jobs, QObject* parent)
    : QObject(parent), workspace_(workspace), selection_(selection), jobs_(jobs) {
  // Delay in ms before timing starts. It is needed because a page sets the kernel size and the level in
  // separate steps.
  constexpr int rest_ms = 100;
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &SearchTimer::begin);
  for (const auto signal : {&Workspace::voxelsChanged, &Workspace::sceneKernelChanged})
    connect(workspace_, signal, this, &SearchTimer::follow);
  connect(selection_, &Selection::strideChanged, this, &SearchTimer::follow);
  connect(jobs_, &EngineJobs::searchesTimed, this, &SearchTimer::keep);
  connect(jobs_->runner(), &JobRunner::started, this, [this] { started_.reset(); });
  connect(jobs_->runner(), &JobRunner::finished, this, &SearchTimer::jobEnded);
}

SearchTimer::Subject SearchTimer::subject() const {
  return {workspace_->voxels(), workspace_->sceneKernelSize(), selection_->stride()};
}

void SearchTimer::setWanted(bool wanted) {
  if (wanted == wanted_) return;
  wanted_ = wanted;
  refused_.reset();
  if (!wanted && started_ && jobs_->trying()) jobs_->cancel();
  follow();
}

void SearchTimer::forget() {
  setWanted(false);
  last_.reset();
}

std::shared_ptr<const LessonRun> SearchTimer::run() const {
  const bool fits = last_ && subject() == Subject{last_->scene, last_->kernel_size, last_->stride};
  return fits ? last_->run : nullptr;
}

bool SearchTimer::busy() const {
  return wanted_ && workspace_->voxels() && !run() && refused_ != subject();
}

void SearchTimer::follow() {
  if (!busy()) return rest_.stop();
  if (started_ != subject()) rest_.start();
}

void SearchTimer::begin() {
  // If another job is running, jobEnded() calls this function again.
  if (!busy() || jobs_->runner()->busy()) return;
  if (disturbed_ && disturbed_()) return rest_.start();
  const Subject now = subject();
  jobs_->timeSearches(now.kernel_size, now.stride);
  started_ = now;
}

void SearchTimer::keep(const SearchTiming& timing) {
  last_ = timing;
  emit changed();
}

/// Records that a timing failed or was stopped, so that it does not restart automatically.
void SearchTimer::jobEnded() {
  const auto ours = std::exchange(started_, std::nullopt);
  if (ours && !run()) {
    refused_ = ours;
    emit changed();
  }
  follow();
}

}  // namespace spira::ui
