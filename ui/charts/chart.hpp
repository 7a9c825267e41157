// What all charts are: a picture of rows of numbers. It stands on the screen, can be painted somewhere else
// at another size and in another theme by the same code, and can stand as a table.
#pragma once

#include "ui/charts/chart_table.hpp"
#include "ui/model/measured_subject.hpp"

#include <QColor>
#include <QString>
#include <QWidget>

#include <memory>
#include <vector>

class QCheckBox;
class QCPPainter;

namespace spira::ui {

class Theme;

/// What a chart says of itself where it stands alone, without the panel around it.
struct ChartText {
  QString title;      ///< "Latency of each layer by stage"
  QString unit;       ///< "ms"
  QString statistic;  ///< "median", "share of the outputs, counted"
  QString samples;    ///< "n = 15"; empty: not a matter of samples
};

struct ChartKey {
  QColor colour;
  QString text;
};

class Chart : public QWidget {
  Q_OBJECT
 public:
  /// `what`: its accessible name.
  Chart(Theme* theme, const QString& what, QWidget* parent);

  /// "breakdown": of files and of the command line.
  [[nodiscard]] virtual QString name() const = 0;
  [[nodiscard]] virtual ChartText text() const = 0;
  [[nodiscard]] virtual bool hasContent() const = 0;
  /// What its colours mean, where the chart itself does not say it.
  [[nodiscard]] virtual std::vector<ChartKey> keys() const { return {}; }
  /// The same numbers, all of them; a row is what the chart draws as one thing.
  [[nodiscard]] virtual ChartTable table() const = 0;
  /// The row of the table that is drawn at this place; -1: none.
  [[nodiscard]] virtual int rowAt(const QPointF& at) const = 0;
  /// What a row is of, to measure it again; of -1: what the chart is of.
  [[nodiscard]] virtual MeasuredSubject subjectOf(int row) const = 0;
  /// The same chart in another theme: what it shows, without what the mouse or the keyboard is at.
  [[nodiscard]] virtual std::unique_ptr<Chart> twin(Theme* theme) const = 0;
  /// All of it at its size; the device may have another resolution.
  virtual void paintChart(QCPPainter& painter) = 0;
  /// Takes over another font or theme.
  virtual void restyle() { update(); }

  /// The table stands over the chart, and has the keyboard where the chart had it.
  void showTable(bool shown);
  [[nodiscard]] bool tableShown() const { return table_ != nullptr; }
  [[nodiscard]] ChartTableView* tableView() const noexcept { return table_; }  ///< null while it is not shown
  /// For the head of the panel that the chart is in.
  [[nodiscard]] QCheckBox* makeTableSwitch(QWidget* parent);

 signals:
  void menuRequested(const QPoint& global, const spira::ui::MeasuredSubject& subject);
  void tableToggled(bool shown);

 protected:
  /// As a click on it in the chart.
  virtual void chooseRow(int /*row*/) {}
  /// Other numbers: the table follows, the chart is drawn anew.
  void contentChanged();
  /// A line around a painted chart that has the keyboard.
  void paintFocus(QPainter& painter) const;
  void changeEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

  Theme* theme_;

 private:
  ChartTableView* table_ = nullptr;
};

}  // namespace spira::ui
