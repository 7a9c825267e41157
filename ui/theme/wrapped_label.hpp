// Labels that wrap.
#pragma once

#include <QHash>
#include <QLabel>

namespace spira::ui {

/// Shows rich text and lays it out once for each width: a layout asks for the height many times, and QLabel
/// would lay out its text each time. The hints need one more layout, for the longest word; QLabel makes six.
class WrappedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit WrappedLabel(QWidget* parent = nullptr);
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }

 protected:
  void changeEvent(QEvent* event) override;  ///< another font, another height

 private:
  void forgetOtherText() const;

  mutable QString measured_;         // the text that the heights are of
  mutable QHash<int, int> heights_;  // by width
  mutable QSize minimum_;            // invalid: not measured
};

/// Plain text that wraps, in the colour of what is said beside the point.
[[nodiscard]] QLabel* faint_label(const QString& text, QWidget* parent);

}  // namespace spira::ui
