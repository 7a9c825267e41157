// Times the map searches for a lesson, on the thread that owns the back end.
#include "engine/lesson/lesson_run.hpp"
#include "ui/jobs/engine_host.hpp"

namespace spira::ui {

void EngineJobs::timeSearches(int kernel_size, int stride) {
  constexpr int rounds = 11;
  if (!workspace_->voxels()) return;
  opening_.reset();
  tried_.reset();
  doing_ = Doing::trial;
  start(tr("Timing the searches"), [this, host = host_, scene = workspace_->voxels(), kernel_size, stride](
                                       Job& job, const JobRunner::Post& post) {
    Backend& device = host->device();
    auto run = std::make_shared<LessonRun>();
    run->searches = measure_searches(device, *scene, kernel_size, stride, rounds, job);
    run->searched_on = device.facts().name;
    run->source = run->searched_on;
    post([this, timing = SearchTiming{scene, kernel_size, stride, std::move(run)}] {
      emit searchesTimed(timing);
    });
  });
}

}  // namespace spira::ui
