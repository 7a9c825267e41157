#include "ui/lessons/controls/choice_row.hpp"

#include <QEvent>
#include <QPushButton>

#include <algorithm>

namespace spira::ui {
namespace {

constexpr int spacing = 6;

}  // namespace

ChoiceRow::ChoiceRow(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void ChoiceRow::add(QPushButton* button) {
  button->setParent(this);
  button->show();
  buttons_.push_back(button);
  updateGeometry();
  place();
}

QSize ChoiceRow::minimumSizeHint() const {
  QSize size(0, 0);
  for (const QPushButton* button : buttons_)
    size = size.expandedTo(button->sizeHint());
  return size;
}

int ChoiceRow::heightForWidth(int width) const {
  const int count = static_cast<int>(buttons_.size()), height = minimumSizeHint().height();
  return fits(width) || count == 0 ? height : (count * height) + ((count - 1) * spacing);
}

/// Returns true if all buttons fit side by side. All buttons have the width of the widest one.
bool ChoiceRow::fits(int width) const {
  const int count = static_cast<int>(buttons_.size());
  return (count * minimumSizeHint().width()) + ((count - 1) * spacing) <= width;
}

void ChoiceRow::place() {
  const int count = static_cast<int>(buttons_.size()), height = minimumSizeHint().height();
  if (count == 0) return;
  const bool row = fits(width());
  const int each = row ? (width() - ((count - 1) * spacing)) / count : width();
  const bool mirrored = layoutDirection() == Qt::RightToLeft;
  for (int at = 0; at < count; ++at) {
    const int column = mirrored ? count - 1 - at : at;
    const QPoint corner = row ? QPoint(column * (each + spacing), 0) : QPoint(0, at * (height + spacing));
    buttons_[static_cast<std::size_t>(at)]->setGeometry(QRect(corner, QSize(each, height)));
  }
}

void ChoiceRow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place();
}

bool ChoiceRow::event(QEvent* event) {
  const bool result = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest) {  // This event means that a button changed its size hint.
    updateGeometry();
    place();
  }
  return result;
}

}  // namespace spira::ui
