// A ring around the widget that has the keyboard focus. It is drawn over the widget, because the 3D view and
// the charts do not show their focus themselves. The ring appears only if a key moved the focus. After a
// click, the user knows which widget has the focus.
#pragma once

#include <QPointer>
#include <QWidget>

namespace spira::ui {

class Theme;

class FocusRing : public QWidget {
  Q_OBJECT
 public:
  /// Draws the ring for all widgets of `window`.
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
