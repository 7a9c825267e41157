#include "ui/features/open/drop_target.hpp"

#include "engine/scene/sequence.hpp"
#include "ui/features/open/opening.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/theme/theme.hpp"

#include <QDropEvent>
#include <QFileInfo>
#include <QMainWindow>
#include <QMimeData>
#include <QPainter>

#include <algorithm>

namespace spira::ui {
namespace {

/// Returns the local files and folders of a drag. Ignores other data, because the program cannot open it.
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

DropOverlay::DropOverlay(Theme* theme, QWidget* window) : QWidget(window), theme_(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  hide();
}

namespace {

bool all_reports(const QStringList& files) {
  return std::all_of(files.begin(), files.end(),
                     [](const QString& file) { return file.endsWith(".json", Qt::CaseInsensitive); });
}

}  // namespace

void DropOverlay::showFor(const QStringList& files, bool can_add, bool add) {
  const QFileInfo first(files.value(0));
  const int count = static_cast<int>(files.size());
  const bool several = count > 1, reports = all_reports(files);
  const QString added = several ? tr("Drop to add %Ln files to the open frames", nullptr, count)
                                : tr("Drop to add %1 to the open frames").arg(first.fileName());
  const auto has_suffix = [&files](const char* suffix) {
    return std::any_of(files.begin(), files.end(),
                       [suffix](const QString& file) { return file.endsWith(suffix, Qt::CaseInsensitive); });
  };
  if (several && has_suffix(".safetensors")) {
    text_ = has_suffix(".json") ? tr("Drop to open the network with its files")
                                : tr("Drop to open the files together");
  } else if (several && !reports && has_suffix(".tune.json")) {
    text_ = tr("Drop to open the scene with its tuning profile");
  } else if (several && reports) {
    text_ = tr("Drop to compare %Ln reports", nullptr, count);
  } else if (several) {
    text_ = tr("Drop to open %Ln files as a sequence", nullptr, count);
  } else {
    const bool sequence = first.isDir() && !is_scene_folder(first.filePath().toStdString());
    text_ = sequence ? tr("Drop to open the folder %1 as a sequence").arg(first.fileName())
                     : tr("Drop to open %1").arg(first.fileName());
  }
  other_.clear();
  if (can_add)
    other_ = add ? tr("Without Ctrl: open as a new scene") : tr("With Ctrl: add to the open frames");
  if (can_add && add) text_ = added;
  setAccessibleName(other_.isEmpty() ? text_ : text_ + ". " + other_);
  setGeometry(parentWidget()->rect());
  show();
  raise();
  update();
}

void DropOverlay::paintEvent(QPaintEvent*) {
  constexpr int margin = 24, corner = 12;
  const Palette& colours = theme_->palette();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor veil = colours.window;
  veil.setAlpha(215);
  painter.fillRect(rect(), veil);
  painter.setPen(QPen(colours.accent, 3, Qt::DashLine));
  const QRect frame = rect().adjusted(margin, margin, -margin, -margin);
  painter.drawRoundedRect(frame, corner, corner);
  QFont large = font();
  large.setPointSizeF(large.pointSizeF() * 1.6);
  const QRect room = frame.adjusted(margin, margin, -margin, -margin);
  constexpr int centred = Qt::AlignCenter | Qt::TextWordWrap;
  const QRect first = QFontMetrics(large).boundingRect(room, centred, text_);
  painter.setFont(large);
  painter.setPen(colours.text);
  painter.drawText(room, centred, text_);
  painter.setFont(font());
  painter.setPen(colours.faint_text);
  painter.drawText(room.adjusted(0, first.bottom() + corner - room.top(), 0, 0),
                   Qt::AlignHCenter | Qt::TextWordWrap, other_);
}

}  // namespace spira::ui
