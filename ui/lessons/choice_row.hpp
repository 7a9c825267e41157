// Buttons of a page to choose from: side by side where they all fit, else below each other.
#pragma once

#include <QWidget>

#include <vector>

class QPushButton;

namespace spira::ui {

/// As narrow as its widest button: a font of a classroom does not make the page wider than its panel. It
/// places them itself: a layout of Qt would not ask it for the height that a width takes.
class ChoiceRow : public QWidget {
  Q_OBJECT
 public:
  explicit ChoiceRow(QWidget* parent = nullptr);
  void add(QPushButton* button);
  [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] int heightForWidth(int width) const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;  ///< another font, other sizes

 private:
  [[nodiscard]] bool fits(int width) const;
  void place();

  std::vector<QPushButton*> buttons_;
};

}  // namespace spira::ui
