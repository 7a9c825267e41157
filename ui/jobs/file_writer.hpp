// Files that leave the window: their bytes are made and written one after the other on a thread of its own.
#pragma once

#include "engine/base/error.hpp"

#include <QObject>
#include <QString>
#include <QThreadPool>

#include <filesystem>
#include <functional>
#include <string>

namespace spira::ui {

class FileWriter : public QObject {
  Q_OBJECT
 public:
  explicit FileWriter(QObject* parent = nullptr);
  /// Waits for the files that are on their way.
  ~FileWriter() override;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// `bytes` runs on the thread: it holds values, nothing of the window.
  void write(const QString& file, std::function<std::string()> bytes);
  /// The same for what is more than one file: `make` writes them all, under this name and beside it.
  void writeAll(const QString& file, std::function<void(const std::filesystem::path& file)> make);
  [[nodiscard]] bool busy() const noexcept { return on_their_way_ > 0; }

 signals:
  void started(const QString& file);
  void finished();  ///< written or not; before it is said which
  void written(const QString& file);
  void failed(const spira::Error& error);

 private:
  QThreadPool pool_;
  int on_their_way_ = 0;
};

}  // namespace spira::ui
