// Tells when a file was written anew, once it has come to rest.
#pragma once

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

namespace spira::ui {

class FileWatch : public QObject {
  Q_OBJECT
 public:
  explicit FileWatch(QObject* parent = nullptr);

  void follow(const QString& file);  ///< as it is now; empty: none
  [[nodiscard]] const QString& file() const noexcept { return file_; }

 signals:
  void changed(const QString& file);

 private:
  struct Stamp {
    qint64 bytes = -1;  ///< -1: it is not there
    QDateTime written;
    bool operator==(const Stamp&) const = default;
  };
  [[nodiscard]] Stamp stamp() const;
  void look();

  QString file_;
  QFileSystemWatcher watcher_;
  QTimer rest_;
  Stamp known_, last_;
};

}  // namespace spira::ui
