#include "ui/features/tune/matrix_pane.hpp"

#include "engine/base/text.hpp"
#include "engine/tune/choice_text.hpp"
#include "engine/tune/tuner.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

MatrixPicks thresholds_of(const Plan& plan) {
  MatrixPicks picks;
  for (const LayerPlan& layer : plan.layers)
    picks.push_back(layer.threshold);
  return picks;
}

MatrixTotals totals_of(const SettingMatrix& matrix, const MatrixPicks& picks, const MatrixPicks& in_use) {
  const MatrixPicks max = max_picks(matrix);
  MatrixTotals totals{expected_total(matrix, picks, max), std::nullopt, in_use == max};
  if (!totals.max_in_use && in_use.size() == picks.size())
    totals.than_plan = expected_total(matrix, picks, in_use);
  return totals;
}

void make_matrix(const MatrixArgs& args, Job& job, const Send<MatrixMade>& send) {
  const MatrixPicks picks = thresholds_of(args.picks);
  if (args.matrix) send({args.matrix, totals_of(*args.matrix, picks, args.in_use)});
  if (!args.profile && !args.report) return;
  job.checkpoint({"matrix", 0, 0});
  auto matrix = std::make_shared<SettingMatrix>(
      args.report
          ? setting_matrix(*args.report->threshold_sweep, args.report->measurement, *args.network, args.picks)
          : setting_matrix(*args.profile, *args.network, args.picks));
  args.model.addTo(*matrix);
  const MatrixTotals totals = totals_of(*matrix, picks, args.in_use);
  send({std::move(matrix), totals});
}

/// Returns a comparison such as "5.2 % less than t = max (44.4 ms)". `other` is the name of the settings to
/// compare with.
QString than_text(const PicksTotal& total, const QString& other) {
  const double share = total.baseline_ms > 0 ? (total.ms / total.baseline_ms) - 1 : 0;
  const QString before = onScreen(ms_text(total.baseline_ms));
  if (total.verdict == Verdict::same) return MatrixPane::tr("the same as %1 (%2)").arg(other, before);
  if (total.verdict == Verdict::undecided)
    return MatrixPane::tr("not distinguishable from %1 (%2)").arg(other, before);
  return (share < 0 ? MatrixPane::tr("%1 less than %2 (%3)") : MatrixPane::tr("%1 more than %2 (%3)"))
      .arg(onScreen(percent_text(std::abs(share))), other, before);
}

/// Returns the largest difference, over all scenes, between the output with `threshold` and the output with t
/// = max. Returns an empty string if the difference was not measured.
QString output_text(const TuningProfile& profile, const LayerShape& shape, int threshold) {
  double worst = 0;
  bool any = false;
  for (const FeatureRecord& record : profile.features) {
    if (record.shape != shape || record.threshold != threshold) continue;
    any = true;
    worst = std::max(worst, record.output.max_rel);
  }
  return any ? MatrixPane::tr("largest difference from the output with t = max: %1 of the largest value")
                   .arg(onScreen(scientific(worst)))
             : QString();
}

/// Returns the setting and its time, for example "t = 2: 12.3 ms (IQR 0.4 ms, n = 15)".
QString row_text(const SweepRow& row) {
  const Statistics s = row.wall.stats();
  return MatrixPane::tr("t = %1: %2 (IQR %3, n = %4)")
      .arg(row.threshold)
      .arg(onScreen(ms_text(s.median)), onScreen(ms_text(s.iqr())))
      .arg(s.n);
}

}  // namespace

MatrixPane::MatrixPane(const FeatureContext& context, Tuning* tuning, EngineJobs* jobs, QWidget* parent)
    : QWidget(parent),
      context_(context),
      tuning_(tuning),
      jobs_(jobs),
      chart_(new MatrixChart(&context.theme)),
      samples_(new SamplesPane(&context.theme)),
      samples_switch_(new QCheckBox(tr("samples"))),
      total_(new ElidedLabel),
      cell_(new ElidedLabel),
      none_(faint_label({}, this)),
      tools_(new QWidget),
      making_(context.tasks) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 2, 0, 0);
  layout->setSpacing(2);
  auto* head = new QHBoxLayout;
  auto* boxes = new QHBoxLayout(tools_);
  boxes->setContentsMargins(0, 0, 0, 0);
  boxes->addWidget(samples_switch_);
  boxes->addWidget(chart_->makeTableSwitch(tools_));
  head->addWidget(total_, 1);
  head->addWidget(tools_);
  auto* middle = new QHBoxLayout;
  middle->addWidget(chart_, 1);
  middle->addWidget(none_, 1);
  middle->addWidget(samples_);
  layout->addLayout(head);
  layout->addLayout(middle, 1);
  layout->addWidget(cell_);
  samples_->hide();
  none_->setAlignment(Qt::AlignCenter);
  samples_switch_->setToolTip(tr("Show the samples of the current cell"));
  connect(samples_switch_, &QCheckBox::toggled, this, &MatrixPane::showSamples);
  connect(samples_, &SamplesPane::closeRequested, samples_switch_,
          [this] { samples_switch_->setChecked(false); });
  connect(chart_, &MatrixChart::picked, this, &MatrixPane::pick);
  connect(chart_, &MatrixChart::compareRequested, this, &MatrixPane::compare);
  connect(chart_, &MatrixChart::currentChanged, this, [this](int row) {
    context_.selection.setLayer(row);
    showCell();
    showSamples();
  });
  connect(chart_, &MatrixChart::rowHovered, this, [this](int row) {
    Hover hover;
    hover.layer = row;
    context_.selection.setHover(hover);
  });
  connect(&context_.selection, &Selection::layerChanged, chart_, &MatrixChart::setChosenLayer);
  connect(tuning_, &Tuning::changed, this, &MatrixPane::follow);
  connect(tuning_, &Tuning::pickedChanged, this, &MatrixPane::follow);
  connect(&jobs_->sweeps(), &SweepJobs::thresholdsCompared, this, &MatrixPane::showComparison);
  connect(&jobs_->tuning(), &TuneJobs::stepDone, this, [this](const TuneStepDone& step) {
    step_ = step;
    follow();
    emit resultsChanged();
  });
  connect(&jobs_->lane().task(), &TaskSlot::finished, this, &MatrixPane::endTuning);
  connect(&context_.workspace, &Workspace::reportChanged, this, &MatrixPane::followReport);
  connect(&context_.workspace, &Workspace::measurementChanged, this, &MatrixPane::followMeasurement);
  follow();
}

QString MatrixPane::totalText() const {
  return total_->text();
}

QString MatrixPane::cellText() const {
  return cell_->text();
}

void MatrixPane::endTuning() {
  if (!step_ || jobs_->tuning().tuning()) return;
  step_.reset();
  follow();
  emit resultsChanged();
}

std::shared_ptr<const TuningProfile> MatrixPane::profile() const {
  if (step_) return step_->profile;
  return recorded() ? nullptr : tuning_->profile();
}

std::shared_ptr<const Report> MatrixPane::recorded() const {
  const auto& report = context_.workspace.report();
  const bool shown = report && !step_ && tuning_->profile() == passed_over_ && report->threshold_sweep &&
                     has_matrix(*report->threshold_sweep);
  return shown ? report : nullptr;
}

void MatrixPane::followReport() {
  passed_over_ = context_.workspace.report() ? tuning_->profile() : nullptr;
  follow();
  emit resultsChanged();
}

/// Predicts the times of settings again, because the predictions use the measurement.
void MatrixPane::followMeasurement() {
  if (context_.workspace.report() || step_) return;
  made_for_ = {};
  follow();
}

bool MatrixPane::sameNetwork(const TuningProfile& profile) const {
  const auto& network = context_.workspace.network();
  return network && profile.network_fingerprint == fingerprint_of(*network);
}

bool MatrixPane::hasResults() const {
  return profile() != nullptr || recorded() != nullptr;
}

QString MatrixPane::whyNone() const {
  if (recorded()) return {};
  const auto profile = this->profile();
  if (!profile)
    return context_.workspace.report()
               ? tr("This report contains no sweep of t, so it has no matrix; open a report with a sweep, or "
                    "the profile of this network.")
               : tr("No profile yet. Press Tune, or open a profile.");
  if (sameNetwork(*profile)) return {};
  return tr("The profile was measured with a different network (%1). Choose that network to see its matrix.")
      .arg(QString::fromStdString(profile->network));
}

Plan MatrixPane::picks() const {
  const bool of_scene = !step_ && tuning_->applied();
  const auto report = recorded();
  Plan plan = report     ? report->measurement.plan
              : of_scene ? tuning_->applied()->plan
                         : plan_of(*profile(), *context_.workspace.network());
  for (const auto& [layer, setting] : tuning_->picked()) {
    plan.layers.at(static_cast<std::size_t>(layer)).threshold = setting.threshold;
    plan.layers.at(static_cast<std::size_t>(layer)).algorithm = setting.algorithm;
  }
  return plan;
}

/// Shows the picks immediately. Updates the matrix and the totals as soon as they have been computed.
void MatrixPane::follow() {
  const auto profile = this->profile();
  none_->setText(whyNone());
  none_->setVisible(!none_->text().isEmpty());
  for (QWidget* part : std::initializer_list<QWidget*>{chart_, tools_, cell_})
    part->setVisible(none_->isHidden());
  if (!recorded() && (!profile || !sameNetwork(*profile))) {
    making_.cancel();
    made_for_ = {};
    totals_.reset();
    chart_->setMatrix(nullptr, {});
    total_->setText({});
    cell_->setText({});
    samples_switch_->setChecked(false);
    return;
  }
  const auto& plan = context_.workspace.plan();
  const MatrixPicks in_use =
      plan.layers.size() == context_.workspace.network()->layers.size() ? thresholds_of(plan) : MatrixPicks{};
  chart_->setPicks(thresholds_of(picks()), in_use);
  make();
}

void MatrixPane::make() {
  const auto profile = this->profile();
  const auto report = recorded();
  const auto source = report ? std::shared_ptr<const void>(report) : std::shared_ptr<const void>(profile);
  const Plan picked = picks();
  MatrixArgs args;
  args.network = context_.workspace.network();
  args.picks = picked;
  args.in_use = thresholds_of(context_.workspace.plan());
  if (step_) {
    args.matrix = step_->matrix;
  } else {
    const bool current = made_for_.source == source && made_for_.picks == picked.layers;
    args.matrix = made_for_.source == source ? chart_->matrix() : nullptr;
    if (!current || !args.matrix) {
      args.profile = profile;
      args.report = report;
      if (report || is_of_measurement(*profile, context_.workspace))
        args.model = run_model(context_.workspace);
    }
  }
  making_.start(tr("Matrix"), make_matrix, std::move(args),
                [this, source, layers = picked.layers](const MatrixMade& made) {
                  const bool fresh = made.matrix != chart_->matrix();
                  if (fresh || step_) made_for_ = {source, layers};
                  show(made);
                });
}

void MatrixPane::show(const MatrixMade& made) {
  const auto profile = this->profile();
  if (made.matrix != chart_->matrix()) {
    const auto text = [](const std::string& value) { return QString::fromStdString(value); };
    const auto report = recorded();
    chart_->setMatrix(
        made.matrix,
        report ? tr("%1 on %2, recorded %3")
                     .arg(networkText(report->network), text(report->threshold_sweep->device.name),
                          dateText(report->created))
               : tr("%1 on %2")
                     .arg(networkText(profile->network, profile->network), text(profile->device.name)));
    chart_->setChosenLayer(context_.selection.layer());
    showCell();
    showSamples();
  }
  totals_ = made.totals;
  const PicksTotal& max = made.totals.than_max;
  const auto& plan = made.totals.than_plan;
  // If layers have no samples of t = max, the comparison with the current plan contains more layers. In this
  // case, the two sums must not be shown together.
  const bool plan_only = plan && plan->layers > max.layers;
  const PicksTotal& total = plan_only ? *plan : max;
  if (total.layers == 0) return total_->setText(tr("Expected time: no layer is measured yet"));
  const QString with_plan = plan ? than_text(*plan, tr("the current plan")) : QString();
  QString text =
      tr("Expected time with the picked settings: %1, %2")
          .arg(onScreen(ms_text(total.ms)),
               plan_only ? with_plan
                         : than_text(max, made.totals.max_in_use ? tr("t = max (in use)") : tr("t = max")));
  if (plan && !plan_only && plan->layers == max.layers) text += tr("; %1").arg(with_plan);
  if (!total.missing.empty())
    text += tr("; not included: %1").arg(QString::fromStdString(listed_names(total.missing)));
  total_->setText(text);
}

void MatrixPane::showCell() {
  const MatrixPlace at = chart_->current();
  if (!chart_->hasContent() || at.row < 0 || at.column < 0)
    return cell_->setText(
        tr("Click a cell to pick its t, or drag over a column. Shift+click compares it with "
           "the picked t."));
  QString text = chart_->tipOf(at);
  const auto profile = this->profile();
  if (!profile) return cell_->setText(text.replace('\n', "; "));
  const MatrixRow& row = chart_->matrix()->rows.at(static_cast<std::size_t>(at.row));
  const TunedShape* tuned = choice_for(*profile, row.layer, row.shape, chart_->matrix()->levels);
  if (const QString difference = output_text(*profile, row.shape, chart_->cellAt(at).setting.threshold);
      !difference.isEmpty())
    text += "\n" + difference;
  if (tuned != nullptr) {
    text += "\n" + tr("Chosen by the tuner: t = %1, %2")
                       .arg(tuned->choice.threshold)
                       .arg(QString::fromStdString(choice_note(*tuned)));
    if (const auto margin = margin_ms(*tuned)) text += tr(", margin %1").arg(onScreen(ms_text(*margin)));
  }
  cell_->setText(text.replace('\n', "; "));
}

/// Shows the samples of the current cell first, then the samples of the other settings of the layer.
void MatrixPane::showSamples() {
  const MatrixPlace at = chart_->current();
  const bool shown = samples_switch_->isChecked() && chart_->hasContent() && at.row >= 0 && at.column >= 0;
  samples_->setVisible(shown);
  if (!shown) return;
  const auto index = static_cast<std::size_t>(at.row);
  const SettingMatrix& matrix = *chart_->matrix();
  const int t = chart_->cellAt(at).setting.threshold;
  std::vector<SampleSeries> first, others;
  for (const MatrixGroup& group : matrix.groups) {
    for (std::size_t layer = 0; layer < group.rows.size(); ++layer) {
      if (group.rows[layer] != index) continue;
      for (const FeatureSetting& setting : group.times.shapes[layer].settings) {
        for (std::size_t scene = 0; scene < setting.ms.size(); ++scene) {
          if (setting.ms[scene].empty()) continue;
          (setting.threshold == t ? first : others)
              .push_back({tr("t = %1, %2").arg(setting.threshold).arg(sceneName(scene)), setting.ms[scene]});
        }
      }
    }
  }
  first.insert(first.end(), others.begin(), others.end());
  samples_->setSeries(QString::fromStdString(matrix.rows[index].layer), std::move(first));
}

QString MatrixPane::sceneName(std::size_t scene) const {
  const auto profile = this->profile();
  if (!profile) return recorded() ? QString::fromStdString(recorded()->scene.name) : QString();
  return QString::fromStdString(profile->scenes.at(scene).name);
}

void MatrixPane::pick(const std::vector<int>& rows, int column) {
  PickedSettings more;
  for (const int row : rows)
    more[row] = chart_->cellAt({row, column}).setting;
  tuning_->pick(more);
}

void MatrixPane::compare(int row, int column) {
  const auto at = static_cast<std::size_t>(row);
  const int picked = chart_->picks().at(at), other = chart_->cellAt({row, column}).setting.threshold;
  const QString layer = QString::fromStdString(chart_->matrix()->rows.at(at).layer);
  if (context_.workspace.report() || !context_.workspace.voxels())
    return cell_->setText(tr("Open a scene to compare two values of t for %1.").arg(layer));
  if (!jobs_->lane().readyToRun()) return cell_->setText(tr("A job is running; stop it first."));
  if (other == picked)
    return cell_->setText(tr("t = %1 is the picked setting. Shift+click another cell of %2 to compare.")
                              .arg(picked)
                              .arg(layer));
  cell_->setText(tr("%1: comparing t = %2 and t = %3...").arg(layer).arg(picked).arg(other));
  jobs_->sweeps().compareThresholds(row, picked, other);
}

void MatrixPane::showComparison(const std::shared_ptr<const Sweep>& sweep) {
  const auto& network = context_.workspace.network();
  if (!network || sweep->rows.size() != 2) return;
  const SweepRow &picked = sweep->rows[0], &other = sweep->rows[1];
  const QString layer =
      QString::fromStdString(network->layers.at(static_cast<std::size_t>(sweep->layer)).name);
  QString text =
      tr("%1, map and features, interleaved samples: %2; %3").arg(layer, row_text(picked), row_text(other));
  switch (verdict(picked.wall.ms, other.wall.ms)) {
    case Verdict::faster:
      text += tr("; t = %1 is faster").arg(other.threshold);
      break;
    case Verdict::slower:
      text += tr("; t = %1 is faster").arg(picked.threshold);
      break;
    case Verdict::same:
      text += tr("; the same time within 1 %");
      break;
    case Verdict::undecided:
      text += tr("; undecided: the samples do not show which is faster");
      break;
  }
  if (const auto ratio = median_ratio(picked.wall.ms, other.wall.ms))
    text += tr(" (ratio %1, 95 %: %2 to %3)")
                .arg(onScreen(ratio->ratio(), 'f', 3), onScreen(ratio->low, 'f', 3),
                     onScreen(ratio->high, 'f', 3));
  cell_->setText(text);
}

std::string MatrixPane::csv() const {
  SettingMatrix matrix = *chart_->matrix();
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    for (MatrixCell& cell : matrix.rows[row].cells)
      cell.current = cell.state != CellState::infeasible && cell.setting.threshold == chart_->picks().at(row);
  }
  return matrix_csv(matrix);
}

}  // namespace spira::ui
