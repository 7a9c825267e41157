#include "ui/features/run/runs.hpp"

#include "engine/backend/plan.hpp"
#include "engine/run/backward.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/reasons.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/measured/job_estimates.hpp"
#include "ui/panels/profile/breakdown_bars.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"

#include <QCheckBox>
#include <QMainWindow>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto run_table = std::to_array<CommandFacts>({
    {"view.in_situ", QT_TRANSLATE_NOOP("Command", "Switch between in-situ and isolated times"), "",
     QT_TRANSLATE_NOOP("Command", "Switch Breakdown between in-situ and isolated stage times"), 920,
     Menu::view, 5},
    {"run.run", QT_TRANSLATE_NOOP("Command", "Run network"), "F5",
     QT_TRANSLATE_NOOP("Command", "Run all layers once"), 1020, Menu::run, 1},
    {"run.step_forward", QT_TRANSLATE_NOOP("Command", "Step forward"), "F10",
     QT_TRANSLATE_NOOP("Command", "Run the next layer"), 1030, Menu::run, 1},
    {"run.step_back", QT_TRANSLATE_NOOP("Command", "Step back"), "Shift+F10",
     QT_TRANSLATE_NOOP("Command", "Go to the previous layer"), 1040, Menu::run, 1},
    {"run.measure", QT_TRANSLATE_NOOP("Command", "Measure"), "Ctrl+M",
     QT_TRANSLATE_NOOP("Command", "Run the network repeatedly to get the median and the spread of each time"),
     1050, Menu::run, 1},
    {"run.training", QT_TRANSLATE_NOOP("Command", "Measure training steps"), "",
     QT_TRANSLATE_NOOP(
         "Command",
         "Measure the network and its training steps: the forward pass and the gradients with respect to the "
         "inputs (dgrad) and weights (wgrad) of each layer"),
     1052, Menu::run, 1},
    {"run.rates", QT_TRANSLATE_NOOP("Command", "Measure device rates"), "",
     QT_TRANSLATE_NOOP("Command", "Measure the memory rate and the arithmetic rate of the device"), 1055,
     Menu::run, 1},
    {"run.map", QT_TRANSLATE_NOOP("Command", "Build the kernel map"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Build the kernel map of the open scene, for example if you stopped this job before"),
     1060, Menu::run, 1},
    {"run.stop", QT_TRANSLATE_NOOP("Command", "Stop"), "Shift+F5",
     QT_TRANSLATE_NOOP("Command", "Cancel the running job"), 1070, Menu::run, 1},
    {"precision.auto", QT_TRANSLATE_NOOP("Command", "Precision: automatic"), "",
     QT_TRANSLATE_NOOP("Command", "Use fp16 on a GPU and fp32 on a CPU"), 1080, Menu::precision, 1},
    {"precision.fp16", QT_TRANSLATE_NOOP("Command", "Precision: fp16"), "",
     QT_TRANSLATE_NOOP("Command", "Use 16-bit features and weights with 32-bit accumulation"), 1090,
     Menu::precision, 1},
    {"precision.fp32", QT_TRANSLATE_NOOP("Command", "Precision: fp32"), "",
     QT_TRANSLATE_NOOP("Command", "Use 32-bit features and weights"), 1100, Menu::precision, 1},
    {"sweep.thresholds", QT_TRANSLATE_NOOP("Command", "Sweep t"), "",
     QT_TRANSLATE_NOOP("Command", "Measure every setting of t for the selected layer"), 1170, Menu::run, 4},
    {"sweep.network", QT_TRANSLATE_NOOP("Command", "Sweep t for the network"), "",
     QT_TRANSLATE_NOOP("Command", "Measure every setting of t, with the same t in all layers"), 1180,
     Menu::run, 4},
    {"sweep.dataflows", QT_TRANSLATE_NOOP("Command", "Sweep dataflows"), "",
     QT_TRANSLATE_NOOP("Command", "Measure every dataflow of the selected layer, or of the network"), 1185,
     Menu::run, 4},
    {"sweep.packings", QT_TRANSLATE_NOOP("Command", "Sweep packings"), "",
     QT_TRANSLATE_NOOP("Command", "Measure packings with 32 bits, 64 bits and custom widths"), 1190,
     Menu::run, 4},
});

}  // namespace

std::span<const CommandFacts> run_commands() noexcept {
  return run_table;
}

Runs::Runs(const FeatureContext& context, EngineJobs& jobs, DockLayout& docks, SweepPanel& sweep,
           const BreakdownPanel& breakdown)
    : QObject(&context.window), context_(context), jobs_(jobs), docks_(docks), sweep_(sweep) {
  bindRuns();
  bindSteps();
  bindSweeps();
  bindPrecisions();
  bindDurations();
  Workspace& workspace = context.workspace;
  context.commands.bind(
      "view.in_situ", [&breakdown] { breakdown.inSitu()->toggle(); },
      [&workspace] { return in_situ_unavailable_reason(workspace); });
  connect(&workspace.requested(), &RequestedSettings::sceneKernelChanged, &jobs_.scenes(),
          &SceneJobs::rebuildSceneMap);
}

QString Runs::whyNoRun() const {
  if (QString why = why_no_scene(context_.workspace); !why.isEmpty()) return why;
  if (!context_.workspace.network()) return tr("choose a network first");
  return jobs_.lane().readyToRun() ? QString() : tr("a job is running; stop it first");
}

QString Runs::whyNoTraining() const {
  const QString why = whyNoRun();
  return why.isEmpty() ? QString::fromStdString(why_not_training(*context_.workspace.network())) : why;
}

/// Returns why t cannot be swept for a layer, or for the network if `layer` is -1.
QString Runs::whyNoSweep(int layer) const {
  if (QString why = whyNoRun(); !why.isEmpty()) return why;
  const auto& layers = context_.workspace.network()->layers;
  const auto one_t = [](const Layer& of) {
    return of.neighbourhood.native() || feasible_thresholds(of).size() < 2;
  };
  const bool native = layer >= 0 ? layers.at(static_cast<std::size_t>(layer)).neighbourhood.native()
                                 : has_native_layers(*context_.workspace.network()) &&
                                       std::all_of(layers.begin(), layers.end(), one_t);
  return native ? tr("there is no t to sweep: layers with native neighbours run weight-stationary only")
                : QString();
}

/// Returns why the device rates cannot be measured. The rates are added to the current measurement, so the
/// current device must be the device of this measurement.
QString Runs::whyNoRates() const {
  const Workspace& workspace = context_.workspace;
  if (workspace.results().report())
    return tr("this is a recorded run; the maximum rates of its device cannot be measured");
  if (!workspace.results().measurement()) return tr("measure a run first (Ctrl+M)");
  if (workspace.results().measurement()->device.name != workspace.device().name)
    return tr("the run was measured on a different device");
  return whyNoRun();
}

void Runs::bindRuns() {
  CommandSet& commands = context_.commands;
  const auto can_run = [this] { return whyNoRun(); };
  commands.bind(
      "run.run",
      [this] {
        // If one of these tabs is selected, keep it, because it shows the new run.
        const std::array same_run{"breakdown", "roofline", "timeline", "map", "rows", "compare", "graph"};
        if (std::none_of(same_run.begin(), same_run.end(),
                         [this](const char* tab) { return docks_.shows(tab); }))
          docks_.show("summary");
        jobs_.runs().run();
      },
      can_run);
  commands.bind(
      "run.measure",
      [this] {
        docks_.show("summary");  // This tab contains the slowest layers and the advice.
        jobs_.runs().measure();
      },
      can_run);
  commands.bind(
      "run.training",
      [this] {
        docks_.show("breakdown");
        jobs_.runs().measure(true);
      },
      [this] { return whyNoTraining(); });
  commands.bind(
      "run.rates",
      [this] {
        docks_.show("roofline");
        jobs_.runs().measureRates();
      },
      [this] { return whyNoRates(); });
  commands.bind(
      "run.map", [this] { jobs_.scenes().rebuildSceneMap(); },
      [this] {
        if (QString why = why_no_scene(context_.workspace); !why.isEmpty()) return why;
        if (context_.workspace.scene().map(context_.selection.stride()).map)
          return tr("the kernel map is already built");
        return jobs_.lane().busy() ? tr("a job is running; stop it first") : QString();
      });
  commands.bind(
      "run.stop", [this] { jobs_.tuning().stop(); },
      [this] { return jobs_.lane().busy() ? QString() : tr("nothing is running"); });
}

void Runs::bindSteps() {
  Selection& selection = context_.selection;
  context_.commands.bind(
      "run.step_forward", [this, &selection] { jobs_.runs().runLayer(selection.layer() + 1); },
      [this, &selection] {
        QString why = whyNoRun();
        if (!why.isEmpty()) return why;
        return selection.layer() + 1 < static_cast<int>(context_.workspace.network()->layers.size())
                   ? QString()
                   : tr("this is the last layer");
      });
  context_.commands.bind(
      "run.step_back", [&selection] { selection.setLayer(selection.layer() - 1); },
      [&selection] { return selection.layer() >= 0 ? QString() : tr("no layer is selected"); });
}

void Runs::bindSweeps() {
  const auto can_run = [this] { return whyNoRun(); };
  const auto sweep_thresholds = [this] {
    docks_.show("sweeps");
    sweep_.showKind(SweepPanel::Kind::thresholds);
    jobs_.sweeps().sweepThresholds();
  };
  context_.commands.bind("sweep.thresholds", sweep_thresholds,
                         [this] { return whyNoSweep(context_.selection.layer()); });
  context_.commands.bind(
      "sweep.network",
      [this, sweep_thresholds] {
        context_.selection.setLayer(-1);
        sweep_thresholds();
      },
      [this] { return whyNoSweep(-1); });
  context_.commands.bind(
      "sweep.dataflows",
      [this] {
        docks_.show("sweeps");
        sweep_.showKind(SweepPanel::Kind::dataflows);
        jobs_.sweeps().sweepDataflows();
      },
      can_run);
  context_.commands.bind(
      "sweep.packings",
      [this] {
        docks_.show("sweeps");
        sweep_.showKind(SweepPanel::Kind::packings);
        jobs_.sweeps().sweepPackings(sweep_.packs());
      },
      can_run);
}

/// Keeps the estimated durations of Measure and of the sweeps up to date. Layer results can arrive at a high
/// rate, so the estimates are updated together with the views and not after each result.
void Runs::bindDurations() {
  Workspace& workspace = context_.workspace;
  CommandSet& commands = context_.commands;
  const auto protocol = [this] { return jobs_.lane().protocol(); };
  const auto sweep_of = [&workspace, protocol](int layer) {
    return threshold_sweep_duration_text(workspace, layer, protocol());
  };
  commands.setNote("run.measure", [this, &workspace, protocol] {
    return whyNoRun().isEmpty() ? measure_duration_text(workspace, protocol()) : QString();
  });
  commands.setNote("run.training", [this, &workspace, protocol] {
    return whyNoTraining().isEmpty() ? training_duration_text(workspace, protocol(), jobs_.runs().stepBytes())
                                     : QString();
  });
  commands.setNote("sweep.thresholds", [this, sweep_of] {
    return whyNoRun().isEmpty() ? sweep_of(context_.selection.layer()) : QString();
  });
  commands.setNote("sweep.dataflows", [this, &workspace, protocol] {
    return whyNoRun().isEmpty()
               ? dataflow_sweep_duration_text(workspace, context_.selection.layer(), protocol())
               : QString();
  });
  commands.setNote("sweep.network",
                   [this, sweep_of] { return whyNoRun().isEmpty() ? sweep_of(-1) : QString(); });
  commands.setNote("sweep.packings", [this, &workspace, protocol] {
    const int packings = static_cast<int>(sweep_.packs().size());
    return whyNoRun().isEmpty() ? pack_sweep_duration_text(workspace, packings, protocol()) : QString();
  });
  const auto soon = [this, &workspace] {
    workspace.viewUpdates().add(
        this, [this] { followDurations(); }, false);
  };
  connect(&workspace.results(), &RunResults::measurementChanged, this, soon);
  connect(&workspace.requested(), &RequestedSettings::planChanged, this, soon);
  connect(&workspace.scene(), &OpenScene::voxelsChanged, this, soon);
  for (const auto changed : {&Workspace::networkChanged, &Workspace::deviceChanged})
    connect(&workspace, changed, this, soon);
  connect(&workspace.results(), &RunResults::layerChanged, this, soon);
  connect(&context_.selection, &Selection::layerChanged, this, soon);
  connect(&jobs_.lane().task(), &TaskSlot::finished, this, soon);
  followDurations();
}

void Runs::followDurations() {
  const Workspace& workspace = context_.workspace;
  const SamplingProtocol& protocol = jobs_.lane().protocol();
  const bool possible = workspace.scene().voxels() && workspace.network();
  sweep_.setDurations(
      possible ? threshold_sweep_duration_text(workspace, context_.selection.layer(), protocol) : QString(),
      possible ? pack_sweep_duration_text(workspace, static_cast<int>(sweep_.packs().size()), protocol)
               : QString(),
      possible ? dataflow_sweep_duration_text(workspace, context_.selection.layer(), protocol) : QString());
  context_.commands.refreshSoon();
}

/// Implements the precision commands. If the user has not set a precision, runs use the precision in which
/// networks usually run on the device.
void Runs::bindPrecisions() {
  Workspace& workspace = context_.workspace;
  const std::vector<std::pair<QString, std::optional<Precision>>> choices{
      {"precision.auto", std::nullopt},
      {"precision.fp16", Precision::fp16},
      {"precision.fp32", Precision::fp32}};
  for (const auto& [id, precision] : choices) {
    const auto follow = context_.commands.bindMark(
        id, [&workspace, precision = precision] { workspace.choosePrecision(precision); },
        [&workspace, precision = precision] { return workspace.requested().chosenPrecision() == precision; },
        [&workspace] {
          return workspace.results().report() ? tr("this is a recorded run; its precision cannot be changed")
                                              : QString();
        });
    connect(&workspace.requested(), &RequestedSettings::precisionChoiceChanged, this, follow);
  }
}

}  // namespace spira::ui
