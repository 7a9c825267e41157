// The fit meter: bits and guard cells of each axis for the network that is chosen, and of what did not fit
// the voxels in the way and the repairs.
#pragma once

#include "engine/voxel/fit_meter.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

#include <array>
#include <optional>

class QGridLayout;
class QLabel;
class QPushButton;

namespace spira::ui {

class Theme;

class FitMeter : public QWidget {
  Q_OBJECT
 public:
  FitMeter(Workspace* workspace, Theme* theme, QWidget* parent = nullptr);
  /// What was refused; empty: the meter is of what is open. `of_open`: it is of the open scene, whose voxels
  /// can be shown.
  void setMisfit(const std::optional<Misfit>& misfit, bool of_open);
  static QString shortCropText(const FittingCrop& crop);  ///< "Crop x, z until it fits"
  [[nodiscard]] QString headline() const;
  [[nodiscard]] QString cellText(int axis, int column) const;  ///< 0: bits, 1: guard cells, 2: the verdict

 protected:
  void resizeEvent(QResizeEvent* event) override;

 signals:
  void pastRequested(const spira::PackSpec& pack, const spira::Point& from_m);
  void cropRequested();
  void voxelsRequested(const std::array<double, 3>& voxel_m);
  void packRequested(const spira::PackSpec& pack);

 private:
  /// What is metered: of the open scene, of a report, or what was refused.
  struct Metered {
    std::array<std::int64_t, 3> extent{};
    PackSpec pack;
    int max_kernel_size = 3, max_stride = 1;
  };
  void makeRows(QGridLayout* rows);
  void makeRepairs();
  void follow();
  void followRepairs(bool fits);
  void nameCrop();
  [[nodiscard]] std::optional<Metered> metered() const;
  [[nodiscard]] QString headlineOf(const Metered& metered, bool fits) const;

  Workspace* workspace_;
  Theme* theme_;
  QLabel* headline_;
  std::array<std::array<QLabel*, 3>, 3> cells_{};
  QPushButton *past_, *crop_, *voxels_, *wide_, *dismiss_;
  std::optional<Misfit> misfit_;
  bool of_open_ = false;
};

}  // namespace spira::ui
