#include "ui/charts/sweep_parts.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace spira::ui {
namespace {

enum Part : std::size_t { levels, maps, output_stationary, weight_stationary, other };

struct Range {
  std::size_t fewest = 0, most = 0;
  void take(std::size_t count) {
    if (count == 0) return;
    fewest = fewest == 0 ? count : std::min(fewest, count);
    most = std::max(most, count);
  }
};

QString passesText(const Range& passes) {
  if (passes.most == 0) return {};
  if (passes.most == 1) return QCoreApplication::translate("SweepPart", "; parts: one isolated pass");
  if (passes.fewest == passes.most)
    return QCoreApplication::translate("SweepPart", "; parts: medians of %1 isolated passes")
        .arg(passes.most);
  return QCoreApplication::translate("SweepPart", "; parts: medians of %1 to %2 isolated passes")
      .arg(passes.fewest)
      .arg(passes.most);
}

/// True if no parent stage belongs to the same dataflow. Inner stages are already counted in their parent.
bool outermost(const StageTree& stages, int node, StageGroup group) {
  const int parent = stages.nodes[static_cast<std::size_t>(node)].parent;
  return parent < 0 || stages.key(parent).group() != group;
}

}  // namespace

SweepParts sweep_parts(const StageTree& stages) {
  SweepParts parts{};
  parts[Part::maps] = stages.maps_ms();
  double all = 0;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageKey stage = stages.key(node);
    const StageGroup group = stage.group();
    const double ms = stages.median_ms(node);
    const bool top = stages.nodes[static_cast<std::size_t>(node)].parent < 0;
    if (top) all += ms;
    if (group == StageGroup::output_stationary && outermost(stages, node, group)) {
      parts[Part::output_stationary] += ms;
    } else if (group == StageGroup::weight_stationary && outermost(stages, node, group)) {
      parts[Part::weight_stationary] += ms;
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

QString sweepSamplesText(const Sweep& sweep) {
  Range samples, passes;
  for (const SweepRow& row : sweep.rows) {
    samples.take(row.wall.ms.size());
    for (const StageNode& stage : row.stages.nodes)
      passes.take(stage.samples_ms.size());
  }
  const QString wall =
      samples.fewest == samples.most
          ? QCoreApplication::translate("SweepPart", "n = %1 each").arg(samples.most)
          : QCoreApplication::translate("SweepPart", "n = %1 to %2").arg(samples.fewest).arg(samples.most);
  return wall + passesText(passes);
}

}  // namespace spira::ui
