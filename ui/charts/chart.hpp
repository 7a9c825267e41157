// Base class of all charts. A chart draws rows of numbers. The same code paints the chart on screen and into
// files, in any size and theme. A chart can also show its numbers as a table.
#pragma once

#include "ui/charts/chart_table.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/theme/theme.hpp"

#include <QColor>
#include <QString>
#include <QWidget>

#include <memory>
#include <string_view>
#include <vector>

class QCheckBox;
class QCPPainter;
class QCustomPlot;
class QPainter;
class QWidget;
class QCPAxis;

namespace spira::ui {

class Theme;

/// Texts that describe a chart in places where the panel around it is not visible, for example in a file.
struct ChartText {
  QString title;      ///< Example: "Latency of each layer by stage".
  QString unit;       ///< Example: "ms".
  QString statistic;  ///< Examples: "median", "share of the outputs, counted".
  QString samples;    ///< Example: "n = 15". Empty if the numbers are not samples.
};

enum class LegendIcon {
  square,  ///< A filled square.
  frame,   ///< A frame around a bar.
  line     ///< A line above a bar.
};
struct LegendEntry {
  QColor colour;
  QString text;
  LegendIcon icon = LegendIcon::square;
};
void paint_legend_icon(QPainter& painter, const QRectF& area, const LegendEntry& entry);

class Chart : public QWidget {
  Q_OBJECT
 public:
  /// `what` is the accessible name of the chart.
  Chart(Theme* theme, const QString& what, QWidget* parent);

  /// Returns the id for file names and the command line, for example "breakdown".
  [[nodiscard]] virtual QString name() const = 0;
  [[nodiscard]] virtual ChartText text() const = 0;
  [[nodiscard]] virtual bool hasContent() const = 0;
  /// Returns the legend entries for all colours that the chart itself does not label.
  [[nodiscard]] virtual std::vector<LegendEntry> legendEntries() const { return {}; }
  /// Returns all numbers of the chart as a table. One row is one item of the chart.
  [[nodiscard]] virtual ChartTable table() const = 0;
  /// Returns the table row of the item at the position `at`, or -1 if there is none.
  [[nodiscard]] virtual int rowAt(const QPointF& at) const = 0;
  /// Returns the object whose numbers a row shows, so that the user can measure this object again. Row -1
  /// stands for the whole chart.
  [[nodiscard]] virtual MeasuredSubject subjectOf(int row) const = 0;
  /// Returns a copy of the chart with a different theme. The copy has no hovered item and no keyboard cursor.
  [[nodiscard]] virtual std::unique_ptr<Chart> twin(Theme* theme) const = 0;
  /// Paints the whole chart at the size of the widget. The resolution of the paint device may differ from
  /// that of the screen.
  virtual void paintChart(QCPPainter& painter) = 0;
  virtual void restyle() { update(); }

  /// Shows or hides the table, which covers the chart. If the chart or the table had the keyboard focus, the
  /// one that is now visible gets it.
  void showTable(bool shown);
  [[nodiscard]] bool tableShown() const { return table_ != nullptr; }
  /// Creates a check box for the header of the panel. The check box shows and hides the table.
  [[nodiscard]] QCheckBox* makeTableSwitch(QWidget* parent);

 signals:
  void menuRequested(const QPoint& global, const spira::ui::MeasuredSubject& subject);
  void tableToggled(bool shown);

 protected:
  /// Has the same effect as a click on this row's item in the chart.
  virtual void chooseRow(int /*row*/) {}
  /// Must be called after the numbers change. Updates the table and repaints the chart.
  void contentChanged();
  void paintFocus(QPainter& painter) const;
  void changeEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

  Theme* theme_;

 private:
  ChartTableView* table_ = nullptr;
};

/// Formats a number for a chart: in the user's locale on screen, and with a decimal point on paper.
[[nodiscard]] QString numberText(const Theme& theme, double value, char format, int precision);
/// Formats a number that engine/base/text.hpp has converted to text.
[[nodiscard]] QString numberText(const Theme& theme, std::string_view number);

/// Base class of charts that QCustomPlot draws. The chart handles mouse events; QCustomPlot does not receive
/// them.
class PlotChart : public Chart {
  Q_OBJECT
 public:
  PlotChart(Theme* theme, const QString& what, const QSize& least, QWidget* parent);

  void paintChart(QCPPainter& painter) override;
  void restyle() override;

 protected:
  /// Places the legend above the plot, so that the legend does not cover the plot. On paper, ChartPicture
  /// draws the legend instead.
  void addLegendAbove();
  virtual void rebuild() = 0;
  void resizeEvent(QResizeEvent* event) override;

  QCustomPlot* plot_;
};

/// Lays out `within` and repaints all its charts immediately, so that the next QWidget::grab() shows the
/// current numbers. `ratio` is the device pixel ratio, for pictures with more pixels than the screen. If it
/// is 0, the charts keep the ratio of the screen.
void replot_charts(QWidget& within, double ratio = 0);

void apply_theme(QCustomPlot& plot, const Theme& theme);

/// Returns how many tick labels fit on the vertical axis of a plot with this height, in pixels.
[[nodiscard]] int ticks_for(int plot_height) noexcept;

}  // namespace spira::ui
