// Labels that wrap.
#pragma once

#include <QHash>
#include <QLabel>

namespace spira::ui {

/// Of rich text. Lays its text out once for each width: a layout asks for the height many times, and QLabel
/// would begin anew every time.
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

/// Plain text that wraps, in the colour of what is said beside the point.
[[nodiscard]] QLabel* faint_label(const QString& text, QWidget* parent);

}  // namespace spira::ui
