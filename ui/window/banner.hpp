// The banner at the top of the window. It shows the current message of Notices, with one button per action.
#pragma once

#include <QFrame>

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace spira::ui {

class Notices;
class Theme;

class Banner : public QFrame {
  Q_OBJECT
 public:
  Banner(Notices* notices, Theme* theme, QWidget* parent);
  [[nodiscard]] QString text() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void follow();
  void retheme();

  Notices* notices_;
  Theme* theme_;
  QLabel* text_;
  QBoxLayout* body_ = nullptr;
  QHBoxLayout* buttons_;
  QToolButton* close_;
};

}  // namespace spira::ui
