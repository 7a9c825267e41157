// A one-line label that uses the available width and elides text that does not fit. The tooltip shows the
// full text.
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
