#include "ui/features/layout/left_side.hpp"

#include "ui/theme/line_icon.hpp"

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QSplitter>
#include <QToolButton>

#include <utility>

namespace spira::ui {
namespace {

constexpr int icon_side = 20;
constexpr int min_width = 200;  // Minimum width of each part. At this width, numbers and short names fit.
constexpr std::array part_names{"scenes", "network"};

std::size_t index_of(LeftSide::Part part) {
  return static_cast<std::size_t>(part);
}

}  // namespace

LeftSide::LeftSide(QWidget* scenes, QWidget* network, Theme* theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      parts_{scenes, network},
      rail_(new QWidget(this)),
      both_(new QSplitter(Qt::Vertical, this)),
      around_(new QBoxLayout(QBoxLayout::LeftToRight, this)),
      row_(new QBoxLayout(QBoxLayout::TopToBottom, rail_)) {
  row_->setSpacing(4);
  rail_->setObjectName("rail");
  rail_->setStyleSheet("QToolButton { padding: 4px 3px; }");
  const std::array names{tr("Scenes"), tr("Network")};
  for (const Part part : {Part::scenes, Part::network}) {
    auto* button = new QToolButton(rail_);
    buttons_.at(index_of(part)) = button;
    button->setObjectName(QString("rail_%1").arg(part_names.at(index_of(part))));
    button->setText(names.at(index_of(part)));
    button->setAccessibleName(names.at(index_of(part)));
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setIconSize(QSize(icon_side, icon_side));
    row_->addWidget(button);
    connect(button, &QToolButton::clicked, this,
            [this, part] { opened_ == part && !folded() ? fold() : open(part); });
    both_->addWidget(parts_.at(index_of(part)));
    both_->setStretchFactor(static_cast<int>(index_of(part)), 1);
  }
  row_->addStretch(1);
  both_->setSizes({420, 420});
  both_->setChildrenCollapsible(false);
  both_->setMinimumWidth(min_width);
  around_->setContentsMargins(0, 0, 0, 0);
  around_->setSpacing(0);
  around_->addWidget(rail_);
  around_->addWidget(both_, 1);
  connect(theme_, &Theme::changed, this, &LeftSide::retheme);
  retheme();
  follow();
}

void LeftSide::retheme() {
  for (const Part part : {Part::scenes, Part::network})
    button(part)->setIcon(line_icon(part_names.at(index_of(part)), theme_->palette()));
  placeButtons();
}

/// Places the buttons above the open part, because its list needs the width. If no part is open, the buttons
/// form a column. Their size depends on the text size of the theme.
void LeftSide::placeButtons() {
  const bool column = folded();
  around_->setDirection(column ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  row_->setDirection(column ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  row_->setContentsMargins(column ? QMargins(0, 6, 0, 6) : QMargins(4, 4, 4, 2));
  // The packing and its meter are next to the list of scenes.
  button(Part::scenes)->setText(column ? tr("Scenes") : tr("Scenes, packing"));
  QSize size;
  for (QToolButton* one : buttons_) {
    one->setToolButtonStyle(column ? Qt::ToolButtonTextUnderIcon : Qt::ToolButtonTextBesideIcon);
    one->ensurePolished();
    size = size.expandedTo(one->sizeHint());
  }
  for (QToolButton* one : buttons_) {
    if (column) {
      one->setFixedSize(size);
    } else {
      one->setMinimumSize(one->sizeHint().width(), size.height());
      one->setMaximumSize(QWIDGETSIZE_MAX, size.height());
    }
  }
  rail_->setMinimumWidth(column ? size.width() : 0);
  rail_->setMaximumWidth(column ? size.width() : QWIDGETSIZE_MAX);
  if (column) setMaximumWidth(size.width());
}

QToolButton* LeftSide::button(Part part) const {
  return buttons_.at(index_of(part));
}

void LeftSide::setNarrow(bool narrow) {
  if (std::exchange(narrow_, narrow) == narrow) return;
  follow();
  emit roomChanged();
}

void LeftSide::setEmpty(bool empty) {
  if (std::exchange(empty_, empty) != empty) follow();
}

void LeftSide::open(Part part) {
  by_user_ = true;
  if (opened_ == part) follow();
  show(part);
  enter(part);
}

void LeftSide::fold() {
  by_user_ = true;
  if (narrow_ && both_->isAncestorOf(window()->focusWidget())) button(last_)->setFocus();
  show(std::nullopt);
}

void LeftSide::show(std::optional<Part> part) {
  if (std::exchange(opened_, part) == part) return;
  if (part) last_ = *part;
  follow();
}

void LeftSide::propose(Part part) {
  if (!by_user_) show(part);
}

void LeftSide::enter(Part part) {
  if (auto* list = parts_.at(index_of(part))->findChild<QAbstractItemView*>())
    list->setFocus(Qt::ShortcutFocusReason);
}

QString LeftSide::opened() const {
  return opened_ ? QString(part_names.at(index_of(*opened_))) : QString();
}

void LeftSide::setOpened(const QString& part) {
  for (const Part one : {Part::scenes, Part::network}) {
    if (part == part_names.at(index_of(one))) return show(one);
  }
  show(std::nullopt);
}

void LeftSide::follow() {
  rail_->setVisible(narrow_);
  both_->setVisible(!folded());
  for (const Part part : {Part::scenes, Part::network}) {
    const bool open = opened_ == part && !folded();
    parts_.at(index_of(part))->setVisible(!narrow_ || open);
    button(part)->setChecked(open);
    button(part)->setToolTip(open ? tr("Close %1").arg(button(part)->accessibleName())
                                  : tr("Open %1 next to the 3D view").arg(button(part)->accessibleName()));
  }
  placeButtons();
  setMaximumWidth(folded() ? rail_->maximumWidth() : QWIDGETSIZE_MAX);
  setMinimumHeight(folded() ? rail_->minimumSizeHint().height() : 0);
  if (std::exchange(was_folded_, folded()) != folded()) emit roomChanged();
}

}  // namespace spira::ui
