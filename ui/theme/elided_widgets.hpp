// Widgets that elide text that does not fit into the available width.
#pragma once

#include <QComboBox>
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
  [[nodiscard]] QString shownText() const;  ///< returns the text as drawn, which may be elided

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] QString wholeText() const;
};

}  // namespace spira::ui
