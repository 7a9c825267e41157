#include "ui/features/survey/surveys.hpp"

#include "engine/base/file.hpp"
#include "engine/report/reproduce.hpp"
#include "engine/report/validate.hpp"
#include "engine/scene/sequence.hpp"
#include "engine/survey/survey.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/open_document.hpp"

#include <QFileInfo>
#include <QMainWindow>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace spira::ui {
namespace {

constexpr auto survey_table = std::to_array<CommandFacts>({
    {"survey.run", QT_TRANSLATE_NOOP("Command", "Survey this folder"), "",
     QT_TRANSLATE_NOOP("Command", "Read all frames of the folder, and show statistics and outliers"), 380,
     Menu::scene, 4},
    {"survey.stop", QT_TRANSLATE_NOOP("Command", "Stop the survey"), "",
     QT_TRANSLATE_NOOP("Command", "Stop the survey and keep the finished frames"), 390, Menu::scene, 4},
    {"survey.save", QT_TRANSLATE_NOOP("Command", "Save survey (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save the rows of all frames and the summary"), 400, Menu::scene, 4,
     Opens::dialog},
});

}  // namespace

std::span<const CommandFacts> survey_commands() noexcept {
  return survey_table;
}

Surveys::Surveys(const FeatureContext& context, const Parts& parts, std::shared_ptr<const Registry> registry)
    : QObject(&context.window),
      context_(context),
      parts_(parts),
      job_(context.tasks, std::move(registry), this),
      panel_(new SurveyPanel(&context.workspace, &context.selection, &context.theme, &job_)) {
  set_help(panel_, "window#Survey");
  parts_.docks.addTab({DockLayout::Side::bottom, "survey", panel_, tr("Survey"),
                       [this] { return job_.survey() != nullptr; }});
  CommandSet& commands = context_.commands;
  const Workspace& open = context_.workspace;
  commands.bind(
      "survey.run", [this] { run(); },
      [&open] { return open.scene().frames().size() > 1 ? QString() : tr("open a folder of frames first"); });
  commands.bind(
      "survey.stop", [this] { job_.stop(); },
      [this] { return job_.busy() ? QString() : tr("no survey is running"); });
  commands.bind(
      "survey.save", [this] { save(); },
      [this] { return job_.survey() && !job_.busy() ? QString() : tr("survey a folder first"); });
  connect(&job_, &SurveyJob::changed, &commands, &CommandSet::refreshSoon);
  connect(&job_, &SurveyJob::failed, this, [this](const Error& error) { context_.notices.showError(error); });
  connect(panel_, &Panel::commandRequested, &commands, &CommandSet::trigger);
  connect(panel_, &SurveyPanel::frameRequested, this, &Surveys::showFrame);
  connect(&open.scene(), &OpenScene::framesChanged, this, [this] {
    if (job_.survey() && job_.file().isEmpty() && !describesOpenFrames()) job_.clear();
  });
}

bool Surveys::describesOpenFrames() const {
  return same_files(job_.survey()->request.frames, context_.workspace.scene().frames().files());
}

bool Surveys::takes(const QString& file) {
  if (!begins_as(file.toStdString(), DocumentKind::survey)) return false;
  job_.read(file);
  context_.dialogs.used(file);
  showTab();
  return true;
}

void Surveys::showTab() {
  parts_.docks.show("survey");
  context_.commands.trigger("layout.profile");
}

/// Shows a frame of the survey. If the frames of a survey from a file are not open, opens the file of the
/// frame instead of the open scene.
void Surveys::showFrame(int frame) {
  if (!job_.survey() || describesOpenFrames()) return parts_.jobs.scenes().showFrame(frame);
  const auto& file = job_.survey()->request.frames.at(static_cast<std::size_t>(frame));
  std::error_code ignored;
  const QString name = QString::fromStdString(file.string());
  if (std::filesystem::exists(file, ignored)) return emit openRequested(name);
  context_.notices.showNote(
      tr("The frame was not found"),
      tr("%1 does not exist. Open the folder of the frames to see this frame.").arg(name));
}

/// Starts the survey with the voxel size and the crop of the open frame. If a network is open, its largest
/// kernel size and stride are used to check which packings the frames fit. The format of each frame is
/// detected unless the user selected one.
void Surveys::run() {
  const Workspace& open = context_.workspace;
  SurveyRequest request;
  request.frames = open.scene().frames().files();
  request.folder = std::filesystem::absolute(request.frames.front()).parent_path().string();
  request.picked = !QFileInfo(parts_.document.names().reopen).isDir();
  request.format = parts_.jobs.scenes().source().format.toStdString();
  request.grid = open.requested().grid();
  request.crop_m = open.requested().grid().crop_m;
  if (open.network()) {
    const Levels levels = levels_of(*open.network());
    request.judged_kernel_size = levels.max_kernel_size;
    request.judged_max_stride = levels.max_stride;
    if (preset_of(*open.network()).empty()) {
      request.network = network_argument(*open.network());
      request.network_needs = levels.needs;
    }
  }
  request.density_kernel_size = open.requested().sceneKernelSize();
  request.judged_kernel_size = std::max(request.judged_kernel_size, request.density_kernel_size);
  showTab();
  job_.start(request);
}

void Surveys::save() {
  const QString file =
      context_.dialogs.saveFile(&context_.window, tr("Save survey"), "survey.json", tr("Surveys (*.json)"));
  if (file.isEmpty()) return;
  try {
    write_file(file.toStdString(), survey_json(*job_.survey()));
    context_.workspace.addLog(tr("written: %1").arg(file));
  } catch (const Error& error) {
    context_.notices.showError(error);
  }
}

}  // namespace spira::ui
