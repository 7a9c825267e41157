// Files that leave the window: their bytes are made and written one after the other on a thread of its own.
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
  /// Waits until all files are written, but not for readers of pipes.
  ~FileWriter() override;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// `bytes` runs on the thread: it holds values, nothing of the window.
  void write(const QString& file, std::function<std::string()> bytes);
  /// For exports of more than one file: `make` writes them all, with this name and next to it. It passes
  /// `stop` to write_file().
  using Make = std::function<void(const std::filesystem::path& file, const std::stop_token& stop)>;
  void writeAll(const QString& file, Make make);
  [[nodiscard]] bool busy() const noexcept { return on_their_way_ > 0; }

 signals:
  void started(const QString& file);
  void finished();  ///< written or not; before it is said which
  void written(const QString& file);
  void failed(const spira::Error& error);

 private:
  QThreadPool pool_;
  std::stop_source closing_;
  int on_their_way_ = 0;
};

}  // namespace spira::ui
