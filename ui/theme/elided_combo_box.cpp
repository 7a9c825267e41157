#include "ui/theme/elided_combo_box.hpp"

#include <QHelpEvent>
#include <QStylePainter>
#include <QToolTip>

namespace spira::ui {

QString ElidedComboBox::wholeText() const {
  return currentIndex() < 0 ? placeholderText() : currentText();
}

QString ElidedComboBox::shownText() const {
  QStyleOptionComboBox option;
  initStyleOption(&option);
  constexpr int around = 8;  // space in pixels that styles leave next to the text
  const QRect field =
      style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
  return fontMetrics().elidedText(wholeText(), Qt::ElideRight, field.width() - around);
}

bool ElidedComboBox::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && toolTip().isEmpty() && shownText() != wholeText()) {
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), wholeText(), this);
    return true;
  }
  return QComboBox::event(event);
}

void ElidedComboBox::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  option.currentText = shownText();
  if (currentIndex() < 0) option.palette.setBrush(QPalette::ButtonText, option.palette.placeholderText());
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace spira::ui
