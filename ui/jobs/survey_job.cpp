#include "ui/jobs/survey_job.hpp"

#include <chrono>
#include <utility>

namespace spira::ui {
namespace {

using Surveyed = std::shared_ptr<const Survey>;

struct SurveyArgs {
  SurveyRequest request;
  std::shared_ptr<const Registry> registry;
  std::stop_source stop;  ///< A stop request ends the survey, which then returns the finished frames.
};

void survey_folder(const SurveyArgs& args, Job& job, const Send<Surveyed>& send) {
  // The survey uses a separate stop source, args.stop, because a cancelled task has no result. If the task
  // itself is cancelled, for example because the window closes, the survey is stopped too.
  std::stop_source both = args.stop;
  const std::stop_callback window_closes(job.stop_token(), [&both] { both.request_stop(); });
  Job frames(both.get_token());
  using Clock = std::chrono::steady_clock;
  constexpr auto often = std::chrono::milliseconds(250);
  auto shown_at = Clock::now();
  const auto partial = [&](const Survey& so_far) {
    if (Clock::now() - shown_at < often) return;
    shown_at = Clock::now();
    auto copy = std::make_shared<Survey>(so_far);
    summarise(*copy);
    send(std::move(copy));
  };
  const auto backend = args.registry->make("cpu");
  send(std::make_shared<const Survey>(survey_frames(args.request, *backend, frames, partial)));
}

}  // namespace

SurveyJob::SurveyJob(Tasks& tasks, std::shared_ptr<const Registry> registry, QObject* parent)
    : QObject(parent), registry_(std::move(registry)), task_(tasks) {
  connect(&task_, &TaskSlot::failed, this, &SurveyJob::failed);
  connect(&task_, &TaskSlot::finished, this, &SurveyJob::changed);
}

SurveyJob::~SurveyJob() {
  stop_.request_stop();
}

void SurveyJob::start(const SurveyRequest& request) {
  stop_.request_stop();
  stop_ = std::stop_source();
  survey_.reset();
  task_.start(tr("Survey"), survey_folder, {request, registry_, stop_}, [this](const Surveyed& survey) {
    survey_ = survey;
    emit changed();
  });
  emit changed();
}

void SurveyJob::stop() {
  stop_.request_stop();
}

void SurveyJob::clear() {
  stop_.request_stop();
  task_.cancel();
  survey_.reset();
  emit changed();
}

}  // namespace spira::ui
