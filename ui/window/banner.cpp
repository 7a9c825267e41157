#include "ui/window/banner.hpp"

#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace spira::ui {

Banner::Banner(Theme* theme, QWidget* parent)
    : QFrame(parent), theme_(theme), text_(new QLabel(this)), buttons_(new QHBoxLayout) {
  setObjectName("banner");
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 8, 8, 8);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(text_, 1);
  layout->addLayout(buttons_);
  auto* close = new QToolButton(this);
  close->setText(QStringLiteral("\u00d7"));
  close->setToolTip(tr("Dismiss"));
  close->setAccessibleName(tr("Dismiss the message"));
  layout->addWidget(close);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(theme_, &Theme::changed, this, &Banner::retheme);
  retheme();
  hide();
}

void Banner::retheme() {
  const Palette& p = theme_->palette();
  setStyleSheet(
      QString("#banner { background: %1; border-left: 4px solid %2; } #banner QLabel { color: %3; }")
          .arg(p.raised.name(), p.error.name(), p.text.name()));
}

void Banner::showError(const Error& error, const std::vector<WayOut>& ways_out) {
  const auto title = facts(error.kind()).title;
  text_->setText(QString("<b>%1</b><br>%2")
                     .arg(QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size())),
                          QString::fromStdString(error.what()).toHtmlEscaped()));
  while (QLayoutItem* item = buttons_->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  for (const WayOut& way : ways_out) {
    auto* button = new QPushButton(way.text, this);
    connect(button, &QPushButton::clicked, this, [this, run = way.run] {
      hide();
      run();
    });
    buttons_->addWidget(button);
  }
  show();
}

QString Banner::text() const {
  return text_->text();
}

}  // namespace spira::ui
