// A packed coordinate as cells, one a bit, coloured by field.
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
  void setFilled(double part);    ///< only the bits of this part, from the left, are there; 1: all
  void setHeading(bool heading);  ///< names and widths of the fields, above them
  /// So many of the lowest bits of each field are greyed: the mask of a coarser level clears them.
  void setCleared(int bits);
  [[nodiscard]] bool isCleared(int bit) const;
  /// A bit that is marked while nobody points at one; -1: none.
  void setResting(int bit);
  /// Bits can be pointed at, with the mouse or with the arrows; a click, or Enter, keeps one.
  void setAsking(bool asking);
  [[nodiscard]] int pointedAt() const noexcept { return pointed_at_; }  ///< -1: none
  /// "bit 3 of z: every other slab of 8 voxels"
  [[nodiscard]] QString meaning(int bit) const;

 signals:
  void bitPointedAt(int bit);  ///< 0: the lowest
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
  [[nodiscard]] int bitAt(int x) const;  ///< -1: none
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
