// Advice first, then what was run where, and the fit meter: do the coordinates fit their packing?
#pragma once

#include "engine/report/advice.hpp"
#include "ui/panels/panel.hpp"

#include <QTimer>

class QLabel;

namespace spira::ui {

class AdviceList;
class Tuning;

class SummaryPanel : public Panel {
  Q_OBJECT
 public:
  SummaryPanel(Workspace* workspace, Selection* selection, Theme* theme, Tuning* tuning,
               QWidget* parent = nullptr);
  [[nodiscard]] AdviceList* advice() const noexcept { return advice_; }

 signals:
  void evidenceWanted(const spira::Advice& advice);
  void packRequested(const spira::PackSpec& pack);

 private:
  void follow();
  void followAdvice();
  void change(const Advice& advice);
  [[nodiscard]] QString sceneHtml() const;
  [[nodiscard]] QString runHtml() const;
  [[nodiscard]] QString slowestHtml() const;

  Tuning* tuning_;
  AdviceList* advice_;
  QTimer later_;  // several changes make one list
  QLabel *scene_, *run_, *slowest_;
};

}  // namespace spira::ui
