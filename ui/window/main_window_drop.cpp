// Files that the user drops on the window: opens them, or with Ctrl appends them to the open frames.
#include "ui/features/open/drop_overlay.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

#include <QDragEnterEvent>
#include <QMimeData>

namespace spira::ui {
namespace {

/// Returns the local files and folders. Other dragged data cannot be opened.
QStringList filesOf(const QMimeData& data) {
  QStringList files;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) files.append(url.toLocalFile());
  }
  return files;
}

/// Returns false if one file is a report, a profile or a session, because these cannot be frames.
bool areScenes(const QStringList& files) {
  return std::none_of(files.begin(), files.end(), [](const QString& file) {
    return file.endsWith(".json", Qt::CaseInsensitive) || file.endsWith(".spirasession", Qt::CaseInsensitive);
  });
}

}  // namespace

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  followDrag(event);
}

/// The user may press or release Ctrl while dragging.
void MainWindow::dragMoveEvent(QDragMoveEvent* event) {
  followDrag(event);
}

void MainWindow::followDrag(QDropEvent* event) {
  const QStringList files = filesOf(*event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  drop_overlay_->showFor(files, areScenes(files) && jobs_->scenes().whyNoFramesAdded().isEmpty(),
                         event->modifiers().testFlag(Qt::ControlModifier));
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) {
  drop_overlay_->hide();
}

void MainWindow::dropEvent(QDropEvent* event) {
  drop_overlay_->hide();
  const QStringList files = filesOf(*event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  event->modifiers().testFlag(Qt::ControlModifier) && areScenes(files) ? addAll(files) : openAll(files);
}

void MainWindow::addAll(const QStringList& files) {
  const QString why = jobs_->scenes().whyNoFramesAdded();
  if (!why.isEmpty()) {
    workspace_->addLog(tr("frames were not added (%1); opened as a new scene").arg(why));
    return openAll(files);
  }
  if (!unsaved_->mayClose(UnsavedResults::Closing::scene, tr("Open another frame?"))) return;
  rememberScene();
  banner_->hideMessage();
  arriving_.reset();
  asked_for_ = files.front();
  jobs_->scenes().addFrames(files);
}

void MainWindow::sayLeftOut(const QStringList& files, const QStringList& why) {
  for (const QString& line : why)
    workspace_->addLog(tr("not opened: %1").arg(line));
  constexpr qsizetype most = 6;
  QString names = files.mid(0, most).join(", ");
  if (files.size() > most) names += tr(" and %1 more (see Log)").arg(files.size() - most);
  banner_->showNotice(counted(files.size(), tr("1 file is not a scene and was not opened"),
                              tr("%1 files are not scenes and were not opened")),
                      names);
}

}  // namespace spira::ui
