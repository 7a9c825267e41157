// Thin bars, one an offset, grouped by L1 norm, with group means and the threshold t as a divider that can be
// dragged.
#pragma once

#include "engine/map/densities.hpp"
#include "ui/charts/chart.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace spira::ui {

class DensityChart : public Chart {
  Q_OBJECT
 public:
  explicit DensityChart(Theme* theme, QWidget* parent = nullptr);

  void setDensities(std::shared_ptr<const Densities> densities);
  /// Of part of the same outputs, drawn beside the whole; null: none.
  void setSubset(std::shared_ptr<const Densities> subset);
  [[nodiscard]] const Densities* subset() const noexcept { return subset_.get(); }
  void setSubsetName(const QString& name);  ///< what tool tips call it; else "selection"
  [[nodiscard]] QColor subsetColour() const;
  /// -1: no divider. `why_not(t)` says why a threshold cannot be set; empty: it can.
  void setThreshold(int threshold, std::function<QString(int)> why_not);
  void setChosen(std::vector<int> columns);
  [[nodiscard]] const std::vector<int>& marked() const noexcept { return marked_; }
  void setMarked(std::vector<int> columns);   ///< a dot on each: offsets at which a voxel has an input
  void setHovered(std::vector<int> columns);  ///< here or in another view
  void setLogarithmic(bool logarithmic);
  /// The map: for titles of pictures. `layer`: whose it is; -1: of the scene alone.
  void setSubject(const QString& subject, int layer);

  void setName(const QString& name) { name_ = name; }
  [[nodiscard]] QString name() const override { return name_; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<ChartKey> keys() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void paintChart(QCPPainter& painter) override;
  void restyle() override;

  // For tests that use the mouse.
  [[nodiscard]] QPoint barCentre(int column) const;
  [[nodiscard]] QPoint groupLabelCentre(int l1) const;
  [[nodiscard]] QPoint dividerAt(int threshold) const;
  [[nodiscard]] QSize minimumSizeHint() const override { return {220, 150}; }

 signals:
  void columnsChosen(const std::vector<int>& columns, bool add);
  void columnsHovered(const std::vector<int>& columns);  ///< empty: none
  void thresholdDragged(int threshold);
  void thresholdTried(int threshold);  ///< on the way there; -1: no longer

 protected:
  void chooseRow(int row) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

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
  void paintAxes(QPainter& painter) const;
  void paintBars(QPainter& painter) const;
  void paintSubset(QPainter& painter) const;
  [[nodiscard]] bool showsSubset() const;
  [[nodiscard]] QString tipOf(int column) const;
  void paintGroups(QPainter& painter) const;
  void paintDivider(QPainter& painter) const;
  [[nodiscard]] double heightOf(double density) const;
  [[nodiscard]] double leftMargin() const;
  [[nodiscard]] QRectF plot() const;
  [[nodiscard]] QRectF flagOf(int threshold) const;
  [[nodiscard]] double dividerX(int threshold) const;
  [[nodiscard]] int thresholdNear(double x) const;
  [[nodiscard]] const Bar* barAt(const QPointF& at) const;
  [[nodiscard]] std::vector<int> groupAt(const QPointF& at) const;  ///< whose label is there
  [[nodiscard]] std::vector<int> groupOf(int l1) const;
  [[nodiscard]] std::vector<int> groupBeside(int step) const;   ///< the chosen one, or the first
  [[nodiscard]] std::vector<int> offsetBeside(int step) const;  ///< in the order of the bars
  void hover(const std::vector<int>& columns);
  void drag(double x, const QPoint& global);
  void endDrag();

  std::shared_ptr<const Densities> densities_, subset_;
  std::vector<Bar> bars_;
  std::vector<Group> groups_;
  std::vector<int> chosen_, hovered_, marked_;
  std::function<QString(int)> why_not_;
  int threshold_ = -1, dragged_ = -1;
  bool logarithmic_ = false;
  QString subject_, name_ = "densities", subset_name_;
  int layer_ = -1;
};

}  // namespace spira::ui
