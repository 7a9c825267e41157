#include "ui/model/offset_dataflows.hpp"

namespace spira::ui {

std::set<StageGroup> dataflows_of_offsets(const Workspace& workspace, const Selection& selection) {
  const auto& over = selection.hover().columns;
  const auto& columns = over.empty() ? selection.columns() : over;
  const int layer = selection.layer();
  const ShownMap shown = workspace.shownMap(layer);
  std::set<StageGroup> parts;
  if (!shown.densities || !workspace.wasRun(layer)) return parts;
  const int t = workspace.plan().layers.at(static_cast<std::size_t>(layer)).threshold;
  for (const int column : columns) {
    if (column >= static_cast<int>(shown.densities->columns.size())) continue;
    const bool dense = shown.densities->columns[static_cast<std::size_t>(column)].l1 < t;
    parts.insert(dense ? StageGroup::output_stationary : StageGroup::weight_stationary);
  }
  return parts;
}

}  // namespace spira::ui
