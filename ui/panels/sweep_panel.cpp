#include "ui/panels/sweep_panel.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "ui/charts/sweep_chart.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {

SweepPanel::SweepPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      tabs_(new QTabWidget(body())),
      use_(new QPushButton(tr("Use the fastest t"))),
      custom_(new QLineEdit),
      custom_fault_(new QLabel) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(4, 0, 4, 4);
  layout->addWidget(tabs_);
  auto* first = new QWidget(tabs_);
  auto* second = new QWidget(tabs_);
  thresholds_ = makePage(first, "sweep.thresholds", tr("Sweep t"));
  packings_ = makePage(second, "sweep.packings", tr("Sweep packings"));
  first->findChild<QHBoxLayout*>("bar")->insertWidget(1, use_);
  auto* bar = second->findChild<QHBoxLayout*>("bar");
  bar->insertWidget(1, custom_);
  bar->insertWidget(2, custom_fault_);
  custom_->setPlaceholderText(tr("more bits: 11,12,9"));
  custom_->setMaximumWidth(150);
  custom_->setAccessibleName(tr("Custom packing widths"));
  tabs_->addTab(first, tr("Threshold t"));
  tabs_->addTab(second, tr("Packing"));
  tabs_->tabBar()->setDrawBase(false);
  connect(use_, &QPushButton::clicked, this, &SweepPanel::useBest);
  connect(custom_, &QLineEdit::textChanged, this, &SweepPanel::checkBits);
  connect(workspace_, &Workspace::sweepsChanged, this, &SweepPanel::follow);
  connect(workspace_, &Workspace::voxelsChanged, this, &SweepPanel::follow);
  connect(workspace_, &Workspace::networkChanged, this, &SweepPanel::follow);
  connect(workspace_, &Workspace::requestChanged, this, &SweepPanel::follow);
  connect(selection_, &Selection::layerChanged, this, &SweepPanel::follow);
  follow();
}

SweepPanel::Page SweepPanel::makePage(QWidget* page, const QString& command, const QString& button) {
  Page result{new QLabel(page), new SweepChart(theme_, page), new QTableWidget(page)};
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(4, 4, 4, 0);
  auto* bar = new QHBoxLayout;
  bar->setObjectName("bar");
  auto* run = new QPushButton(button, page);
  run->setObjectName(command);
  bar->addWidget(run);
  bar->addWidget(result.title, 1);
  auto* below = new QHBoxLayout;
  below->addWidget(result.chart, 3);
  below->addWidget(result.rows, 2);
  layout->addLayout(bar);
  layout->addLayout(below, 1);
  result.rows->setColumnCount(4);
  result.rows->setHorizontalHeaderLabels(
      {tr("Setting"), tr("Median, ms"), tr("IQR, ms"), tr("n, or why not")});
  result.rows->verticalHeader()->hide();
  result.rows->verticalHeader()->setDefaultSectionSize(21);
  result.rows->horizontalHeader()->setStretchLastSection(true);
  result.rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
  connect(run, &QPushButton::clicked, this, [this, command] { emit commandRequested(command); });
  return result;
}

void SweepPanel::fill(const Page& page, const std::shared_ptr<const Sweep>& sweep, int now) {
  page.chart->setSweep(sweep, now);
  page.rows->setRowCount(sweep ? static_cast<int>(sweep->rows.size()) : 0);
  if (!sweep) return;
  page.title->setText(
      tr("%1; %2").arg(QString::fromStdString(sweep->subject), QString::fromStdString(sweep->device.name)));
  for (int at = 0; at < page.rows->rowCount(); ++at) {
    const SweepRow& row = sweep->rows[static_cast<std::size_t>(at)];
    const Statistics s = row.wall.stats();
    const bool measured = s.n > 0;
    const auto standing = QString::fromStdString(sweep->standing(at));
    const QStringList cells{
        QString::fromStdString(row.label), measured ? QString::number(s.median, 'f', 3) : QString(),
        measured ? QString::number(s.iqr(), 'f', 3) : QString(),
        measured ? QStringList{QString::number(s.n), standing}.join(standing.isEmpty() ? QString() : tr(", "))
                 : QString::fromStdString(row.why_not)};
    for (int column = 0; column < cells.size(); ++column) {
      auto* item = new QTableWidgetItem(cells[column]);
      item->setToolTip(QString::fromStdString(row.why_not));
      if (!row.why_not.empty()) item->setForeground(theme_->palette().faint_text);
      page.rows->setItem(at, column, item);
    }
  }
}

void SweepPanel::follow() {
  if (!workspace_->voxels() || !workspace_->network()) {
    return showEmpty(tr("Open a scene and choose a network: every setting of t and of the packing is "
                        "measured in turns here."),
                     "file.open", tr("Open scene..."));
  }
  const int layer = selection_->layer();
  const auto& thresholds = workspace_->thresholdSweep();
  if (!thresholds)
    thresholds_.title->setText(layer < 0 ? tr("The same t for all layers; choose a layer to sweep it alone.")
                                         : tr("Every setting of t for the chosen layer."));
  const int now = thresholds && thresholds->layer >= 0
                      ? workspace_->plan().layers.at(static_cast<std::size_t>(thresholds->layer)).threshold
                      : -1;
  fill(thresholds_, thresholds, now);
  use_->setEnabled(thresholds && thresholds->fastest() >= 0);
  const auto& packings = workspace_->packSweep();
  if (!packings) packings_.title->setText(tr("The whole network with each packing."));
  int in_use = -1;
  for (std::size_t at = 0; packings && at < packings->rows.size(); ++at) {
    if (packings->rows[at].pack == workspace_->pack()) in_use = static_cast<int>(at);
  }
  fill(packings_, packings, in_use);
  showBody();
}

void SweepPanel::useBest() {
  const auto& sweep = workspace_->thresholdSweep();
  if (!sweep || sweep->fastest() < 0) return;
  const int t = sweep->rows[static_cast<std::size_t>(sweep->fastest())].threshold;
  Plan plan = workspace_->plan();
  if (sweep->layer >= 0) {
    plan.layers.at(static_cast<std::size_t>(sweep->layer)).threshold = t;
  } else {
    set_threshold(plan, *workspace_->network(), t);
  }
  plan.source = "sweep";
  workspace_->setPlan(plan);
}

void SweepPanel::checkBits() {
  custom_fault_->clear();
  if (custom_->text().isEmpty()) return;
  try {
    static_cast<void>(parse_pack_spec(custom_->text().toStdString()));
  } catch (const Error& error) {
    custom_fault_->setText(QString::fromStdString(error.what()));
  }
}

std::vector<PackSpec> SweepPanel::packs() const {
  std::vector<PackSpec> all{PackSpec::bits32(), PackSpec::bits64()};
  const auto add = [&](PackSpec pack) {
    if (std::find(all.begin(), all.end(), pack) == all.end()) all.push_back(pack);
  };
  if (workspace_->voxels()) add(workspace_->voxels()->pack);
  if (!custom_->text().isEmpty() && custom_fault_->text().isEmpty())
    add(parse_pack_spec(custom_->text().toStdString()));
  return all;
}

void SweepPanel::showPackings(bool packings) {
  tabs_->setCurrentIndex(packings ? 1 : 0);
}

}  // namespace spira::ui
