// A label in the status bar that shows the trust grade of the open run. Its tooltip lists the reasons.
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
