#include "ui/panels/scenes_panel.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/generate.hpp"
#include "ui/theme/screen_number.hpp"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

constexpr int open_role = Qt::UserRole, frame_role = Qt::UserRole + 1, recent_role = Qt::UserRole + 2,
              pinned_role = Qt::UserRole + 3;

}  // namespace

ScenesPanel::ScenesPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      tree_(new QTreeWidget(body())),
      grid_(new QLineEdit(body())),
      pack_(new QComboBox(body())),
      fit_(new QLabel(body())),
      fault_(new QLabel(body())),
      past_(new QPushButton(tr("Show the voxels past it"), body())) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(6, 4, 6, 4);
  layout->addWidget(tree_, 1);
  auto* form = new QFormLayout;
  form->setContentsMargins(2, 2, 2, 2);
  form->addRow(tr("Voxel, m"), grid_);
  form->addRow(tr("Packing"), pack_);
  layout->addLayout(form);
  layout->addWidget(fit_);
  layout->addWidget(fault_);
  layout->addWidget(past_, 0, Qt::AlignLeft);
  past_->setObjectName("showPast");
  past_->setToolTip(tr("Marks the voxels that keep this packing from fitting"));
  past_->hide();
  connect(past_, &QPushButton::clicked, this, [this] { emit pastRequested(refused_); });
  connect(workspace_, &Workspace::voxelsChanged, past_, &QWidget::hide);
  fit_->setObjectName("fit");
  fit_->setWordWrap(true);
  fit_->hide();
  tree_->setHeaderHidden(true);
  tree_->setObjectName("scenes");
  tree_->setAccessibleName(tr("Scenes"));
  tree_->setIndentation(14);
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(tree_, &QTreeWidget::customContextMenuRequested, this, &ScenesPanel::showRecentMenu);
  grid_->setObjectName("grid");
  grid_->setToolTip(tr("Voxel size in metres: 0.05, or 0.05,0.05,0.1 for each axis"));
  grid_->setAccessibleName(tr("Voxel size"));
  pack_->setEditable(true);
  pack_->setInsertPolicy(QComboBox::NoInsert);
  pack_->addItems({"12/12/8", "24/24/16"});
  pack_->setToolTip(tr("Bits of x, y and z; type other widths such as 11/12/9"));
  for (QWidget* part : std::initializer_list<QWidget*>{pack_, pack_->lineEdit()})
    part->setAccessibleName(tr("Packing widths"));
  fault_->setWordWrap(true);
  fault_->hide();
  connect(grid_, &QLineEdit::editingFinished, this, &ScenesPanel::takeGrid);
  connect(pack_, &QComboBox::activated, this, &ScenesPanel::takePack);
  connect(pack_->lineEdit(), &QLineEdit::editingFinished, this, &ScenesPanel::takePack);
  connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
    if (item->data(0, frame_role).isValid()) {
      emit frameRequested(item->data(0, frame_role).toInt());
    } else if (item->data(0, open_role).isValid()) {
      emit openRequested(item->data(0, open_role).toString());
    }
  });
  connect(workspace_, &Workspace::cloudChanged, this, &ScenesPanel::followSoon);
  connect(workspace_, &Workspace::voxelsChanged, this, &ScenesPanel::followSoon);
  connect(workspace_, &Workspace::framesChanged, this, &ScenesPanel::followSoon);
  connect(workspace_, &Workspace::requestChanged, this, &ScenesPanel::followRequest);
  connect(workspace_, &Workspace::reportChanged, this, &ScenesPanel::followRequest);
  connect(workspace_, &Workspace::voxelsChanged, this, &ScenesPanel::followFit);
  follow();
  followRequest();
  showBody();
}

void ScenesPanel::setRecent(const std::vector<RecentFile>& files) {
  recent_ = files;
  followSoon();
}

void ScenesPanel::follow() {
  tree_->clear();
  const auto add = [](auto* parent, const QString& text, const QString& tip = {}) {
    auto* item = new QTreeWidgetItem(parent, QStringList(text));
    item->setToolTip(0, tip.isEmpty() ? text : tip);
    return item;
  };
  if (const auto& cloud = workspace_->cloud()) {
    auto* scene = add(tree_, QString::fromStdString(cloud->name), QString::fromStdString(cloud->source));
    add(scene, QString::fromStdString(cloud->reading));
    for (const auto& note : cloud->notes)
      add(scene, QString::fromStdString(note));
    if (const auto& voxels = workspace_->voxels()) {
      const std::int64_t count = size_of(voxels->level(1));
      const double points_in_one =
          static_cast<double>(voxels->kept) / static_cast<double>(std::max<std::int64_t>(1, count));
      add(scene, tr("%1 voxels, of %2 points on average")
                     .arg(onScreen(count_text(count)), onScreen(points_in_one, 'f', 1)));
    }
    scene->setExpanded(true);
  }
  if (const auto& report = workspace_->report()) {
    auto* scene = add(tree_, tr("%1, recorded").arg(QString::fromStdString(report->scene.name)));
    if (!report->scene.reading.empty()) add(scene, QString::fromStdString(report->scene.reading));
    add(scene, tr("%1 voxels; no coordinates in a report").arg(onScreen(count_text(report->scene.voxels))));
    scene->setExpanded(true);
  }
  const auto& frames = workspace_->frames();
  if (frames.size() > 1) {
    auto* sequence = add(tree_, tr("Frames (%1)").arg(frames.size()));
    for (int frame = 0; frame < static_cast<int>(frames.size()); ++frame) {
      auto* item =
          add(sequence, QString::fromStdString(frames[static_cast<std::size_t>(frame)].filename().string()));
      item->setData(0, frame_role, frame);
      if (frame == workspace_->frame()) item->setSelected(true);
    }
    sequence->setExpanded(frames.size() <= 20);
  }
  auto* built_in = add(tree_, tr("Built-in scenes"));
  for (const GeneratorFacts& facts : generators()) {
    add(built_in, QString::fromUtf8(facts.label.data(), static_cast<qsizetype>(facts.label.size())))
        ->setData(0, open_role,
                  QString::fromLatin1(facts.id.data(), static_cast<qsizetype>(facts.id.size())));
  }
  built_in->setExpanded(true);
  addRecent();
}

void ScenesPanel::addRecent() {
  if (recent_.empty()) return;
  auto* recent = new QTreeWidgetItem(tree_, {tr("Recent")});
  for (const RecentFile& file : recent_) {
    const bool there = QFileInfo::exists(file.path);
    const QString name = QFileInfo(file.path).fileName();
    auto* item = new QTreeWidgetItem(recent, {file.pinned ? tr("\u2605 %1").arg(name) : name});
    QStringList tip{file.path};
    if (file.pinned) tip.append(tr("pinned"));
    if (!there) tip.append(tr("not there any more"));
    if (!file.with.isEmpty()) tip.append(tr("with %1").arg(file.with));
    item->setToolTip(0, tip.join("\n"));
    item->setData(0, Qt::AccessibleTextRole, tip.join(", "));
    item->setData(0, recent_role, file.path);
    item->setData(0, pinned_role, file.pinned);
    if (there) item->setData(0, open_role, file.path);
    // Greyed, and still to be chosen: the way to forget it is its menu.
    if (!there) item->setForeground(0, palette().color(QPalette::Disabled, QPalette::Text));
  }
  recent->setExpanded(true);
}

void ScenesPanel::showRecentMenu(const QPoint& at) {
  const QTreeWidgetItem* item = tree_->itemAt(at);
  if (item == nullptr || !item->data(0, recent_role).isValid()) return;
  const QString file = item->data(0, recent_role).toString();
  const bool pinned = item->data(0, pinned_role).toBool();
  auto* menu = new QMenu(this);
  menu->setObjectName("recentMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QAction* open = menu->addAction(tr("Open"), this, [this, file] { emit openRequested(file); });
  open->setEnabled(QFileInfo::exists(file));
  menu->addAction(pinned ? tr("Unpin") : tr("Pin"), this,
                  [this, file, pinned] { emit pinRequested(file, !pinned); });
  menu->addAction(tr("Remove from the list"), this, [this, file] { emit forgetRequested(file); });
  menu->popup(tree_->viewport()->mapToGlobal(at));
}

void ScenesPanel::followRequest() {
  const auto& report = workspace_->report();
  const auto& size = report ? report->scene.voxel_m : workspace_->grid().voxel_m;
  const bool cube = size[0] == size[1] && size[1] == size[2];
  std::string text = shortest(size[0]);
  if (!cube) text.append(",").append(shortest(size[1])).append(",").append(shortest(size[2]));
  if (!grid_->hasFocus() || !grid_->isModified()) grid_->setText(QString::fromStdString(text));
  const QSignalBlocker quiet(pack_);
  pack_->setEditText(QString::fromStdString((report ? report->scene.pack : workspace_->pack()).text()));
  for (QWidget* field : std::initializer_list<QWidget*>{grid_, pack_})
    field->setEnabled(!report);
}

/// The fit meter in one line: how much of each axis the open scene takes.
void ScenesPanel::followFit() {
  const auto& scene = workspace_->sceneFacts();
  fit_->setVisible(scene.has_value());
  if (!scene) return;
  QStringList parts, whole;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t extent = scene->fit_extent[axis], limit = scene->fit_limit[axis];
    const QString name("xyz"[axis]);
    parts += tr("%1 %2 %").arg(name).arg(std::lround(100.0 * static_cast<double>(extent) /
                                                     static_cast<double>(std::max<std::int64_t>(1, limit))));
    whole += tr("%1: %2 of %3 cells").arg(name, onScreen(count_text(extent)), onScreen(count_text(limit)));
  }
  fit_->setText(tr("Fits: %1").arg(parts.join(", ")));
  fit_->setToolTip(
      tr("Cells in use of those that keep neighbours apart at the borders.\n%1").arg(whole.join("\n")));
}

void ScenesPanel::takeGrid() {
  if (!grid_->isModified()) return;
  grid_->setModified(false);
  try {
    Grid grid = parse_grid(grid_->text().toStdString());
    grid.crop_m = workspace_->grid().crop_m;
    fault_->hide();
    if (grid.voxel_m == workspace_->grid().voxel_m) return;
    workspace_->setGrid(grid);
    emit voxelizeRequested();
  } catch (const Error& error) {
    fault_->setText(QString::fromStdString(error.what()));
    fault_->show();
  }
}

void ScenesPanel::takePack() {
  try {
    const PackSpec pack = parse_pack_spec(pack_->currentText().toStdString());
    fault_->hide();
    past_->hide();
    refused_ = pack;
    if (pack == workspace_->pack()) return;
    if (const auto& voxels = workspace_->voxels()) {  // the fit is known before anything runs
      const int kernel = workspace_->network() ? levels_of(*workspace_->network()).max_kernel_size : 5;
      require_fit({voxels->fit.axes[0].extent, voxels->fit.axes[1].extent, voxels->fit.axes[2].extent}, pack,
                  kernel, 16);
    }
    workspace_->setPack(pack);
    emit voxelizeRequested();
  } catch (const Error& error) {
    fault_->setText(QString::fromStdString(error.what()));
    fault_->show();
    past_->setVisible(error.kind() == ErrorKind::does_not_fit);
    followRequest();
  }
}

}  // namespace spira::ui
