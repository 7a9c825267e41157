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
  void setFilled(double part);  ///< only the bits of this part, from the left, are there; 1: all
  /// Bits can be pointed at.
  void setAsking(bool asking) { setMouseTracking(asking); }

 signals:
  void bitPointedAt(int bit);  ///< 0: the lowest

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  [[nodiscard]] int cellWidth() const;
  [[nodiscard]] int bitAt(int x) const;  ///< -1: none

  Theme* theme_;
  PackSpec pack_;
  std::uint64_t key_ = 0;
  double filled_ = 1;
  int pointed_at_ = -1;
};

}  // namespace spira::ui
