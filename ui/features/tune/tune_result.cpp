#include "ui/features/tune/tune_result.hpp"

#include "engine/base/text.hpp"
#include "engine/tune/choice_text.hpp"
#include "ui/features/tune/groups_pane.hpp"
#include "ui/features/tune/matrix_pane.hpp"
#include "ui/theme/screen_number.hpp"

#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QTabBar>
#include <QTableWidget>
#include <QVBoxLayout>

#include <utility>

namespace spira::ui {
namespace {

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

void set_up(QTableWidget& table, const QString& name) {
  table.setAccessibleName(name);
  table.verticalHeader()->setDefaultSectionSize(21);
  table.setEditTriggers(QAbstractItemView::NoEditTriggers);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.setShowGrid(false);
  table.setTabKeyNavigation(false);
  table.setWordWrap(false);
  table.horizontalHeader()->setHighlightSections(false);
}

}  // namespace

TuneResult::TuneResult(MatrixPane* matrix, GroupsPane* groups, QWidget* parent)
    : QTabWidget(parent),
      groups_(groups),
      regret_(new QTableWidget),
      regret_text_(new QLabel),
      checks_(new QLabel) {
  setAccessibleName(tr("Results of tuning"));
  setDocumentMode(true);
  tabBar()->setDrawBase(false);
  // The row of the tabs also contains other buttons. In a narrow panel, the user must be able to scroll the
  // tabs.
  tabBar()->setUsesScrollButtons(true);
  addTab(matrix, tr("Matrix"));
  addTab(groups, tr("Groups"));
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(4, 4, 4, 4);
  regret_text_->setWordWrap(true);
  layout->addWidget(regret_text_);
  layout->addWidget(regret_, 1);
  set_up(*regret_, tr("Regret over the scenes"));
  addTab(page, tr("Regret"));
  checks_->setWordWrap(true);
  checks_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  checks_->setMargin(8);
  checks_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* scroll = new QScrollArea;
  scroll->setWidget(checks_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  addTab(scroll, tr("Whole network"));
  profile_tabs_ = {page, scroll};
  showProfileTabs();
}

void TuneResult::setProfile(std::shared_ptr<const TuningProfile> profile) {
  if (profile == profile_) return;
  profile_ = std::move(profile);
  showProfileTabs();
  if (!profile_) return;
  fillRegret();
  checks_->setText(checksHtml());
}

/// Hides the tabs that are empty without a profile, because the row of the tabs also contains other buttons.
void TuneResult::showProfileTabs() {
  for (QWidget* tab : profile_tabs_)
    setTabVisible(indexOf(tab), profile_ != nullptr);
}

QString TuneResult::checks() const {
  return checks_->text();
}

void TuneResult::fillRegret() {
  const int scenes = static_cast<int>(profile_->scenes.size());
  const bool any = scenes > 1 && !profile_->regret.empty();
  regret_->setVisible(any);
  regret_text_->setText(any ? tr("Additional time of maps and features on each scene (from medians), "
                                 "compared with the settings chosen for that scene. Tied: the additional "
                                 "time is not distinguishable from zero, so the simpler setting is used.")
                            : tr("Tune on two or more scenes to see how much time a scene loses with the "
                                 "settings chosen for another scene."));
  regret_->setRowCount(any ? static_cast<int>(profile_->regret.size()) : 0);
  regret_->setColumnCount(any ? scenes : 0);
  QStringList on, picked;
  for (const TunedScene& scene : profile_->scenes) {
    on += tr("on %1").arg(text(scene.name));
    picked += tr("settings for %1").arg(text(scene.name));
  }
  picked += tr("the profile (all scenes)");
  regret_->setHorizontalHeaderLabels(on);
  regret_->setVerticalHeaderLabels(picked);
  for (int row = 0; row < regret_->rowCount(); ++row) {
    for (int column = 0; column < regret_->columnCount(); ++column) {
      const auto& regret = profile_->regret[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
      auto* item = new QTableWidgetItem(regret ? onScreen(regret_text(regret)) : tr("not measured"));
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      regret_->setItem(row, column, item);
    }
  }
  regret_->resizeColumnsToContents();
}

QString TuneResult::checksHtml() const {
  QString html;
  for (const PlanCheck& check : profile_->checks) {
    const auto& scene = profile_->scenes.at(static_cast<std::size_t>(check.scene));
    html +=
        QString("<p><b>%1</b>, %2<br>")
            .arg(text(scene.name).toHtmlEscaped(), counted(scene.voxels(1), tr("1 voxel"), tr("%1 voxels")));
    html += tr("output compared with t = max: largest relative difference %1 (%2)")
                .arg(text(scientific(check.output.max_rel)), check.output.ok ? tr("correct") : tr("WRONG"));
    if (!check.not_compiled.empty())
      html += "<br>" + tr("CUDA graph not compiled: %1").arg(text(check.not_compiled).toHtmlEscaped());
    if (!check.layer_picks.ms.empty()) {
      html += "<br>" +
              tr("t = max as a CUDA graph: %1. The settings chosen layer by layer do not compile to a CUDA "
                 "graph; t = max compared with these settings: %2. Therefore all layers use t = max.")
                  .arg(onScreen(ms_text(check.one_graph.stats().median)),
                       text(gain_text(check.layer_picks, check.one_graph)));
      html += "</p>";
      continue;
    }
    if (check.tuned.ms.empty()) {
      html += "<br>" + tr("not compared: the tuned plan is t = max, or the whole network was not measured") +
              "</p>";
      continue;
    }
    const Statistics s = check.tuned.stats();
    html += "<br>" + tr("tuned: %1, median of %2, IQR %3")
                         .arg(onScreen(ms_text(s.median)))
                         .arg(counted(s.n, tr("1 sample"), tr("%1 samples")))
                         .arg(onScreen(ms_text(s.iqr())));
    html += "<br>" +
            tr("compared with t = max: %1").arg(text(gain_text(check.all_output_stationary, check.tuned)));
    html +=
        "<br>" + tr("compared with t = 0: %1").arg(text(gain_text(check.all_weight_stationary, check.tuned)));
    if (!check.one_graph.ms.empty())
      html +=
          "<br>" +
          tr("compared with t = max as a CUDA graph: %1").arg(text(gain_text(check.one_graph, check.tuned)));
    html += "</p>";
  }
  if (html.isEmpty()) html = tr("The time limit was reached before the whole network was checked.");
  if (!profile_->undecided.empty())
    html += tr("<p>not measured: %1; the first is %2</p>")
                .arg(counted(std::ssize(profile_->undecided), tr("1 layer"), tr("%1 layers")),
                     text(profile_->undecided.front()).toHtmlEscaped());
  return html;
}

}  // namespace spira::ui
