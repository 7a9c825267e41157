#include "ui/window/banner.hpp"

#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <utility>

namespace spira::ui {

Banner::Banner(Theme* theme, QWidget* parent)
    : QFrame(parent),
      theme_(theme),
      text_(new QLabel(this)),
      buttons_(new QHBoxLayout),
      close_(new QToolButton(this)) {
  setObjectName("banner");
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 8, 8, 8);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  body_ = new QBoxLayout(QBoxLayout::LeftToRight);
  body_->addWidget(text_, 1);
  auto* ways = new QHBoxLayout;
  ways->addLayout(buttons_);
  ways->addStretch(1);
  body_->addLayout(ways);
  layout->addLayout(body_, 1);
  close_->setText(QStringLiteral("\u00d7"));
  close_->setToolTip(tr("Dismiss"));
  close_->setAccessibleName(tr("Dismiss the message"));
  layout->addWidget(close_, 0, Qt::AlignTop);
  connect(close_, &QToolButton::clicked, this, [this] {
    hide();
    if (const auto refused = std::exchange(refused_, nullptr)) refused();
  });
  connect(theme_, &Theme::changed, this, &Banner::retheme);
  retheme();
  hide();
}

void Banner::retheme() {
  const Palette& p = theme_->palette();
  setStyleSheet(
      QString("#banner { background: %1; border-left: 4px solid %2; } #banner QLabel { color: %3; }")
          .arg(p.raised.name(), (fault_ ? p.error : p.accent).name(), p.text.name()));
}

void Banner::showError(const Error& error, const std::vector<WayOut>& ways_out, const QString& title) {
  const auto of_kind = facts(error.kind()).title;
  fault_ = true;
  refused_ = nullptr;
  showText(
      title.isEmpty() ? QString::fromUtf8(of_kind.data(), static_cast<qsizetype>(of_kind.size())) : title,
      QString::fromStdString(error.what()), ways_out);
  emit refused(error);
}

void Banner::showNotice(const QString& title, const QString& text) {
  ask(title, text, {}, nullptr);
}

void Banner::ask(const QString& title, const QString& text, const std::vector<WayOut>& ways_out,
                 std::function<void()> refused) {
  fault_ = false;
  refused_ = std::move(refused);
  showText(title, text, ways_out);
}

void Banner::focusButtons() {
  if (const QLayoutItem* first = buttons_->itemAt(0)) first->widget()->setFocus(Qt::OtherFocusReason);
}

void Banner::hideMessage() {
  if (!refused_) hide();
}

void Banner::hideError() {
  if (fault_) hide();
}

void Banner::showText(const QString& title, const QString& text, const std::vector<WayOut>& ways_out) {
  retheme();
  text_->setText(
      QString("<b>%1</b><br>%2").arg(title.toHtmlEscaped(), text.toHtmlEscaped().replace("\n", "<br>")));
  while (QLayoutItem* item = buttons_->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  for (const WayOut& way : ways_out) {
    auto* button = new QPushButton(way.text, this);
    connect(button, &QPushButton::clicked, this, [this, run = way.run] {
      hide();
      refused_ = nullptr;
      run();
    });
    buttons_->addWidget(button);
    setTabOrder(button, close_);  // Tab reaches the buttons before the close button.
  }
  show();
}

/// Places the buttons below the text if the banner is narrow, so that the text keeps enough width.
void Banner::resizeEvent(QResizeEvent* event) {
  constexpr int room_for_both = 800;
  body_->setDirection(width() < room_for_both ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  QFrame::resizeEvent(event);
}

QString Banner::text() const {
  return text_->text();
}

}  // namespace spira::ui
