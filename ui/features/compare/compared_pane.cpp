#include "ui/features/compare/compared_pane.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/histogram_chart.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include <memory>

namespace spira::ui {
namespace {

QString count(std::int64_t value) {
  return onScreen(count_text(value));
}

/// Returns the densities of the layer with this name, or `nullptr` if the report does not contain them.
std::shared_ptr<const Densities> densities_of(const Report& report, const std::string& layer) {
  const int at = report.network.index_of(layer);
  if (at < 0 || at >= static_cast<int>(report.layer_densities.size())) return nullptr;
  const Densities& found = report.layer_densities[static_cast<std::size_t>(at)];
  return found.columns.empty() ? nullptr : std::make_shared<const Densities>(found);
}

}  // namespace

ComparedPane::ComparedPane(Theme* theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      text_(new QLabel),
      density_text_(new QLabel),
      histogram_(new HistogramChart(theme)),
      densities_(new DensityChart(theme)),
      tabs_(new QTabWidget) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 0, 0, 0);
  layout->setSpacing(2);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  density_text_->setObjectName("densityText");
  density_text_->setWordWrap(true);
  densities_->setNames("compared-densities", tr("baseline"));
  // The tabs are hidden if the pane has too little height, so they must not require a minimum height.
  tabs_->setMinimumHeight(1);
  tabs_->setDocumentMode(true);
  tabs_->tabBar()->setDrawBase(false);
  tabs_->setAccessibleName(tr("Details of the selected row"));
  tabs_->addTab(makeSamples(), tr("Samples"));
  tabs_->addTab(makeDensities(), tr("Densities"));
  layout->addWidget(text_);
  layout->addWidget(tabs_, 1);
  clear();
}

QWidget* ComparedPane::makeSamples() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(histogram_, 1);
  switches_ = new QWidget;
  auto* switches = new QHBoxLayout(switches_);
  switches->setContentsMargins(0, 0, 0, 0);
  auto* shares = new QCheckBox(tr("percentages"));
  auto* middle = new QCheckBox(tr("middle 90 %"));
  shares->setToolTip(tr("Show percentages of the samples of each run instead of counts"));
  middle->setToolTip(tr("Hide the lowest and the highest 5 % of the samples"));
  switches->addWidget(shares);
  switches->addWidget(middle);
  switches->addStretch(1);
  layout->addWidget(switches_);
  connect(shares, &QCheckBox::toggled, histogram_, &HistogramChart::setShares);
  connect(middle, &QCheckBox::toggled, histogram_, &HistogramChart::setMiddle);
  return page;
}

/// Hides the histogram if the dock has too little height for a readable histogram. The text stays visible.
void ComparedPane::resizeEvent(QResizeEvent* event) {
  constexpr int room_for_samples = 160, room_for_switches = 210;
  tabs_->setVisible(height() >= room_for_samples);
  switches_->setVisible(height() >= room_for_switches);
  QWidget::resizeEvent(event);
}

QWidget* ComparedPane::makeDensities() {
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(density_text_);
  layout->addWidget(densities_, 1);
  return page;
}

void ComparedPane::clear() {
  text_->setText(tr("Select a row to see its samples."));
  text_->setToolTip({});
  histogram_->setSeries({});
  density_text_->setText(tr("Select a layer row to see the densities of its kernel map in both runs."));
  densities_->setDensities(nullptr);
  densities_->setSubset(nullptr);
  densities_->hide();
}

void ComparedPane::setRow(const ComparedRow& row, const Report& baseline, const Report& current) {
  text_->setText(tr("<b>%1</b>: %2<br>baseline %3, current %4 (medians, n = %5 and %6)")
                     .arg(QString::fromStdString(row.name()).toHtmlEscaped(),
                          QString::fromUtf8(verdict_text(row).data()),
                          onScreen(ms_text(row.baseline_ms.median)), onScreen(ms_text(row.current_ms.median)))
                     .arg(row.baseline_ms.n)
                     .arg(row.current_ms.n) +
                 (row.why.empty() ? QString() : "<br>" + QString::fromStdString(row.why).toHtmlEscaped()));
  text_->setToolTip(QString::fromStdString(row.why));
  histogram_->setSeries({{tr("baseline"), samples_of(baseline.measurement, row)},
                         {tr("current"), samples_of(current.measurement, row)}});
  showDensities(row.layer, baseline, current);
}

/// Shows the densities of the current run as bars, and the densities of the baseline as outlines over the
/// bars.
void ComparedPane::showDensities(const std::string& layer, const Report& baseline, const Report& current) {
  const auto now = densities_of(current, layer), before = densities_of(baseline, layer);
  densities_->setVisible(now != nullptr);
  const int at = now ? current.network.index_of(layer) : -1;
  densities_->setDensities(now, tr("%1 in both runs").arg(QString::fromStdString(layer)), at);
  densities_->setSubset(before);
  if (layer.empty())
    return density_text_->setText(
        tr("Select a layer row to see the densities of its kernel map in both runs."));
  if (!now) return density_text_->setText(tr("The current run has no densities of this layer."));
  const auto index = static_cast<std::size_t>(at);
  const LayerPlan& plan = current.measurement.plan.layers.at(index);
  const Layer& facts = current.network.layers.at(index);
  if (divides_at_threshold(facts, plan))
    densities_->setThreshold(
        plan.threshold, {[](int) { return tr("t cannot be changed in this chart; use the Density tab"); }});
  else
    densities_->setThreshold(-1, {{}, dataflowText(facts, plan), plan.threshold > 0});
  const auto outputs = [](const Densities& of) {
    return counted(of.outputs, tr("1 output"), tr("%1 outputs"));
  };
  QString text = counted(now->pairs, tr("1 pair"), tr("%1 pairs")),
          tip = tr("Bars: current run, %1.").arg(outputs(*now));
  if (!before) {
    text += tr("; the baseline has no densities of this layer");
  } else if (before->columns.size() != now->columns.size()) {
    text += tr("; the baseline has kernel size %1 and cannot be shown")
                .arg(QString::fromStdString(text_of(before->kernel)));
  } else {
    text += tr(", <span style='color: %2'>baseline</span> %1")
                .arg(count(before->pairs), theme_->palette().drawn.name());
    tip += tr(" Outlines: baseline, %1.").arg(outputs(*before));
  }
  density_text_->setToolTip(tip);
  density_text_->setText(text);
}

}  // namespace spira::ui
