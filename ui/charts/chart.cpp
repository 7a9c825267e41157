#include "ui/charts/chart.hpp"

#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QCheckBox>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QEvent>
#include <QLocale>
#include <QPainter>
#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>
#include <utility>

namespace spira::ui {

void paint_legend_icon(QPainter& painter, const QRectF& area, const LegendEntry& entry) {
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(entry.colour, 1));
  if (entry.icon == LegendIcon::square) return painter.fillRect(area, entry.colour);
  if (entry.icon == LegendIcon::frame) return painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
  painter.drawLine(QPointF(area.center().x(), area.top()), QPointF(area.center().x(), area.bottom()));
  painter.setPen(QPen(entry.colour, 2));
  painter.drawLine(area.topLeft() + QPointF(0, 1), area.topRight() + QPointF(0, 1));
}

Chart::Chart(Theme* theme, const QString& what, QWidget* parent) : QWidget(parent), theme_(theme) {
  setAccessibleName(what);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(theme_, &Theme::changed, this, [this] { restyle(); });
}

void Chart::showTable(bool shown) {
  if (shown == tableShown()) return;
  const bool focused = hasFocus() || (table_ != nullptr && table_->hasFocus());
  if (shown) {
    table_ = new ChartTableView(this);
    table_->setAccessibleName(tr("%1 as a table").arg(accessibleName()));
    table_->setGeometry(rect());
    table_->setTable(table());
    connect(table_, &ChartTableView::rowActivated, this, [this](int row) { chooseRow(row); });
    table_->show();
    setFocusProxy(table_);
  } else {
    setFocusProxy(nullptr);
    ChartTableView* gone = std::exchange(table_, nullptr);
    gone->hide();
    gone->deleteLater();
  }
  if (focused) setFocus();
  emit tableToggled(shown);
}

QCheckBox* Chart::makeTableSwitch(QWidget* parent) {
  auto* box = new QCheckBox(tr("table"), parent);
  box->setObjectName("asTable");
  box->setToolTip(tr("Show the numbers as a table (Ctrl+C copies them)"));
  connect(box, &QCheckBox::toggled, this, &Chart::showTable);
  connect(this, &Chart::tableToggled, box, &QCheckBox::setChecked);
  return box;
}

void Chart::contentChanged() {
  if (table_ != nullptr) table_->setTable(table());
  update();
}

void Chart::paintFocus(QPainter& painter) const {
  if (!hasFocus()) return;
  painter.setPen(QPen(theme_->palette().accent, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void Chart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) restyle();
}

void Chart::contextMenuEvent(QContextMenuEvent* event) {
  const int row = tableShown() ? table_->currentRow() : rowAt(event->pos());
  emit menuRequested(event->globalPos(), subjectOf(row));
  event->accept();
}

void Chart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (table_ != nullptr) table_->setGeometry(rect());
}

QString numberText(const Theme& theme, double value, char format, int precision) {
  return theme.paper() ? QString::number(value, format, precision) : onScreen(value, format, precision);
}

QString numberText(const Theme& theme, std::string_view number) {
  return theme.paper() ? QString::fromUtf8(number.data(), static_cast<qsizetype>(number.size()))
                       : onScreen(number);
}

PlotChart::PlotChart(Theme* theme, const QString& what, const QSize& least, QWidget* parent)
    : Chart(theme, what, parent), plot_(new QCustomPlot(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  plot_->setMinimumSize(least);
  plot_->setAttribute(Qt::WA_TransparentForMouseEvents);
}

void PlotChart::addLegendAbove() {
  const bool on_screen = !theme_->paper();
  auto* row = new QCPLayoutGrid;
  plot_->plotLayout()->insertRow(0);
  plot_->plotLayout()->addElement(0, 0, row);
  row->addElement(0, 0, plot_->legend);
  row->setMinimumSize(0, on_screen ? plot_->fontMetrics().height() + 8 : 0);
  plot_->plotLayout()->setRowStretchFactor(0, 0.001);
  plot_->plotLayout()->setRowSpacing(0);
  plot_->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
  plot_->legend->setWrap(0);
  plot_->legend->setMargins(QMargins(4, 1, 4, 1));
  plot_->legend->setIconSize(14, 12);
  plot_->legend->setVisible(on_screen);
}

void PlotChart::paintChart(QCPPainter& painter) {
  plot_->toPainter(&painter, width(), height());
}

void PlotChart::restyle() {
  apply_theme(*plot_, *theme_);
  rebuild();
}

void PlotChart::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  rebuild();
}

void replot_charts(QWidget& within, double ratio) {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  for (auto* plot : within.findChildren<QCustomPlot*>()) {
    if (ratio > 0) plot->setBufferDevicePixelRatio(ratio);
    plot->replot(QCustomPlot::rpRefreshHint);
  }
}

void apply_theme(QCustomPlot& plot, const Theme& theme) {
  const Palette& p = theme.palette();
  plot.setBackground(p.panel);
  QLocale locale = theme.paper() ? QLocale::c() : QLocale();
  locale.setNumberOptions(QLocale::OmitGroupSeparator);
  plot.setLocale(locale);
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.xAxis2, plot.yAxis2}) {
    axis->setBasePen(QPen(p.line));
    axis->setTickPen(QPen(p.line));
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelColor(p.faint_text);
    axis->setLabelColor(p.text);
    axis->setTickLabelFont(plot.font());
    axis->setLabelFont(plot.font());
    axis->grid()->setPen(QPen(p.line, 1, Qt::DotLine));
    axis->grid()->setZeroLinePen(Qt::NoPen);
  }
  plot.xAxis->grid()->setVisible(false);
  plot.legend->setBrush(Qt::NoBrush);
  plot.legend->setBorderPen(Qt::NoPen);
  plot.legend->setTextColor(p.text);
  plot.legend->setFont(plot.font());
}

int ticks_for(int plot_height) noexcept {
  // Heights in pixels: `around` is for the axis names and margins, `each` is for one tick label.
  constexpr int around = 70, each = 26;
  return std::clamp((plot_height - around) / each, 2, 6);
}

}  // namespace spira::ui
