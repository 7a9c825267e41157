#include "ui/theme/wrapped_label.hpp"

namespace spira::ui {

WrappedLabel::WrappedLabel(QWidget* parent) : QLabel(parent) {
  setWordWrap(true);
}

int WrappedLabel::heightForWidth(int width) const {
  if (text() != measured_) {
    heights_.clear();
    measured_ = text();
  }
  const auto known = heights_.constFind(width);
  if (known != heights_.constEnd()) return *known;
  return *heights_.insert(width, QLabel::heightForWidth(width));
}

void WrappedLabel::changeEvent(QEvent* event) {
  heights_.clear();
  QLabel::changeEvent(event);
}

QLabel* faint_label(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setWordWrap(true);
  label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

}  // namespace spira::ui
