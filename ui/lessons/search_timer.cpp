#include "ui/lessons/search_timer.hpp"

#include <utility>

namespace spira::ui {

SearchTimer::SearchTimer(Workspace* workspace, Selection* selection, EngineLane* lane, SweepJobs* sweeps,
                         QObject* parent)
    : QObject(parent), workspace_(workspace), selection_(selection), lane_(lane), sweeps_(sweeps) {
  // A page sets kernel and level one after the other, so the timing waits for both.
  constexpr int rest_ms = 100;
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &SearchTimer::begin);
  for (const auto signal : {&Workspace::voxelsChanged, &Workspace::sceneKernelChanged})
    connect(workspace_, signal, this, &SearchTimer::follow);
  connect(selection_, &Selection::strideChanged, this, &SearchTimer::follow);
  connect(sweeps_, &SweepJobs::searchesTimed, this, &SearchTimer::keep);
  connect(&lane_->task(), &TaskSlot::started, this, [this] { started_.reset(); });
  connect(&lane_->task(), &TaskSlot::finished, this, &SearchTimer::jobEnded);
}

SearchTimer::Subject SearchTimer::subject() const {
  return {workspace_->voxels(), workspace_->sceneKernelSize(), selection_->stride()};
}

void SearchTimer::setWanted(bool wanted) {
  if (wanted == wanted_) return;
  wanted_ = wanted;
  refused_.reset();
  if (!wanted && started_ && lane_->trying()) lane_->cancel();
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
  if (!busy() || lane_->busy()) return;  // jobEnded() tries again
  if (disturbed_ && disturbed_()) return rest_.start();
  const Subject now = subject();
  sweeps_->timeSearches(now.kernel_size, now.stride);
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
