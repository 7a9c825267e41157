// The slowest layer, advice, then what was run where, and the fit meter: do the coordinates fit their
// packing?
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
  [[nodiscard]] QLabel* lead() const noexcept { return lead_; }

 signals:
  void evidenceWanted(const spira::Advice& advice);
  void timeWanted(int layer);  ///< to see what it spends its time on
  void packRequested(const spira::PackSpec& pack);

 private:
  void follow();
  void followAdvice();
  void change(const Advice& advice);
  [[nodiscard]] QString sceneHtml() const;
  [[nodiscard]] QString runHtml() const;
  [[nodiscard]] QString leadHtml() const;
  [[nodiscard]] QString slowestHtml() const;

  Tuning* tuning_;
  AdviceList* advice_;
  QTimer later_;  // several changes make one list
  QLabel *lead_, *scene_, *run_, *slowest_;
};

}  // namespace spira::ui
