#include "ui/features/layout/left_side.hpp"

#include "ui/theme/theme.hpp"

#include <QAbstractItemView>
#include <QHBoxLayout>
#include <QPainter>
#include <QSplitter>
#include <QToolButton>

#include <utility>

namespace spira::ui {
namespace {

constexpr int rail_width = 44, icon_side = 20;
constexpr int min_width = 200;  // Minimum width of each part. At this width, numbers and short names fit.
constexpr std::array part_names{"scenes", "network"};

std::size_t index_of(LeftSide::Part part) {
  return static_cast<std::size_t>(part);
}

/// Draws the icon of the scenes: a cube, seen from a corner.
void draw_scenes(QPainter& painter) {
  const QPointF top(10, 2), middle(10, 10), bottom(10, 18);
  const QPointF left_high(3, 6), left_low(3, 14), right_high(17, 6), right_low(17, 14);
  painter.drawPolygon(QPolygonF({top, right_high, right_low, bottom, left_low, left_high}));
  for (const QPointF& corner : {left_high, right_high, bottom})
    painter.drawLine(middle, corner);
}

/// Draws the icon of the network: a sequence of layers.
void draw_network(QPainter& painter) {
  const QPointF first(4, 4), second(4, 16), last(16, 10);
  painter.drawLine(first, last);
  painter.drawLine(second, last);
  painter.setBrush(painter.pen().color());
  for (const QPointF& node : {first, second, last})
    painter.drawEllipse(node, 2.6, 2.6);
}

QIcon icon_of(LeftSide::Part part, const QColor& colour, double pixel_ratio) {
  QPixmap picture(QSize(icon_side, icon_side) * pixel_ratio);
  picture.setDevicePixelRatio(pixel_ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  part == LeftSide::Part::scenes ? draw_scenes(painter) : draw_network(painter);
  return {picture};
}

}  // namespace

LeftSide::LeftSide(QWidget* scenes, QWidget* network, Theme* theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      parts_{scenes, network},
      rail_(new QWidget(this)),
      both_(new QSplitter(Qt::Vertical, this)) {
  auto* icons = new QVBoxLayout(rail_);
  icons->setContentsMargins(0, 6, 0, 6);
  icons->setSpacing(4);
  rail_->setObjectName("rail");
  rail_->setFixedWidth(rail_width);
  const std::array names{tr("Scenes"), tr("Network")};
  for (const Part part : {Part::scenes, Part::network}) {
    auto* button = new QToolButton(rail_);
    buttons_.at(index_of(part)) = button;
    button->setObjectName(QString("rail_%1").arg(part_names.at(index_of(part))));
    button->setAccessibleName(names.at(index_of(part)));
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFixedSize(rail_width, rail_width - 4);
    button->setIconSize(QSize(icon_side, icon_side));
    icons->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, part] { opened_ == part ? fold() : open(part); });
    both_->addWidget(parts_.at(index_of(part)));
    both_->setStretchFactor(static_cast<int>(index_of(part)), 1);
  }
  icons->addStretch(1);
  both_->setSizes({420, 420});
  both_->setChildrenCollapsible(false);
  both_->setMinimumWidth(min_width);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(rail_);
  layout->addWidget(both_, 1);
  connect(theme_, &Theme::changed, this, &LeftSide::retheme);
  retheme();
  follow();
}

void LeftSide::retheme() {
  for (const Part part : {Part::scenes, Part::network})
    button(part)->setIcon(icon_of(part, theme_->palette().text, devicePixelRatioF()));
}

QToolButton* LeftSide::button(Part part) const {
  return buttons_.at(index_of(part));
}

void LeftSide::setNarrow(bool narrow) {
  if (std::exchange(narrow_, narrow) != narrow) follow();
}

void LeftSide::open(Part part) {
  show(part);
  enter(part);
}

void LeftSide::fold() {
  if (narrow_ && both_->isAncestorOf(window()->focusWidget())) button(last_)->setFocus();
  show(std::nullopt);
}

void LeftSide::show(std::optional<Part> part) {
  if (std::exchange(opened_, part) == part) return;
  if (part) last_ = *part;
  follow();
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
    const bool open = opened_ == part;
    parts_.at(index_of(part))->setVisible(!narrow_ || open);
    button(part)->setChecked(open);
    button(part)->setToolTip(open ? tr("Close %1").arg(button(part)->accessibleName())
                                  : tr("Open %1 next to the 3D view").arg(button(part)->accessibleName()));
  }
  setMaximumWidth(folded() ? rail_width : QWIDGETSIZE_MAX);
  setMinimumHeight(folded() ? 2 * rail_width : 0);
  if (std::exchange(was_folded_, folded()) != folded()) emit roomChanged();
}

}  // namespace spira::ui
