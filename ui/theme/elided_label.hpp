// A line of text that takes the room there is: what does not fit is elided, and the tool tip has it all.
#pragma once

#include <QWidget>

namespace spira::ui {

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

}  // namespace spira::ui
