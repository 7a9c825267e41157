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

}  // namespace spira::ui
