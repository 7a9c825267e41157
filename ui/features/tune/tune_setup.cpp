#include "ui/features/tune/tune_setup.hpp"

#include "engine/run/backward.hpp"
#include "engine/tune/sweep.hpp"

#include <QCheckBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace spira::ui {
namespace {

constexpr int max_frames = 10;  // Maximum number of frames that the list shows of a sequence.
constexpr int file_role = Qt::UserRole, by_hand_role = Qt::UserRole + 1;
constexpr int name_column = 0, weight_column = 1;

/// Returns the axes that do not fit, for example "z needs 9 bits, has 8".
QString misfit(const Fit& fit) {
  QStringList parts;
  for (const AxisFit& axis : fit.axes) {
    if (!axis.fits())
      parts += QCoreApplication::translate("spira::ui::TuneSetup", "%1 needs %2 bits, but has %3")
                   .arg(QChar(axis.axis))
                   .arg(axis.bits_needed)
                   .arg(axis.bits_given);
  }
  return parts.join("; ");
}

}  // namespace

TuneSetup::TuneSetup(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      scenes_(new QTableWidget(0, 2)),
      budget_(new QDoubleSpinBox),
      choices_(new QScrollArea),
      all_algorithms_(new QCheckBox(tr("Try all mapping algorithms"))),
      other_dataflows_(new QCheckBox(tr("Try other dataflows"))),
      training_(new QCheckBox(tr("Tune training steps"))),
      threshold_grid_(new QGridLayout),
      packing_rows_(new QVBoxLayout) {
  auto* columns = new QHBoxLayout(this);
  columns->setContentsMargins(0, 0, 0, 0);
  columns->setSpacing(14);
  auto* where = new QVBoxLayout;
  where->setSpacing(3);
  where->addWidget(makeSceneHead());
  where->addWidget(scenes_, 1);
  where->addLayout(makeTime());
  columns->addLayout(where, 1);
  makeChoices();
  columns->addWidget(choices_);
  connect(scenes_, &QTableWidget::itemChanged, this, &TuneSetup::changed);
  const auto fill_soon = [this] {
    const auto fill = [this] {
      fillScenes();
      fillPackings();
    };
    workspace_->viewUpdates().add(this, fill, isVisible());
  };
  for (const auto change : {&OpenScene::cloudChanged, &OpenScene::framesChanged, &OpenScene::voxelsChanged})
    connect(&workspace_->scene(), change, this, fill_soon);
  connect(workspace_, &Workspace::networkChanged, this, fill_soon);
  connect(workspace_, &Workspace::networkChanged, this, &TuneSetup::followNetwork);
  fillScenes();
  followNetwork();
  fillPackings();
}

/// Offers the settings that the layers of the network can have.
void TuneSetup::followNetwork() {
  const auto& network = workspace_->network();
  const QString why =
      network ? QString::fromStdString(why_not_training(*network)) : tr("choose a network first");
  training_->setEnabled(why.isEmpty());
  if (!why.isEmpty()) training_->setChecked(false);
  training_->setToolTip(
      why.isEmpty()
          ? tr("Also measure the gradients (dgrad, wgrad), and choose the settings of all passes together")
          : why);
  fillThresholds();
}

/// Creates the check boxes of the settings inside a scroll area, so that the time limit stays visible if the
/// dock is low.
void TuneSetup::makeChoices() {
  auto* page = new QWidget;
  auto* what = new QVBoxLayout(page);
  what->setContentsMargins(0, 0, 0, 0);
  what->setSpacing(3);
  what->addWidget(new QLabel(tr("Thresholds t")));
  what->addLayout(threshold_grid_);
  what->addWidget(other_dataflows_);
  what->addWidget(all_algorithms_);
  what->addWidget(training_);
  auto* packings = new QLabel(tr("Packings (default: unchanged)"));
  packings->setToolTip(tr("If no packing is ticked, each scene keeps its current packing"));
  what->addWidget(packings);
  what->addLayout(packing_rows_);
  what->addStretch(1);
  threshold_grid_->setHorizontalSpacing(10);
  packing_rows_->setSpacing(2);
  other_dataflows_->setToolTip(
      tr("Implicit GEMM, unsorted and with sorted outputs (TorchSparse++), and gather-GEMM-scatter"));
  connect(other_dataflows_, &QCheckBox::toggled, this, &TuneSetup::changed);
  connect(training_, &QCheckBox::toggled, this, &TuneSetup::changed);
  all_algorithms_->setToolTip(
      tr("z-delta, binary, hash and sorted-query search; if unchecked, z-delta only"));
  choices_->setAccessibleName(tr("Settings to try"));
  choices_->setWidget(page);
  choices_->setWidgetResizable(true);
  choices_->setFrameShape(QFrame::NoFrame);
}

/// Updates the width of the scroll area, because Qt does not adapt it when the content changes.
void TuneSetup::makeRoomForChoices() {
  // Maximum width in pixels. The user must scroll to read longer reasons.
  constexpr int most = 250;
  const int wanted =
      choices_->widget()->sizeHint().width() + choices_->verticalScrollBar()->sizeHint().width();
  choices_->setMinimumWidth(std::min(wanted, most));
}

QWidget* TuneSetup::makeSceneHead() {
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(0, 0, 0, 0);
  auto* add = new QPushButton(tr("Add..."));
  add->setToolTip(tr("Add scenes to tune on, with the voxel size of the open scene"));
  row->addWidget(new QLabel(tr("Scenes")), 1);
  row->addWidget(add);
  connect(add, &QPushButton::clicked, this, &TuneSetup::addRequested);
  scenes_->setAccessibleName(tr("Scenes to tune on, with their weights"));
  scenes_->setHorizontalHeaderLabels({tr("Scene"), tr("Weight")});
  scenes_->horizontalHeaderItem(weight_column)
      ->setToolTip(tr("Weight of this scene when the tuner chooses settings for all scenes"));
  scenes_->horizontalHeader()->setSectionResizeMode(name_column, QHeaderView::Stretch);
  scenes_->horizontalHeader()->setSectionResizeMode(weight_column, QHeaderView::ResizeToContents);
  scenes_->horizontalHeader()->setHighlightSections(false);
  scenes_->verticalHeader()->hide();
  scenes_->verticalHeader()->setDefaultSectionSize(21);
  scenes_->setShowGrid(false);
  scenes_->setTabKeyNavigation(false);
  scenes_->setMinimumHeight(70);
  return head;
}

QLayout* TuneSetup::makeTime() {
  auto* time = new QHBoxLayout;
  auto* label = new QLabel(tr("Time limit"));
  label->setBuddy(budget_);
  budget_->setRange(1, 3600);
  budget_->setDecimals(0);
  budget_->setValue(30);
  budget_->setSuffix(tr(" s"));
  budget_->setAccessibleName(tr("Time limit for tuning in seconds"));
  time->addWidget(label, 1);
  time->addWidget(budget_);
  return time;
}

void TuneSetup::addScene(const QString& file, const QString& name, bool tick, bool by_hand, double weight) {
  const int row = scenes_->rowCount();
  scenes_->insertRow(row);
  auto* item = new QTableWidgetItem(name);
  item->setData(file_role, file);
  item->setData(by_hand_role, by_hand);
  item->setToolTip(file);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(tick ? Qt::Checked : Qt::Unchecked);
  scenes_->setItem(row, name_column, item);
  auto* box = new QDoubleSpinBox;
  box->setRange(0.1, 1000);
  box->setDecimals(1);
  box->setValue(weight);
  box->setFrame(false);
  box->setButtonSymbols(QAbstractSpinBox::NoButtons);
  box->setAccessibleName(tr("Weight of %1").arg(name));
  connect(box, &QDoubleSpinBox::valueChanged, this, &TuneSetup::changed);
  scenes_->setCellWidget(row, weight_column, box);
}

namespace {

double weight_of(const QTableWidget& scenes, int row) {
  return qobject_cast<QDoubleSpinBox*>(scenes.cellWidget(row, weight_column))->value();
}

}  // namespace

/// Lists the open scene, the other frames and the added files. Does not change ticks and weights.
void TuneSetup::fillScenes() {
  {
    const QSignalBlocker quiet(scenes_);
    struct Former {
      bool ticked;
      double weight;
    };
    std::map<QString, Former> former;
    QStringList added;
    for (int row = 0; row < scenes_->rowCount(); ++row) {
      const QTableWidgetItem* item = scenes_->item(row, name_column);
      const QString file = item->data(file_role).toString();
      former[file] = {item->checkState() == Qt::Checked, weight_of(*scenes_, row)};
      if (item->data(by_hand_role).toBool()) added += file;
    }
    scenes_->setRowCount(0);
    const auto add = [&](const QString& file, const QString& name, bool by_hand) {
      const auto known = former.find(file);
      const bool tick = file.isEmpty() || (known != former.end() && known->second.ticked);
      addScene(file, name, tick, by_hand, known == former.end() ? 1.0 : known->second.weight);
    };
    if (const auto& cloud = workspace_->scene().cloud())
      add({}, tr("%1 (open)").arg(QString::fromStdString(cloud->name)), false);
    const auto& frames = workspace_->scene().frames();
    for (int at = 0, offered = 0; at < static_cast<int>(frames.size()) && offered < max_frames; ++at) {
      if (at == workspace_->scene().frame()) continue;
      const auto file = QString::fromStdString(frames[static_cast<std::size_t>(at)].string());
      if (!added.contains(file)) add(file, QFileInfo(file).fileName(), false);
      ++offered;
    }
    for (const QString& file : added)
      add(file, QFileInfo(file).fileName(), true);
  }
  emit changed();
}

void TuneSetup::addScenes(const QStringList& files) {
  {
    const QSignalBlocker quiet(scenes_);
    for (const QString& file : files)
      addScene(file, QFileInfo(file).fileName(), true, true, 1.0);
  }
  emit changed();
}

/// Lists each t that at least one layer supports. t = max is always measured, as the baseline.
void TuneSetup::fillThresholds() {
  thresholds_.clear();
  if (const auto& network = workspace_->network()) {
    constexpr int in_a_row = 5;
    const std::vector<int> all = all_thresholds(*network);
    for (const int t : all) {
      auto* box = new QCheckBox(QString::number(t));
      box->setChecked(true);
      box->setAccessibleName(tr("Try t = %1").arg(t));
      box->setToolTip(tr("Skipped for layers that do not support this t"));
      if (t == all.back()) {
        box->setEnabled(false);
        box->setToolTip(tr("The largest t of each layer is always measured, as the reference"));
      }
      connect(box, &QCheckBox::toggled, this, &TuneSetup::changed);
      const int place = static_cast<int>(thresholds_.size());
      threshold_grid_->addWidget(box, place / in_a_row, place % in_a_row);
      thresholds_.emplace_back(t, box);
    }
  }
  makeRoomForChoices();
  emit changed();
}

/// Lists the packings. If the open scene does not fit a packing, the packing is grey and shows the reason.
/// Does not change the ticks.
void TuneSetup::fillPackings() {
  std::vector<PackSpec> ticked;
  for (const auto& [pack, box] : packings_) {
    if (box->isChecked()) ticked.push_back(pack);
  }
  packings_.clear();
  const auto& voxels = workspace_->scene().voxels();
  const auto& network = workspace_->network();
  const bool known = voxels && network;
  const Levels levels = known ? levels_of(*network) : Levels{};
  for (const PackSpec& pack :
       known ? packings_to_compare(*whole_scene(voxels), *network) : usual_packings()) {
    const QString name = QString::fromStdString(pack.text());
    auto* box = new QCheckBox(name);
    box->setAccessibleName(tr("Try packing %1").arg(name));
    box->setToolTip(tr("%1 in %2-bit words").arg(name).arg(pack.word_bits()));
    if (known) {
      const auto& axes = voxels->fit.axes;
      const int batch = workspace_->scene().cloud() ? workspace_->scene().cloud()->batch() : 1;
      const Fit fits = fit({axes[0].extent, axes[1].extent, axes[2].extent}, pack.with_batch(batch),
                           levels.needs.with_batch(batch));
      box->setEnabled(fits.fits());
      if (!fits.fits()) {
        box->setText(tr("%1: %2").arg(name, misfit(fits)));
        box->setToolTip(tr("The open scene does not fit: %1").arg(misfit(fits)));
      } else if (pack.with_batch(1) == voxels->pack) {
        box->setText(tr("%1 (in use)").arg(name));
      }
    }
    box->setChecked(box->isEnabled() && std::find(ticked.begin(), ticked.end(), pack) != ticked.end());
    connect(box, &QCheckBox::toggled, this, &TuneSetup::changed);
    packing_rows_->addWidget(box);
    packings_.emplace_back(pack, box);
  }
  makeRoomForChoices();
  emit changed();
}

void TuneSetup::showEvent(QShowEvent* event) {
  workspace_->viewUpdates().finish(this);
  QWidget::showEvent(event);
}

TuneWish TuneSetup::wish() const {
  TuneWish wish;
  for (int row = 0; row < scenes_->rowCount(); ++row) {
    const QTableWidgetItem* item = scenes_->item(row, name_column);
    if (item->checkState() == Qt::Checked)
      wish.scenes.push_back({item->data(file_role).toString(), weight_of(*scenes_, row)});
  }
  wish.budget_ms = budget_->value() * 1000;
  wish.other_dataflows = other_dataflows_->isChecked();
  wish.training = training_->isChecked();
  if (all_algorithms_->isChecked())
    wish.algorithms = {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                       MapAlgorithm::sorted_query};
  const bool all = std::all_of(thresholds_.begin(), thresholds_.end(),
                               [](const auto& one) { return one.second->isChecked(); });
  for (const auto& [t, box] : thresholds_) {
    if (!all && box->isChecked()) wish.thresholds.push_back(t);
  }
  for (const auto& [pack, box] : packings_) {
    if (box->isChecked()) wish.packings.push_back(pack);
  }
  return wish;
}

QCheckBox* TuneSetup::threshold(int wanted) const {
  for (const auto& [t, box] : thresholds_) {
    if (t == wanted) return box.get();
  }
  return nullptr;
}

QCheckBox* TuneSetup::packing(PackSpec wanted) const {
  for (const auto& [pack, box] : packings_) {
    if (pack == wanted) return box.get();
  }
  return nullptr;
}

}  // namespace spira::ui
