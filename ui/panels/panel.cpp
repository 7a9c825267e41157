#include "ui/panels/panel.hpp"

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace spira::ui {

Panel::Panel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      selection_(selection),
      theme_(theme),
      pages_(new QStackedWidget(this)),
      body_(new QWidget(pages_)),
      empty_text_(new QLabel),
      empty_button_(new QPushButton) {
  auto* empty = new QWidget(pages_);
  auto* empty_layout = new QVBoxLayout(empty);
  empty_text_->setWordWrap(true);
  empty_text_->setAlignment(Qt::AlignCenter);
  empty_text_->setForegroundRole(QPalette::PlaceholderText);
  empty_layout->addStretch(1);
  empty_layout->addWidget(empty_text_);
  empty_layout->addWidget(empty_button_, 0, Qt::AlignHCenter);
  empty_layout->addStretch(1);
  pages_->addWidget(body_);
  pages_->addWidget(empty);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->setSpacing(0);
  outer->addWidget(pages_);
  connect(empty_button_, &QPushButton::clicked, this, [this] { emit commandRequested(empty_command_); });
}

void Panel::addAbove(QWidget* row) {
  static_cast<QVBoxLayout*>(layout())->insertWidget(0, row);
}

void Panel::showEmpty(const QString& text, const QString& command, const QString& button) {
  empty_text_->setText(text);
  empty_command_ = command;
  empty_button_->setText(button);
  empty_button_->setVisible(!command.isEmpty());
  pages_->setCurrentIndex(1);
}

void Panel::followSoon() {
  workspace_->viewUpdates().add(
      this, [this] { follow(); }, isVisible());
}

void Panel::showEvent(QShowEvent* event) {
  workspace_->viewUpdates().finish(this);
  QWidget::showEvent(event);
}

void Panel::showBody() {
  pages_->setCurrentIndex(0);
}

}  // namespace spira::ui
