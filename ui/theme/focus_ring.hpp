// A ring around what has the keyboard, over whatever it draws itself: the 3D view and the charts show no
// focus of their own. Only after a key brought the focus there; a click says by itself where it went.
#pragma once

#include <QPointer>
#include <QWidget>

namespace spira::ui {

class Theme;

class FocusRing : public QWidget {
  Q_OBJECT
 public:
  /// Of all widgets of `window`.
  FocusRing(Theme* theme, QWidget* window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void follow(QWidget* focused);
  void place();

  Theme* theme_;
  QPointer<QWidget> around_;
  bool by_key_ = false;
};

}  // namespace spira::ui
