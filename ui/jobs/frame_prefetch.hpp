// Reads the frames beside the one that is shown before they are asked for, so that a sequence plays without
// waiting for the disk.
#pragma once

#include "ui/jobs/job_runner.hpp"
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
  explicit FramePrefetch(Workspace* workspace, QObject* parent = nullptr);

  /// Frames are read as this format from now on, every n-th point of them; empty: guessed.
  void setReading(const QString& format, std::int64_t every);
  /// No frame may take more than that; empty: what the system has left.
  void limitMemory(std::optional<std::uint64_t> bytes) { most_bytes_ = bytes; }
  /// Null: it was not read, or could not be.
  [[nodiscard]] std::shared_ptr<const PointCloud> cloud(const std::filesystem::path& frame) const;
  [[nodiscard]] bool busy() const noexcept { return runner_->busy(); }
  [[nodiscard]] std::size_t held() const noexcept { return clouds_.size(); }

 private:
  void follow();
  void keepShown();
  void readNext();

  Workspace* workspace_;
  JobRunner* runner_;
  QString format_;
  std::int64_t every_ = 1;
  std::optional<std::uint64_t> most_bytes_;
  std::map<std::filesystem::path, std::shared_ptr<const PointCloud>> clouds_;  // null: tried in vain
};

}  // namespace spira::ui
