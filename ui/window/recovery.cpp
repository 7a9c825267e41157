#include "ui/window/recovery.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"

#include <QDir>
#include <QFileInfo>
#include <QLockFile>
#include <QUuid>

namespace spira::ui {
namespace {

constexpr const char* ending = ".spirasession";

/// Held by a running window. One whose program is gone can be taken, and is no longer there afterwards.
bool is_held(const QString& session) {
  QLockFile lock(session + ".lock");
  lock.setStaleLockTime(0);  // age says nothing, only whether the program still runs
  return !lock.tryLock(0);
}

}  // namespace

Recovery::Recovery(const QString& state_folder, std::function<std::string()> snapshot, QObject* parent)
    : QObject(parent), snapshot_(std::move(snapshot)) {
  connect(&timer_, &QTimer::timeout, this, &Recovery::write);
  if (state_folder.isEmpty()) return;
  folder_ = state_folder + "/recovery";
  name_ = QUuid::createUuid().toString(QUuid::WithoutBraces);
  if (!QDir().mkpath(folder_)) return;
  const QDir folder(folder_);
  for (const QFileInfo& file : folder.entryInfoList({QString("*") + ending}, QDir::Files, QDir::Time)) {
    if (is_held(file.filePath())) continue;
    if (left_behind_.isEmpty()) {
      left_behind_ = file.filePath();
    } else {
      QFile::remove(file.filePath());  // the newest wins
    }
  }
  lock_ = std::make_unique<QLockFile>(own() + ".lock");
  lock_->setStaleLockTime(0);
  if (!lock_->tryLock(0)) lock_.reset();
}

Recovery::~Recovery() = default;

QString Recovery::own() const {
  return folder_ + "/" + name_ + ending;
}

std::optional<Recovery::Found> Recovery::found() const {
  if (left_behind_.isEmpty()) return std::nullopt;
  return Found{left_behind_, QFileInfo(left_behind_).lastModified()};
}

void Recovery::forget() {
  if (!left_behind_.isEmpty()) QFile::remove(left_behind_);
  left_behind_.clear();
}

void Recovery::set(bool on, int seconds) {
  constexpr int ms = 1000;
  timer_.setInterval(seconds * ms);
  if (on && lock_) {
    timer_.start();
  } else {
    timer_.stop();
    if (!folder_.isEmpty()) QFile::remove(own());
    written_.clear();
  }
}

/// A copy that cannot be written is tried again: the disk may have room by then, and nobody is to be
/// disturbed.
void Recovery::write() {
  const std::string now = snapshot_();
  if (!lock_ || now.empty() || now == written_) return;
  try {
    write_file(own().toStdString(), now);
    written_ = now;
  } catch (const Error&) {
    written_.clear();
  }
}

void Recovery::close() {
  timer_.stop();
  if (folder_.isEmpty()) return;
  QFile::remove(own());
  lock_.reset();
}

}  // namespace spira::ui
