#include "ui/theme/wrapped_label.hpp"

#include <QTextDocument>
#include <QTextOption>

#include <cmath>

namespace spira::ui {

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
