// A list of advice. Each row has an action, its gain and its evidence. A click on the action shows the
// evidence, and a button applies the change.
#pragma once

#include "engine/report/advice/advice.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace spira::ui {

class AdviceList : public QWidget {
  Q_OBJECT
 public:
  explicit AdviceList(QWidget* parent = nullptr);

  /// Sets the rows. If `can_change` is false, the rows have no buttons. `can_change` must be false for a
  /// recorded run, because its scene is not open.
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

/// Returns the note below the list. It explains that there is nothing to improve, or that the truncated
/// report does not contain the data for advice. Returns an empty string if neither is true.
[[nodiscard]] QString adviceNote(const Workspace& workspace, bool any);

}  // namespace spira::ui
