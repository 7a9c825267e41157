// What is selected in the 3D view, and what can be done with it, as buttons.
#pragma once

#include "ui/model/selection.hpp"

#include <QWidget>

class QLabel;

namespace spira::ui {

class CommandSet;

class SelectionBox : public QWidget {
  Q_OBJECT
 public:
  explicit SelectionBox(Selection* selection, QWidget* parent = nullptr);
  /// Each button is a command: it has its text, its tip and its reason for being disabled.
  void addCommands(const CommandSet& commands);
  [[nodiscard]] QString text() const;

 private:
  void follow();

  Selection* selection_;
  QLabel* text_;
};

}  // namespace spira::ui
