// Sessions: save the open scene and its state as a file, open it again, and restore it after a crash.
#include "engine/base/current_error.hpp"
#include "engine/base/file.hpp"
#include "engine/scene/built_in_scene.hpp"
#include "engine/scene/standard_input.hpp"
#include "ui/features/session/recovery.hpp"
#include "ui/features/session/recovery_dialog.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr const char* ending = ".spirasession";

/// Stores the open scene or report in the session. `reopen` is its file, folder or built-in name.
void set_open(SessionState& session, const Workspace& workspace, const QString& reopen) {
  const bool built_in = names_built_in_scene(reopen.toStdString());
  const bool folder = QFileInfo(reopen).isDir();
  session.kind = built_in ? OpenKind::built_in : folder ? OpenKind::folder : OpenKind::file;
  session.open = {built_in ? reopen.toStdString() : QFileInfo(reopen).absoluteFilePath().toStdString()};
  session.frame = workspace.frame();
  if (built_in || folder || workspace.frames().size() < 2) return;
  session.kind = OpenKind::files;
  session.open.clear();
  for (const auto& frame : workspace.frames())
    session.open.push_back(std::filesystem::absolute(frame).string());
}

}  // namespace

bool MainWindow::isSession(const QString& file) {
  return file.endsWith(ending, Qt::CaseInsensitive) && QFileInfo(file).isFile();
}

void MainWindow::bindSessionCommands() {
  bindReloadCommands();
  commands_->bind(
      "file.recover", [this] { showRecoveryDialog(); },
      [this] { return recovery_->found().empty() ? tr("there is nothing to restore") : QString(); });
  const auto has_something = [this] { return whyNoSession(); };
  commands_->bind(
      "file.save_session",
      [this] {
        if (session_file_.isEmpty()) return saveSessionDialog();
        saveSession(session_file_);
      },
      has_something);
  commands_->bind(
      "file.save_session_as", [this] { saveSessionDialog(); }, has_something);
  // A lost device does not end the opening, because the CPU continues it.
  connect(&jobs_->lane(), &EngineLane::failed, this, [this] {
    if (!jobs_->lane().opening()) arriving_.reset();
  });
  connect(&jobs_->lane().task(), &TaskSlot::finished, this, [this](const QString&, bool cancelled) {
    if (cancelled) arriving_.reset();
  });
}

QString MainWindow::whyNoSession() const {
  if (reopen_.isEmpty() || (!workspace_->report() && !workspace_->voxels()))
    return tr("open a scene or a report first");
  return is_standard_input(reopen_.toStdString())
             ? tr("the scene came from standard input; a session cannot open it again")
             : QString();
}

SessionState MainWindow::session() const {
  SessionState session;
  set_open(session, *workspace_, reopen_);
  if (workspace_->report()) session.kind = OpenKind::report;
  session.format = jobs_->scenes().source().format.toStdString();
  session.every = jobs_->scenes().source().every;
  session.parameters = parameters_of(*workspace_, *selection_, *parts_);
  // Use the settings of the open voxels, not settings that are being tried.
  if (const auto& voxels = workspace_->voxels()) {
    session.parameters.grid = voxels->grid;
    session.parameters.pack = voxels->pack;
  }
  session.layer = selection_->layer();
  session.stride = selection_->stride();
  session.columns = selection_->columns();
  session.voxel = selection_->voxel();
  session.camera = workspace_->voxels() ? view_->pose() : std::nullopt;
  session.layout = layout_.toStdString();
  return session;
}

bool MainWindow::saveSession(const QString& file) {
  try {
    const std::filesystem::path folder = QFileInfo(file).absolutePath().toStdString();
    write_file(file.toStdString(), session_json(session(), folder));
  } catch (const Error& error) {
    showError(error);
    return false;
  }
  session_file_ = file;
  workspace_->addLog(tr("session: %1").arg(file));
  recent_.add(file);
  showRecent();
  return true;
}

void MainWindow::saveSessionDialog() {
  const QString name = QFileInfo(reopen_).completeBaseName() + ending;
  QString file =
      file_dialogs_.saveFile(this, tr("Save session"), session_file_.isEmpty() ? name : session_file_,
                             tr("Sessions (*%1)").arg(ending));
  if (file.isEmpty()) return;
  if (!file.endsWith(ending)) file += ending;
  saveSession(file);
}

void MainWindow::openSession(const QString& file) {
  asked_for_ = {};
  try {
    arrive({read_session(file.toStdString()), file});
    recent_.add(file);
    showRecent();
  } catch (const Error& error) {
    showError(error);
  }
}

/// Opens the scene of the session. takeArrived() restores the rest when the scene is open.
void MainWindow::arrive(const Arriving& wanted) {
  const SessionState& session = wanted.session;
  QStringList files;
  for (const std::string& path : session.open)
    files.append(QString::fromStdString(path));
  if (session.kind != OpenKind::built_in && !QFileInfo::exists(files.front()))
    throw Error(ErrorKind::input, session.open.front() + ": file not found; the session needs it");
  if (!session.note.empty()) workspace_->addLog(QString::fromStdString(session.note));
  const bool report = session.kind == OpenKind::report;
  if (!report && session.parameters.network && session.parameters.network != workspace_->network())
    jobs_->runs().useNetwork(session.parameters.network);
  arriving_ = wanted;  // Set this first, because opening may fail at once and then clears it.
  if (report) return jobs_->scenes().open(files.front());
  jobs_->scenes().reopen({files, QString::fromStdString(session.format), session.every, session.frame,
                          session.parameters.grid, session.parameters.pack});
}

void MainWindow::takeArrived() {
  if (!arriving_) return;
  const auto [session, file, recovery, look_only, scene] = *std::exchange(arriving_, std::nullopt);
  if (look_only && scene != reopen_) return;  // Another request replaced this one.
  session_file_ = file;
  if (look_only) {
    look_was_left_ = true;
    takeLook(session);
    return history_->begin();
  }
  const Parameters& wanted = session.parameters;
  if (!workspace_->report()) {
    workspace_->choosePrecision(wanted.precision);
    if (wanted.network) {
      Plan plan = wanted.plan;
      plan.precision = workspace_->plan().precision;
      workspace_->setPlan(plan);
    }
    workspace_->setSceneKernelSize(wanted.scene_kernel_size);
  }
  takeLook(session);
  selection_->setVoxelStyle(wanted.voxel_style);
  parts_->set(wanted.parts);
  const int layers = workspace_->network() ? static_cast<int>(workspace_->network()->layers.size()) : 0;
  selection_->setLayer(session.layer < layers ? session.layer : -1);
  selection_->setStride(session.stride);
  selection_->setColumns(session.columns);
  selection_->setVoxel(session.voxel);
  if (!session.layout.empty()) arrange(QString::fromStdString(session.layout));
  history_->begin();
  // Delete the recovery copy only after this window has written its own, so that a second crash does not lose
  // the session.
  if (!recovery.isEmpty() && recovery_->write()) recovery_->discard(recovery);
}

std::string MainWindow::recoveryCopy() const {
  return whyNoSession().isEmpty() ? session_json(session(), {}) : std::string();
}

std::vector<RecoveryRow> MainWindow::recoveryRows() const {
  std::vector<RecoveryRow> rows;
  for (const Recovery::Found& found : recovery_->found()) {
    RecoveryRow row{found.file, {}, QLocale().toString(found.written, QLocale::ShortFormat), {}};
    try {
      const SessionState session = read_session(found.file.toStdString());
      row.scene = QFileInfo(QString::fromStdString(session.open.front())).fileName();
    } catch (...) {
      row.fault = QString::fromStdString(current_error().what());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// If the user closes the offer, the copies are kept and the next start offers them again.
void MainWindow::offerRecovery() {
  const std::vector<RecoveryRow> rows = recoveryRows();
  if (rows.empty()) return;
  for (const RecoveryRow& row : rows) {
    if (!row.fault.isEmpty()) workspace_->addLog(tr("recovery: %1").arg(row.fault));
  }
  const auto sound =
      std::count_if(rows.begin(), rows.end(), [](const RecoveryRow& row) { return row.fault.isEmpty(); });
  const RecoveryRow& newest = rows.front();
  const std::vector<Banner::WayOut> one{
      {tr("Restore"), [this, file = newest.file] { restoreAfterCrash(file); }},
      {tr("Discard"), [this, file = newest.file] { recovery_->discard(file); }}};
  const std::vector<Banner::WayOut> list{
      {sound > 0 ? tr("Restore...") : tr("Show..."), [this] { commands_->trigger("file.recover"); }}};
  const bool single = rows.size() == 1 && sound == 1;
  const QString text =
      single ? tr("%1 was open at %2. It can be restored with its settings, colours and camera.")
                   .arg(newest.scene, newest.written)
      : sound > 0
          ? counted(
                sound, tr("1 scene was open in windows that did not shut down properly. It can be restored."),
                tr("%1 scenes were open in windows that did not shut down properly. Each can be restored."))
          : tr("The copy of the open scene is damaged and cannot be restored.");
  banner_->ask(tr("SpiraScope did not shut down properly"), text, single ? one : list, [] {});
  banner_->focusButtons();
}

void MainWindow::showRecoveryDialog() {
  RecoveryDialog dialog(recoveryRows(), this);
  connect(&dialog, &RecoveryDialog::discardRequested, this, [this](const QString& file) {
    recovery_->discard(file);
    commands_->refreshSoon();
  });
  if (dialog.exec() == QDialog::Accepted) restoreAfterCrash(dialog.chosen());
}

void MainWindow::restoreAfterCrash(const QString& file) {
  if (!unsaved_->mayClose(UnsavedResults::Closing::scene, tr("Open another scene?"))) return;
  try {
    arrive({read_session(file.toStdString()), {}, file});
  } catch (const Error& error) {
    showError(error);
  }
}

}  // namespace spira::ui
