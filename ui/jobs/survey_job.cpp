#include "ui/jobs/survey_job.hpp"

#include "engine/base/file.hpp"

#include <QFileInfo>

#include <chrono>
#include <filesystem>
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

/// Reads a survey. Its frames get the paths at which they are if the folder was not moved: a relative folder
/// is in the folder of the file.
void read_survey_file(const QString& name, Job& /*job*/, const Send<Surveyed>& send) {
  constexpr std::uint64_t max_bytes = 1ULL << 30U;
  const std::filesystem::path file = std::filesystem::absolute(name.toStdString());
  auto survey = std::make_shared<Survey>(read_survey(read_text_file(file, max_bytes), file.string()));
  const std::filesystem::path folder = (file.parent_path() / survey->request.folder).lexically_normal();
  for (std::filesystem::path& frame : survey->request.frames) {
    if (!frame.empty()) frame = folder / frame;
  }
  send(std::move(survey));
}

}  // namespace

SurveyJob::SurveyJob(Tasks& tasks, std::shared_ptr<const Registry> registry, QObject* parent)
    : QObject(parent), registry_(std::move(registry)), task_(tasks), reading_(tasks) {
  connect(&task_, &TaskSlot::failed, this, &SurveyJob::failed);
  connect(&reading_, &TaskSlot::failed, this, &SurveyJob::failed);
  connect(&task_, &TaskSlot::finished, this, &SurveyJob::changed);
}

SurveyJob::~SurveyJob() {
  stop_.request_stop();
}

void SurveyJob::start(const SurveyRequest& request) {
  stop_.request_stop();
  stop_ = std::stop_source();
  survey_.reset();
  file_.clear();
  reading_.cancel();
  task_.start(tr("Survey"), survey_folder, {request, registry_, stop_}, [this](const Surveyed& survey) {
    survey_ = survey;
    emit changed();
  });
  emit changed();
}

void SurveyJob::read(const QString& file) {
  reading_.start(tr("Reading %1").arg(QFileInfo(file).fileName()), read_survey_file, file,
                 [this, file](const Surveyed& survey) {
                   clear();
                   survey_ = survey;
                   file_ = file;
                   emit changed();
                 });
}

void SurveyJob::stop() {
  stop_.request_stop();
}

void SurveyJob::clear() {
  stop_.request_stop();
  task_.cancel();
  survey_.reset();
  file_.clear();
  emit changed();
}

}  // namespace spira::ui
