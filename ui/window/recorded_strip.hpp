// The line over the whole window that says where and when a recorded run was measured. It stays as long as
// the report is open: no number of it may pass for one of this machine.
#pragma once

#include "ui/model/workspace.hpp"

#include <QFrame>

namespace spira::ui {

class ElidedLabel;
class Theme;

class RecordedStrip : public QFrame {
  Q_OBJECT
 public:
  RecordedStrip(Workspace* workspace, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QString text() const;  ///< empty: what is shown is of this machine

 private:
  void follow();
  void retheme();

  Workspace* workspace_;
  Theme* theme_;
  ElidedLabel *where_, *note_;
};

}  // namespace spira::ui
