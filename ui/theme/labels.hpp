// Labels and boxes that elide or wrap text that does not fit into the available width.
#pragma once

#include <QComboBox>
#include <QHash>
#include <QLabel>
#include <QWidget>

namespace spira::ui {

/// A one-line label whose tooltip shows the full text.
class ElidedLabel : public QWidget {
  Q_OBJECT
 public:
  explicit ElidedLabel(QWidget* parent = nullptr);
  void setText(const QString& text);
  [[nodiscard]] const QString& text() const noexcept { return text_; }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString text_;
};

/// A combo box that elides its text if it does not fit. The open list shows the full text. The tooltip also
/// shows the full text, unless the box has its own tooltip.
class ElidedComboBox : public QComboBox {
  Q_OBJECT
 public:
  using QComboBox::QComboBox;
  [[nodiscard]] QString shownText() const;  ///< Returns the text as drawn, which may be elided.

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] QString wholeText() const;
};

/// A label for rich text that computes its layout only once for each width. Qt layouts ask for the height
/// many times, and QLabel would compute the layout each time. For the size hints, this class computes one
/// more layout (for the longest word), whereas QLabel computes six.
class WrappedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit WrappedLabel(QWidget* parent = nullptr);
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }

 protected:
  void changeEvent(QEvent* event) override;  ///< Clears the stored heights, because they depend on the font.

 private:
  void forgetOtherText() const;

  mutable QString measured_;         // Text to which `heights_` belongs.
  mutable QHash<int, int> heights_;  // Height of the text for each width.
  mutable QSize minimum_;            // Minimum size. Invalid until it is computed.
};

/// Returns a label with plain, wrapped text in the faint colour of secondary text.
[[nodiscard]] QLabel* faint_label(const QString& text, QWidget* parent);

}  // namespace spira::ui
