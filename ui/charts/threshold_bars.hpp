// Two bars on one scale: the feature time of a layer with the current t, and with the t that the user tries.
#pragma once

#include <QString>
#include <QWidget>

#include <vector>

namespace spira::ui {

class Theme;

struct ThresholdBar {
  QString name;           ///< Example: "t = 3".
  double ms = -1;         ///< Negative if the time is unknown. In this case, no bar is drawn.
  bool modelled = false;  ///< True if `ms` is an estimate of the model. The bar is then dotted.
  QString text;           ///< Example: "1.204 ms (median of 15)".
  QString how;            ///< How the time was estimated; shown in the tooltip.
  QString brief{};        ///< Short form of `text`, which is drawn if the widget is too narrow for all texts.
};

class ThresholdBars : public QWidget {
  Q_OBJECT
 public:
  explicit ThresholdBars(Theme* theme, QWidget* parent = nullptr);
  /// Sets the bars and the verdict on their times. `verdict` may be empty. The widget hides itself if `bars`
  /// is empty.
  void setTimes(std::vector<ThresholdBar> bars, const QString& verdict);
  /// Sets the caption, which describes what the times contain. A narrow widget shows `brief`. If there is a
  /// verdict, it is shown instead of the caption.
  void setCaption(const QString& caption, const QString& brief);
  /// Sets the largest number of bars, 1 or 2. The widget always reserves the space for this number of bars,
  /// so that the chart above does not move when the second bar appears.
  void setMaxBars(int bars);
  [[nodiscard]] const std::vector<ThresholdBar>& times() const noexcept { return bars_; }
  [[nodiscard]] const QString& verdict() const noexcept { return verdict_; }
  /// Returns the text above the bars: the verdict, or the caption if there is no verdict.
  [[nodiscard]] const QString& shownCaption() const noexcept {
    return verdict_.isEmpty() ? caption_ : verdict_;
  }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] int rowHeight() const;

  Theme* theme_;
  std::vector<ThresholdBar> bars_;
  QString verdict_, caption_, brief_;
  int max_bars_ = 2;
};

}  // namespace spira::ui
