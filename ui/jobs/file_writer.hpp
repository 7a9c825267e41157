// Writes the files that the user saves or exports. A separate thread makes their bytes and writes one file
// after the other.
#pragma once

#include "engine/base/error.hpp"

#include <QObject>
#include <QString>
#include <QThreadPool>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace spira::ui {

class FileWriter : public QObject {
  Q_OBJECT
 public:
  explicit FileWriter(QObject* parent = nullptr);
  /// Waits until all files are written, except pipes that no program reads.
  ~FileWriter() override;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// `bytes` runs on the writer thread. It must hold values only, no objects of the window.
  void write(const QString& file, std::function<std::string()> bytes);
  /// Writes all files of an export: `file` and others next to it. Runs on the writer thread, and must pass
  /// `stop` to write_file().
  using Make = std::function<void(const std::filesystem::path& file, const std::stop_token& stop)>;
  void writeAll(const QString& file, Make make);
  [[nodiscard]] bool busy() const noexcept { return on_their_way_ > 0; }

 signals:
  void started(const QString& file);
  /// Emitted after each file, whether it was written or not, and before written() or failed().
  void finished();
  void written(const QString& file);
  void failed(const spira::Error& error);

 private:
  QThreadPool pool_;
  std::stop_source closing_;
  int on_their_way_ = 0;
};

}  // namespace spira::ui
