#include "ui/features/tune/profile_views.hpp"

#include "engine/report/advice/advice.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/model/undo_step.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"

#include <QMainWindow>

#include <utility>
#include <vector>

namespace spira::ui {

ProfileViews::ProfileViews(const FeatureContext& context, ProfileTools& tools, EngineJobs& jobs,
                           ParameterHistory& history, const Views& views)
    : QObject(&context.window), context_(context), tools_(tools), views_(views) {
  addJobBars(jobs);
  followMap(jobs);
  connectProfile(history);
  connectCompared();
  views.sweep.setTuning(tools.tuning());
  views.timeline.addCommands(context.commands);
  connect(&views.summary, &SummaryPanel::evidenceWanted, this, &ProfileViews::showEvidence);
  connect(&views.summary, &SummaryPanel::timeWanted, this, &ProfileViews::showTimeOf);
  connect(&views.summary, &SummaryPanel::packRequested, &jobs.scenes(), &SceneJobs::usePack);
}

void ProfileViews::addJobBars(EngineJobs& jobs) {
  using Doing = EngineLane::Doing;
  views_.breakdown.addAbove(new JobBar(&jobs, {Doing::running, Doing::measuring}));
  views_.sweep.addAbove(new JobBar(&jobs, {Doing::sweeping}));
  for (Panel* panel : std::initializer_list<Panel*>{&views_.density, tools_.mapPanel()})
    panel->addAbove(new JobBar(&jobs, {Doing::scene_map, Doing::running}));
}

/// Tells the panels that need the kernel map whether a job builds it. If no job builds it, they offer to
/// build it.
void ProfileViews::followMap(EngineJobs& jobs) {
  connect(&jobs.lane().task(), &TaskSlot::started, this, [this] { setMapStopped(false); });
  connect(&jobs.lane().task(), &TaskSlot::finished, this, [this, &task = jobs.lane().task()] {
    setMapStopped(!context_.workspace.shownMap(-1).densities && !task.busy());
  });
}

void ProfileViews::setMapStopped(bool stopped) {
  views_.density.setMapStopped(stopped);
  tools_.mapPanel()->setMapStopped(stopped);
}

void ProfileViews::connectProfile(ParameterHistory& history) {
  connect(&tools_, &ProfileTools::profileReported, this,
          [this](const QString& title, const QString& text, bool refused) {
            std::vector<NoticeAction> actions;
            if (refused)
              actions.push_back({tr("Use anyway"), [this] { context_.commands.trigger("tune.use_anyway"); }});
            profile_notice_ = context_.notices.showNote(title, text, std::move(actions));
          });
  connect(&tools_, &ProfileTools::profileReportOutdated, this,
          [this] { context_.notices.withdraw(std::exchange(profile_notice_, 0)); });
  Comparing* comparing = tools_.comparing();
  connect(comparing, &Comparing::edited, this,
          [comparing, &history](const QString& what, const Baselines& before) {
            history.stack()->push(new UndoStep(
                what, [comparing, before] { comparing->restore(before); },
                [comparing, after = comparing->keep()] { comparing->restore(after); }));
          });
}

void ProfileViews::connectCompared() {
  ComparedScenes* compared = &views_.compared;
  connect(&views_.docks, &DockLayout::sideBySideRequested, compared, &ComparedScenes::setSideBySide);
  connect(compared, &ComparedScenes::commandRequested, this,
          [this](const QString& id) { context_.commands.trigger(id); });
  connect(compared, &ComparedScenes::findRequested, this, [this](const QString& scene) {
    const QString file = context_.dialogs.openFile(&context_.window, tr("Find %1").arg(scene));
    if (!file.isEmpty()) views_.compared.findIn(file);
  });
  connect(compared, &ComparedScenes::viewMade, this,
          [this](QWidget* view) { context_.commands.addPlainKeysTo(view); });
}

void ProfileViews::showEvidence(const Advice& advice) {
  if (advice.layer >= 0) context_.selection.setLayer(advice.layer);
  DockLayout& docks = views_.docks;
  switch (advice.view) {
    case AdviceView::scene:
      return docks.show("points");
    case AdviceView::densities:
      return docks.show("density");
    case AdviceView::breakdown:
      return docks.show("breakdown");
    case AdviceView::sweeps:
      views_.sweep.showPackings(advice.change.pack.has_value());
      return docks.show("sweeps");
    case AdviceView::timeline:
      return docks.show("timeline");
    case AdviceView::tuning:
      return docks.show("tune");
  }
}

/// Shows the layer in the timeline and gives the timeline the keyboard focus. Shows the layer in the
/// breakdown if the report has no timeline.
void ProfileViews::showTimeOf(int layer) {
  context_.selection.setLayer(layer);
  TimelineChart* chart = views_.timeline.chart();
  if (!chart->hasContent()) return views_.docks.show("breakdown");
  views_.docks.show("timeline");
  chart->setFocus(Qt::OtherFocusReason);
}

}  // namespace spira::ui
