#include "ui/window/banner.hpp"

#include "ui/model/notices.hpp"
#include "ui/theme/theme.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <memory>

namespace spira::ui {
namespace {

QString html(const QString& title, const QString& message) {
  const QString lines = message.toHtmlEscaped().replace("\n", "<br>");
  return QString("<b>%1</b>%2").arg(title.toHtmlEscaped(), lines.isEmpty() ? QString() : "<br>" + lines);
}

}  // namespace

Banner::Banner(Notices* notices, Theme* theme, QWidget* parent)
    : QFrame(parent),
      notices_(notices),
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
  connect(close_, &QToolButton::clicked, notices_, &Notices::dismiss);
  connect(notices_, &Notices::changed, this, &Banner::follow);
  connect(theme_, &Theme::changed, this, &Banner::retheme);
  retheme();
  hide();
}

void Banner::retheme() {
  const Palette& p = theme_->palette();
  const auto& shown = notices_->shown();
  const bool fault = shown && shown->kind == Notice::Kind::error;
  setStyleSheet(QString("#banner { background: %1; border: 1px solid %4; border-left: 4px solid %2; } "
                        "#banner QLabel { color: %3; }")
                    .arg(p.raised.name(), (fault ? p.error : p.accent).name(), p.text.name(), p.line.name()));
}

void Banner::follow() {
  const auto& shown = notices_->shown();
  if (!shown) return hide();
  whole_text_ = html(shown->title, shown->message);
  retheme();
  while (const std::unique_ptr<QLayoutItem> item{buttons_->takeAt(0)})
    item->widget()->deleteLater();
  for (std::size_t at = 0; at < shown->actions.size(); ++at) {
    auto* button = new QPushButton(shown->actions[at].text, this);
    connect(button, &QPushButton::clicked, notices_, [notices = notices_, at] { notices->answer(at); });
    buttons_->addWidget(button);
    setTabOrder(button, close_);  // The Tab key reaches the action buttons before the close button.
  }
  place();
  show();
  raise();
  const QLayoutItem* first = buttons_->itemAt(0);
  if (shown->takes_focus && first != nullptr) first->widget()->setFocus(Qt::OtherFocusReason);
}

void Banner::setPlace(QWidget* centre, QWidget* view) {
  centre_ = centre;
  view_ = view;
  setParent(centre);
  for (QWidget* watched : {centre, view})
    watched->installEventFilter(this);
}

/// Places the banner below the toolbar of the view, with the height that its text needs at the width of the
/// centre. If the message is too long for the view, it is elided.
void Banner::place() {
  const auto& shown = notices_->shown();
  if (!centre_ || !shown) return;
  constexpr int margin = 8;
  const int top = view_ && view_->isVisible() ? view_->mapTo(centre_.data(), QPoint()).y() : 0;
  resize(centre_->width() - (2 * margin), height());  // The width determines the direction of the layout.
  const int space = centre_->height() - top - margin;
  const auto wanted = [this, &shown](qsizetype length) {
    showMessage(*shown, length);
    layout()->activate();
    return layout()->totalHeightForWidth(width());
  };
  qsizetype fits = shown->message.size();
  // The centre has no useful height before the window is shown.
  constexpr int least_space = 60;
  if (centre_->isVisible() && space >= least_space && wanted(fits) > space) {
    // The longest beginning of the message that fits.
    qsizetype too_long = fits;
    for (fits = 0; too_long - fits > 1;) {
      const qsizetype middle = (fits + too_long) / 2;
      (wanted(middle) <= space ? fits : too_long) = middle;
    }
  }
  resize(width(), wanted(fits));
  move(margin, top + std::min(margin, std::max(0, space + margin - height())));
}

/// Shows the title and the first `length` characters of the message. The tooltip has the rest.
void Banner::showMessage(const Notice& notice, qsizetype length) {
  const bool whole = length >= notice.message.size();
  const QString message = whole ? notice.message : notice.message.left(length).trimmed() + QChar(0x2026);
  text_->setText(html(notice.title, message));
  text_->setToolTip(whole ? QString() : notice.title + "\n" + notice.message);
}

bool Banner::eventFilter(QObject* watched, QEvent* event) {
  const auto type = event->type();
  const bool moved = type == QEvent::Resize || type == QEvent::Move || type == QEvent::Show ||
                     type == QEvent::Hide || type == QEvent::LayoutRequest;
  // Queue the call, because the layout of the centre may not be complete yet.
  if (moved && !isHidden()) QMetaObject::invokeMethod(this, &Banner::place, Qt::QueuedConnection);
  return QFrame::eventFilter(watched, event);
}

bool Banner::event(QEvent* event) {
  // Place the banner again if its text or its font changed.
  if (event->type() == QEvent::LayoutRequest && !isHidden())
    QMetaObject::invokeMethod(this, &Banner::place, Qt::QueuedConnection);
  return QFrame::event(event);
}

/// Places the buttons below the text if the banner is narrow, because the text then needs the whole width.
void Banner::resizeEvent(QResizeEvent* event) {
  constexpr int room_for_both = 800;
  body_->setDirection(width() < room_for_both ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  QFrame::resizeEvent(event);
}

QString Banner::text() const {
  return whole_text_;
}

}  // namespace spira::ui
