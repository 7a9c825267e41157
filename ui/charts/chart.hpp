// What all charts are: a view on the screen that can also be painted somewhere else, at another size and in
// another theme, by the same code.
#pragma once

#include "ui/model/measured_subject.hpp"

#include <QColor>
#include <QString>
#include <QWidget>

#include <memory>
#include <vector>

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
  using QWidget::QWidget;

  /// "breakdown": of files and of the command line.
  [[nodiscard]] virtual QString name() const = 0;
  [[nodiscard]] virtual ChartText text() const = 0;
  [[nodiscard]] virtual bool hasContent() const = 0;
  /// What its colours mean, where the chart itself does not say it.
  [[nodiscard]] virtual std::vector<ChartKey> keys() const { return {}; }
  /// What stands at this place of the chart, to measure it again.
  [[nodiscard]] virtual MeasuredSubject subjectAt(const QPointF& at) const = 0;
  /// The same chart in another theme: what it shows, without what the mouse or the keyboard is at.
  [[nodiscard]] virtual std::unique_ptr<Chart> twin(Theme* theme) const = 0;
  /// All of it at its size; the device may have another resolution.
  virtual void paintChart(QCPPainter& painter) = 0;
  /// Takes over another font.
  virtual void restyle() = 0;

 signals:
  void menuRequested(const QPoint& global, const spira::ui::MeasuredSubject& subject);

 protected:
  void changeEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
};

}  // namespace spira::ui
