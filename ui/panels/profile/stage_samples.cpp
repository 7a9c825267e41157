#include "ui/panels/profile/stage_samples.hpp"

#include <QCoreApplication>

#include <cstddef>

namespace spira::ui {
namespace {

class StageSamples {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::StageSamples)
};

}  // namespace

std::vector<SampleSeries> samples_of(const StageTree& stages) {
  std::vector<SampleSeries> series;
  std::vector<double> sums;
  int tops = 0;
  bool same_length = true;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& stage = stages.nodes[static_cast<std::size_t>(node)];
    series.push_back({QString::fromStdString(stages.key(node).text()), stage.samples_ms});
    if (stage.parent >= 0) continue;
    if (++tops == 1) sums.resize(stage.samples_ms.size(), 0.0);
    same_length = same_length && sums.size() == stage.samples_ms.size();
    for (std::size_t at = 0; same_length && at < sums.size(); ++at)
      sums[at] += stage.samples_ms[at];
  }
  if (tops > 1 && same_length)
    series.insert(series.begin(), {StageSamples::tr("sum of stages, by repetition"), sums});
  return series;
}

}  // namespace spira::ui
