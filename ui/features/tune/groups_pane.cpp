#include "ui/features/tune/groups_pane.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/tune/choice_text.hpp"
#include "ui/features/tune/matrix_pane.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

void make_groups(const GroupsArgs& args, Job& job, const Send<std::shared_ptr<const GroupTable>>& send) {
  job.checkpoint({"groups", 0, 0});
  send(std::make_shared<const GroupTable>(group_table(*args.profile, *args.network, args.picks)));
}

/// Returns true if each known group is tied with its choices, or is equal to them. `extra` returns the time
/// that a group adds to its choices.
template <class Extra> bool all_tied(const GroupTable& table, const Extra& extra) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const GroupRow& row) {
    const std::optional<ExtraTime>& one = extra(row);
    return !one || one->verdict == SettingVerdict::tied || one->verdict == SettingVerdict::none;
  });
}

/// Returns the difference of a sum from the sum of the choices, such as "-1.9 %, tied in each group".
QString difference_text(double ms, double choice_ms, bool tied) {
  const QString change = changeText(ms, choice_ms);
  return tied && ms != choice_ms
             ? GroupsPane::tr("%1, tied with the chosen settings in each group").arg(change)
             : change;
}

/// Returns the name of a term, such as "map for t = 2" or "stem.conv1 and 2 more, dgrad, t = 2".
QString term_text(const GroupTerm& term, int max_threshold, bool training) {
  const QString setting = QString::fromStdString(setting_text(term.setting, max_threshold));
  if (term.layers.empty()) return GroupsPane::tr("map for %1").arg(setting);
  const QString first = QString::fromStdString(term.layers.front());
  const QString layers = term.layers.size() == 1
                             ? first
                             : GroupsPane::tr("%1 and %2 more").arg(first).arg(term.layers.size() - 1);
  return training ? QString("%1, %2, %3").arg(layers, QString::fromUtf8(text_of(term.pass)), setting)
                  : QString("%1, %2").arg(layers, setting);
}

}  // namespace

GroupsPane::GroupsPane(const FeatureContext& context, const MatrixPane* matrix, QWidget* parent)
    : QWidget(parent),
      context_(context),
      matrix_(matrix),
      chart_(new GroupChart(&context.theme)),
      samples_(new SamplesPane(&context.theme)),
      samples_switch_(new QCheckBox(tr("samples"))),
      total_(new WrappedLabel),
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
  samples_switch_->setToolTip(tr("Show the samples of the selected cell"));
  connectSignals();
  follow();
}

void GroupsPane::connectSignals() {
  connect(matrix_, &MatrixPane::inputsChanged, this, &GroupsPane::follow);
  connect(samples_switch_, &QCheckBox::toggled, this, &GroupsPane::showSamples);
  connect(samples_, &SamplesPane::closeRequested, samples_switch_,
          [this] { samples_switch_->setChecked(false); });
  connect(chart_, &GroupChart::samplesRequested, samples_switch_,
          [this] { samples_switch_->setChecked(true); });
  connect(chart_, &GroupChart::currentChanged, this, [this](int row) {
    chooseLayerOf(row);
    showCell();
    showSamples();
  });
  connect(&context_.selection, &Selection::layerChanged, this, [this](int layer) {
    chart_->setChosenLayer(layer);
    showCell();
    showSamples();
  });
  const auto follow_names = [this] {
    chart_->setFullNames(context_.settings.truth("layers.full_names"));
    showCell();
  };
  connect(&context_.settings, &Settings::changed, this, follow_names);
  follow_names();
}

QString GroupsPane::totalText() const {
  return total_->text().replace(QChar::Nbsp, ' ');
}

QString GroupsPane::cellText() const {
  return cell_->text();
}

QString GroupsPane::whyNone() const {
  if (!matrix_->profile() && context_.workspace.results().report())
    return tr("Reports contain no times of groups. Open the tuning profile of this network.");
  return matrix_->whyNone();
}

GroupsArgs GroupsPane::args() const {
  return {matrix_->profile(), context_.workspace.network(), matrix_->picks()};
}

void GroupsPane::follow() {
  const QString why = whyNone();
  none_->setText(why);
  none_->setVisible(!why.isEmpty());
  for (QWidget* part : std::initializer_list<QWidget*>{chart_, tools_, cell_})
    part->setVisible(why.isEmpty());
  if (!why.isEmpty()) {
    making_.cancel();
    samples_switch_->setChecked(false);
    return show(nullptr);
  }
  if (matrix_->step()) {
    making_.cancel();
    return show(matrix_->step()->groups);
  }
  making_.start(tr("Groups"), make_groups, args(),
                [this](const std::shared_ptr<const GroupTable>& table) { show(table); });
}

void GroupsPane::show(const std::shared_ptr<const GroupTable>& table) {
  QStringList layers;
  QString subject;
  if (table) {
    for (const Layer& layer : context_.workspace.network()->layers)
      layers += QString::fromStdString(layer.name);
    const auto profile = matrix_->profile();
    subject = tr("%1 on %2")
                  .arg(networkText(profile->network, profile->network),
                       QString::fromStdString(profile->device.name));
  }
  chart_->setTable(table, layers, subject);
  chart_->setChosenLayer(context_.selection.layer());
  showTotal();
  showCell();
  showSamples();
  emit shown();
}

/// Shows the sums over all groups whose times are known.
void GroupsPane::showTotal() {
  total_->setToolTip({});
  if (!chart_->hasContent()) return total_->setText({});
  const GroupTable& table = *chart_->groups();
  const GroupTotals totals = totals_of(table);
  if (totals.groups == 0) return total_->setText(tr("Expected time: no group has been measured yet"));
  const auto all = std::ssize(table.rows);
  const QString what = totals.groups < all
                           ? tr("Maps and features of %1 of %2 groups").arg(totals.groups).arg(all)
                           : tr("Maps and features");
  const bool tied = all_tied(table, [](const GroupRow& row) { return row.one_dataflow; });
  QString text =
      tr("%1 (tuned, without indexing). Chosen settings: %2; one dataflow for each group: %3 (%4)")
          .arg(what, onScreen(ms_text(totals.choice_ms)), onScreen(ms_text(totals.one_dataflow_ms)),
               difference_text(totals.one_dataflow_ms, totals.choice_ms, tied));
  QStringList tip;
  for (std::size_t at = 0; at < all_bindings.size(); ++at) {
    const auto& ms = totals.bindings_ms.at(at);
    if (!ms) continue;
    const QString name = QString::fromUtf8(text_of(all_bindings.at(at)));
    const bool binding_tied = all_tied(table, [at](const GroupRow& row) { return row.bindings.at(at); });
    text += QString("; %1: %2").arg(name, changeText(*ms, totals.choice_ms));
    tip += QString("%1: %2 (%3)")
               .arg(name, onScreen(ms_text(*ms)), difference_text(*ms, totals.choice_ms, binding_tied));
  }
  if (const auto count = std::ssize(totals.missing); count > 0) {
    text += "; " + counted(count, tr("1 layer not included"), tr("%1 layers not included"));
    tip += tr("not included: %1").arg(QString::fromStdString(listed_names(totals.missing)));
  }
  total_->setText(keepUnits(text));
  tip.prepend(text);
  tip +=
      tr("All times are sums of medians. The chosen settings can take longer than one dataflow, because the "
         "tuner chooses the simplest of the tied settings.");
  total_->setToolTip(tip.join('\n'));
}

void GroupsPane::showCell() {
  const MatrixPlace at = chart_->current();
  const bool known = chart_->hasContent() && at.row >= 0 && at.column >= 0;
  cell_->setText(known ? chart_->tipOf(at).replace('\n', "; ")
                       : tr("Click a cell to see its time, verdict and samples."));
}

/// Selects the first layer of a group, unless one of its layers is selected already.
void GroupsPane::chooseLayerOf(int row) {
  const std::vector<int> layers = chart_->layersOf(row);
  const bool chosen = std::find(layers.begin(), layers.end(), context_.selection.layer()) != layers.end();
  if (!chosen) context_.selection.setLayer(layers.front());
}

void GroupsPane::showSamples() {
  const MatrixPlace at = chart_->current();
  const bool shown = samples_switch_->isChecked() && chart_->hasContent() && at.row >= 0 && at.column >= 0;
  samples_->setVisible(shown);
  if (!shown) return;
  const GroupTable& table = *chart_->groups();
  const auto profile = matrix_->profile();
  const MapKey& map = table.rows.at(static_cast<std::size_t>(at.row)).map;
  const int max_threshold = KernelOffsets(map.kernel, 1).max_threshold();
  const MatrixSetting& column = table.columns.at(static_cast<std::size_t>(at.column));
  std::vector<SampleSeries> series;
  for (const GroupTerm& term :
       group_terms(*profile, *context_.workspace.network(), map, column.of_layer(max_threshold))) {
    for (std::size_t scene = 0; scene < term.ms.size(); ++scene) {
      if (term.ms[scene].empty()) continue;
      series.push_back({QString("%1, %2").arg(term_text(term, max_threshold, table.training),
                                              QString::fromStdString(profile->scenes.at(scene).name)),
                        term.ms[scene]});
    }
  }
  samples_->setSeries(tr("%1, %2").arg(chart_->mapText(at.row), QString::fromStdString(column.text())),
                      std::move(series));
}

std::string GroupsPane::csv() const {
  const GroupsArgs now = args();
  return groups_csv(group_table(*now.profile, *now.network, now.picks));
}

}  // namespace spira::ui
