#include "ui/settings/json_file.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QLockFile>
#include <QSaveFile>
#include <QThread>

#include <utility>

namespace spira::ui {
namespace {

constexpr qint64 max_bytes = 1 << 20;

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui::JsonFile", text);
}

}  // namespace

JsonFile::JsonFile(QString path, QString schema, int version)
    : path_(std::move(path)), schema_(std::move(schema)), version_(version) {}

QJsonObject JsonFile::read() {
  if (path_.isEmpty()) return {};
  QFile file(path_);
  if (!file.exists()) return {};  // The file does not exist before the first write.
  unread_ = !file.open(QIODevice::ReadOnly);
  if (unread_) {
    notice_ = tr("%1 cannot be read (%2); defaults are used").arg(path_, file.errorString());
    return {};
  }
  if (file.size() > max_bytes) {
    putAside(tr("the file is too large"));
    return {};
  }
  QJsonParseError fault;
  const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &fault);
  file.close();
  QJsonObject object = document.object();
  if (fault.error != QJsonParseError::NoError || !document.isObject()) {
    putAside(fault.error == QJsonParseError::NoError
                 ? tr("not a JSON object")
                 : tr("invalid JSON: %1 at byte %2").arg(fault.errorString()).arg(fault.offset));
  } else if (object["schema"].toString() != schema_) {
    putAside(tr("the schema is not \"%1\"").arg(schema_));
  } else if (object["version"].toInt() > version_ || object["version"].toInt() < 1) {
    putAside(tr("unsupported version %1; expected 1 to %2").arg(object["version"].toInt()).arg(version_));
  } else {
    return object;
  }
  return {};
}

/// Renames the invalid file instead of deleting it, because the user may want to repair it. Replaces the file
/// that was renamed last time, so that such files do not accumulate.
void JsonFile::putAside(const QString& why) {
  const QString aside = path_ + ".bak";
  QFile::remove(aside);
  const bool kept = QFile::rename(path_, aside);
  notice_ =
      tr("%1: %2. Defaults are used; %3")
          .arg(path_, why,
               kept ? tr("the file was renamed to %1").arg(aside) : tr("the file could not be renamed"));
}

bool JsonFile::change(const QJsonObject& otherwise, const std::function<void(QJsonObject&)>& change) {
  if (path_.isEmpty()) return true;
  QDir().mkpath(QFileInfo(path_).path());
  QLockFile lock(path_ + ".lock");
  // Other windows usually hold the lock for a millisecond. If a window hangs while it holds the lock,
  // continue without the lock. One key may then be lost, which is better than losing all keys.
  constexpr int patience_ms = 500;
  for (int waited_ms = 0; !lock.tryLock(0) && waited_ms < patience_ms; ++waited_ms) {
    if (lock.error() != QLockFile::LockFailedError) break;  // The folder is not writable.
    QThread::msleep(1);
  }
  QJsonObject object = read();
  if (object.isEmpty()) object = otherwise;
  change(object);
  return write(object);
}

bool JsonFile::write(QJsonObject object) {
  if (path_.isEmpty()) return true;
  if (unread_) return false;
  object["schema"] = schema_;
  object["version"] = version_;
  QDir().mkpath(QFileInfo(path_).path());
  QSaveFile file(path_);
  const bool written = file.open(QIODevice::WriteOnly) &&
                       file.write(QJsonDocument(object).toJson(QJsonDocument::Indented)) >= 0 &&
                       file.commit();
  if (!written) notice_ = tr("%1 cannot be written: %2").arg(path_, file.errorString());
  return written;
}

}  // namespace spira::ui
