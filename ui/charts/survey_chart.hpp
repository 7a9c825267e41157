// Chart of a survey. It shows one quantity of all frames of a folder, with one dot per frame, the median, the
// quartiles, and rings around outliers. Alternatively, it shows the distribution of the densities by L1 norm.
#pragma once

#include "engine/survey/survey.hpp"
#include "ui/charts/chart.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

/// The quantity that the chart shows for each frame.
enum class SurveyMeasure { voxels, points, cells_x, cells_y, cells_z, bits, densities };
[[nodiscard]] QString textOf(SurveyMeasure measure);
/// Returns the value of a frame. Returns `nullopt` for `densities`, because a frame has one density per L1
/// norm.
[[nodiscard]] std::optional<double> valueOf(const FrameRow& row, SurveyMeasure measure);

class SurveyChart : public Chart {
  Q_OBJECT
 public:
  explicit SurveyChart(Theme* theme, QWidget* parent = nullptr);
  void setSurvey(std::shared_ptr<const Survey> survey);
  void setMeasure(SurveyMeasure measure);
  void setFrame(int frame);

  [[nodiscard]] QString name() const override { return "survey"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<LegendEntry> legendEntries() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override { return frameAt(at); }
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void paintChart(QCPPainter& painter) override;
  [[nodiscard]] SurveyMeasure measure() const noexcept { return measure_; }
  /// Returns the frame whose dot is near the position, or -1 if there is none.
  [[nodiscard]] int frameAt(const QPointF& at) const;
  [[nodiscard]] QPoint dotOf(int frame) const;
  [[nodiscard]] QSize minimumSizeHint() const override { return {240, 110}; }

 signals:
  void frameChosen(int frame);

 protected:
  void chooseRow(int row) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Axis {
    double low = 0, high = 1, step = 1;
  };
  [[nodiscard]] ChartTable densityTable() const;
  [[nodiscard]] QRectF plot() const;
  [[nodiscard]] Axis axis() const;
  [[nodiscard]] double xOf(double at, double count) const;
  [[nodiscard]] double yOf(double value) const;
  [[nodiscard]] const Spread& spreadShown() const;
  [[nodiscard]] bool standsOut(std::size_t frame) const;
  [[nodiscard]] QString tipOf(int frame) const;
  void paintAxes(QPainter& painter) const;
  void paintFrames(QPainter& painter) const;
  void paintDensities(QPainter& painter) const;

  std::shared_ptr<const Survey> survey_;
  SurveyMeasure measure_ = SurveyMeasure::voxels;
  int frame_ = -1;
};

}  // namespace spira::ui
