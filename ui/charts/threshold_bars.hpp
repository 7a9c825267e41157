// Two bars on one scale: the feature time of a layer with the t of the run, and with the t that the user
// tries.
#pragma once

#include <QString>
#include <QWidget>

#include <vector>

namespace spira::ui {

class Theme;

struct ThresholdBar {
  QString name;           ///< such as "t = 3"
  double ms = -1;         ///< Negative if unknown; no bar is then drawn.
  bool modelled = false;  ///< True if `ms` is an estimate of the model, which is drawn dotted.
  QString text;           ///< such as "1.204 ms (median of 15)"
  QString how;            ///< Basis of the estimate, for the tooltip.
};

class ThresholdBars : public QWidget {
  Q_OBJECT
 public:
  explicit ThresholdBars(Theme* theme, QWidget* parent = nullptr);
  void setTimes(std::vector<ThresholdBar> bars);  ///< The widget hides itself if `bars` is empty.
  [[nodiscard]] const std::vector<ThresholdBar>& times() const noexcept { return bars_; }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] int rowHeight() const;

  Theme* theme_;
  std::vector<ThresholdBar> bars_;
};

}  // namespace spira::ui
