#include "ui/charts/chart.hpp"

#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QCheckBox>
#include <QContextMenuEvent>
#include <QEvent>
#include <QPainter>

#include <utility>

namespace spira::ui {

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

}  // namespace spira::ui
