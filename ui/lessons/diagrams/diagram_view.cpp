#include "ui/lessons/diagrams/diagram_view.hpp"

#include "engine/measure/sampling.hpp"
#include "ui/theme/screen_number.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace spira::ui {
namespace {

constexpr double margin = 12;

/// Calls `use` with the diagram. Does nothing if there is no diagram.
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
  setMouseTracking(true);
  setAccessibleName(tr("Diagram of the lesson"));
  connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void DiagramView::set(std::shared_ptr<const LessonDiagram> diagram, const QString& caption) {
  diagram_ = std::move(diagram);
  caption_ = caption;
  pointAt(-1);
  spots_.clear();  // The next paint event fills this list.
  setPart(0);
}

const DiagramSpot* DiagramView::spot() const {
  const bool there = pointed_at_ >= 0 && pointed_at_ < static_cast<int>(spots_.size());
  return there ? &spots_[static_cast<std::size_t>(pointed_at_)] : nullptr;
}

void DiagramView::pointAt(int which) {
  if (which == pointed_at_) return;
  pointed_at_ = which;
  const DiagramSpot* now = spot();
  setAccessibleDescription(now != nullptr ? now->tip : status() + ". " + caption_);
  now != nullptr && now->offset >= 0 ? emit offsetPointedAt(now->offset) : emit pointedAway();
  update();
}

void DiagramView::mouseMoveEvent(QMouseEvent* event) {
  const auto found = std::find_if(spots_.begin(), spots_.end(), [&](const DiagramSpot& one) {
    return one.area.contains(event->position());
  });
  pointAt(found == spots_.end() ? -1 : static_cast<int>(found - spots_.begin()));
}

void DiagramView::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  pointAt(-1);
}

void DiagramView::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
  if (step == 0 || spots_.empty()) return QWidget::keyPressEvent(event);
  pointAt(std::clamp(pointed_at_ + step, 0, static_cast<int>(spots_.size()) - 1));
}

void DiagramView::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  pointAt(-1);
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

double DiagramView::paintKeys(QPainter& painter, const QRectF& area, const Theme& theme) const {
  std::vector<DiagramKey> keys;
  with(diagram_, [&](const auto& one) { keys = diagram_keys(one, theme); });
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
    } else if (const QRectF sample_box(x, y + ((line - box) / 2), box, box); key.hatched) {
      fill_hatched(painter, sample_box, key.colour, theme);
    } else {
      painter.fillRect(sample_box, key.colour);
    }
    painter.setPen(theme.palette().faint_text);
    painter.drawText(QPointF(x + sample + 6, y + metrics.ascent()), key.text);
    x += wide;
  }
  return keys.empty() ? y : y + line + 8;
}

QImage DiagramView::picture() const {
  QImage image(size(), QImage::Format_RGB32);
  QPainter painter(&image);
  painter.setFont(font());
  paint(painter, onScreen());
  return image;
}

QImage DiagramView::onPaper(const QSize& sheet, const Theme& paper, const QFont& font) const {
  constexpr int sharp = 2;
  QImage image(sheet * sharp, QImage::Format_RGB32);
  QPainter painter(&image);
  painter.scale(sharp, sharp);
  painter.setFont(font);
  QString end;
  with(diagram_, [&](const auto& one) { end = diagram_status(one, 1); });
  paint(painter, {QRectF(QPointF(0, 0), sheet), &paper, 1, end});
  return image;
}

DiagramView::Sheet DiagramView::onScreen() const {
  return {QRectF(rect()), theme_, part_, spot() != nullptr ? spot()->tip : status()};
}

void DiagramView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QRectF area = paint(painter, onScreen());
  with(diagram_, [&](const auto& one) { spots_ = diagram_spots(one, area, font()); });
  setFocusPolicy(spots_.empty() ? Qt::NoFocus : Qt::StrongFocus);
  const DiagramSpot* now = spot();
  if (now == nullptr) return;
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(theme_->palette().text);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(now->area.adjusted(-1, 0, 0, 0));
}

QRectF DiagramView::paint(QPainter& painter, const Sheet& sheet) const {
  const Palette& p = sheet.theme->palette();
  painter.fillRect(sheet.area, p.panel);
  painter.fillRect(QRectF(0, 0, sheet.area.width(), 1), p.line);
  const QFont plain = painter.font();
  const QFontMetricsF metrics(plain);
  QRectF area = sheet.area.adjusted(margin, 9, -margin, -9);
  const QRectF below =
      metrics.boundingRect(QRectF(area.left(), 0, area.width(), 1000), Qt::TextWordWrap, caption_);
  painter.setPen(p.faint_text);
  painter.drawText(QRectF(area.left(), area.bottom() - below.height(), area.width(), below.height()),
                   Qt::TextWordWrap, caption_);
  area.setBottom(area.bottom() - below.height() - 6);
  QFont bold = plain;
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(p.text);
  // The height of the final status is reserved from the start, so that the picture does not move during the
  // animation.
  QString end;
  with(diagram_, [&](const auto& one) { end = diagram_status(one, 1); });
  const bool long_one = QFontMetricsF(bold).horizontalAdvance(end) > area.width();
  const double head = (long_one ? 2 : 1) * QFontMetricsF(bold).lineSpacing();
  painter.drawText(QRectF(area.left(), area.top(), area.width(), head), Qt::AlignLeft | Qt::TextWordWrap,
                   long_one ? keepUnits(sheet.head)
                            : QFontMetricsF(bold).elidedText(sheet.head, Qt::ElideRight, area.width()));
  painter.setFont(plain);
  area.setTop(area.top() + head + 4);
  area.setTop(paintKeys(painter, area, *sheet.theme));
  with(diagram_, [&](const auto& one) { paint_diagram(painter, one, area, sheet.part, *sheet.theme); });
  return area;
}

}  // namespace spira::ui
