#include "ui/features/survey/surveys.hpp"

#include "engine/base/file.hpp"
#include "engine/scene/sequence.hpp"
#include "engine/survey/survey_json.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

#include <QTabWidget>

#include <algorithm>

namespace spira::ui {

Surveys::Surveys(std::shared_ptr<const Registry> registry, MainWindow* window)
    : QObject(window),
      window_(window),
      job_(new SurveyJob(window->tasks(), std::move(registry), this)),
      panel_(new SurveyPanel(&window->workspace(), &window->selection(), &window->theme(), job_)) {
  set_help(panel_, "window#Survey");
  window_->bottomTabs().addTab(panel_, tr("Survey"));
  CommandSet& commands = window_->commands();
  const Workspace& open = window_->workspace();
  commands.bind(
      "survey.run", [this] { run(); },
      [&open] { return open.frames().size() > 1 ? QString() : tr("open a folder of frames first"); });
  commands.bind(
      "survey.stop", [this] { job_->stop(); },
      [this] { return job_->busy() ? QString() : tr("no survey is running"); });
  commands.bind(
      "survey.save", [this] { saveDialog(); },
      [this] { return job_->survey() && !job_->busy() ? QString() : tr("survey a folder first"); });
  connect(job_, &SurveyJob::changed, &commands, &CommandSet::refreshSoon);
  connect(job_, &SurveyJob::failed, this,
          [this](const Error& error) { window_->banner().showError(error, {}); });
  connect(panel_, &Panel::commandRequested, this,
          [this](const QString& id) { window_->commands().trigger(id); });
  connect(panel_, &SurveyPanel::frameRequested, &window_->jobs().scenes(), &SceneJobs::showFrame);
  connect(&open, &Workspace::framesChanged, this, [this, &open] {
    if (job_->survey() && !same_files(job_->survey()->request.frames, open.frames().files())) job_->clear();
  });
}

/// Surveys with the voxel size and the crop of the open frame, and checks the fit for the chosen network. The
/// format of each frame is guessed unless the user named one.
void Surveys::run() {
  const Workspace& open = window_->workspace();
  SurveyRequest request;
  request.frames = open.frames().files();
  request.folder = std::filesystem::absolute(request.frames.front()).parent_path().string();
  request.picked = window_->session().kind == OpenKind::files;
  request.format = window_->jobs().scenes().source().format.toStdString();
  request.grid = open.grid();
  request.crop_m = open.grid().crop_m;
  if (open.network()) {
    const Levels levels = levels_of(*open.network());
    request.judged_kernel_size = levels.max_kernel_size;
    request.judged_max_stride = levels.max_stride;
  }
  request.density_kernel_size = open.sceneKernelSize();
  request.judged_kernel_size = std::max(request.judged_kernel_size, request.density_kernel_size);
  window_->bottomTabs().setCurrentWidget(panel_);
  window_->commands().trigger("layout.profile");
  job_->start(request);
}

void Surveys::save(const QString& file) const {
  write_file(file.toStdString(), survey_json(*job_->survey()));
}

void Surveys::saveDialog() {
  const QString file =
      window_->fileDialogs().saveFile(window_, tr("Save survey"), "survey.json", tr("Surveys (*.json)"));
  if (file.isEmpty()) return;
  try {
    save(file);
    window_->workspace().addLog(tr("written: %1").arg(file));
  } catch (const Error& error) {
    window_->banner().showError(error, {});
  }
}

}  // namespace spira::ui
