// Simulates the mouse and keyboard of a user with the same events that the desktop sends, and counts the
// actions. A click or a drop counts as a gesture. A keystroke with its modifiers counts as a key. Moving the
// pointer and typing a name are not counted.
#pragma once

#include "tests/gui/mouse.hpp"

#include <QApplication>
#include <QDragEnterEvent>
#include <QDragMoveEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QMimeData>
#include <QPointer>
#include <QTest>
#include <QTimer>
#include <QWindow>

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <utility>

namespace spira::ui {

struct Count {
  int gestures = 0, keys = 0;
  bool operator==(const Count&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Count& count) {
  return out << count.gestures << " g + " << count.keys << " k";
}

class Hands {
 public:
  [[nodiscard]] const Count& count() const noexcept { return count_; }

  /// Sends the click through the window. If another widget covers the position, this widget receives the
  /// click.
  void click(QWidget& on, const QPoint& at) {
    ASSERT_TRUE(on.isVisible());
    ASSERT_TRUE(on.rect().contains(at)) << "the position must be inside the widget";
    ++count_.gestures;
    QTest::mouseClick(activate(*on.window()), Qt::LeftButton, {}, on.mapTo(on.window(), at));
  }
  void click(QWidget& on) { click(on, on.rect().center()); }

  static void move(QWidget& over, const QPoint& at) {
    activate(*over.window());
    move_mouse(over, at);
  }

  /// Sends the key to the widget that has the focus in `window`.
  void key(QWidget& window, int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    ++count_.keys;
    QTest::keyClick(activate(window), static_cast<Qt::Key>(key), modifiers);
  }

  void drop(QWidget& window, const QStringList& files, Qt::KeyboardModifiers keys = Qt::NoModifier) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files)
      urls += QUrl::fromLocalFile(file);
    data.setUrls(urls);
    const QPoint at = window.rect().center();
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, keys);
    QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, keys);
    QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, keys);
    for (QEvent* event : std::initializer_list<QEvent*>{&enter, &move, &drop})
      QCoreApplication::sendEvent(activate(window), event);
    ++count_.gestures;
    EXPECT_TRUE(drop.isAccepted());
  }

  /// Calls `act` when the next file dialog opens. The gesture that opens the dialog blocks until the dialog
  /// closes.
  static void inNextFileDialog(std::function<void(QFileDialog&)> act) {
    auto* timer = new QTimer(qApp);
    constexpr int often_ms = 20;
    QObject::connect(timer, &QTimer::timeout, timer, [timer, act = std::move(act)] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr || !dialog->isVisible()) return;
      timer->stop();
      timer->deleteLater();
      act(*dialog);
    });
    timer->start(often_ms);
  }
  /// Without the focus, the line edit of the dialog shortens a path to the name of its file. The dialog then
  /// also chooses a file with this name in its own folder, so the dialog must be in the folder of `name`.
  static void typeName(QFileDialog& dialog, const QString& name) {
    if (QFileInfo(name).isAbsolute()) dialog.setDirectory(QFileInfo(name).absolutePath());
    dialog.findChild<QLineEdit*>("fileNameEdit")->setText(name);
  }

 private:
  /// Activates the window, because another test on the same display may have the focus.
  static QWindow* activate(QWidget& window) {
    if (!window.isActiveWindow() && QApplication::activePopupWidget() == nullptr)
      QApplication::setActiveWindow(&window);
    return window.windowHandle();
  }

  Count count_;
};

}  // namespace spira::ui
