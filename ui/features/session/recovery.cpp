#include "ui/features/session/recovery.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"

#include <QDir>
#include <QFileInfo>
#include <QLockFile>
#include <QUuid>

#include <utility>

namespace spira::ui {
namespace {

constexpr const char* ending = ".spirasession";

/// Returns true if a running window holds the lock of this copy. Removes the lock of a program that has
/// ended.
bool is_held(const QString& session) {
  QLockFile lock(session + ".lock");
  lock.setStaleLockTime(0);  // Ignores the age of the lock and checks only whether its process is running.
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
    if (!is_held(file.filePath())) found_.push_back({file.filePath(), file.lastModified()});
  }
  lock_ = std::make_unique<QLockFile>(own() + ".lock");
  lock_->setStaleLockTime(0);
  if (!lock_->tryLock(0)) lock_.reset();
}

Recovery::~Recovery() = default;

QString Recovery::own() const {
  return folder_ + "/" + name_ + ending;
}

void Recovery::discard(const QString& file) {
  const QString name = file;  // This copy is needed because `file` may refer to the entry that is erased.
  if (std::erase_if(found_, [&](const Found& one) { return one.file == name; }) > 0) QFile::remove(name);
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

/// Writes the copy if the session has changed. If writing fails, the next timer event tries again, because
/// the disk may have space by then.
bool Recovery::write() {
  const std::string now = snapshot_();
  if (!lock_ || now.empty()) return false;
  if (now == written_) return true;
  try {
    write_file(own().toStdString(), now);
    written_ = now;
  } catch (const Error&) {
    written_.clear();
  }
  return !written_.empty();
}

void Recovery::close() {
  timer_.stop();
  if (folder_.isEmpty()) return;
  QFile::remove(own());
  lock_.reset();
}

}  // namespace spira::ui
