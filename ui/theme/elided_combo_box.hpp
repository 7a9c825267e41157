// A box whose text ends in three dots where it does not fit; the list that opens has it all, and so has the
// tip of a box without one of its own.
#pragma once

#include <QComboBox>

namespace spira::ui {

class ElidedComboBox : public QComboBox {
  Q_OBJECT
 public:
  using QComboBox::QComboBox;
  [[nodiscard]] QString shownText() const;  ///< as it is drawn

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] QString wholeText() const;
};

}  // namespace spira::ui
