// Advice as rows: what to do, what it gains and why; a click goes to the evidence, a button does it.
#pragma once

#include "engine/report/advice.hpp"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace spira::ui {

class AdviceList : public QWidget {
  Q_OBJECT
 public:
  explicit AdviceList(QWidget* parent = nullptr);

  /// `can_change`: there is a scene to run again; of a recorded run there is none, and no button. `measured`:
  /// that there is no advice is worth saying.
  void setAdvice(std::vector<Advice> advice, bool can_change, bool measured);
  [[nodiscard]] const std::vector<Advice>& advice() const noexcept { return advice_; }

 signals:
  void evidenceWanted(const spira::Advice& advice);
  void changeWanted(const spira::Advice& advice);

 private:
  void rebuild();
  [[nodiscard]] QWidget* makeRow(std::size_t at);

  std::vector<Advice> advice_;
  bool can_change_ = false, judged_ = false, all_shown_ = false;
  QVBoxLayout* rows_;
};

}  // namespace spira::ui
