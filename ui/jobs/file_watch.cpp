#include "ui/jobs/file_watch.hpp"

#include <QFileInfo>

namespace spira::ui {

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
  constexpr int rest_ms = 300;
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  const auto wait = [this] { rest_.start(); };
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, wait);
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, wait);
  connect(&rest_, &QTimer::timeout, this, &FileWatch::look);
}

void FileWatch::follow(const QString& file) {
  rest_.stop();
  if (const QStringList former = watcher_.files() + watcher_.directories(); !former.isEmpty())
    watcher_.removePaths(former);
  file_ = file;
  known_ = last_ = stamp();
  // The folder too: many programs write a new file and give it the name of the old one.
  if (!file_.isEmpty()) watcher_.addPaths({file_, QFileInfo(file_).absolutePath()});
}

FileWatch::Stamp FileWatch::stamp() const {
  const QFileInfo info(file_);
  return file_.isEmpty() || !info.exists() ? Stamp{} : Stamp{info.size(), info.lastModified()};
}

/// A file that is still being written is waited for.
void FileWatch::look() {
  const Stamp now = stamp();
  if (now != last_) {
    last_ = now;
    return rest_.start();
  }
  if (now == known_ || now.bytes < 0) return;
  known_ = now;
  if (!watcher_.files().contains(file_)) watcher_.addPath(file_);
  emit changed(file_);
}

}  // namespace spira::ui
