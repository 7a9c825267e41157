// Describes the voxels that are selected in the 3D view, and contains buttons for the selection commands.
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
  /// Adds the buttons. Each button shows the text and the tooltip of its command. If the command is disabled,
  /// the tooltip shows the reason.
  void addCommands(const CommandSet& commands);
  [[nodiscard]] QString text() const;

 private:
  void follow();

  Selection* selection_;
  QLabel* text_;
};

}  // namespace spira::ui
