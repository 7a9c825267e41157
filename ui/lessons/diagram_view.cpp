#include "ui/lessons/diagram_view.hpp"

#include "ui/lessons/diagram_paint.hpp"

#include <QPainter>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace spira::ui {
namespace {

constexpr double margin = 12;

/// Calls `use` with the diagram that there is.
template <class Use> void with(const std::shared_ptr<const LessonDiagram>& diagram, const Use& use) {
  if (!diagram) return;
  std::visit(
      [&](const auto& one) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, std::monostate>) use(one);
      },
      *diagram);
}

}  // namespace

DiagramView::DiagramView(const Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMinimumHeight(150);
  setAccessibleName(tr("Diagram of the lesson"));
  connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void DiagramView::set(std::shared_ptr<const LessonDiagram> diagram, const QString& caption) {
  diagram_ = std::move(diagram);
  caption_ = caption;
  setPart(0);
}

void DiagramView::setPart(double part) {
  part_ = std::clamp(part, 0.0, 1.0);
  if (part_ == 0 || part_ == 1) setAccessibleDescription(status() + ". " + caption_);
  update();
}

QString DiagramView::status() const {
  QString text;
  with(diagram_, [&](const auto& one) { text = diagram_status(one, part_); });
  return text;
}

double DiagramView::paintKeys(QPainter& painter, const QRectF& area) const {
  std::vector<DiagramKey> keys;
  with(diagram_, [&](const auto& one) { keys = diagram_keys(one, *theme_); });
  const QFontMetricsF metrics(painter.font());
  const double line = metrics.height(), box = line * 0.62;
  double x = area.left(), y = area.top();
  for (const DiagramKey& key : keys) {
    const double sample = key.line ? 2.4 * line : box;
    const double wide = sample + 6 + metrics.horizontalAdvance(key.text) + 18;
    if (x > area.left() && x + wide > area.right()) {
      x = area.left();
      y += line + 2;
    }
    if (key.line) {
      painter.setPen(QPen(key.colour, 2, key.line->dashes));
      painter.drawLine(QPointF(x, y + (line / 2)), QPointF(x + sample, y + (line / 2)));
      paint_mark(painter, QPointF(x + (sample / 2), y + (line / 2)), key.line->mark, key.colour);
    } else {
      painter.fillRect(QRectF(x, y + ((line - box) / 2), box, box), key.colour);
    }
    painter.setPen(theme_->palette().faint_text);
    painter.drawText(QPointF(x + sample + 6, y + metrics.ascent()), key.text);
    x += wide;
  }
  return keys.empty() ? y : y + line + 8;
}

QImage DiagramView::picture() const {
  QImage image(size(), QImage::Format_RGB32);
  QPainter painter(&image);
  paint(painter);
  return image;
}

void DiagramView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(painter);
}

void DiagramView::paint(QPainter& painter) const {
  const Palette& p = theme_->palette();
  painter.fillRect(rect(), p.panel);
  painter.fillRect(QRect(0, 0, width(), 1), p.line);
  painter.setFont(font());
  const QFontMetricsF metrics(font());
  QRectF area = QRectF(rect()).adjusted(margin, 9, -margin, -9);
  const QRectF below =
      metrics.boundingRect(QRectF(area.left(), 0, area.width(), 1000), Qt::TextWordWrap, caption_);
  painter.setPen(p.faint_text);
  painter.drawText(QRectF(area.left(), area.bottom() - below.height(), area.width(), below.height()),
                   Qt::TextWordWrap, caption_);
  area.setBottom(area.bottom() - below.height() - 6);
  QFont bold = font();
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(p.text);
  painter.drawText(QRectF(area.left(), area.top(), area.width(), metrics.height()), Qt::AlignLeft,
                   QFontMetricsF(bold).elidedText(status(), Qt::ElideRight, area.width()));
  painter.setFont(font());
  area.setTop(area.top() + metrics.height() + 4);
  area.setTop(paintKeys(painter, area));
  with(diagram_, [&](const auto& one) { paint_diagram(painter, one, area, part_, *theme_); });
}

}  // namespace spira::ui
