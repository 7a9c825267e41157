// Advice, comparison and tuning in the main window.
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"
#include "ui/window/undo_step.hpp"

#include <QTabWidget>

namespace spira::ui {

void MainWindow::connectProfileTools() {
  profile_tools_->bind(*commands_);
  profile_tools_->setMayReplace(
      [this] { return unsaved_->mayClose(UnsavedResults::Closing::profile, tr("Open another profile?")); });
  using Doing = EngineLane::Doing;
  breakdown_->addAbove(new JobBar(jobs_, {Doing::running, Doing::measuring}));
  sweep_->addAbove(new JobBar(jobs_, {Doing::sweeping}));
  for (Panel* panel : std::initializer_list<Panel*>{density_, profile_tools_->mapPanel()})
    panel->addAbove(new JobBar(jobs_, {Doing::scene_map, Doing::running}));
  sweep_->setTuning(profile_tools_->tuning());
  connect(profile_tools_, &ProfileTools::failed, this, &MainWindow::showError);
  connect(profile_tools_, &ProfileTools::openWanted, this, [this](const QString& file) { open(file); });
  connect(profile_tools_, &ProfileTools::profileSaid, this,
          [this](const QString& title, const QString& text, bool refused) {
            std::vector<Banner::WayOut> ways;
            if (refused)
              ways.push_back({tr("Use anyway"), [this] { commands_->trigger("tune.use_anyway"); }});
            banner_->ask(title, text, ways, nullptr);
          });
  connect(profile_tools_, &ProfileTools::profileOver, this, [this](const QString& title) {
    if (!title.isEmpty() && banner_->text().contains(title.toHtmlEscaped())) banner_->hideMessage();
  });
  connect(compared_, &ComparedScenes::commandRequested, this,
          [this](const QString& id) { commands_->trigger(id); });
  connect(compared_, &ComparedScenes::findRequested, this, [this](const QString& scene) {
    const QString file = file_dialogs_.openFile(this, tr("Find %1").arg(scene));
    if (!file.isEmpty()) compared_->findIn(file);
  });
  connect(compared_, &ComparedScenes::viewMade, this,
          [this](QWidget* view) { commands_->addPlainKeysTo(view); });
  Comparing* comparing = profile_tools_->comparing();
  connect(comparing, &Comparing::edited, this,
          [this, comparing](const QString& what, const Baselines& before) {
            history_->stack()->push(new UndoStep(
                what, [comparing, before] { comparing->restore(before); },
                [comparing, after = comparing->keep()] { comparing->restore(after); }));
          });
  connect(summary_, &SummaryPanel::evidenceWanted, this, &MainWindow::showEvidence);
  connect(summary_, &SummaryPanel::timeWanted, this, &MainWindow::showTimeOf);
  connect(summary_, &SummaryPanel::packRequested, &jobs_->scenes(), &SceneJobs::usePack);
  for (Panel* panel : std::initializer_list<Panel*>{
           profile_tools_->mapPanel(), profile_tools_->comparePanel(), profile_tools_->tunePanel()}) {
    connect(panel, &Panel::commandRequested, this, [this](const QString& id) { commands_->trigger(id); });
    commands_->addPlainKeysTo(panel);
  }
}

void MainWindow::showEvidence(const Advice& advice) {
  if (advice.layer >= 0) selection_->setLayer(advice.layer);
  switch (advice.view) {
    case AdviceView::scene:
      return right_tabs_->setCurrentWidget(points_);
    case AdviceView::densities:
      return right_tabs_->setCurrentWidget(density_);
    case AdviceView::breakdown:
      return bottom_tabs_->setCurrentWidget(breakdown_);
    case AdviceView::sweeps:
      sweep_->showPackings(advice.change.pack.has_value());
      return bottom_tabs_->setCurrentWidget(sweep_);
    case AdviceView::timeline:
      return bottom_tabs_->setCurrentWidget(timeline_);
    case AdviceView::tuning:
      return bottom_tabs_->setCurrentWidget(profile_tools_->tunePanel());
  }
}

/// Shows the layer in the timeline, with the focus for its shortcuts. Uses the breakdown if the report has no
/// timeline.
void MainWindow::showTimeOf(int layer) {
  selection_->setLayer(layer);
  if (!timeline_->chart()->hasContent()) return bottom_tabs_->setCurrentWidget(breakdown_);
  bottom_tabs_->setCurrentWidget(timeline_);
  timeline_->chart()->setFocus(Qt::OtherFocusReason);
}

}  // namespace spira::ui
