// The baseline run that views show next to the open run.
#pragma once

#include <QObject>

#include <memory>

namespace spira {
struct Report;
struct VoxelScene;
}  // namespace spira

namespace spira::ui {

class BaselineRun : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  /// Returns the report of the baseline run. It is set when the user selects a row of the comparison. Returns
  /// `nullptr` if views show no baseline.
  [[nodiscard]] const std::shared_ptr<const Report>& report() const noexcept { return report_; }
  void setReport(std::shared_ptr<const Report> report);
  /// Returns the voxels of the baseline run. Returns `nullptr` if there is no baseline run or if its scene is
  /// unknown.
  [[nodiscard]] const std::shared_ptr<const VoxelScene>& voxels() const noexcept { return voxels_; }
  void setVoxels(std::shared_ptr<const VoxelScene> voxels);

 signals:
  void reportChanged();
  void voxelsChanged();

 private:
  std::shared_ptr<const Report> report_;
  std::shared_ptr<const VoxelScene> voxels_;
};

}  // namespace spira::ui
