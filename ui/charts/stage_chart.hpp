// Stacked bars of stages, one bar a row.
#pragma once

#include "engine/job/stage_names.hpp"
#include "ui/charts/chart.hpp"

#include <QSize>
#include <QString>

#include <map>
#include <vector>

class QCPBars;
class QCustomPlot;

namespace spira::ui {

class Theme;

struct StageBar {
  QString name, tip;
  int layer = -1;                      ///< chosen when the bar is clicked; -1: none
  std::map<StageGroup, double> parts;  ///< ms
};

class StageChart : public Chart {
  Q_OBJECT
 public:
  explicit StageChart(Theme* theme, QWidget* parent = nullptr);
  /// `unit`: title of the axis, "ms, median"; `samples`: "n = 15".
  void setBars(std::vector<StageBar> bars, const QString& unit, const QString& samples = {});
  void setChosenLayer(int layer);
  [[nodiscard]] int labelsShown() const;  ///< names below the axis; as many as there is room for

  [[nodiscard]] QString name() const override { return "breakdown"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<ChartKey> keys() const override;
  [[nodiscard]] MeasuredSubject subjectAt(const QPointF& at) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void paintChart(QCPPainter& painter) override;
  void restyle() override;

 signals:
  void layerClicked(int layer);

 private:
  void rebuild();
  void retheme();
  void fillAxes(double highest);
  void outline(const std::vector<double>& sums);
  [[nodiscard]] int barAt(const QPointF& at) const;
  bool eventFilter(QObject* watched, QEvent* event) override;

  Theme* theme_;
  QCustomPlot* plot_;
  std::vector<StageBar> bars_;
  int chosen_ = -1;
  QString unit_, samples_;
  QSize room_;  ///< of the plot
};

}  // namespace spira::ui
