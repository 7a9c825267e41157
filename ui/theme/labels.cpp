#include "ui/theme/labels.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QStylePainter>
#include <QTextDocument>
#include <QTextOption>
#include <QToolTip>

#include <cmath>

namespace spira::ui {

ElidedLabel::ElidedLabel(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString& text) {
  if (text == text_) return;
  text_ = text;
  setToolTip(text);
  setAccessibleName(text);
  if (sizePolicy().horizontalPolicy() != QSizePolicy::Ignored) updateGeometry();
  update();
}

QSize ElidedLabel::sizeHint() const {
  return {fontMetrics().horizontalAdvance(text_) + 4, fontMetrics().height() + 4};
}

QSize ElidedLabel::minimumSizeHint() const {
  return {24, fontMetrics().height() + 4};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(isEnabled() ? QPalette::Normal : QPalette::Disabled, foregroundRole()));
  painter.drawText(rect().adjusted(2, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(text_, Qt::ElideRight, width() - 4));
}

QString ElidedComboBox::wholeText() const {
  return currentIndex() < 0 ? placeholderText() : currentText();
}

QString ElidedComboBox::shownText() const {
  QStyleOptionComboBox option;
  initStyleOption(&option);
  // Space that styles leave next to the text, in pixels.
  constexpr int around = 8;
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

WrappedLabel::WrappedLabel(QWidget* parent) : QLabel(parent) {
  setWordWrap(true);
}

void WrappedLabel::forgetOtherText() const {
  if (text() == measured_) return;
  heights_.clear();
  minimum_ = {};
  measured_ = text();
}

int WrappedLabel::heightForWidth(int width) const {
  forgetOtherText();
  const auto known = heights_.constFind(width);
  if (known != heights_.constEnd()) return *known;
  return *heights_.insert(width, QLabel::heightForWidth(width));
}

QSize WrappedLabel::minimumSizeHint() const {
  forgetOtherText();
  if (minimum_.isValid()) return minimum_;
  QTextDocument document;
  document.setDefaultFont(font());
  QTextOption words;
  words.setWrapMode(QTextOption::WordWrap);
  document.setDefaultTextOption(words);
  document.setDocumentMargin(0);
  document.setHtml(text());
  document.setTextWidth(0);
  const QMargins around = contentsMargins();
  minimum_ = QSize(static_cast<int>(std::ceil(document.size().width())) + around.left() + around.right(),
                   fontMetrics().height() + around.top() + around.bottom());
  return minimum_;
}

void WrappedLabel::changeEvent(QEvent* event) {
  heights_.clear();
  minimum_ = {};
  QLabel::changeEvent(event);
}

QLabel* faint_label(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setWordWrap(true);
  label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

}  // namespace spira::ui
