// A combo box that elides its text if it does not fit. The open list shows the full text, and so does the
// tooltip unless the box has its own.
#pragma once

#include <QComboBox>

namespace spira::ui {

class ElidedComboBox : public QComboBox {
  Q_OBJECT
 public:
  using QComboBox::QComboBox;
  [[nodiscard]] QString shownText() const;  ///< text as drawn, possibly elided

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] QString wholeText() const;
};

}  // namespace spira::ui
