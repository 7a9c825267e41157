// History of the selection for the commands Back and Forward. All changes of one click form one step.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

class SelectionHistory : public QObject {
  Q_OBJECT
 public:
  SelectionHistory(Selection* selection, const Workspace* workspace, QObject* parent);

  void back();
  void forward();
  [[nodiscard]] bool canGoBack() const noexcept { return at_ > 0; }
  [[nodiscard]] bool canGoForward() const noexcept { return at_ + 1 < choices_.size(); }

 signals:
  void changed();

 private:
  struct Choice {
    int layer = -1, stride = 1;
    std::vector<int> columns;
    std::optional<ChosenVoxel> voxel;
    std::shared_ptr<const ChosenRows> rows;
    std::optional<StageGroup> phase;
    bool operator==(const Choice&) const = default;
  };
  void noteSoon();
  void note();
  void apply();
  [[nodiscard]] Choice now() const;

  Selection* selection_;
  std::vector<Choice> choices_;
  std::size_t at_ = 0;
  bool pending_ = false, applying_ = false, restart_ = false;
};

}  // namespace spira::ui
