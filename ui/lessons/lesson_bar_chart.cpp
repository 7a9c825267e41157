#include "ui/lessons/lesson_bar_chart.hpp"

#include "engine/base/text.hpp"
#include "ui/lessons/fact_text.hpp"

#include <QPainter>

#include <algorithm>

namespace spira::ui {

LessonBarChart::LessonBarChart(const LessonBars& bars, const LessonFacts* facts, Theme* theme,
                               QWidget* parent)
    : QWidget(parent), bars_(bars), facts_(facts), theme_(theme) {
  setFixedHeight((bars.control.empty() ? 150 : 168) + fontMetrics().height());
  connect(facts_, &LessonFacts::changed, this, &LessonBarChart::tell);
  tell();
}

void LessonBarChart::setPart(double part, bool race) {
  part_ = part;
  race_ = race;
  update();
}

/// For who hears the window instead of seeing it.
void LessonBarChart::tell() {
  QString all = QString::fromStdString(bars_.title) + ": ";
  for (std::size_t at = 0; at < bars_.values.size(); ++at) {
    all += QString::fromStdString(bars_.labels[at]) + " " + number_text(bars_.values[at], 1, {}, *facts_);
    if (!bars_.control.empty()) all += " / " + number_text(bars_.control[at], 1, {}, *facts_);
    all += "; ";
  }
  setAccessibleName(all);
  setToolTip(all);
  update();
}

double LessonBarChart::value(const Expression& formula) const {
  const auto found = formula.evaluate(lookup_in(*facts_));
  return found ? std::max(0.0, found->value) : 0.0;
}

void LessonBarChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = theme_->palette();
  const double line = painter.fontMetrics().height();
  double most = 0;
  for (const auto* formulas : {&bars_.values, &bars_.control}) {
    for (const Expression& formula : *formulas)
      most = std::max(most, value(formula));
  }
  painter.setPen(p.faint_text);
  painter.drawText(QRectF(0, 0, width(), line), Qt::AlignLeft, QString::fromStdString(bars_.title));
  const double keys = bars_.control.empty() ? 1 : 2;
  const QRectF area(0, 2 * line, width(), height() - (3 * line) - (keys * line) - 4);
  const double wide = area.width() / static_cast<double>(bars_.values.size());
  for (std::size_t at = 0; at < bars_.values.size(); ++at) {
    const double left = wide * static_cast<double>(at), gap = wide * 0.1;
    const auto bar = [&](double number, double from, double to, const QColor& colour, bool hatched) {
      const double grown = race_ ? std::min(number, part_ * most) : part_ * number;
      const double tall = most > 0 ? grown / most * area.height() : 0;
      const QRectF body(left + from, area.bottom() - tall, to - from, tall);
      painter.fillRect(body, colour);
      if (hatched) painter.fillRect(body, QBrush(p.panel, Qt::BDiagPattern));
      return body;
    };
    const bool two = !bars_.control.empty();
    const QRectF first = bar(value(bars_.values[at]), gap, two ? wide / 2 : wide - gap, p.dense, false);
    if (two) bar(value(bars_.control[at]), wide / 2, wide - gap, p.sparse, true);
    painter.setPen(p.text);
    painter.drawText(QRectF(left, first.top() - line, two ? wide * 0.6 : wide, line), Qt::AlignCenter,
                     number_text(bars_.values[at], 1, {}, *facts_).left(6));
    painter.drawText(QRectF(left, area.bottom() + 1, wide, line), Qt::AlignCenter,
                     QString::fromStdString(bars_.labels[at]));
  }
  painter.setPen(p.line);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  paintKey(painter, QRectF(0, area.bottom() + line + 2, width(), keys * line));
}

void LessonBarChart::paintKey(QPainter& painter, const QRectF& area) const {
  const Palette& p = theme_->palette();
  const double line = painter.fontMetrics().height();
  const auto row = [&](int at, const QColor& colour, bool hatched, const std::string& text) {
    const QRectF box(2, area.top() + (at * line) + (line * 0.2), line * 0.6, line * 0.6);
    painter.fillRect(box, colour);
    if (hatched) painter.fillRect(box, QBrush(p.panel, Qt::BDiagPattern));
    painter.setPen(p.faint_text);
    painter.drawText(QRectF(line + 4, area.top() + (at * line), area.width() - line, line), Qt::AlignLeft,
                     QString::fromStdString(text));
  };
  row(0, p.dense, false, bars_.value_name);
  if (!bars_.control.empty()) row(1, p.sparse, true, bars_.control_name);
}

}  // namespace spira::ui
