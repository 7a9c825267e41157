// What was run where, and the fit meter: do the coordinates fit their packing?
#pragma once

#include "ui/panels/panel.hpp"

class QLabel;

namespace spira::ui {

class SummaryPanel : public Panel {
  Q_OBJECT
 public:
  SummaryPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);

 private:
  void follow();
  [[nodiscard]] QString sceneHtml() const;
  [[nodiscard]] QString runHtml() const;
  [[nodiscard]] QString slowestHtml() const;

  QLabel *scene_, *run_, *slowest_;
};

}  // namespace spira::ui
