#include "ui/model/class_solo.hpp"

namespace spira::ui {

void ClassSolo::toggle(Selection& selection, std::uint32_t label, const std::set<std::uint32_t>& all) {
  std::set<std::uint32_t> others = all;
  others.erase(label);
  if (selection.hiddenLabels() == others) return selection.setHiddenLabels(before_);
  const bool another = !since_.empty() && selection.hiddenLabels() == since_;
  if (!another) before_ = selection.hiddenLabels();
  since_ = others;
  selection.setHiddenLabels(others);
}

}  // namespace spira::ui
