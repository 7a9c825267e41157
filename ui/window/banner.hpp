// The banner shows the current message of Notices, with one button for each action. It covers the top of the
// 3D view, so that no control moves when a message appears.
#pragma once

#include <QFrame>
#include <QPointer>

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace spira::ui {

class Notices;
struct Notice;
class Theme;

class Banner : public QFrame {
  Q_OBJECT
 public:
  Banner(Notices* notices, Theme* theme, QWidget* parent);
  /// Returns the whole message as HTML, also if the banner shows only its beginning.
  [[nodiscard]] QString text() const;
  /// Places the banner over `centre`. While `view` is visible, the banner is below the upper edge of `view`,
  /// so that the toolbar above `view` stays visible.
  void setPlace(QWidget* centre, QWidget* view);

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void follow();
  void retheme();
  void place();
  void showMessage(const Notice& notice, qsizetype length);

  Notices* notices_;
  Theme* theme_;
  QLabel* text_;
  QString whole_text_;
  QBoxLayout* body_ = nullptr;
  QHBoxLayout* buttons_;
  QToolButton* close_;
  QPointer<QWidget> centre_, view_;
};

}  // namespace spira::ui
