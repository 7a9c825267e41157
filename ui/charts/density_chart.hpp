// Thin bars, one an offset, grouped by L1 norm, with group means and the threshold t as a divider that can be
// dragged.
#pragma once

#include "engine/map/densities.hpp"

#include <QWidget>

#include <functional>
#include <memory>
#include <vector>

namespace spira::ui {

class Theme;

class DensityChart : public QWidget {
  Q_OBJECT
 public:
  explicit DensityChart(Theme* theme, QWidget* parent = nullptr);

  void setDensities(std::shared_ptr<const Densities> densities);
  /// -1: no divider. `why_not(t)` says why a threshold cannot be set; empty: it can.
  void setThreshold(int threshold, std::function<QString(int)> why_not);
  void setChosen(std::vector<int> columns);
  void setLogarithmic(bool logarithmic);

  // For tests that use the mouse.
  [[nodiscard]] QPoint barCentre(int column) const;
  [[nodiscard]] QPoint groupLabelCentre(int l1) const;
  [[nodiscard]] QPoint dividerAt(int threshold) const;
  [[nodiscard]] QSize minimumSizeHint() const override { return {220, 150}; }

 signals:
  void columnsChosen(const std::vector<int>& columns, bool add);
  void thresholdDragged(int threshold);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Bar {
    int column = 0;
    QRectF area;  ///< full height of the plot: easy to hit
  };
  struct Group {
    int l1 = 0;
    double left = 0, right = 0;
  };
  void place();
  void paintBars(QPainter& painter) const;
  void paintGroups(QPainter& painter) const;
  void paintDivider(QPainter& painter) const;
  [[nodiscard]] double heightOf(double density) const;
  [[nodiscard]] double leftMargin() const;
  [[nodiscard]] QRectF plot() const;
  [[nodiscard]] QRectF flagOf(int threshold) const;
  [[nodiscard]] double dividerX(int threshold) const;
  [[nodiscard]] int thresholdNear(double x) const;
  [[nodiscard]] const Bar* barAt(const QPointF& at) const;

  Theme* theme_;
  std::shared_ptr<const Densities> densities_;
  std::vector<Bar> bars_;
  std::vector<Group> groups_;
  std::vector<int> chosen_;
  std::function<QString(int)> why_not_;
  int threshold_ = -1, dragged_ = -1;
  bool logarithmic_ = false;
};

}  // namespace spira::ui
