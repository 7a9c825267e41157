// Labels with wrapped text.
#pragma once

#include <QHash>
#include <QLabel>

namespace spira::ui {

/// A label for rich text that computes its layout only once for each width. Qt layouts request the height
/// many times, and QLabel would compute the layout each time. The size hints need only one more layout, for
/// the longest word; QLabel computes six layouts for them.
class WrappedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit WrappedLabel(QWidget* parent = nullptr);
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }

 protected:
  void changeEvent(QEvent* event) override;  ///< clears the stored heights, because they depend on the font

 private:
  void forgetOtherText() const;

  mutable QString measured_;         // text whose heights are stored in heights_
  mutable QHash<int, int> heights_;  // height of the text for each width
  mutable QSize minimum_;            // minimum size; invalid until it is computed
};

/// Returns a label with plain, wrapped text in the faint colour of secondary text.
[[nodiscard]] QLabel* faint_label(const QString& text, QWidget* parent);

}  // namespace spira::ui
