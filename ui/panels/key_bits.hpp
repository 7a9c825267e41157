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

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Theme* theme_;
  PackSpec pack_;
  std::uint64_t key_ = 0;
};

}  // namespace spira::ui
