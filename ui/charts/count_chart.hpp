// Bars of named counts on a logarithmic axis, for example the triples of each relation of a graph.
#pragma once

#include "ui/charts/chart.hpp"

#include <QString>

#include <optional>
#include <vector>

namespace spira::ui {

struct CountBar {
  QString name;
  std::int64_t count = 0;
  /// A share that belongs to the bar, from 0 to 1. Only the table and the tooltip show it.
  std::optional<double> share = {};
};

/// The content of a CountChart.
struct CountSubject {
  QString id;       ///< For file names, such as "relations".
  QString title;    ///< Such as "Triples of each relation".
  QString bars;     ///< What a bar is, such as "Relation".
  QString counted;  ///< The counted objects, such as "triples".
  QString share;    ///< What CountBar::share is a share of. Empty if the bars have no shares.
};

class CountChart : public PlotChart {
  Q_OBJECT
 public:
  CountChart(CountSubject subject, Theme* theme, QWidget* parent = nullptr);
  void setBars(std::vector<CountBar> bars);
  void setChosen(int bar);  ///< Marks a bar. -1 marks none.
  [[nodiscard]] int chosen() const noexcept { return chosen_; }
  [[nodiscard]] const std::vector<CountBar>& bars() const noexcept { return bars_; }

  [[nodiscard]] QString name() const override { return subject_.id; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override { return !bars_.empty(); }
  /// The table has one row per bar.
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int /*row*/) const override { return {}; }
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;

 signals:
  void barChosen(int bar);  ///< Emitted after a click on a bar, and after an arrow key.

 protected:
  void chooseRow(int row) override;
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void rebuild() override;
  void labelBars();
  [[nodiscard]] QString tipOf(int bar) const;

  CountSubject subject_;
  std::vector<CountBar> bars_;
  int chosen_ = -1;
};

}  // namespace spira::ui
