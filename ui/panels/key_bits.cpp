#include "ui/panels/key_bits.hpp"

#include "ui/theme/contrast.hpp"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace spira::ui {
namespace {

constexpr int gap = 6;  // between fields

}  // namespace

KeyBits::KeyBits(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMinimumHeight(46);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Bits of the packed coordinate"));
  connect(theme_, &Theme::changed, this, qOverload<>(&KeyBits::update));
}

void KeyBits::show(const PackSpec& pack, std::uint64_t key) {
  pack_ = pack;
  key_ = key;
  setToolTip(tr("%1 bits: x %2, y %3, z %4, x most significant")
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

void KeyBits::mouseMoveEvent(QMouseEvent* event) {
  const int bit = bitAt(static_cast<int>(event->position().x()));
  if (!hasMouseTracking() || bit == pointed_at_ || bit < 0) return;
  pointed_at_ = bit;
  update();
  emit bitPointedAt(bit);
}

void KeyBits::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const int bits = pack_.x_bits + pack_.y_bits + pack_.z_bits;
  const std::array<int, 3> widths{pack_.x_bits, pack_.y_bits, pack_.z_bits};
  const std::array<QColor, 3> colours{QColor("#d55e00"), QColor("#009e73"), QColor("#0072b2")};
  const int cell = cellWidth();
  int x = 0, bit = bits;
  for (std::size_t field = 0; field < 3; ++field) {
    painter.setPen(theme_->palette().text);
    painter.drawText(QRect(x, 0, cell * widths[field] + gap, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     QString("%1: %2").arg(QChar("xyz"[field])).arg(widths[field]));
    for (int at = 0; at < widths[field]; ++at) {
      const bool there = bits - bit < static_cast<int>(std::lround(filled_ * bits));
      const bool on = there && ((key_ >> --bit) & 1U) != 0;
      if (!there) --bit;
      const QRect area(x, 20, cell - 1, 22);
      painter.fillRect(area, on ? colours[field] : theme_->palette().raised);
      if (bit == pointed_at_) {
        painter.setPen(theme_->palette().text);
        painter.drawRect(area.adjusted(0, 0, -1, -1));
      }
      if (cell >= 10 && there) {
        painter.setPen(on ? text_on(colours[field]) : theme_->palette().faint_text);
        painter.drawText(area, Qt::AlignCenter, on ? "1" : "0");
      }
      x += cell;
    }
    x += gap;
  }
}

}  // namespace spira::ui
