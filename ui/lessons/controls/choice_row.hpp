// A row of buttons that each select one value. If the row is too narrow, the buttons are placed below each
// other.
#pragma once

#include <QWidget>

#include <vector>

class QPushButton;

namespace spira::ui {

/// The minimum width of the row is the width of its widest button, so that a large classroom font does not
/// widen the panel. The row positions the buttons itself, because a Qt layout would ignore height-for-width
/// here.
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
  bool event(QEvent* event) override;  ///< Handles changed fonts and sizes.

 private:
  [[nodiscard]] bool fits(int width) const;
  void place();

  std::vector<QPushButton*> buttons_;
};

}  // namespace spira::ui
