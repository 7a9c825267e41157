#include "ui/jobs/survey_job.hpp"

#include <chrono>

namespace spira::ui {

SurveyJob::SurveyJob(std::shared_ptr<const Registry> registry, QObject* parent)
    : QObject(parent), registry_(std::move(registry)), runner_(new JobRunner(this)) {
  connect(runner_, &JobRunner::failed, this, &SurveyJob::failed);
  connect(runner_, &JobRunner::finished, this, &SurveyJob::changed);
}

SurveyJob::~SurveyJob() {
  stop_.request_stop();
  delete runner_;
}

void SurveyJob::start(const SurveyRequest& request) {
  stop_.request_stop();
  stop_ = std::stop_source();
  survey_.reset();
  runner_->start(tr("Survey"),
                 [this, request, registry = registry_, stop = stop_](Job& job, const JobRunner::Post& post) {
                   const auto show = [&](Survey survey) {
                     post([this, shown = std::make_shared<const Survey>(std::move(survey))] {
                       survey_ = shown;
                       emit changed();
                     });
                   };
                   // A cancelled job has no result. Therefore stop() uses a second stop source, which ends
                   // the survey so that it returns the finished frames.
                   std::stop_source both = stop;
                   const std::stop_callback window_closes(job.stop_token(), [&both] { both.request_stop(); });
                   Job frames(both.get_token());
                   using Clock = std::chrono::steady_clock;
                   constexpr auto often = std::chrono::milliseconds(250);
                   auto shown_at = Clock::now();
                   const auto partial = [&](const Survey& so_far) {
                     if (Clock::now() - shown_at < often) return;
                     shown_at = Clock::now();
                     Survey copy = so_far;
                     summarise(copy);
                     show(std::move(copy));
                   };
                   const auto backend = registry->make("cpu");
                   show(survey_frames(request, *backend, frames, partial));
                 });
  emit changed();
}

void SurveyJob::stop() {
  stop_.request_stop();
}

void SurveyJob::clear() {
  stop_.request_stop();
  runner_->cancel();
  survey_.reset();
  emit changed();
}

}  // namespace spira::ui
