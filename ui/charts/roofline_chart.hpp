// Roofline chart. It shows the arithmetic rate of each layer over its arithmetic intensity. The roofs are the
// measured memory rate and arithmetic rate of the device.
#pragma once

#include "engine/run/layer_work.hpp"
#include "ui/charts/chart.hpp"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

/// The unit of all arithmetic rates of a chart.
struct FlopRateUnit {
  double flops_per_s = 1e9;
  QString name = "GFLOP/s";
};

enum class Dataflow { output_stationary, weight_stationary, hybrid };

struct RooflinePoint {
  QString name, short_name;
  int layer = -1;
  Dataflow dataflow = Dataflow::output_stationary;
  QString dataflow_text;  ///< Examples: "OS", "t = 2".
  /// Work and times of the layer without its kernel map; defines the position of the point.
  StageWork features;
  /// Stages of the dataflows and of the kernel map, for the tooltip and the table.
  std::vector<StageWork> stages;
  /// Share of the layer's feature time in the time of all stages, from 0 to 1.
  double share = 0;
  [[nodiscard]] QString tip(const std::optional<DeviceRates>& rates, const FlopRateUnit& unit) const;
};

class RooflineChart : public PlotChart {
  Q_OBJECT
 public:
  explicit RooflineChart(Theme* theme, QWidget* parent = nullptr);
  /// Sets the layers and the roofs. An unknown rate has no roof. `samples` describes the samples, for example
  /// "n = 15".
  void setPoints(std::vector<RooflinePoint> points, std::optional<DeviceRates> rates, const QString& samples);
  void setChosenLayer(int layer);
  void setHoveredLayer(int layer);
  [[nodiscard]] const std::vector<RooflinePoint>& points() const noexcept { return points_; }
  [[nodiscard]] const std::optional<DeviceRates>& rates() const noexcept { return rates_; }
  /// Returns the centre of a point, in pixels.
  [[nodiscard]] QPointF positionOf(std::size_t point) const;
  /// Returns the lowest roof at this intensity, in FLOP/s. Returns an empty value if no rate is known.
  [[nodiscard]] std::optional<double> roofAt(double intensity) const;
  [[nodiscard]] const FlopRateUnit& unit() const noexcept { return unit_; }
  /// Returns the indices of the points whose names are drawn. A name that would cover another name is
  /// omitted, except for the names of the selected and the hovered layer.
  [[nodiscard]] const std::vector<std::size_t>& named() const noexcept { return named_; }

  /// Returns the labelled values of an axis.
  [[nodiscard]] std::vector<double> labelsOf(Qt::Orientation axis) const;
  [[nodiscard]] QString name() const override { return "roofline"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override { return !points_.empty(); }
  [[nodiscard]] std::vector<LegendEntry> legendEntries() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;

 signals:
  void layerClicked(int layer);
  void layerHovered(int layer);  ///< `layer` is -1 if no layer is hovered.

 protected:
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void chooseRow(int row) override;

 private:
  struct Range {
    double low = 0, high = 0;
  };
  void rebuild() override;
  void fillAxes();
  void addRoofs();
  void addPoints();
  void placeTexts();
  void addRoofLabels();
  void addNames();
  void addText(const QString& text, const QRectF& place, bool opaque = false);
  [[nodiscard]] std::array<QRectF, 4> placesFor(std::size_t point) const;
  [[nodiscard]] std::optional<QRectF> freePlaceFor(std::size_t point) const;
  // Returns true for the points of the selected and the hovered layer.
  [[nodiscard]] bool isMarked(std::size_t point) const;
  void addRing(int layer, Qt::PenStyle style);
  [[nodiscard]] QColor colourOf(Dataflow dataflow) const;
  [[nodiscard]] bool occurs(Dataflow dataflow) const;
  // Returns the diameter of the point, in pixels.
  [[nodiscard]] double diameterOf(const RooflinePoint& point) const;

  std::vector<RooflinePoint> points_;
  FlopRateUnit unit_;
  // Position of each point: x in FLOP per byte, y in the unit of the chart. A point with y = 0 is not drawn.
  std::vector<QPointF> places_;
  std::optional<DeviceRates> rates_;
  QString samples_;
  int chosen_ = -1, hovered_ = -1;
  Range intensities_, flop_rates_;  // Ranges of the axes, in FLOP/byte and FLOP/s.
  std::vector<std::size_t> named_;
  std::vector<QRectF> taken_;  // Rectangles of the roof labels and names, in pixels.
};

}  // namespace spira::ui
