// A label of rich text that wraps.
#pragma once

#include <QHash>
#include <QLabel>

namespace spira::ui {

/// Lays its text out once for each width: a layout asks for the height many times, and QLabel would begin
/// anew every time.
class WrappedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit WrappedLabel(QWidget* parent = nullptr);
  [[nodiscard]] int heightForWidth(int width) const override;

 protected:
  void changeEvent(QEvent* event) override;  ///< another font, another height

 private:
  mutable QString measured_;  // the text that the heights are of
  mutable QHash<int, int> heights_;
};

}  // namespace spira::ui
