// Watches a file and reports a change after the program that writes it has finished.
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

  /// Watches `file` for changes from its current state. An empty name stops watching.
  void follow(const QString& file);
  [[nodiscard]] const QString& file() const noexcept { return file_; }

 signals:
  void changed(const QString& file);

 private:
  struct Stamp {
    qint64 bytes = -1;  ///< -1 if the file does not exist.
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
