// Advice as rows: what to do, what it gains and why; a click goes to the evidence, a button does it.
#pragma once

#include "engine/report/advice.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace spira::ui {

class AdviceList : public QWidget {
  Q_OBJECT
 public:
  explicit AdviceList(QWidget* parent = nullptr);

  /// `can_change`: there is a scene to run again; of a recorded run there is none, and no button.
  void setAdvice(std::vector<Advice> advice, bool can_change);
  [[nodiscard]] const std::vector<Advice>& advice() const noexcept { return advice_; }

 signals:
  void evidenceWanted(const spira::Advice& advice);
  void changeWanted(const spira::Advice& advice);

 private:
  void rebuild();
  [[nodiscard]] QWidget* makeRow(std::size_t at);

  std::vector<Advice> advice_;
  bool can_change_ = false, all_shown_ = false;
  QVBoxLayout* rows_;
};

/// What is to be said of the advice itself: that there is none, or that a report cut off lacks what more
/// would be found by. Empty: nothing.
[[nodiscard]] QString adviceNote(const Workspace& workspace, bool any);

}  // namespace spira::ui
