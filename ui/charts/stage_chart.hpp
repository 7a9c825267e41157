// Stacked bars of stages, one bar a row.
#pragma once

#include "engine/job/stage_names.hpp"

#include <QString>
#include <QWidget>

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

class StageChart : public QWidget {
  Q_OBJECT
 public:
  explicit StageChart(Theme* theme, QWidget* parent = nullptr);
  void setBars(std::vector<StageBar> bars);
  void setChosenLayer(int layer);

 signals:
  void layerClicked(int layer);

 private:
  void rebuild();
  void retheme();
  [[nodiscard]] int barAt(const QPointF& at) const;
  bool eventFilter(QObject* watched, QEvent* event) override;

  Theme* theme_;
  QCustomPlot* plot_;
  std::vector<StageBar> bars_;
  int chosen_ = -1;
};

}  // namespace spira::ui
