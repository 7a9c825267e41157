#include "ui/lessons/lesson_bar_chart.hpp"

#include "engine/base/text.hpp"
#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_facts.hpp"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace spira::ui {

LessonBarChart::LessonBarChart(LessonBars bars, const LessonFacts* facts, Theme* theme, QWidget* parent)
    : QWidget(parent), bars_(std::move(bars)), facts_(facts), theme_(theme) {
  setMouseTracking(true);
  takeHeight();
  connect(facts_, &LessonFacts::changed, this, &LessonBarChart::updateDescription);
  updateDescription();
}

/// Returns the number of text lines below the bars: 2 if a name is wider than its bars, otherwise 1.
int LessonBarChart::nameLines() const {
  const int wide = width() / std::max(1, static_cast<int>(bars_.labels.size()));
  const auto too_wide = [&](const std::string& label) {
    return fontMetrics().horizontalAdvance(QString::fromStdString(label)) > wide;
  };
  return std::any_of(bars_.labels.begin(), bars_.labels.end(), too_wide) ? 2 : 1;
}

int LessonBarChart::keyLines() const {
  return bars_.control.empty() ? 1 : 2;
}

/// Returns the number of text lines above the bars: one for the title, and one or two for the numbers. With
/// control bars, the numbers need two lines, because the numbers of two bars with the same height would
/// overlap.
int LessonBarChart::headLines() const {
  return bars_.control.empty() ? 2 : 3;
}

void LessonBarChart::takeHeight() {
  constexpr int bars_px = 104;
  setFixedHeight(bars_px + ((headLines() + nameLines() + keyLines()) * fontMetrics().height()));
}

void LessonBarChart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  takeHeight();
}

void LessonBarChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) takeHeight();
}

void LessonBarChart::light(const std::function<bool(const LessonCommand&)>& pointed) {
  std::vector<bool> lit(bars_.values.size());
  for (std::size_t at = 0; at < lit.size(); ++at) {
    const auto about = offsets_of(bars_.values[at]);
    lit[at] = about && pointed(*about);
  }
  if (lit == lit_) return;
  lit_ = std::move(lit);
  update();
}

bool LessonBarChart::event(QEvent* event) {
  const auto bars = static_cast<int>(bars_.values.size());
  if (event->type() == QEvent::MouseMove || event->type() == QEvent::Leave) {
    int over = -1;
    if (event->type() == QEvent::MouseMove && bars > 0)
      over = std::clamp(
          static_cast<int>(static_cast<QMouseEvent*>(event)->position().x() * bars / std::max(1, width())), 0,
          bars - 1);
    const auto about = over < 0 ? std::nullopt : offsets_of(bars_.values[static_cast<std::size_t>(over)]);
    if (!about) over = -1;
    if (std::exchange(pointed_at_, over) != over) {
      if (about) {
        emit offsetsPointedAt(*about);
      } else {
        emit offsetsPointedAway();
      }
    }
  }
  return QWidget::event(event);
}

void LessonBarChart::setPart(double part, bool race) {
  part_ = part;
  race_ = race;
  update();
}

/// Updates the description that screen readers read.
void LessonBarChart::updateDescription() {
  QString all = QString::fromStdString(bars_.title) + ": ";
  const int digits = bar_digits(bars_, *facts_);
  for (std::size_t at = 0; at < bars_.values.size(); ++at) {
    all +=
        QString::fromStdString(bars_.labels[at]) + " " + number_text(bars_.values[at], digits, {}, *facts_);
    if (!bars_.control.empty()) all += " / " + number_text(bars_.control[at], digits, {}, *facts_);
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

/// Returns the number without its error, which the tooltip and a table show. While the number is being
/// computed, returns dots, because the title already contains "computing".
QString LessonBarChart::numberOf(const Expression& formula) const {
  const auto found = formula.evaluate(lookup_in(*facts_));
  if (found) return digits_text(found->value, bar_digits(bars_, *facts_));
  return is_coming(formula, *facts_) ? QString("\u2026") : number_text(formula, 0, {}, *facts_);
}

QRectF LessonBarChart::barArea() const {
  const double line = fontMetrics().height(), head = headLines() * line;
  return {0, head, static_cast<double>(width()), height() - head - ((nameLines() + keyLines()) * line) - 4};
}

/// Returns the rectangle of a bar at the current time of the animation.
QRectF LessonBarChart::barOf(std::size_t at, bool control) const {
  double most = 0;
  for (const auto* formulas : {&bars_.values, &bars_.control}) {
    for (const Expression& formula : *formulas)
      most = std::max(most, value(formula));
  }
  const QRectF area = barArea();
  const double wide = area.width() / static_cast<double>(bars_.values.size()), gap = wide * 0.1;
  const double left = wide * static_cast<double>(at);
  const bool two = !bars_.control.empty();
  const double from = control ? wide / 2 : gap, to = two && !control ? wide / 2 : wide - gap;
  const double number = value((control ? bars_.control : bars_.values)[at]);
  const double grown = race_ ? std::min(number, part_ * most) : part_ * number;
  const double tall = most > 0 ? grown / most * area.height() : 0;
  return {left + from, area.bottom() - tall, to - from, tall};
}

/// Returns the number labels, each centred above its bar. If the two labels of a group overlap, the label of
/// the higher bar moves above the other label.
std::vector<LessonBarChart::Number> LessonBarChart::numbers() const {
  const double line = fontMetrics().height(),
               cell = barArea().width() / static_cast<double>(bars_.values.size());
  const auto above = [&](std::size_t at, bool control) {
    const QRectF bar = barOf(at, control);
    const QString text = numberOf((control ? bars_.control : bars_.values)[at]);
    const double wide = std::min<double>(fontMetrics().horizontalAdvance(text) + 2, cell);
    const double leftmost = cell * static_cast<double>(at);
    const double left = std::clamp(bar.center().x() - (wide / 2), leftmost, leftmost + cell - wide);
    return Number{QRectF(left, bar.top() - line, wide, line), text};
  };
  std::vector<Number> all;
  for (std::size_t at = 0; at < bars_.values.size(); ++at) {
    all.push_back(above(at, false));
    if (bars_.control.empty()) continue;
    all.push_back(above(at, true));
    Number &first = all[all.size() - 2], &second = all.back();
    const bool first_higher = first.area.top() <= second.area.top();
    Number &higher = first_higher ? first : second, &lower = first_higher ? second : first;
    if (higher.area.intersects(lower.area)) higher.area.moveBottom(lower.area.top());
  }
  return all;
}

void LessonBarChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = theme_->palette();
  const double line = painter.fontMetrics().height();
  painter.setPen(p.faint_text);
  QString title = QString::fromStdString(bars_.title);
  const bool coming = std::any_of(bars_.values.begin(), bars_.values.end(),
                                  [this](const Expression& formula) { return is_coming(formula, *facts_); });
  if (coming) title += tr(": computing");
  painter.drawText(QRectF(0, 0, width(), line), Qt::AlignLeft, title);
  const QRectF area = barArea();
  const double wide = area.width() / static_cast<double>(bars_.values.size()), names = nameLines() * line;
  for (std::size_t at = 0; at < bars_.values.size(); ++at) {
    const double left = wide * static_cast<double>(at);
    painter.fillRect(barOf(at, false), p.dense);
    if (!bars_.control.empty()) {
      painter.fillRect(barOf(at, true), p.sparse);
      painter.fillRect(barOf(at, true), QBrush(p.panel, Qt::BDiagPattern));
    }
    if (at < lit_.size() && lit_[at]) {
      painter.setPen(QPen(p.accent, 1.5));
      painter.drawRoundedRect(QRectF(left + 1, area.top() - line, wide - 2, area.height() + line + names), 3,
                              3);
    }
    painter.setPen(p.text);
    painter.drawText(QRectF(left, area.bottom() + 1, wide, names),
                     Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                     QString::fromStdString(bars_.labels[at]));
  }
  for (const Number& number : numbers()) {
    // Clear the background, because a higher bar may be behind the number.
    painter.fillRect(number.area.adjusted(0, 2, 0, -1), p.panel);
    painter.drawText(number.area, Qt::AlignCenter, number.text);
  }
  painter.setPen(p.line);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  paintKey(painter, QRectF(0, area.bottom() + names + 2, width(), keyLines() * line));
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
