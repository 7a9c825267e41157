#include "ui/jobs/file_jobs.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"

#include <QFileInfo>

#include <optional>
#include <utility>

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
  // Watch the folder too, because many programs replace a file by writing a new file and renaming it.
  if (!file_.isEmpty()) watcher_.addPaths({file_, QFileInfo(file_).absolutePath()});
}

FileWatch::Stamp FileWatch::stamp() const {
  const QFileInfo info(file_);
  return file_.isEmpty() || !info.exists() ? Stamp{} : Stamp{info.size(), info.lastModified()};
}

/// Emits changed() if the file has changed. While the file is still being written, checks it again later.
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

FileWriter::FileWriter(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
}

FileWriter::~FileWriter() {
  closing_.request_stop();
  pool_.waitForDone();
}

void FileWriter::write(const QString& file, std::function<std::string()> bytes) {
  writeAll(file, [bytes = std::move(bytes)](const std::filesystem::path& name, const std::stop_token& stop) {
    write_file(name, bytes(), stop);
  });
}

void FileWriter::writeAll(const QString& file, Make make) {
  ++on_their_way_;
  emit started(file);
  pool_.start([this, file, make = std::move(make), stop = closing_.get_token()] {
    std::optional<Error> fault;
    try {
      make(file.toStdString(), stop);
    } catch (...) {
      fault = current_error();
    }
    QMetaObject::invokeMethod(
        this,
        [this, file, fault] {
          --on_their_way_;
          emit finished();
          if (fault) {
            emit failed(*fault);
          } else {
            emit written(file);
          }
        },
        Qt::QueuedConnection);
  });
}

}  // namespace spira::ui
