// Opens the scene again: from a file that has changed, or from the session in a screenshot.
#include "engine/scene/standard_input.hpp"
#include "ui/features/export/screen_picture.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/jobs/file_watch.hpp"
#include "ui/window/main_window.hpp"

#include <QDesktopServices>
#include <QFileInfo>
#include <QUrl>

namespace spira::ui {

QString MainWindow::whyNoReload() const {
  QString why = whyNoScene();
  if (!why.isEmpty()) return why;
  const QString file = QString::fromStdString(workspace_->cloud()->source);
  if (is_standard_input(file.toStdString()))
    return tr("the scene came from standard input and cannot be read again");
  return QFileInfo(file).isFile() ? QString() : tr("the file of the scene is missing");
}

void MainWindow::bindReloadCommands() {
  const auto from_file = [this] { return whyNoReload(); };
  commands_->bind(
      "file.reload",
      [this] {
        if (unsaved_->mayClose(UnsavedResults::Closing::scene, tr("Read the file again?"))) reload();
      },
      from_file);
  QAction* action = commands_->action("file.watch");
  action->setCheckable(true);
  auto* watch = new FileWatch(this);
  const auto follow = [this, watch, action] {
    const auto& cloud = workspace_->cloud();
    const QString file = cloud ? QString::fromStdString(cloud->source) : QString();
    watch->follow(action->isChecked() && whyNoReload().isEmpty() ? file : QString());
  };
  commands_->bind("file.watch", follow, from_file);
  connect(workspace_, &Workspace::cloudChanged, watch, follow);
  connect(watch, &FileWatch::changed, this, [this](const QString& file) {
    workspace_->addLog(tr("%1 has changed: reading it again").arg(QFileInfo(file).fileName()));
    unsaved_->keep(UnsavedResults::Closing::scene);
    reload();
  });
}

/// A screenshot of this program contains a session. Asks whether to open the session or the picture.
bool MainWindow::offerPicture(const QString& file) {
  const QString state = state_of_picture(file);
  if (state.isEmpty()) return false;
  const QFileInfo info(file);
  const auto open_state = [this, state, info] {
    if (!unsaved_->mayClose(UnsavedResults::Closing::scene, tr("Open another scene?"))) return;
    try {
      arrive({parse_session(state.toStdString(), info.filePath().toStdString(),
                            info.absolutePath().toStdString())});
    } catch (const Error& error) {
      showError(error);
    }
  };
  notices_->show({Notice::Kind::question,
                  tr("%1 is a screenshot of SpiraScope").arg(info.fileName()),
                  tr("It contains the session: scene, settings, colours and camera."),
                  {{tr("Open session"), open_state},
                   {tr("Show picture"), [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); }}}});
  return true;
}

/// Keeps the camera, the colours, the crop, the network and the selection.
void MainWindow::reload() {
  try {
    arrive({session(), document_->names().session});
  } catch (const Error& error) {
    showError(error);
  }
}

}  // namespace spira::ui
