// Two bars on one scale: the feature time of a layer with the t of the run, and with the t that the user
// tries.
#pragma once

#include <QString>
#include <QWidget>

#include <vector>

namespace spira::ui {

class Theme;

struct ThresholdBar {
  QString name;           ///< "t = 3"
  double ms = -1;         ///< Negative if unknown; no bar is drawn.
  bool modelled = false;  ///< Estimate of the model, drawn dotted.
  QString text;           ///< "1.204 ms (median of 15)"
  QString how;            ///< Basis of an estimate, for the tooltip.
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
