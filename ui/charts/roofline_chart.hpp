// Roofline chart: the arithmetic rate of each layer over its arithmetic intensity, below the roofs that the
// measured rates of the device set.
#pragma once

#include "engine/run/layer_work.hpp"
#include "ui/charts/chart.hpp"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

enum class Dataflow { output_stationary, weight_stationary, hybrid };

struct RooflinePoint {
  QString name, short_name;
  int layer = -1;
  Dataflow dataflow = Dataflow::output_stationary;
  QString dataflow_text;          ///< Such as "OS" or "t = 2".
  StageWork features;             ///< The layer without its kernel map; defines the position of the point.
  std::vector<StageWork> stages;  ///< Dataflows and kernel map, for tooltip and table.
  double share = 0;               ///< Share of the layer's features in the sum of all stages, from 0 to 1.
  [[nodiscard]] QString tip(const std::optional<DeviceRates>& rates) const;
};

class RooflineChart : public PlotChart {
  Q_OBJECT
 public:
  explicit RooflineChart(Theme* theme, QWidget* parent = nullptr);
  /// Sets the layers and the roofs. A rate without a value has no roof. `samples` is a text such as "n = 15".
  void setPoints(std::vector<RooflinePoint> points, std::optional<DeviceRates> rates, const QString& samples);
  void setChosenLayer(int layer);
  void setHoveredLayer(int layer);
  [[nodiscard]] const std::vector<RooflinePoint>& points() const noexcept { return points_; }
  [[nodiscard]] const std::optional<DeviceRates>& rates() const noexcept { return rates_; }
  /// Returns the centre of a point, in pixels.
  [[nodiscard]] QPointF positionOf(std::size_t point) const;
  /// Returns the lowest roof at this intensity, in FLOP/s. Returns an empty value if no rate is known.
  [[nodiscard]] std::optional<double> roofAt(double intensity) const;
  /// Returns the points whose names are drawn. Names that would cover other names are omitted.
  [[nodiscard]] const std::vector<std::size_t>& named() const noexcept { return named_; }

  [[nodiscard]] QString name() const override { return "roofline"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override { return !points_.empty(); }
  [[nodiscard]] std::vector<ChartKey> keys() const override;
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
  void addText(const QString& text, const QRectF& place);
  void addRing(int layer, Qt::PenStyle style);
  [[nodiscard]] QColor colourOf(Dataflow dataflow) const;
  [[nodiscard]] bool occurs(Dataflow dataflow) const;
  [[nodiscard]] double diameterOf(const RooflinePoint& point) const;  // In pixels.

  std::vector<RooflinePoint> points_;
  std::vector<QPointF> places_;  // FLOP per byte and GFLOP/s of each point; not drawn if GFLOP/s is 0.
  std::optional<DeviceRates> rates_;
  QString samples_;
  int chosen_ = -1, hovered_ = -1;
  Range intensities_, flop_rates_;  // Ranges of the axes, in FLOP/byte and FLOP/s.
  std::vector<std::size_t> named_;
  std::vector<QRectF> taken_;  // Rectangles of the roof labels and names, in pixels.
};

}  // namespace spira::ui
