// What the features of a layer take with the t of the run, and with the t that is looked at: two bars on one
// scale.
#pragma once

#include <QString>
#include <QWidget>

#include <vector>

namespace spira::ui {

class Theme;

struct ThresholdBar {
  QString name;           ///< "t = 3"
  double ms = -1;         ///< negative: not known, no bar
  bool modelled = false;  ///< dotted
  QString text;           ///< "1.204 ms, median of 15"
  QString how;            ///< of a model; for the tool tip
};

class ThresholdBars : public QWidget {
  Q_OBJECT
 public:
  explicit ThresholdBars(Theme* theme, QWidget* parent = nullptr);
  void setTimes(std::vector<ThresholdBar> bars);  ///< empty: it hides
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
