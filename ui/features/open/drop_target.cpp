#include "ui/features/open/drop_target.hpp"

#include "ui/features/open/drop_overlay.hpp"
#include "ui/features/open/opening.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"

#include <QDropEvent>
#include <QMainWindow>
#include <QMimeData>

#include <algorithm>

namespace spira::ui {
namespace {

/// Returns the local files and folders of a drag. Other dragged data cannot be opened.
QStringList filesOf(const QMimeData& data) {
  QStringList files;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) files.append(url.toLocalFile());
  }
  return files;
}

/// Returns true if all files can be frames. Reports, profiles and sessions cannot be frames.
bool areScenes(const QStringList& files) {
  return std::none_of(files.begin(), files.end(), [](const QString& file) {
    return file.endsWith(".json", Qt::CaseInsensitive) || file.endsWith(".spirasession", Qt::CaseInsensitive);
  });
}

}  // namespace

DropTarget::DropTarget(const FeatureContext& context, EngineJobs& jobs, Opening& opening)
    : QObject(&context.window),
      jobs_(jobs),
      opening_(opening),
      overlay_(new DropOverlay(&context.theme, &context.window)) {
  context.window.setAcceptDrops(true);
  context.window.installEventFilter(this);
}

bool DropTarget::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::DragEnter:
    case QEvent::DragMove:  // The user may press or release Ctrl while dragging.
      follow(static_cast<QDropEvent*>(event));
      return true;
    case QEvent::DragLeave:
      overlay_->hide();
      return true;
    case QEvent::Drop:
      drop(static_cast<QDropEvent*>(event));
      return true;
    default:
      return QObject::eventFilter(watched, event);
  }
}

void DropTarget::follow(QDropEvent* event) {
  const QStringList files = filesOf(*event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  overlay_->showFor(files, areScenes(files) && jobs_.scenes().whyNoFramesAdded().isEmpty(),
                    event->modifiers().testFlag(Qt::ControlModifier));
}

void DropTarget::drop(QDropEvent* event) {
  overlay_->hide();
  const QStringList files = filesOf(*event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  event->modifiers().testFlag(Qt::ControlModifier) && areScenes(files) ? opening_.addAll(files)
                                                                       : opening_.openAll(files);
}

}  // namespace spira::ui
