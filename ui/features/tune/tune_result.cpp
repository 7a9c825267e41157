#include "ui/features/tune/tune_result.hpp"

#include "engine/base/text.hpp"
#include "engine/tune/choice_text.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/theme/screen_number.hpp"

#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QTabBar>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
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

/// Returns the text about the output check of the selected t. It contains the largest error over all scenes,
/// compared with the output of t = max.
QString check_text(const TuningProfile& profile, const TunedShape& shape) {
  double worst = 0;
  bool any = false, ok = true;
  for (const FeatureRecord& record : profile.features) {
    if (record.shape != shape.shape || record.threshold != shape.choice.threshold) continue;
    any = true;
    ok = ok && record.output.ok;
    worst = std::max(worst, record.output.max_rel);
  }
  if (!any) return {};
  return ok ? TuneResult::tr("correct (%1)").arg(text(scientific(worst)))
            : TuneResult::tr("WRONG (%1)").arg(text(scientific(worst)));
}

}  // namespace

TuneResult::TuneResult(Theme* theme, QWidget* parent)
    : QTabWidget(parent),
      choices_(new QTableWidget),
      regret_(new QTableWidget),
      regret_text_(new QLabel),
      checks_(new QLabel),
      samples_(new SamplesPane(theme)) {
  setDocumentMode(true);
  tabBar()->setDrawBase(false);
  set_up(*choices_, tr("Settings of the profile"));
  choices_->verticalHeader()->hide();
  choices_->setColumnCount(10);
  choices_->setHorizontalHeaderLabels({tr("Layers"), tr("t"), tr("Why"), tr("Margin, ms"), tr("Median, ms"),
                                       tr("IQR, ms"), tr("n"), tr("t = max, ms"), tr("Shape"), tr("Output")});
  choices_->horizontalHeaderItem(4)->setToolTip(tr("Feature time of one layer with the chosen t"));
  choices_->horizontalHeaderItem(3)->setToolTip(
      tr("Extra time of the next best t, for all layers of the shape and their map"));
  choices_->horizontalHeaderItem(9)->setToolTip(tr("Largest relative difference from the output of t = max"));
  choices_->horizontalHeader()->setStretchLastSection(true);
  choices_->setToolTip(tr("Click a row to see the samples of every measured t"));
  auto* halves = new QSplitter(Qt::Horizontal);
  halves->addWidget(choices_);
  halves->addWidget(samples_);
  halves->setChildrenCollapsible(false);
  halves->setStretchFactor(0, 1);
  samples_->hide();
  addTab(halves, tr("Layers"));
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
  connect(choices_, &QTableWidget::currentCellChanged, this, [this](int row, int, int former) {
    if (row != former && profile_ && row >= 0 && row < static_cast<int>(profile_->choices.size()))
      emit layerChosen(text(profile_->choices[static_cast<std::size_t>(row)].layers.front()));
  });
  connect(choices_, &QTableWidget::cellClicked, this, &TuneResult::showSamples);
  connect(choices_, &QTableWidget::cellActivated, this, &TuneResult::showSamples);
  connect(samples_, &SamplesPane::closeRequested, samples_, &QWidget::hide);
}

void TuneResult::setProfile(std::shared_ptr<const TuningProfile> profile) {
  if (profile == profile_) return;
  profile_ = std::move(profile);
  samples_->hide();  // The visible samples belong to the previous profile.
  if (!profile_) return;
  fillChoices();
  fillRegret();
  checks_->setText(checksHtml());
}

QString TuneResult::checks() const {
  return checks_->text();
}

void TuneResult::fillChoices() {
  choices_->setRowCount(static_cast<int>(profile_->choices.size()));
  for (int row = 0; row < choices_->rowCount(); ++row) {
    const TunedShape& shape = profile_->choices[static_cast<std::size_t>(row)];
    const ThresholdCost* cost = measured_cost(shape, shape.choice.threshold);
    const ThresholdCost* plain = cost_of_max(shape);
    const auto margin = margin_ms(shape);
    const QStringList cells{text(layers_text(shape)),
                            QString::number(shape.choice.threshold),
                            text(choice_note(shape)),
                            margin ? onScreen(fixed(*margin, 3)) : QString(),
                            cost == nullptr ? QString() : onScreen(fixed(cost->median_ms, 3)),
                            cost == nullptr ? QString() : onScreen(fixed(cost->iqr_ms, 3)),
                            cost == nullptr ? QString() : QString::number(cost->n),
                            plain == nullptr ? QString() : onScreen(fixed(plain->median_ms, 3)),
                            text(shape.shape.text()),
                            check_text(*profile_, shape)};
    QStringList names;
    for (const auto& layer : shape.layers)
      names += text(layer);
    for (int column = 0; column < cells.size(); ++column) {
      auto* item = new QTableWidgetItem(cells[column]);
      const bool figures = column == 1 || (column >= 3 && column <= 7);
      item->setTextAlignment(figures ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
      item->setToolTip(column == 0 ? names.join(", ") : cells[column]);
      choices_->setItem(row, column, item);
    }
  }
  choices_->resizeColumnsToContents();
}

/// Shows the samples of one row: first the selected t, then the other t in the order of the profile.
void TuneResult::showSamples(int row) {
  const TunedShape& shape = profile_->choices.at(static_cast<std::size_t>(row));
  std::vector<SampleSeries> chosen, others;
  for (const FeatureRecord& record : profile_->features) {
    if (record.shape != shape.shape) continue;
    const QString scene = text(profile_->scenes.at(static_cast<std::size_t>(record.scene)).name);
    auto& series = record.threshold == shape.choice.threshold ? chosen : others;
    series.push_back({tr("t = %1, %2").arg(record.threshold).arg(scene), record.ms});
  }
  chosen.insert(chosen.end(), others.begin(), others.end());
  samples_->setSeries(text(layers_text(shape)), std::move(chosen));
  samples_->show();
}

void TuneResult::fillRegret() {
  const int scenes = static_cast<int>(profile_->scenes.size());
  const bool any = scenes > 1 && !profile_->regret.empty();
  regret_->setVisible(any);
  regret_text_->setText(
      any ? tr("Extra cost of maps and features compared with the settings of the scene itself (from "
               "medians). Tied: not distinguishable from zero; the simpler setting is kept.")
          : tr("Tune on two or more scenes to see what the settings of one scene cost on another scene."));
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
      html += "<br>" + tr("CUDA graph: not compiled: %1").arg(text(check.not_compiled).toHtmlEscaped());
    if (!check.layer_picks.ms.empty()) {
      html += "<br>" + tr("t = max as a CUDA graph: %1; compared with the single-layer settings, which do "
                          "not compile to a CUDA graph: %2. Therefore all layers use t = max.")
                           .arg(onScreen(ms_text(check.one_graph.stats().median)),
                                text(gain_text(check.layer_picks, check.one_graph)));
      html += "</p>";
      continue;
    }
    if (check.tuned.ms.empty()) {
      html += "<br>" + tr("the tuned plan is t = max, or the whole network was not measured") + "</p>";
      continue;
    }
    const Statistics s = check.tuned.stats();
    html += "<br>" + tr("tuned: %1, median of %2, IQR %3")
                         .arg(onScreen(ms_text(s.median)))
                         .arg(s.n)
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
