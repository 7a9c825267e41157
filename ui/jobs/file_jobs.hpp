// Watches files for changes, and writes files in the background.
#pragma once

#include "engine/base/error.hpp"

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace spira::ui {

class FileWatch : public QObject {
  Q_OBJECT
 public:
  explicit FileWatch(QObject* parent = nullptr);

  /// Watches `file` for changes from now on. An empty name stops watching.
  void follow(const QString& file);
  [[nodiscard]] const QString& file() const noexcept { return file_; }

 signals:
  void changed(const QString& file);

 private:
  struct Stamp {
    qint64 bytes = -1;  ///< File size. -1 if the file does not exist.
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

/// Writes the files that the user saves or exports. A separate thread creates their contents and writes one
/// file after the other.
class FileWriter : public QObject {
  Q_OBJECT
 public:
  explicit FileWriter(QObject* parent = nullptr);
  /// Waits until all files are written. Does not wait for pipes that no program reads.
  ~FileWriter() override;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// `bytes` runs on the writer thread, so it must capture only values and no objects of the window.
  void write(const QString& file, std::function<std::string()> bytes);
  /// Writes all files of an export: `file` and further files in the same folder. `make` runs on the writer
  /// thread and must pass `stop` to write_file().
  using Make = std::function<void(const std::filesystem::path& file, const std::stop_token& stop)>;
  void writeAll(const QString& file, Make make);
  [[nodiscard]] bool busy() const noexcept { return on_their_way_ > 0; }

 signals:
  void started(const QString& file);
  /// Emitted after each file, even if it could not be written, and before written() or failed().
  void finished();
  void written(const QString& file);
  void failed(const spira::Error& error);

 private:
  QThreadPool pool_;
  std::stop_source closing_;
  int on_their_way_ = 0;
};

}  // namespace spira::ui
