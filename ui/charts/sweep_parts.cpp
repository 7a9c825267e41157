#include "ui/charts/sweep_parts.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace spira::ui {
namespace {

enum Part : std::size_t { levels, maps, output_stationary, weight_stationary, other };

/// A stage that is inside no other one of its dataflow: those are parts of it.
bool outermost(const StageTree& stages, int node, StageGroup group) {
  const int parent = stages.nodes[static_cast<std::size_t>(node)].parent;
  return parent < 0 || stage_group(stages.path(parent)) != group;
}

}  // namespace

SweepParts sweep_parts(const StageTree& stages) {
  SweepParts parts{};
  double all = 0;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const std::string path = stages.path(node);
    const StageGroup group = stage_group(path);
    const double ms = stages.median_ms(node);
    const bool top = stages.nodes[static_cast<std::size_t>(node)].parent < 0;
    if (top) all += ms;
    if (group == StageGroup::output_stationary && outermost(stages, node, group)) {
      parts[Part::output_stationary] += ms;
    } else if (group == StageGroup::weight_stationary && outermost(stages, node, group)) {
      parts[Part::weight_stationary] += ms;
    } else if (top && last_of_path(path) == "map") {
      parts[Part::maps] += ms;
    } else if (top && (group == StageGroup::voxelize || group == StageGroup::downsample)) {
      parts[Part::levels] += ms;
    }
  }
  const double known = std::accumulate(parts.begin(), parts.end(), 0.0);
  parts[Part::other] = std::max(0.0, all - known);
  return parts;
}

QString sweepPartText(StageGroup group, bool shortly) {
  switch (group) {
    case StageGroup::downsample:
      return QCoreApplication::translate("SweepPart", "levels");
    case StageGroup::search:
      return QCoreApplication::translate("SweepPart", "maps");
    case StageGroup::output_stationary:
      return shortly ? QCoreApplication::translate("SweepPart", "OS")
                     : QCoreApplication::translate("SweepPart", "output-stationary");
    case StageGroup::weight_stationary:
      return shortly ? QCoreApplication::translate("SweepPart", "WS")
                     : QCoreApplication::translate("SweepPart", "weight-stationary");
    default:
      return QCoreApplication::translate("SweepPart", "other");
  }
}

}  // namespace spira::ui
