// An undo step that consists of two functions: one undoes the change, the other makes the change again. The
// change must be made before the step is pushed.
#pragma once

#include <QUndoCommand>

#include <functional>
#include <utility>

namespace spira::ui {

class UndoStep : public QUndoCommand {
 public:
  /// `text` follows the word "Undo" in the menu, for example "remove baseline".
  UndoStep(const QString& text, std::function<void()> take_back, std::function<void()> make_again)
      : QUndoCommand(text), take_back_(std::move(take_back)), make_again_(std::move(make_again)) {}

  void undo() override { take_back_(); }
  void redo() override {
    // QUndoStack calls redo() when the step is pushed. This first call does nothing, because the change has
    // already been made.
    if (std::exchange(made_, true)) make_again_();
  }

 private:
  std::function<void()> take_back_, make_again_;
  bool made_ = false;
};

}  // namespace spira::ui
