// The trust grade of what is shown, in the status bar; its tool tip has the reasons.
#pragma once

#include <QLabel>

namespace spira::ui {

class Theme;
class Workspace;

class TrustLabel : public QLabel {
  Q_OBJECT
 public:
  TrustLabel(Workspace* workspace, Theme* theme, QWidget* parent);

 private:
  void follow();

  Workspace* workspace_;
  Theme* theme_;
};

}  // namespace spira::ui
