#include "ui/panels/scene/key_bits.hpp"

#include "ui/theme/theme.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace spira::ui {
namespace {

constexpr int gap = 6;  // Distance between the fields, in pixels.
constexpr int tall = 46;
constexpr int heading = 20, cell_tall = 22;

}  // namespace

KeyBits::KeyBits(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMinimumHeight(tall);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Bits of the packed coordinate"));
  connect(theme_, &Theme::changed, this, qOverload<>(&KeyBits::update));
}

void KeyBits::show(const PackSpec& pack, std::uint64_t key) {
  pack_ = pack;
  key_ = key;
  setToolTip(tr("%1 bits: %2 for x (most significant), %3 for y, %4 for z")
                 .arg(pack.word_bits())
                 .arg(pack.x_bits)
                 .arg(pack.y_bits)
                 .arg(pack.z_bits));
  update();
}

void KeyBits::setFilled(double part) {
  filled_ = part;
  update();
}

void KeyBits::setHeading(bool on) {
  heading_ = on;
  setMinimumHeight(on ? tall : cell_tall + 2);
}

void KeyBits::setCleared(int bits) {
  cleared_ = bits;
  update();
}

bool KeyBits::isCleared(int bit) const {
  for (const int wide : {pack_.z_bits, pack_.y_bits, pack_.x_bits}) {
    if (bit < wide) return bit < cleared_;
    bit -= wide;
  }
  return false;
}

void KeyBits::setResting(int bit) {
  if (bit == resting_) return;
  resting_ = bit;
  update();
}

int KeyBits::cellWidth() const {
  return std::clamp((width() - (2 * gap)) / (pack_.x_bits + pack_.y_bits + pack_.z_bits), 3, 14);
}

int KeyBits::bitAt(int x) const {
  int bit = pack_.x_bits + pack_.y_bits + pack_.z_bits;
  for (const int wide : {pack_.x_bits, pack_.y_bits, pack_.z_bits}) {
    const int field = wide * cellWidth();
    if (x >= 0 && x < field) return bit - 1 - (x / cellWidth());
    x -= field + gap;
    bit -= wide;
  }
  return -1;
}

void KeyBits::setAsking(bool asking) {
  setMouseTracking(asking);
  setFocusPolicy(asking ? Qt::StrongFocus : Qt::NoFocus);
  setMinimumHeight(asking ? tall + fontMetrics().height() + 2 : tall);
}

QString KeyBits::meaning(int bit) const {
  int lowest = bits();
  char axis = 'x';
  for (const int wide : {pack_.x_bits, pack_.y_bits, pack_.z_bits}) {
    lowest -= wide;
    if (bit >= lowest) {
      const QString slab = bit == lowest
                               ? tr("it is 1 in every second layer of voxels")
                               : tr("it is 1 in every second slab of %1 voxels").arg(1 << (bit - lowest));
      return tr("bit %1 of %2: %3").arg(bit - lowest).arg(QChar(axis)).arg(slab);
    }
    ++axis;
  }
  return {};
}

void KeyBits::pointAt(int bit) {
  if (bit == pointed_at_ || bit < 0 || bit >= bits()) return;
  pointed_at_ = bit;
  setAccessibleDescription(meaning(bit));
  update();
  emit bitPointedAt(bit);
}

void KeyBits::pointAway() {
  if (pointed_at_ < 0 || kept_) return;
  pointed_at_ = -1;
  update();
  emit bitPointedAway();
}

void KeyBits::mouseMoveEvent(QMouseEvent* event) {
  if (hasMouseTracking() && !kept_) pointAt(bitAt(static_cast<int>(event->position().x())));
}

void KeyBits::mousePressEvent(QMouseEvent* event) {
  if (!hasMouseTracking()) return QWidget::mousePressEvent(event);
  const int bit = bitAt(static_cast<int>(event->position().x()));
  if (bit < 0) return;
  kept_ = !kept_ || bit != pointed_at_;
  pointAt(bit);
}

void KeyBits::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  if (!hasFocus()) pointAway();
}

void KeyBits::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  if (key == Qt::Key_Left || key == Qt::Key_Right) {
    kept_ = false;
    pointAt(pointed_at_ + (key == Qt::Key_Left ? 1 : -1));
  } else if (key == Qt::Key_Return || key == Qt::Key_Enter) {
    kept_ = pointed_at_ >= 0 && !kept_;
  } else {
    QWidget::keyPressEvent(event);
  }
}

void KeyBits::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason) pointAt(bits() - 1);
}

void KeyBits::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  pointAway();
}

/// Draws one cell. Cells that the mask clears are hatched, so that they are recognisable without colour. The
/// bits of these cells become 0.
void KeyBits::paintCell(QPainter& painter, const QRect& area, int bit, const QColor& colour,
                        bool there) const {
  const Palette& p = theme_->palette();
  const bool cleared = isCleared(bit), on = there && !cleared && ((key_ >> bit) & 1U) != 0;
  painter.fillRect(area, on ? colour : p.raised);
  if (cleared) painter.fillRect(area, QBrush(p.faint_text, Qt::BDiagPattern));
  if (bit == shownBit()) {
    painter.setPen(p.text);
    painter.drawRect(area.adjusted(0, 0, -1, -1));
  }
  constexpr int readable = 10;
  if (area.width() + 1 < readable || !there || cleared) return;
  painter.setPen(on ? text_on(colour) : p.faint_text);
  painter.drawText(area, Qt::AlignCenter, on ? "1" : "0");
}

void KeyBits::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const int bits = pack_.x_bits + pack_.y_bits + pack_.z_bits;
  const std::array<int, 3> widths{pack_.x_bits, pack_.y_bits, pack_.z_bits};
  const std::array<QColor, 3> colours{QColor("#d55e00"), QColor("#009e73"), QColor("#0072b2")};
  const int cell = cellWidth(), top = heading_ ? heading : 0;
  int x = 0, bit = bits;
  for (std::size_t field = 0; field < 3; ++field) {
    painter.setPen(theme_->palette().text);
    if (heading_)
      painter.drawText(QRect(x, 0, cell * widths[field] + gap, 18), Qt::AlignLeft | Qt::AlignVCenter,
                       QString("%1: %2").arg(QChar("xyz"[field])).arg(widths[field]));
    for (int at = 0; at < widths[field]; ++at) {
      const bool there = bits - bit < static_cast<int>(std::lround(filled_ * bits));
      paintCell(painter, QRect(x, top, cell - 1, cell_tall), --bit, colours[field], there);
      x += cell;
    }
    x += gap;
  }
  if (shownBit() < 0) return;
  painter.setPen(theme_->palette().text);
  painter.drawText(QRect(0, tall - 2, width(), painter.fontMetrics().height() + 2),
                   Qt::AlignLeft | Qt::AlignVCenter, meaning(shownBit()));
}

}  // namespace spira::ui
