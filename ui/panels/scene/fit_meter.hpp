// The fit meter shows the bits and guard cells that each axis needs for the open network. If a scene does not
// fit, the meter also offers fixes and can select the voxels that do not fit.
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
  /// Sets the request to display: it was refused because its voxels do not fit. If `misfit` is empty, the
  /// meter shows the open scene or report instead. `of_open` is true if the refused request was for the open
  /// scene, whose voxels can then be shown.
  void setMisfit(const std::optional<Misfit>& misfit, bool of_open);
  /// Returns the refused request for the open scene. Returns `nullptr` if no request was refused. The meter
  /// then shows the scene itself.
  [[nodiscard]] const Misfit* refused() const noexcept { return misfit_ && of_open_ ? &*misfit_ : nullptr; }
  /// Returns the button text, for example "Crop x, z to fit".
  static QString shortCropText(const FittingCrop& crop);
  /// Returns the button text, for example "Use 12/11/9" or "Use 64 bits".
  static QString packText(const PackSpec& pack);
  [[nodiscard]] QString headline() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 signals:
  void refusedChanged();
  void pastRequested(const spira::PackSpec& pack, const spira::Point& from_m);
  void cropRequested();
  void voxelsRequested(const std::array<double, 3>& voxel_m);
  void packRequested(const spira::PackSpec& pack);

 private:
  /// The values that the meter shows. They come from the open scene, a report or a refused request.
  struct Metered {
    std::array<std::int64_t, 3> extent{};
    PackSpec pack;
    PackNeeds needs;
    int max_kernel_size = 3, max_stride = 1;  ///< Values that the text names.
    bool native = false;  ///< True if the search of native layers decides the kernel size.
  };
  void makeRows(QGridLayout* rows);
  void makeRepairs();
  void follow();
  void followRepairs(bool fits);
  void nameCrop();
  [[nodiscard]] std::optional<Metered> metered() const;
  [[nodiscard]] std::optional<PackSpec> packFor(const Metered& metered) const;
  [[nodiscard]] QString headlineOf(const Metered& metered, bool fits) const;

  Workspace* workspace_;
  Theme* theme_;
  QLabel* headline_;
  std::array<std::array<QLabel*, 3>, 3> cells_{};
  QPushButton *past_, *crop_, *voxels_, *pack_, *dismiss_;
  std::optional<Misfit> misfit_;
  // Packing that the button offers. Empty if the scene fits, or if no packing fits.
  std::optional<PackSpec> fitting_pack_;
  bool of_open_ = false;
};

}  // namespace spira::ui
