#include "ui/features/tune/matrix_pane.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/tune/choice_text.hpp"
#include "engine/tune/tuner.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/profile/run_overview.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

/// Returns the settings of all layers without their mapping algorithms.
std::vector<LayerSetting> dataflows_of(const Plan& plan) {
  std::vector<LayerSetting> all;
  for (const LayerPlan& layer : plan.layers)
    all.push_back(layer.dataflow());
  return all;
}

/// Returns the settings of a plan. Returns an empty list if the plan belongs to another network.
MatrixPicks settings_of(const Network& network, const Plan& plan) {
  MatrixPicks picks;
  if (plan.layers.size() != network.layers.size()) return picks;
  for (std::size_t at = 0; at < plan.layers.size(); ++at)
    picks.push_back(setting_of(network.layers.at(at), plan.layers[at]));
  return picks;
}

MatrixTotals totals_of(const SettingMatrix& matrix, const MatrixPicks& picks, const MatrixPicks& in_use) {
  const MatrixPicks max = max_picks(matrix);
  MatrixTotals totals{
      expected_total(matrix, picks, max), std::nullopt, in_use == max, best_picks(matrix), {}, {}, {}};
  if (!totals.max_in_use && in_use.size() == picks.size())
    totals.than_plan = expected_total(matrix, picks, in_use);
  // If layers have no samples of t = max, the comparison with the current plan contains more layers, and the
  // other way round.
  const bool plan = totals.than_plan && totals.than_plan->layers >= totals.than_max.layers;
  totals.than_used = plan ? *totals.than_plan : totals.than_max;
  totals.max_in_use = totals.max_in_use || !plan;
  totals.best_than_used = expected_total(matrix, totals.best.picks, plan ? in_use : max);
  MatrixPicks smallest = plan ? in_use : max;
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    const MatrixRow& facts = matrix.rows[row];
    if (facts.best >= 0) smallest[row] = facts.cells[static_cast<std::size_t>(facts.best)].setting.dataflow();
  }
  totals.smallest_than_used = expected_total(matrix, smallest, plan ? in_use : max);
  return totals;
}

void make_matrix(const MatrixArgs& args, Job& job, const Send<MatrixMade>& send) {
  const MatrixPicks picks = settings_of(*args.network, args.picks);
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

/// Returns true if the times of the features contain the row order. Profiles and sweeps of a network count it
/// as a part of the map.
bool has_row_order(const Sweep& sweep) {
  return sweep.layer >= 0 && std::any_of(sweep.rows.begin(), sweep.rows.end(), [](const SweepRow& row) {
           for (int node = 0; node < static_cast<int>(row.stages.nodes.size()); ++node) {
             const StageKey stage = row.stages.key(node);
             if (stage.phase == "features" && stage.group() == StageGroup::order) return true;
           }
           return false;
         });
}

/// Returns the name of the measurement of the matrix. `sweep` is `nullptr` for a profile.
QString source_text(const Sweep* sweep) {
  if (sweep == nullptr) return MatrixPane::tr("tuned");
  // A sweep of one layer has one row of the matrix. The other rows have times of the recorded run.
  return sweep->layer < 0 ? MatrixPane::tr("sweep") : MatrixPane::tr("run and sweep");
}

/// Returns an expected time. The time of a single sample is rounded, because its spread is not known.
QString time_text(double ms, std::int64_t n) {
  return n == 1 ? MatrixPane::tr("%1 (n\u00a0=\u00a0%2)").arg(msOnScreen(ms, n)).arg(n) : msOnScreen(ms, n);
}

/// Returns an expected time and its change, such as "86.5 ms (-2.2 %)".
QString change_text(const PicksTotal& total) {
  if (total.n == 1) return time_text(total.ms, total.n);
  const QString ms = msOnScreen(total.ms, total.n);
  if (total.verdict == Verdict::same) return QString("%1 (0 %)").arg(ms);
  const QString change = changeText(total.ms, total.baseline_ms);
  if (total.verdict != Verdict::undecided) return QString("%1 (%2)").arg(ms, change);
  return (total.n < static_cast<std::int64_t>(fewest_samples_for_verdict)
              ? MatrixPane::tr("%1 (%2, too few samples)")
              : MatrixPane::tr("%1 (%2, within the noise)"))
      .arg(ms, change);
}

/// Returns a text with the largest difference, over all scenes, between the output with `setting` and the
/// output with t = max. Returns an empty string if the difference was not measured.
QString output_text(const TuningProfile& profile, const LayerShape& shape, const LayerSetting& setting) {
  double worst = 0;
  bool any = false;
  for (const FeatureRecord& record : profile.features) {
    if (record.shape != shape || record.pass != LayerPass::forward || record.setting != setting) continue;
    any = true;
    worst = std::max(worst, record.output.max_rel);
  }
  return any ? MatrixPane::tr("largest difference from the output with t = max: %1 of the largest value")
                   .arg(onScreen(scientific(worst)))
             : QString();
}

/// Returns the name of a setting of a layer, such as "t = 2" or "unsorted".
QString settingName(const MatrixRow& row, const LayerSetting& setting) {
  return QString::fromStdString(setting_text(setting, KernelOffsets(row.shape.kernel, 1).max_threshold()));
}

/// Returns the setting and its time, for example "t = 2: 12.3 ms (IQR 0.4 ms, n = 15)".
QString row_text(const SweepRow& row) {
  const Statistics s = row.wall.stats();
  return MatrixPane::tr("%1: %2 (IQR %3, n = %4)")
      .arg(QString::fromStdString(row.label), onScreen(ms_text(s.median)), onScreen(ms_text(s.iqr())))
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
      pick_best_(new QPushButton(tr("Choose best"))),
      lines_{new WrappedLabel, {}, new ElidedLabel, {}},
      none_(faint_label({}, this)),
      tools_(new QWidget),
      making_(context.tasks) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 2, 0, 0);
  layout->setSpacing(2);
  auto* head = new QHBoxLayout;
  auto* boxes = new QHBoxLayout(tools_);
  boxes->setContentsMargins(0, 0, 0, 0);
  pick_best_->setObjectName("pickBest");
  boxes->addWidget(pick_best_);
  boxes->addWidget(samples_switch_);
  boxes->addWidget(chart_->makeTableSwitch(tools_));
  head->addWidget(lines_.total, 1);
  head->addWidget(tools_);
  auto* middle = new QHBoxLayout;
  middle->addWidget(chart_, 1);
  middle->addWidget(none_, 1);
  middle->addWidget(samples_);
  layout->addLayout(head);
  layout->addLayout(middle, 1);
  layout->addWidget(lines_.cell);
  samples_->hide();
  lines_.total->setTextFormat(Qt::RichText);
  lines_.total->setAccessibleName(tr("Expected time"));
  lines_.total->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  none_->setAlignment(Qt::AlignCenter);
  samples_switch_->setToolTip(tr("Show the samples of the selected cell"));
  connectSignals();
  follow();
}

void MatrixPane::connectSignals() {
  connect(samples_switch_, &QCheckBox::toggled, this, &MatrixPane::showSamples);
  connect(samples_, &SamplesPane::closeRequested, samples_switch_,
          [this] { samples_switch_->setChecked(false); });
  connect(&making_, &TaskSlot::finished, this, &MatrixPane::followPickBest);
  connect(&jobs_->lane().task(), &TaskSlot::finished, this, [this] {
    if (totals_ && chart_->hasContent()) showTotal();
  });
  connect(pick_best_, &QPushButton::clicked, this, &MatrixPane::pickBest);
  connect(lines_.total, &QLabel::linkActivated, this, &MatrixPane::showNextUndecided);
  connect(chart_, &MatrixChart::picked, this, &MatrixPane::pick);
  connect(chart_, &MatrixChart::compareRequested, this, &MatrixPane::compare);
  connect(chart_, &MatrixChart::currentChanged, this, [this](int row) {
    lines_.kept.clear();
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
  connect(&jobs_->sweeps(), &SweepJobs::settingsCompared, this, &MatrixPane::showComparison);
  connect(&jobs_->tuning(), &TuneJobs::stepDone, this, [this](const TuneStepDone& step) {
    step_ = step;
    follow();
    emit resultsChanged();
  });
  connect(&jobs_->lane().task(), &TaskSlot::finished, this, &MatrixPane::endTuning);
  connect(&context_.workspace.results(), &RunResults::reportChanged, this, &MatrixPane::followReport);
  connect(&context_.workspace.results(), &RunResults::measurementChanged, this,
          &MatrixPane::followMeasurement);
  const auto follow_names = [this] {
    chart_->setFullNames(context_.settings.truth("layers.full_names"));
    if (totals_) showTotal();
  };
  connect(&context_.settings, &Settings::changed, this, follow_names);
  follow_names();
}

QString MatrixPane::totalText() const {
  return lines_.total_text;
}

QString MatrixPane::cellText() const {
  return lines_.cell->text();
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
  const auto& report = context_.workspace.results().report();
  const bool shown = report && !step_ && tuning_->profile() == passed_over_ && report->threshold_sweep &&
                     has_matrix(*report->threshold_sweep);
  return shown ? report : nullptr;
}

void MatrixPane::followReport() {
  passed_over_ = context_.workspace.results().report() ? tuning_->profile() : nullptr;
  follow();
  emit resultsChanged();
}

/// Predicts the times of unmeasured settings again, because the predictions use the measurement of the run.
void MatrixPane::followMeasurement() {
  if (context_.workspace.results().report() || step_) return;
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
  const auto& scene = context_.workspace.scene().facts();
  if (!profile && scene && scene->triples)
    return tr("The layers of a graph have no kernel map, so they cannot be tuned.");
  if (!profile)
    return context_.workspace.results().report()
               ? tr("This report contains no sweep of t, so it has no matrix; open a report with a sweep, or "
                    "the profile of this network.")
               : tr("No profile yet. Press Tune, or open a profile.");
  if (sameNetwork(*profile)) return {};
  return tr("The profile was measured with a different network (%1). Choose that network to see the times of "
            "the profile.")
      .arg(QString::fromStdString(profile->network));
}

Plan MatrixPane::picks() const {
  const bool of_scene = !step_ && tuning_->applied();
  const auto report = recorded();
  Plan plan = report     ? report->measurement.plan
              : of_scene ? tuning_->applied()->plan
                         : plan_of(*profile(), *context_.workspace.network());
  for (const auto& [layer, setting] : tuning_->picked()) {
    plan.layers.at(static_cast<std::size_t>(layer)).set(setting.dataflow());
    plan.layers.at(static_cast<std::size_t>(layer)).algorithm = setting.algorithm;
  }
  return plan;
}

void MatrixPane::follow() {
  showInputs();
  emit inputsChanged();
}

/// Shows the picks immediately. Updates the matrix and the totals as soon as they have been computed.
void MatrixPane::showInputs() {
  const auto profile = this->profile();
  none_->setText(whyNone());
  none_->setVisible(!none_->text().isEmpty());
  for (QWidget* part : std::initializer_list<QWidget*>{chart_, tools_, lines_.cell})
    part->setVisible(none_->isHidden());
  if (!recorded() && (!profile || !sameNetwork(*profile))) {
    making_.cancel();
    made_for_ = {};
    totals_.reset();
    chart_->setMatrix(nullptr, {});
    lines_.kept.clear();
    lines_.total->setText({});
    lines_.total_text.clear();
    lines_.cell->setText({});
    samples_switch_->setChecked(false);
    return;
  }
  const auto& plan = context_.workspace.requested().plan();
  const Network& network = *context_.workspace.network();
  chart_->setPicks(settings_of(network, picks()), settings_of(network, plan));
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
  args.in_use = settings_of(*args.network, context_.workspace.requested().plan());
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
  followPickBest();  // The best settings depend on the picks.
}

void MatrixPane::show(const MatrixMade& made) {
  const auto profile = this->profile();
  if (made.matrix != chart_->matrix()) {
    const auto text = [](const std::string& value) { return QString::fromStdString(value); };
    const auto report = recorded();
    const Sweep* sweep = report ? report->threshold_sweep.get() : nullptr;
    const QString subject =
        report
            ? tr("%1 on %2, recorded %3")
                  .arg(networkText(report->network), text(sweep->device.name), dateText(report->created))
            : tr("%1 on %2").arg(networkText(profile->network, profile->network), text(profile->device.name));
    chart_->setMatrix(made.matrix, {subject, source_text(sweep), sweep != nullptr && has_row_order(*sweep),
                                    sweep == nullptr, !step_.has_value()});
    chart_->setChosenLayer(context_.selection.layer());
    showCell();
    showSamples();
    emit matrixShown();
  }
  totals_ = made.totals;
  showTotal();
  followPickBest();
}

/// Returns what the total contains and from which measurement it comes.
QString MatrixPane::whatText() const {
  const PicksTotal& picked = totals_->than_used;
  const QString what = picked.missing.empty()
                           ? tr("Maps and features")
                           : tr("Maps and features of %1 of the %2 layers with several settings")
                                 .arg(picked.layers)
                                 .arg(picked.layers + std::ssize(picked.missing));
  const auto report = recorded();
  const Sweep* sweep = report ? report->threshold_sweep.get() : nullptr;
  // Other views show the time of the CUDA graph, which is shorter than the sum of the layers.
  const auto tuned = profile();
  const BackendKind kind = sweep != nullptr ? sweep->device.kind : tuned->device.kind;
  return (kind == BackendKind::cuda ? tr("%1, layer by layer (%2, without indexing)")
                                    : tr("%1 (%2, without indexing)"))
      .arg(what, source_text(sweep));
}

/// Returns the times with the picked and the best settings, compared with the settings in use.
QString MatrixPane::picksText() const {
  const PicksTotal &picked = totals_->than_used, &best = totals_->best_than_used;
  const bool comparable = best.layers == picked.layers, same = picked.verdict == Verdict::same;
  if (same && comparable && best.verdict == Verdict::same) {
    const PicksTotal& smallest = totals_->smallest_than_used;
    const bool shorter = smallest.layers == picked.layers && smallest.ms < picked.baseline_ms;
    return tr("; no setting is significantly faster") +
           (shorter ? tr("; sum of the smallest medians: %1").arg(change_text(smallest)) : QString());
  }
  const QString picked_text = change_text(picked), best_text = change_text(best);
  if (comparable && !same && picked_text == best_text) return tr("; chosen (best): %1").arg(best_text);
  return (same ? tr("; chosen: same time") : tr("; chosen: %1").arg(picked_text)) +
         (comparable ? tr("; best: %1").arg(best_text) : QString());
}

QString MatrixPane::totalTip() const {
  return tr("Expected time: the sum of the medians of all maps and features in this matrix. The sum of all "
            "stages in Summary comes from another measurement and includes the indexing. Best: the time "
            "after \"Choose best\", when each layer uses its best setting if that setting is significantly "
            "faster. Within the noise: the samples do not show a difference from the settings in use.") +
         "\n" + matrixCostText();
}

/// Shows the expected time of the network with the settings in use, the picked settings and the best
/// settings, and a link to the layers that are not decided.
void MatrixPane::showTotal() {
  const PicksTotal& picked = totals_->than_used;
  QString text = tr("Expected time: no layer has been measured yet");
  if (picked.layers > 0) {
    const auto& plan = context_.workspace.requested().plan();
    const auto& network = context_.workspace.network();
    const bool known = network && plan.layers.size() == network->layers.size();
    const bool max_used = known && settings_of(*network, plan) == max_picks(*chart_->matrix());
    text = max_used              ? tr("%1. In use (t = max): %2")
           : totals_->max_in_use ? tr("%1. t = max: %2")
                                 : tr("%1. In use: %2");
    text = text.arg(whatText(), time_text(picked.baseline_ms, picked.n)) + picksText();
    if (!picked.missing.empty()) text += tr("; not included: %1").arg(listed(picked.missing));
    if (!totals_->max_in_use && totals_->than_max.layers == picked.layers)
      text += tr("; t = max: %1 (settings in use: %2)")
                  .arg(time_text(totals_->than_max.baseline_ms, totals_->than_max.n),
                       changeText(picked.baseline_ms, totals_->than_max.baseline_ms));
  }
  const auto undecided = std::ssize(undecided_rows(*chart_->matrix()));
  const QString count = counted(undecided, tr("1 undecided layer"), tr("%1 undecided layers"));
  lines_.total_text = undecided > 0 ? QString("%1; %2").arg(text, count) : text;
  QString html = keepUnits(text.toHtmlEscaped());
  if (picked.layers > 0) {
    const QString lead = keepUnits(time_text(picked.baseline_ms, picked.n).toHtmlEscaped());
    html.replace(html.indexOf(lead), lead.size(), "<b>" + lead + "</b>");
  }
  lines_.total->setText(
      undecided > 0 ? QString("%1; <a href='undecided'>%2</a>").arg(html, tr("%1: show").arg(count)) : html);
  // The time of the run is that of all layers.
  const QString run = picked.missing.empty() ? runText() : QString();
  lines_.total->setToolTip(lines_.total_text + "\n" + (run.isEmpty() ? run : run + "\n") + totalTip());
}

void MatrixPane::showNextUndecided() {
  const std::vector<int> rows = undecided_rows(*chart_->matrix());
  if (rows.empty()) return;
  const auto next = std::upper_bound(rows.begin(), rows.end(), chart_->current().row);
  const int row = next == rows.end() ? rows.front() : *next;
  chart_->setChosenLayer(-1);  // Scrolls to the row even if the layer is already selected.
  chart_->setChosenLayer(row);
  context_.selection.setLayer(row);
}

/// Returns the time of all maps and features in the run, if it used the settings in use. It differs from the
/// time in the matrix, because it comes from another measurement.
QString MatrixPane::runText() const {
  const Workspace& workspace = context_.workspace;
  const auto& run = workspace.results().measurement();
  const auto profile = this->profile();
  const bool former = run ? dataflows_of(run->plan) != dataflows_of(workspace.requested().plan())
                          : !formerSettingsText(workspace).isEmpty();
  const bool of_profile =
      !profile || (run ? is_of_measurement(*profile, workspace)
                       : profile->scenes.size() == 1 && scene_in(*profile, workspace) == 0 &&
                             profile->device.name == workspace.device().name);
  const auto times = run_times(workspace);
  if (former || !of_profile || !times || times->layers_run < times->layers) return {};
  const QString ms = msOnScreen(maps_and_features_ms(*times), times->samples);
  return run ? tr("Maps and features in the last measurement: %1").arg(ms)
             : tr("Maps and features in the last run: %1 (n = 1)").arg(ms);
}

QString MatrixPane::pickBestUnavailableReason() const {
  if (!chart_->hasContent() || !totals_) return tr("there is no matrix");
  if (making_.busy()) return tr("the matrix is being computed");
  return totals_->best.changed.empty() ? tr("no other measured setting is significantly faster") : QString();
}

void MatrixPane::followPickBest() {
  const QString why = pickBestUnavailableReason();
  pick_best_->setEnabled(why.isEmpty());
  QStringList lines{why};
  if (why.isEmpty())
    lines = {counted(
        std::ssize(totals_->best.changed),
        tr("Choose the best setting for the 1 layer where it is significantly faster than the chosen "
           "setting"),
        tr("Choose the best setting for the %1 layers where it is significantly faster than the chosen "
           "setting"))};
  if (totals_ && !making_.busy()) {
    if (const QString kept = keptText(totals_->best); !kept.isEmpty()) lines += kept;
  }
  pick_best_->setToolTip(lines.join('\n'));
  emit pickBestChanged();
}

/// Returns the layers that pickBest() does not change although their setting is not the best one.
QString MatrixPane::keptText(const BestPicks& best) const {
  QStringList parts;
  if (!best.tied.empty())
    parts += tr("unchanged, because tied with the best setting: %1").arg(listed(best.tied));
  if (!best.undecided.empty())
    parts += tr("unchanged, because of too few samples: %1").arg(listed(best.undecided));
  return parts.join("; ");
}

QString MatrixPane::listed(const std::vector<std::string>& layers) const {
  const Network& network = *context_.workspace.network();
  const bool full = context_.settings.truth("layers.full_names");
  const QStringList short_names = shortLayerNames(network);
  std::vector<std::string> names;
  for (const std::string& layer : layers) {
    const int index = network.index_of(layer);
    names.push_back(full || index < 0 ? layer : short_names[index].toStdString());
  }
  return QString::fromStdString(listed_names(names));
}

void MatrixPane::pickBest() {
  if (!pickBestUnavailableReason().isEmpty()) return;
  const BestPicks best = totals_->best;
  PickedSettings more;
  for (const std::size_t row : best.changed) {
    const int column = column_of(chart_->matrix()->rows.at(row), best.picks.at(row));
    more[static_cast<int>(row)] = chart_->cellAt({static_cast<int>(row), column}).setting;
  }
  tuning_->pick(more);
  const QString kept = keptText(best);
  lines_.kept = counted(std::ssize(more), tr("Best setting chosen for 1 layer"),
                        tr("Best setting chosen for %1 layers")) +
                (kept.isEmpty() ? QString() : "; " + kept);
  showCell();
}

void MatrixPane::copyCommand() {
  auto how = measured_with(context_.workspace);
  if (!how) return;
  const Precision precision = how->plan.precision;
  how->plan = picks();
  how->plan.precision = precision;
  const QString command = QString::fromStdString(shell_text(command_of_layer(*how, -1)));
  QApplication::clipboard()->setText(command);
  context_.workspace.addLog(tr("copied: %1").arg(command));
  lines_.kept = tr("Copied: %1").arg(command);
  showCell();
}

void MatrixPane::showCell() {
  if (!lines_.kept.isEmpty()) return lines_.cell->setText(lines_.kept);
  const MatrixPlace at = chart_->current();
  if (!chart_->hasContent() || at.row < 0 || at.column < 0)
    return lines_.cell->setText(
        tr("Click a cell to choose its setting, or drag over a column. Shift+click compares a cell with the "
           "chosen setting."));
  QString text = chart_->tipOf(at);
  const auto profile = this->profile();
  if (!profile) return lines_.cell->setText(text.replace('\n', "; "));
  const MatrixRow& row = chart_->matrix()->rows.at(static_cast<std::size_t>(at.row));
  const TunedShape* tuned = choice_for(*profile, row.layer, row.shape, chart_->matrix()->levels);
  if (const QString difference = output_text(*profile, row.shape, chart_->cellAt(at).setting.dataflow());
      !difference.isEmpty())
    text += "\n" + difference;
  if (tuned != nullptr) {
    text +=
        "\n" + tr("Chosen by the tuner: %1, %2")
                   .arg(settingName(row, tuned->choice.setting), QString::fromStdString(choice_note(*tuned)));
    if (const auto margin = margin_ms(*tuned)) text += tr(", margin %1").arg(onScreen(ms_text(*margin)));
  }
  lines_.cell->setText(text.replace('\n', "; "));
}

/// Shows the samples of the current cell first, then the samples of the other settings of the layer.
void MatrixPane::showSamples() {
  const MatrixPlace at = chart_->current();
  const bool shown = samples_switch_->isChecked() && chart_->hasContent() && at.row >= 0 && at.column >= 0;
  samples_->setVisible(shown);
  if (!shown) return;
  const auto index = static_cast<std::size_t>(at.row);
  const SettingMatrix& matrix = *chart_->matrix();
  const LayerSetting current = chart_->cellAt(at).setting.dataflow();
  std::vector<SampleSeries> first, others;
  for (const MatrixGroup& group : matrix.groups) {
    for (std::size_t layer = 0; layer < group.rows.size(); ++layer) {
      if (group.rows[layer] != index) continue;
      for (const FeatureSetting& setting : group.times.shapes[layer].settings) {
        for (std::size_t scene = 0; scene < setting.ms.size(); ++scene) {
          if (setting.ms[scene].empty()) continue;
          const QString name = settingName(matrix.rows[index], setting.setting);
          (setting.setting == current ? first : others)
              .push_back({QString("%1, %2").arg(name, sceneName(scene)), setting.ms[scene]});
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
  lines_.kept.clear();
  PickedSettings more;
  for (const int row : rows)
    more[row] = chart_->cellAt({row, column}).setting;
  tuning_->pick(more);
}

void MatrixPane::compare(int row, int column) {
  lines_.kept.clear();
  const auto at = static_cast<std::size_t>(row);
  const LayerSetting picked = chart_->picks().at(at),
                     other = chart_->cellAt({row, column}).setting.dataflow();
  const auto name = [&](const LayerSetting& setting) {
    return settingName(chart_->matrix()->rows.at(at), setting);
  };
  const QString layer = QString::fromStdString(chart_->matrix()->rows.at(at).layer);
  if (context_.workspace.results().report() || !context_.workspace.scene().voxels())
    return lines_.cell->setText(tr("Open a scene to compare two settings of %1.").arg(layer));
  if (!jobs_->lane().readyToRun()) return lines_.cell->setText(tr("A job is running; stop it first."));
  if (other == picked)
    return lines_.cell->setText(
        tr("%1 is the chosen setting. Shift+click another cell of %2 to compare.").arg(name(picked), layer));
  lines_.cell->setText(tr("%1: comparing %2 and %3...").arg(layer, name(picked), name(other)));
  jobs_->sweeps().compareSettings(row, picked, other);
}

void MatrixPane::showComparison(const std::shared_ptr<const Sweep>& sweep) {
  const auto& network = context_.workspace.network();
  if (!network || sweep->rows.size() != 2) return;
  const SweepRow &picked = sweep->rows[0], &other = sweep->rows[1];
  const QString layer =
      QString::fromStdString(network->layers.at(static_cast<std::size_t>(sweep->layer)).name);
  QString text = tr("Map and features of %1, from interleaved samples: %2; %3")
                     .arg(layer, row_text(picked), row_text(other));
  switch (verdict(picked.wall.ms, other.wall.ms)) {
    case Verdict::faster:
      text += tr("; %1 is faster").arg(QString::fromStdString(other.label));
      break;
    case Verdict::slower:
      text += tr("; %1 is faster").arg(QString::fromStdString(picked.label));
      break;
    case Verdict::same:
      text += tr("; the same time within 1 %");
      break;
    case Verdict::undecided:
      text += tr("; undecided: the samples do not show which is faster");
      break;
  }
  if (const auto ratio = median_ratio(picked.wall.ms, other.wall.ms))
    text += tr(" (ratio %1, 95 % interval: %2 to %3)")
                .arg(onScreen(ratio->ratio(), 'f', 3), onScreen(ratio->low, 'f', 3),
                     onScreen(ratio->high, 'f', 3));
  lines_.cell->setText(text);
}

std::string MatrixPane::csv() const {
  SettingMatrix matrix = *chart_->matrix();
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    for (MatrixCell& cell : matrix.rows[row].cells)
      cell.current =
          cell.state != CellState::infeasible && cell.setting.dataflow() == chart_->picks().at(row);
  }
  return matrix_csv(matrix);
}

}  // namespace spira::ui
