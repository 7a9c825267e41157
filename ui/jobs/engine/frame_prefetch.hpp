// Reads the neighbours of the shown frame in advance, so that a sequence plays without waiting for the disk.
#pragma once

#include "ui/jobs/tasks.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QString>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace spira::ui {

class FramePrefetch : public QObject {
  Q_OBJECT
 public:
  FramePrefetch(Tasks& tasks, Workspace* workspace, QObject* parent = nullptr);

  /// Sets how frames are read: in the given format, and only every n-th point (n = `every`). If `format` is
  /// empty, the format is detected.
  void setReading(const QString& format, std::int64_t every);
  /// Limits the memory of one frame. If `bytes` is empty, the limit is the free memory of the system.
  void limitMemory(std::optional<std::uint64_t> bytes) { max_bytes_ = bytes; }
  [[nodiscard]] std::optional<std::uint64_t> memoryLimit() const noexcept { return max_bytes_; }
  /// Returns the cloud of a frame, or `nullptr` if the frame is not read yet or could not be read.
  [[nodiscard]] std::shared_ptr<const PointCloud> cloud(const std::filesystem::path& frame) const;
  [[nodiscard]] bool busy() const noexcept { return task_.busy(); }
  [[nodiscard]] std::size_t held() const noexcept { return clouds_.size(); }

 private:
  void follow();
  void keepShown();
  void readNext();

  Workspace* workspace_;
  QString format_;
  std::int64_t every_ = 1;
  std::optional<std::uint64_t> max_bytes_;
  // A value is `nullptr` while the file is being read, or if it could not be read.
  std::map<std::filesystem::path, std::shared_ptr<const PointCloud>> clouds_;
  TaskSlot task_;
};

}  // namespace spira::ui
