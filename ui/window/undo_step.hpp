// A step of undo that is made already, of two functions: one takes it back, one makes it again.
#pragma once

#include <QUndoCommand>

#include <functional>
#include <utility>

namespace spira::ui {

class UndoStep : public QUndoCommand {
 public:
  /// `text` as a menu says it after "Undo": "remove baseline".
  UndoStep(const QString& text, std::function<void()> take_back, std::function<void()> make_again)
      : QUndoCommand(text), take_back_(std::move(take_back)), make_again_(std::move(make_again)) {}

  void undo() override { take_back_(); }
  void redo() override {
    if (std::exchange(made_, true)) make_again_();  // the first time it is made already
  }

 private:
  std::function<void()> take_back_, make_again_;
  bool made_ = false;
};

}  // namespace spira::ui
