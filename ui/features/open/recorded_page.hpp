// The page in the centre of the window while a recorded run is open. It explains why no voxels are drawn.
#pragma once

#include "ui/model/workspace.hpp"

#include <QWidget>

class QLabel;

namespace spira::ui {

class RecordedPage : public QWidget {
  Q_OBJECT
 public:
  explicit RecordedPage(Workspace* workspace, QWidget* parent = nullptr);
  [[nodiscard]] QString text() const;

 signals:
  void dialogRequested();

 private:
  void follow();

  Workspace* workspace_;
  QLabel* text_;
};

}  // namespace spira::ui
