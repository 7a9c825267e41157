// The keys of the commands: defaults, changes, conflicts, and the widgets in which keys without Ctrl or Alt
// are active.
#include "ui/commands/command_set.hpp"

#include <QKeyEvent>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

/// Returns true for keys without Ctrl or Alt, except function keys. Text fields and lists need such keys for
/// their own input. Examples are letters, digits (also of the keypad), arrows, Home and Escape.
bool is_plain(const QKeySequence& keys) {
  if (keys.isEmpty()) return false;
  const QKeyCombination first = keys[0];
  return (first.keyboardModifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier &&
         (first.key() < Qt::Key_F1 || first.key() > Qt::Key_F35);
}

/// Returns true for keys that move the focus, press a button or open a menu in any widget.
bool is_of_the_window(const QKeySequence& keys) {
  const QKeyCombination first = keys[0];
  const auto key = first.key();
  const bool alt_letter =
      first.keyboardModifiers() == Qt::AltModifier && key >= Qt::Key_A && key <= Qt::Key_Z;
  return alt_letter || key == Qt::Key_Tab || key == Qt::Key_Backtab || key == Qt::Key_Return ||
         key == Qt::Key_Enter;
}

/// Parses a list of key sequences. Returns an empty list for an empty string, where Qt would return a list
/// with one empty sequence.
QList<QKeySequence> keys_from(const QString& text) {
  return text.isEmpty() ? QList<QKeySequence>() : QKeySequence::listFromString(text);
}

/// Returns the digit of a keypad key, in the form that shortcuts use. The result does not depend on Num Lock.
QKeySequence keypad_keys(const QKeyEvent& event) {
  constexpr std::array<std::pair<Qt::Key, Qt::Key>, 9> unlocked{{{Qt::Key_End, Qt::Key_1},
                                                                 {Qt::Key_Down, Qt::Key_2},
                                                                 {Qt::Key_PageDown, Qt::Key_3},
                                                                 {Qt::Key_Left, Qt::Key_4},
                                                                 {Qt::Key_Clear, Qt::Key_5},
                                                                 {Qt::Key_Right, Qt::Key_6},
                                                                 {Qt::Key_Home, Qt::Key_7},
                                                                 {Qt::Key_Up, Qt::Key_8},
                                                                 {Qt::Key_PageUp, Qt::Key_9}}};
  auto key = static_cast<Qt::Key>(event.key());
  for (const auto& [other, digit] : unlocked) {
    if (key == other) key = digit;
  }
  return {QKeyCombination(event.modifiers(), key)};
}

}  // namespace

QList<QKeySequence> CommandSet::defaultKeys(const QString& id) const {
  const CommandFacts* found = factsOf(id);
  return found == nullptr ? QList<QKeySequence>() : keys_from(QString::fromLatin1(found->shortcut));
}

bool CommandSet::hasDefaultKeys(const QString& id) const {
  const QAction* found = action(id);
  return found == nullptr || found->shortcuts() == defaultKeys(id);
}

QString CommandSet::keysFault(const QString& id, const QKeySequence& keys) const {
  if (keys.isEmpty()) return tr("press the new keys first");
  const QString text = keys.toString(QKeySequence::NativeText);
  if (is_of_the_window(keys)) return tr("%1 is reserved for the window and its menus").arg(text);
  for (const QAction* other : all_) {
    if (other->objectName() == id || !other->shortcuts().contains(keys)) continue;
    return tr("%1 is used by \"%2\"").arg(text, other->text());
  }
  return {};
}

void CommandSet::setKeys(const QString& id, const QList<QKeySequence>& keys) {
  QAction* found = action(id);
  if (found == nullptr || found->shortcuts() == keys) return;
  found->setShortcuts(keys);
  placeKeys(found);
  refresh();
  emit keysChanged();
}

std::map<QString, QString> CommandSet::changedKeys() const {
  std::map<QString, QString> changed;
  for (const QAction* action : all_) {
    if (!hasDefaultKeys(action->objectName()))
      changed[action->objectName()] = QKeySequence::listToString(action->shortcuts());
  }
  return changed;
}

void CommandSet::takeKeys(const std::map<QString, QString>& keys) {
  for (const auto& [id, text] : keys)
    setKeys(id, keys_from(text));
  // Check for conflicts only after all keys are set, because two commands may have exchanged their keys.
  for (const auto& [id, text] : keys) {
    QAction* changed = action(id);
    if (changed == nullptr) continue;
    QList<QKeySequence> free;
    for (const QKeySequence& one : changed->shortcuts()) {
      if (keysFault(id, one).isEmpty()) free.append(one);
    }
    setKeys(id, free);
  }
}

void CommandSet::addPlainKeysTo(QWidget* view) {
  plain_views_.emplace_back(view);
  view->installEventFilter(this);
  for (QAction* action : all_) {
    if (action->shortcutContext() == Qt::WidgetWithChildrenShortcut) view->addAction(action);
  }
}

/// Triggers shortcuts with digits of the keypad. This is needed because on X11 and Wayland, Qt does not
/// distinguish these digits from the digits above the letters when it searches for a shortcut.
bool CommandSet::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return QObject::eventFilter(watched, event);
  const auto& pressed = *static_cast<QKeyEvent*>(event);
  if (!pressed.modifiers().testFlag(Qt::KeypadModifier)) return QObject::eventFilter(watched, event);
  const QKeySequence keys = keypad_keys(pressed);
  for (QAction* action : all_) {
    if (!action->shortcuts().contains(keys)) continue;
    event->accept();
    action->trigger();  // Does nothing if the action is disabled.
    return true;
  }
  return QObject::eventFilter(watched, event);
}

/// Activates the shortcut of the action: keys without Ctrl or Alt only in the views, all other keys in the
/// whole window.
void CommandSet::placeKeys(QAction* action) {
  const bool plain = is_plain(action->shortcut());
  action->setShortcutContext(plain ? Qt::WidgetWithChildrenShortcut : Qt::WindowShortcut);
  for (const auto& view : plain_views_) {
    if (!view) continue;
    if (plain) {
      view->addAction(action);
    } else {
      view->removeAction(action);
    }
  }
}

}  // namespace spira::ui
