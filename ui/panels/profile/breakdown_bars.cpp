#include "ui/panels/profile/breakdown_bars.hpp"

#include "engine/base/text.hpp"
#include "engine/job/stage_tree.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/model/tables/timeline_area.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace spira::ui {
namespace {

class Breakdown {
  Q_DECLARE_TR_FUNCTIONS(Breakdown)
};

/// One segment of a bar: a stage without its inner stages. The segments of a bar add up to the time of its
/// layer.
struct Piece {
  StageKey stage;
  BarPart part = StageGroup::other;
  std::vector<double> samples_ms;
  /// Time of the stage without its inner stages. Negative if the medians of the inner stages add up to more
  /// than the median of the stage.
  double own_ms = 0;
  std::optional<std::size_t> peak_bytes;
};

std::vector<Piece> pieces_of(const StageTree& stages) {
  std::vector<Piece> pieces;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& here = stages.nodes[static_cast<std::size_t>(node)];
    double children = 0;
    bool parent = false;
    for (int child = node + 1; child < static_cast<int>(stages.nodes.size()); ++child) {
      if (stages.nodes[static_cast<std::size_t>(child)].parent != node) continue;
      children += stages.median_ms(child);
      parent = true;
    }
    const StageKey stage = stages.key(node);
    pieces.push_back({stage, parent ? StageGroup::residual : stage.group(), here.samples_ms,
                      stages.median_ms(node) - children, here.peak_bytes});
  }
  return pieces;
}

std::vector<Piece> pieces_of(const Timeline& timeline, const WeightStationaryLayers& weight_stationary) {
  std::vector<Piece> pieces;
  for (const TimelineSpan& span : timeline.spans)
    pieces.push_back(
        {span.stage, group_of(timeline, span, weight_stationary), span.samples_ms, span.length_ms(), {}});
  for (const TimelineSpan& span : timeline.spans) {
    if (span.parent < 0) continue;
    Piece& parent = pieces[static_cast<std::size_t>(span.parent)];
    parent.own_ms -= span.length_ms();
    parent.part = StageGroup::residual;
  }
  return pieces;
}

void add(const Piece& piece, StageBar& bar) {
  bar.parts[piece.part] += piece.own_ms;
  bar.samples.push_back({QString::fromStdString(piece.stage.text()), piece.samples_ms, piece.peak_bytes});
}

/// Replaces the groups of stages by the passes of a training step. The time that no inner stage covers
/// belongs to the pass, because some kernels have no inner stages.
std::vector<Piece> by_pass(std::vector<Piece> pieces) {
  static const std::map<std::string_view, PassPart> passes{{"features", PassPart::forward},
                                                           {"dgrad", PassPart::dgrad},
                                                           {"wgrad", PassPart::wgrad},
                                                           {"repack", PassPart::repack}};
  for (Piece& piece : pieces) {
    const auto pass = passes.find(piece.stage.phase);
    if (piece.stage.of_map())
      piece.part = piece.stage.group() == StageGroup::order ? PassPart::orders : PassPart::maps;
    else if (piece.stage.name() == "reduce")
      piece.part = PassPart::reduce;
    else
      piece.part = pass == passes.end() ? PassPart::voxels : pass->second;
  }
  return pieces;
}

MapUse use_of(const Levels& levels, const Plan& plan, int layer) {
  const auto at = static_cast<std::size_t>(layer);
  return map_use(levels.layers[at], plan.layers[at]);
}

/// Returns all layers that use the kernel map built by the layer `builder`: the layer itself, and all later
/// layers that need the same map.
std::vector<int> users_of(const Levels& levels, const Plan& plan, int builder) {
  std::vector<int> users;
  for (auto at = static_cast<std::size_t>(builder); at < levels.layers.size(); ++at) {
    if (use_of(levels, plan, static_cast<int>(at)) == use_of(levels, plan, builder))
      users.push_back(static_cast<int>(at));
  }
  return users;
}

/// Collects the segments of each bar. The first bar shows the indexing. Each layer then has up to two bars:
/// one for the kernel map that the layer built, if any, and one for its features.
class Bars {
 public:
  enum class Kind { isolated, in_situ, passes };
  Bars(const Network& network, const Plan& plan, Kind kind)
      : network_(network),
        plan_(plan),
        levels_(levels_of(network)),
        short_names_(shortLayerNames(network)),
        kind_(kind) {
    for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer)
      by_name_.emplace(network.layers[static_cast<std::size_t>(layer)].name, layer);
    indexing_.name = Breakdown::tr("indexing");
    indexing_.head = Breakdown::tr("voxelize and down-sample");
    indexing_.subject = indexing_.head;
    indexing_.in_situ = kind == Kind::in_situ;
  }

  void take(const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) {
      const auto found = by_name_.find(piece.stage.layer());
      if (found == by_name_.end()) {
        add(piece, indexing_);
      } else {
        const int layer = found->second;
        add(piece, piece.stage.of_map() ? barOf(builderFor(piece.stage, layer), true) : barOf(layer, false));
      }
    }
  }
  /// Adds a bar for a layer that was run, even if the layer has no stages.
  void takeLayer(int layer) { static_cast<void>(barOf(layer, false)); }

  [[nodiscard]] std::vector<StageBar> all() {
    std::vector<StageBar> result{std::move(indexing_)};
    for (auto& [place, bar] : bars_)
      result.push_back(std::move(bar));
    return result;
  }

 private:
  /// Returns the layer that built the kernel map of this stage. `layer` can be a later layer than the
  /// builder, because the layout of a map is converted in the first layer that needs this layout.
  [[nodiscard]] int builderFor(const StageKey& stage, int layer) const {
    int builder = layer;
    for (int at = layer - 1; at >= 0 && stage.phase != "map"; --at) {
      if (use_of(levels_, plan_, at) == use_of(levels_, plan_, layer)) builder = at;
    }
    return builder;
  }
  StageBar& barOf(int layer, bool map) {
    const auto [found, is_new] = bars_.try_emplace({layer, map ? 0 : 1});
    StageBar& bar = found->second;
    if (!is_new) return bar;
    const auto name = QString::fromStdString(network_.layers[static_cast<std::size_t>(layer)].name);
    bar.layer = layer;
    bar.in_situ = kind_ == Kind::in_situ;
    bar.name = short_names_[layer];
    const bool passes = kind_ == Kind::passes;
    bar.subject = (passes ? Breakdown::tr("passes of %1") : Breakdown::tr("features of %1")).arg(name);
    bar.head = (passes ? Breakdown::tr("time of all passes of %1, without its kernel map:")
                       : Breakdown::tr("time to compute the features of %1, without its kernel map:"))
                   .arg(name);
    if (!map) return bar;
    const std::vector<int> users = users_of(levels_, plan_, layer);
    bar.is_map = true;
    const MapKey& key = levels_.layers[static_cast<std::size_t>(layer)].map;
    const QString strides = key.submanifold()
                                ? QString::fromStdString(level_text(levels_, key.stride_in))
                                : QString("%1\u2192%2")
                                      .arg(QString::fromStdString(level_text(levels_, key.stride_in)),
                                           QString::fromStdString(level_text(levels_, key.stride_out)));
    // The name contains only the strides, because this bar is next to the bar of the layer that built the
    // map.
    bar.name = key.submanifold() ? Breakdown::tr("map stride %1").arg(strides)
                                 : Breakdown::tr("map %1").arg(strides);
    bar.subject = Breakdown::tr("kernel map of %1").arg(name);
    bar.head = Breakdown::tr("kernel map of %1 (kernel size %2, stride %3), used by %4:")
                   .arg(name)
                   .arg(QString::fromStdString(text_of(key.kernel)), strides,
                        counted(std::ssize(users), Breakdown::tr("1 layer"), Breakdown::tr("%1 layers")));
    for (const int user : users)
      bar.head += " " + QString::fromStdString(network_.layers[static_cast<std::size_t>(user)].name);
    return bar;
  }

  const Network& network_;
  const Plan& plan_;
  Levels levels_;
  std::unordered_map<std::string_view, int> by_name_;
  QStringList short_names_;
  Kind kind_;
  StageBar indexing_;
  // The key consists of the layer index and of 0 (kernel map) or 1 (features).
  std::map<std::pair<int, int>, StageBar> bars_;
};

}  // namespace

std::map<StageGroup, double> parts_of(const StageTree& stages) {
  std::map<StageGroup, double> parts;
  for (const Piece& piece : pieces_of(stages))
    parts[std::get<StageGroup>(piece.part)] += piece.own_ms;
  return parts;
}

void add_other_thresholds(const Workspace& workspace, const Selection& selection,
                          std::vector<StageBar>& bars) {
  if (workspace.results().report()) return;
  for (StageBar& bar : bars) {
    if (bar.is_map || bar.layer < 0) continue;
    const int t = threshold_looked_at(workspace, selection, bar.layer);
    const auto then = threshold_of_run(workspace, bar.layer);
    if (!then || *then == t || !compared_threshold(workspace, selection, bar.layer)) continue;
    const auto time = features_at(workspace, bar.layer, t);
    if (!time) continue;
    const KernelShape kernel = workspace.network()->layers.at(static_cast<std::size_t>(bar.layer)).kernel();
    bar.other_ms = time->features_ms;
    bar.other_modelled = !time->measured();
    const QString where = time->measured() ? time->source == ThresholdTime::Source::sweep
                                                 ? Breakdown::tr("measured in an isolated pass of the sweep")
                                                 : Breakdown::tr("measured in separate isolated passes")
                                           : time->how;
    bar.notes += Breakdown::tr("\n%1 instead of %2: %3 %4; %5")
                     .arg(thresholdText(kernel, t), thresholdText(kernel, *then),
                          feature_time_text(time->with_order), time->text(), where);
    if (const auto compared = threshold_comparison(workspace, selection, bar.layer))
      bar.notes += Breakdown::tr("\nInterleaved samples: %1; %2: %3")
                       .arg(compared->text(), thresholdText(kernel, compared->baseline.threshold),
                            compared->baseline.text());
  }
}

std::vector<StageBar> isolated_bars(const Workspace& workspace) {
  const auto& measured = workspace.results().measurement();
  Bars bars(*workspace.network(), measured ? measured->plan : workspace.requested().plan(),
            Bars::Kind::isolated);
  bars.take(pieces_of(measured ? measured->indexing : workspace.scene().voxels()->stages));
  for (int layer = 0; layer < static_cast<int>(workspace.network()->layers.size()); ++layer) {
    const auto& result = workspace.results().layer(layer);
    const auto at = static_cast<std::size_t>(layer);
    if (measured ? at >= measured->layers.size() : !result) continue;
    bars.takeLayer(layer);
    bars.take(pieces_of(measured ? measured->layers[at].stages : result->stages));
  }
  return bars.all();
}

std::vector<StageBar> pass_bars(const Workspace& workspace) {
  const auto& measured = workspace.results().measurement();
  if (!measured || !measured->training) return {};
  Bars bars(*workspace.network(), measured->plan, Bars::Kind::passes);
  bars.take(by_pass(pieces_of(measured->training->stages)));
  for (std::size_t at = 0; at < measured->layers.size(); ++at) {
    bars.takeLayer(static_cast<int>(at));
    const auto& backward = measured->layers[at].backward;
    if (!backward) continue;
    for (const PassMeasurement* pass : {&backward->dgrad, &backward->wgrad})
      bars.take(by_pass(pieces_of(pass->stages)));
  }
  return bars.all();
}

QString in_situ_unavailable_reason(const Workspace& workspace) {
  const auto& measured = workspace.results().measurement();
  if (!measured) return Breakdown::tr("measure a run first (Ctrl+M)");
  return measured->timeline.empty() || measured->timeline.mode != TimelineMode::in_situ
             ? Breakdown::tr("no in-situ times: this run was measured layer by layer")
             : QString();
}

void add_baseline(const Workspace& workspace, bool in_situ, std::vector<StageBar>& bars) {
  const auto& before = workspace.baseline().report();
  if (!before) return;
  const Measurement& m = before->measurement;
  if (in_situ && (m.timeline.empty() || m.timeline.mode != TimelineMode::in_situ)) return;
  Bars made(before->network, m.plan, in_situ ? Bars::Kind::in_situ : Bars::Kind::isolated);
  made.take(in_situ ? pieces_of(m.timeline, weight_stationary_layers(before->network, m.plan))
                    : pieces_of(m.indexing));
  for (std::size_t at = 0; !in_situ && at < m.layers.size(); ++at)
    made.take(pieces_of(m.layers[at].stages));
  for (const StageBar& old : made.all()) {
    const auto same = std::find_if(bars.begin(), bars.end(), [&](const StageBar& bar) {
      if (bar.is_map != old.is_map || (bar.layer < 0) != (old.layer < 0)) return false;
      return bar.layer < 0 || workspace.network()->layers[static_cast<std::size_t>(bar.layer)].name ==
                                  before->network.layers[static_cast<std::size_t>(old.layer)].name;
    });
    if (same == bars.end()) continue;
    same->baseline_ms = old.sum_ms();
    same->notes +=
        Breakdown::tr("\nbaseline, all stages of this bar: %1").arg(onScreen(ms_text(same->baseline_ms)));
  }
}

std::vector<StageBar> in_situ_bars(const Workspace& workspace) {
  if (!in_situ_unavailable_reason(workspace).isEmpty()) return {};
  const Measurement& measured = *workspace.results().measurement();
  Bars bars(*workspace.network(), measured.plan, Bars::Kind::in_situ);
  bars.take(pieces_of(measured.timeline, weight_stationary_layers(*workspace.network(), measured.plan)));
  return bars.all();
}

}  // namespace spira::ui
