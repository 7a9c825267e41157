#include "ui/lessons/lesson_keys.hpp"

#include "ui/lessons/diagrams/diagram_view.hpp"
#include "ui/panels/scene/key_bits.hpp"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTextBrowser>

namespace spira::ui {
namespace {

template <class... Widgets> bool is_one_of(const QObject* object) {
  return ((qobject_cast<const Widgets*>(object) != nullptr) || ...);
}

}  // namespace

LessonKeys::LessonKeys(LessonPlayer* player, QWidget* panel, QWidget* window)
    : player_(player), panel_(panel), window_(window) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool LessonKeys::isOurs(const QObject* watched, const QKeyEvent& key) const {
  const auto* widget = qobject_cast<const QWidget*>(watched);
  if (!player_->lesson() || widget == nullptr || widget->window() != window_) return false;
  if (QApplication::activePopupWidget() != nullptr || QApplication::activeModalWidget() != nullptr)
    return false;
  if ((key.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) return false;
  if (key.key() == Qt::Key_PageDown || key.key() == Qt::Key_PageUp)
    return !is_one_of<QAbstractItemView, QPlainTextEdit, QTextBrowser, QComboBox, QAbstractSpinBox>(widget);
  if (key.key() != Qt::Key_Space && key.key() != Qt::Key_Left && key.key() != Qt::Key_Right) return false;
  if (key.key() != Qt::Key_Space && is_one_of<QAbstractSlider, QTabBar, KeyBits, DiagramView>(widget))
    return false;
  if (key.key() == Qt::Key_Space && is_one_of<QAbstractButton>(widget) && widget != clicked_) return false;
  return !is_one_of<QLineEdit, QAbstractSpinBox, QComboBox, QAbstractItemView, QPlainTextEdit, QTextBrowser,
                    QMenuBar, QMenu>(widget);
}

/// Returns true if a widget of the lesson page uses the key. The same key may also be a shortcut of the view.
bool LessonKeys::isOfThePage(const QObject* watched, const QKeyEvent& key) const {
  const auto* widget = qobject_cast<const QWidget*>(watched);
  if (widget == nullptr || (widget != panel_ && !panel_->isAncestorOf(widget))) return false;
  if ((key.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) != Qt::NoModifier) return false;
  if (key.key() == Qt::Key_Escape || (key.key() >= Qt::Key_F1 && key.key() <= Qt::Key_F35)) return false;
  const bool takes_text = is_one_of<QComboBox, QAbstractItemView, QAbstractSpinBox, QLineEdit>(widget);
  if ((key.modifiers() & Qt::KeypadModifier) != 0) return takes_text;
  const bool sign = !key.text().isEmpty() && key.text().front().isPrint() && key.key() != Qt::Key_Space;
  return !sign || takes_text;
}

bool LessonKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn)
    clicked_ = static_cast<QFocusEvent*>(event)->reason() == Qt::MouseFocusReason ? watched : nullptr;
  if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress) return false;
  auto* key = static_cast<QKeyEvent*>(event);
  const bool ours = isOurs(watched, *key);
  if (event->type() == QEvent::ShortcutOverride && (ours || isOfThePage(watched, *key))) {
    event->accept();
    return true;
  }
  if (!ours || event->type() == QEvent::ShortcutOverride) return false;
  if (key->key() == Qt::Key_Space) {
    if (!key->isAutoRepeat()) player_->go();
  } else if (key->key() == Qt::Key_Left || key->key() == Qt::Key_PageUp) {
    player_->back();
  } else {
    player_->next();
  }
  return true;
}

}  // namespace spira::ui
