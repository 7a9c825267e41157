#include "ui/view3d/hidden_notice.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace spira::ui {

HiddenNotice::HiddenNotice(QWidget* canvas) : QFrame(canvas), text_(new QLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 8, 8, 8);
  layout->setSpacing(10);
  layout->addWidget(text_);
  auto* show = new QPushButton(tr("Show"), this);
  show->setObjectName("showHidden");
  layout->addWidget(show);
  setObjectName("hiddenNotice");
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setCursor(Qt::ArrowCursor);
  connect(show, &QPushButton::clicked, this, &HiddenNotice::showRequested);
  hide();
}

void HiddenNotice::setText(const QString& text) {
  if (text == text_->text() && isHidden() == text.isEmpty()) return;
  text_->setText(text);
  setAccessibleName(text);
  setVisible(!text.isEmpty());
  place();
}

QString HiddenNotice::text() const {
  return text_->text();
}

void HiddenNotice::place() {
  adjustSize();
  move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
}

}  // namespace spira::ui
