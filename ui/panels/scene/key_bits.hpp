// Draws a packed coordinate with one cell per bit. The colour of a cell shows its field: x, y or z.
#pragma once

#include "engine/voxel/pack_spec.hpp"
#include "ui/theme/theme.hpp"

#include <QWidget>

namespace spira::ui {

class KeyBits : public QWidget {
  Q_OBJECT
 public:
  explicit KeyBits(Theme* theme, QWidget* parent = nullptr);
  void show(const PackSpec& pack, std::uint64_t key);
  void setFilled(double part);    ///< Draws only this share (0 to 1) of the bits, from the left.
  void setHeading(bool heading);  ///< If true, shows the names and widths of the fields above the cells.
  /// Draws the lowest `bits` bits of each field in grey. The mask of a coarser level clears these bits.
  void setCleared(int bits);
  [[nodiscard]] bool isCleared(int bit) const;
  /// Sets the bit that is marked while the user points at no bit. -1 marks no bit.
  void setResting(int bit);
  /// If true, the user can point at bits with the mouse or the arrow keys. A click or Enter keeps the current
  /// bit marked.
  void setAsking(bool asking);
  /// Returns the bit that the user points at, or -1 if there is none.
  [[nodiscard]] int pointedAt() const noexcept { return pointed_at_; }
  /// Returns the meaning of a bit, such as "bit 3 of z: it is 1 in every second slab of 8 voxels".
  [[nodiscard]] QString meaning(int bit) const;

 signals:
  void bitPointedAt(int bit);  ///< Bit 0 is the lowest bit.
  void bitPointedAway();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void paintCell(QPainter& painter, const QRect& area, int bit, const QColor& colour, bool there) const;
  [[nodiscard]] int shownBit() const noexcept { return pointed_at_ >= 0 ? pointed_at_ : resting_; }
  [[nodiscard]] int cellWidth() const;
  [[nodiscard]] int bitAt(int x) const;  ///< Returns -1 if `x` is outside the cells.
  [[nodiscard]] int bits() const { return pack_.x_bits + pack_.y_bits + pack_.z_bits; }
  void pointAt(int bit);
  void pointAway();

  Theme* theme_;
  PackSpec pack_;
  std::uint64_t key_ = 0;
  double filled_ = 1;
  int pointed_at_ = -1, resting_ = -1, cleared_ = 0;
  bool heading_ = true;
  bool kept_ = false;
};

}  // namespace spira::ui
