// Shows a tuning profile: the matrix of layers and settings, the groups of layers, the regret (the cost of
// using the settings of one scene for another scene), and the gain of the whole network.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <QTabWidget>

#include <memory>
#include <vector>

class QLabel;
class QTableWidget;

namespace spira::ui {

class GroupsPane;
class MatrixPane;

class TuneResult : public QTabWidget {
  Q_OBJECT
 public:
  /// Takes ownership of `matrix` and `groups`.
  TuneResult(MatrixPane* matrix, GroupsPane* groups, QWidget* parent = nullptr);
  void setProfile(std::shared_ptr<const TuningProfile> profile);
  [[nodiscard]] GroupsPane* groups() const noexcept { return groups_; }
  [[nodiscard]] QTableWidget* regret() const noexcept { return regret_; }
  [[nodiscard]] QString checks() const;

 private:
  void showProfileTabs();
  void fillRegret();
  [[nodiscard]] QString checksHtml() const;

  std::shared_ptr<const TuningProfile> profile_;
  GroupsPane* groups_;
  QTableWidget* regret_;
  QLabel *regret_text_, *checks_;
  std::vector<QWidget*> profile_tabs_;  // The tabs that need a finished profile.
};

}  // namespace spira::ui
