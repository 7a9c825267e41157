#include "ui/panels/scene/scenes_panel.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/generate/generate.hpp"
#include "ui/model/scene_statistics.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/panels/scene/relation_form.hpp"
#include "ui/panels/scene/view_part_items.hpp"
#include "ui/theme/screen_number.hpp"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr int open_role = Qt::UserRole, frame_role = Qt::UserRole + 1, recent_role = Qt::UserRole + 2,
              pinned_role = Qt::UserRole + 3, group_role = Qt::UserRole + 4, batch_role = Qt::UserRole + 5;

/// Returns the remark of a scene, with the number of points at its start. For example, a narrow tree would
/// cut off the number at the end of "read as KITTI x,y,z; 124,668 points".
QString remark_of(const std::string& reading) {
  QString rest = QString::fromStdString(reading);
  const QString points = rest.section("; ", -1);
  if (points == rest) return rest;
  rest.chop(points.size() + 2);
  return points + "; " + (rest.startsWith("read as ") ? rest.mid(8) : rest);
}

QTreeWidgetItem* make_row(QTreeWidgetItem* parent, const QString& text, const QString& tip = {}) {
  auto* row = new QTreeWidgetItem(parent, QStringList(text));
  row->setToolTip(0, tip.isEmpty() ? text : tip);
  return row;
}

/// A row for one frame of a sequence. The row creates its text only when it is displayed, because a sequence
/// may have thousands of rows.
class FrameItem : public QTreeWidgetItem {
 public:
  FrameItem(const FileList* frames, int frame) : frames_(frames), frame_(frame) {}
  [[nodiscard]] QVariant data(int column, int role) const override {
    if (column != 0) return QTreeWidgetItem::data(column, role);
    if (role == frame_role) return frame_;
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
      return QString::fromStdString(frames_->at(static_cast<std::size_t>(frame_)).filename().string());
    return QTreeWidgetItem::data(column, role);
  }

 private:
  const FileList* frames_;
  int frame_;
};

}  // namespace

ScenesPanel::ScenesPanel(Workspace* workspace, Selection* selection, ViewParts* parts, Theme* theme,
                         QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      tree_(new QTreeWidget(body())),
      parts_(new ViewPartItems(workspace, selection, parts, theme, tree_)),
      grid_(new QLineEdit(body())),
      pack_(new QComboBox(body())),
      form_(new QFormLayout),
      relations_(new RelationForm(body())),
      fit_(new FitMeter(workspace, theme, body())),
      notes_(new QLabel(body())),
      fault_(new QLabel(body())) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(6, 4, 6, 4);
  // Place the fields above all widgets whose height changes, so that a message or a fix does not move the
  // fields.
  makeForm(form_);
  layout->addLayout(form_);
  layout->addWidget(relations_);
  layout->addWidget(tree_, 1);
  layout->addWidget(notes_);
  layout->addWidget(fit_);
  layout->addWidget(fault_);
  connectTree();
  notes_->setObjectName("scene_notes");
  notes_->setTextFormat(Qt::PlainText);
  notes_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  fault_->setObjectName("grid_fault");
  for (QLabel* label : {notes_, fault_}) {
    label->setWordWrap(true);
    label->hide();
  }
  connect(fit_, &FitMeter::refusedChanged, this, &ScenesPanel::followRequest);
  connect(relations_, &RelationForm::measureRequested, this, &ScenesPanel::relationsRequested);
  connect(&workspace_->scene(), &OpenScene::cloudChanged, this, &ScenesPanel::followSoon);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &ScenesPanel::followSoon);
  connect(&workspace_->scene(), &OpenScene::framesChanged, this, &ScenesPanel::followSoon);
  connect(&workspace_->baseline(), &BaselineRun::voxelsChanged, this, &ScenesPanel::followSoon);
  for (const auto changed : {&RequestedSettings::gridChanged, &RequestedSettings::packChanged})
    connect(&workspace_->requested(), changed, this, &ScenesPanel::followRequest);
  connect(&workspace_->results(), &RunResults::reportChanged, this, &ScenesPanel::followRequest);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &ScenesPanel::followRequest);
  follow();
  followRequest();
  showBody();
}

void ScenesPanel::makeForm(QFormLayout* form) {
  form->setContentsMargins(2, 2, 2, 2);
  form->addRow(tr("Voxel size"), grid_);
  form->addRow(tr("Packing"), pack_);
  grid_->setObjectName("grid");
  grid_->setAccessibleName(tr("Voxel size"));
  pack_->setObjectName("packing");
  pack_->setEditable(true);
  pack_->setInsertPolicy(QComboBox::NoInsert);
  pack_->addItem(tr("Automatic"));
  pack_->addItems({"12/12/8", "24/24/16"});
  pack_->setToolTip(
      tr("Automatic uses 12/12/8 if the scene fits, else another packing of 32 bits, else 64 bits. You can "
         "enter the bits of x, y and z, such as 11/12/9."));
  for (QWidget* part : std::initializer_list<QWidget*>{pack_, pack_->lineEdit()})
    part->setAccessibleName(tr("Packing widths"));
  connect(grid_, &QLineEdit::editingFinished, this, &ScenesPanel::takeGrid);
  connect(pack_, &QComboBox::activated, this, [this](int item) {
    if (item > 0) return takePack();
    takeRefused();
    emit automaticPackRequested();
  });
  connect(pack_->lineEdit(), &QLineEdit::editingFinished, this, [this] {
    if (pack_->lineEdit()->isModified()) takePack();
  });
}

void ScenesPanel::connectTree() {
  constexpr int eye_width = 26;
  tree_->setUniformRowHeights(true);
  tree_->setHeaderHidden(true);
  tree_->setObjectName("scenes");
  tree_->setAccessibleName(tr("Scenes"));
  tree_->setIndentation(14);
  tree_->setColumnCount(ViewPartItems::eye_column + 1);
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setMinimumSectionSize(eye_width);
  tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  tree_->header()->setSectionResizeMode(ViewPartItems::eye_column, QHeaderView::Fixed);
  tree_->header()->resizeSection(ViewPartItems::eye_column, eye_width);
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(tree_, &QTreeWidget::customContextMenuRequested, this, &ScenesPanel::showMenu);
  connect(tree_, &QTreeWidget::currentItemChanged, this, &ScenesPanel::partChosen);
  connect(tree_, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item, int column) {
    if (column != ViewPartItems::eye_column || !parts_->hasEye(item)) return;
    const bool alone = QGuiApplication::keyboardModifiers().testFlag(Qt::AltModifier);
    alone ? parts_->toggleAlone(item) : parts_->toggle(item);
  });
  connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item, int column) {
    if (item->data(0, frame_role).isValid()) {
      emit frameRequested(item->data(0, frame_role).toInt());
    } else if (item->data(0, batch_role).isValid()) {
      emit frameRequested(item->data(0, batch_role).toInt());
    } else if (item->data(0, open_role).isValid()) {
      emit openRequested(item->data(0, open_role).toString());
    } else if (column != ViewPartItems::eye_column && parts_->hasEye(item)) {
      parts_->toggle(item);
    }
  });
}

QString ScenesPanel::whyNoPart() const {
  return parts_->hasEye(tree_->currentItem())
             ? QString()
             : tr("select a row with an eye icon in the list of scenes first");
}

void ScenesPanel::togglePart() {
  parts_->toggle(tree_->currentItem());
}

void ScenesPanel::togglePartAlone() {
  parts_->toggleAlone(tree_->currentItem());
}

void ScenesPanel::setRecent(const std::vector<RecentFile>& files) {
  recent_ = files;
  followSoon();
}

/// Removes all rows except the rows of the sequence, because removing and adding 10,000 rows would take
/// longer than a screen frame.
void ScenesPanel::forget() {
  parts_->forget();
  in_frames_ = tree_->currentItem() != nullptr && tree_->currentItem()->data(0, frame_role).isValid();
  scrolled_ = tree_->verticalScrollBar()->value();
  if (!in_frames_) tree_->setCurrentItem(nullptr);
  for (int row = tree_->topLevelItemCount() - 1; row >= 0; --row) {
    const QTreeWidgetItem* item = tree_->topLevelItem(row);
    const QVariant group = item->data(0, group_role);
    if (group.isValid()) open_[group.toString()] = item->isExpanded();
    if (item != sequence_) const std::unique_ptr<QTreeWidgetItem> removed(tree_->takeTopLevelItem(row));
  }
}

/// Shows the notes about the scene in a label below the tree, because the tree would cut off long rows.
void ScenesPanel::followNotes() {
  QStringList notes;
  if (workspace_->scene().cloud() && workspace_->scene().voxels())
    notes = notesOf(*whole_scene(workspace_->scene().voxels()));
  notes_->setText(notes.join('\n'));
  notes_->setVisible(!notes.isEmpty());
}

void ScenesPanel::follow() {
  forget();
  followNotes();
  addScene();
  addBatch();
  addReport();
  parts_->add(placeBeforeFrames());
  addFrames();
  addBuiltIn();
  addRecent();
  spanRows();
  tree_->verticalScrollBar()->setValue(scrolled_);
  const QTreeWidgetItem* current = tree_->currentItem();
  const bool frame = current != nullptr && current->data(0, frame_role).isValid();
  if (frame && current->parent()->isExpanded()) tree_->scrollToItem(current);
}

int ScenesPanel::placeBeforeFrames() const {
  return sequence_ == nullptr ? tree_->topLevelItemCount() : tree_->indexOfTopLevelItem(sequence_);
}

void ScenesPanel::addScene() {
  const auto& cloud = workspace_->scene().cloud();
  if (!cloud) return;
  auto* scene = make_row(nullptr, QString::fromStdString(cloud->name), QString::fromStdString(cloud->source));
  make_row(scene, remark_of(cloud->reading), QString::fromStdString(cloud->reading));
  if (const auto& voxels = workspace_->scene().voxels()) {
    const VoxelScene& scene_of_all = *whole_scene(voxels);
    const std::int64_t count = size_of(scene_of_all.level(1));
    const double points = static_cast<double>(scene_of_all.kept) / std::max(1.0, static_cast<double>(count));
    const QString all = counted(count, tr("1 voxel"), tr("%1 voxels")), mean = onScreen(points, 'f', 1);
    make_row(scene, tr("%1 (%2 points per voxel)").arg(all, mean),
             tr("%1 (%2 points per voxel on average)").arg(all, mean));
  }
  tree_->insertTopLevelItem(placeBeforeFrames(), scene);
  scene->setExpanded(true);
}

/// Lists the frames of the open batch. A row shows its frame in the 3D view.
void ScenesPanel::addBatch() {
  const auto& shown = workspace_->scene().voxels();
  if (!shown || !shown->batch) return;
  const PointCloud& cloud = *shown->batch->cloud;
  auto* batch = make_row(nullptr, tr("Batch of %1").arg(cloud.batch()),
                         tr("All frames run together. Select the frame that the 3D view shows."));
  const std::vector<std::int64_t> voxels = voxels_of_frames(*shown->batch);
  for (int frame = 0; frame < cloud.batch(); ++frame) {
    const auto at = static_cast<std::size_t>(frame);
    const QString count = counted(voxels[at], tr("1 voxel"), tr("%1 voxels"));
    const QString name = cloud.frame_sources.empty()
                             ? tr("frame %1").arg(frame)
                             : QFileInfo(QString::fromStdString(cloud.frame_sources[at])).fileName();
    auto* row = make_row(batch, tr("%1: %2").arg(name, voxels[at] > 0 ? count : tr("no voxels")));
    row->setDisabled(voxels[at] == 0);
    row->setData(0, batch_role, frame);
    QFont font = row->font(0);
    font.setBold(frame == shown->frame);
    row->setFont(0, font);
    if (frame == shown->frame) row->setToolTip(0, tr("%1, shown in the 3D view").arg(row->text(0)));
  }
  tree_->insertTopLevelItem(placeBeforeFrames(), batch);
  unfold(batch, "batch");
}

void ScenesPanel::addReport() {
  const auto& report = workspace_->results().report();
  if (!report) return;
  const QString name = QString::fromStdString(report->scene.name);
  auto* scene = make_row(nullptr, workspace_->results().recorded() ? tr("%1 (recorded)").arg(name) : name);
  if (const std::string& reading = report->scene.reading; !reading.empty())
    make_row(scene, remark_of(reading), QString::fromStdString(reading));
  const QString voxels = counted(report->scene.voxels, tr("1 voxel"), tr("%1 voxels"));
  if (report->scene.triples) {
    make_row(scene, counted(report->scene.voxels, tr("1 node"), tr("%1 nodes")),
             tr("Relations have no 3D view."));
  } else {
    make_row(scene, tr("%1 (no coordinates)").arg(voxels),
             tr("%1; reports contain no coordinates").arg(voxels));
  }
  tree_->insertTopLevelItem(placeBeforeFrames(), scene);
  scene->setExpanded(true);
}

void ScenesPanel::addBuiltIn() {
  auto* built_in = make_row(nullptr, tr("Built-in scenes"));
  for (const GeneratorFacts& facts : generators()) {
    make_row(built_in, QString::fromUtf8(facts.label.data(), static_cast<qsizetype>(facts.label.size())))
        ->setData(0, open_role,
                  QString::fromLatin1(facts.id.data(), static_cast<qsizetype>(facts.id.size())));
  }
  tree_->addTopLevelItem(built_in);
  unfold(built_in, "built-in");
}

/// Lets the text of rows without an eye icon use both columns. Must be called after all rows are added,
/// because each call lays out all existing rows.
void ScenesPanel::spanRows() {
  for (int row = 0; row < tree_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* top = tree_->topLevelItem(row);
    top->setFirstColumnSpanned(true);
    for (int inner = 0; top != sequence_ && inner < top->childCount(); ++inner) {
      if (!parts_->hasEye(top->child(inner))) top->child(inner)->setFirstColumnSpanned(true);
    }
  }
}

/// Expands the row of a group, unless the user collapsed the group earlier.
void ScenesPanel::unfold(QTreeWidgetItem* item, const QString& group) {
  item->setData(0, group_role, group);
  const auto before = open_.find(group);
  item->setExpanded(before == open_.end() || before->second);
}

void ScenesPanel::addFrames() {
  if (!(workspace_->scene().frames() == frames_)) {
    if (in_frames_) tree_->setCurrentItem(nullptr);
    const std::unique_ptr<QTreeWidgetItem> removed(
        tree_->takeTopLevelItem(tree_->indexOfTopLevelItem(std::exchange(sequence_, nullptr))));
    frames_ = workspace_->scene().frames();
    makeFrames();
  }
  if (sequence_ != nullptr) selectFrame();
}

/// Adds all frame rows before the tree displays them, because adding a row to a visible tree takes time for
/// each existing row.
void ScenesPanel::makeFrames() {
  if (frames_.size() < 2) return;
  constexpr std::size_t all_seen = 20;
  sequence_ = new QTreeWidgetItem({tr("Frames (%1)").arg(frames_.size())});
  QList<QTreeWidgetItem*> rows;
  rows.reserve(static_cast<qsizetype>(frames_.size()));
  for (int frame = 0; frame < static_cast<int>(frames_.size()); ++frame)
    rows.append(new FrameItem(&frames_, frame));
  sequence_->addChildren(rows);
  tree_->addTopLevelItem(sequence_);
  open_["frames"] = frames_.size() <= all_seen;
  unfold(sequence_, "frames");
}

/// Selects the row of the open frame. Disables automatic scrolling during the selection, because scrolling to
/// the row would expand a collapsed list of frames.
void ScenesPanel::selectFrame() {
  for (QTreeWidgetItem* item : tree_->selectedItems()) {
    if (item->parent() == sequence_) item->setSelected(false);
  }
  QTreeWidgetItem* shown = sequence_->child(workspace_->scene().frame());
  if (shown == nullptr) return;
  tree_->setAutoScroll(false);
  if (in_frames_ || tree_->currentItem() == nullptr) tree_->setCurrentItem(shown);
  tree_->setAutoScroll(true);
  shown->setSelected(true);
}

void ScenesPanel::addRecent() {
  if (recent_.empty()) return;
  auto* recent = make_row(nullptr, tr("Recent"));
  const QStringList names = distinct_names(paths_of(recent_));
  for (const RecentFile& file : recent_) {
    const bool there = QFileInfo::exists(file.path);
    const QString& name = names[recent->childCount()];
    auto* item = new QTreeWidgetItem(recent, {file.pinned ? tr("\u2605 %1").arg(name) : name});
    QStringList tip{file.path};
    if (file.pinned) tip.append(tr("pinned"));
    if (!there) tip.append(tr("file not found"));
    if (!file.with.isEmpty()) tip.append(tr("opened with %1").arg(file.with));
    item->setToolTip(0, tip.join("\n"));
    item->setData(0, Qt::AccessibleTextRole, tip.join(", "));
    item->setData(0, recent_role, file.path);
    item->setData(0, pinned_role, file.pinned);
    if (there) item->setData(0, open_role, file.path);
    // The row of a missing file is grey, but selectable, so that the user can remove it with its menu.
    if (!there) item->setForeground(0, palette().color(QPalette::Disabled, QPalette::Text));
  }
  tree_->addTopLevelItem(recent);
  unfold(recent, "recent");
}

void ScenesPanel::showMenu(const QPoint& at) {
  const QTreeWidgetItem* item = tree_->itemAt(at);
  const bool recent = item != nullptr && item->data(0, recent_role).isValid();
  if (!recent && !parts_->hasEye(item)) return;
  auto* menu = new QMenu(this);
  menu->setObjectName(recent ? "recentMenu" : "partMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  recent ? fillRecentMenu(menu, item) : parts_->fillMenu(menu, item);
  menu->popup(tree_->viewport()->mapToGlobal(at));
}

void ScenesPanel::fillRecentMenu(QMenu* menu, const QTreeWidgetItem* item) {
  const QString file = item->data(0, recent_role).toString();
  const bool pinned = item->data(0, pinned_role).toBool();
  QAction* open = menu->addAction(tr("Open"), this, [this, file] { emit openRequested(file); });
  open->setEnabled(QFileInfo::exists(file));
  menu->addAction(pinned ? tr("Unpin") : tr("Pin"), this,
                  [this, file, pinned] { emit pinRequested(file, !pinned); });
  menu->addAction(tr("Remove from the list"), this, [this, file] { emit forgetRequested(file); });
}

/// Shows the requested voxel size and packing. If a request does not fit the open scene, shows the refused
/// values, so that the user can change them. The suggested fixes below also refer to these values.
void ScenesPanel::followRequest() {
  const auto& report = workspace_->results().report();
  relations_->setReport(report);
  const bool has_voxels = !report || !report->scene.triples;
  for (QWidget* field : std::initializer_list<QWidget*>{grid_, pack_})
    form_->setRowVisible(field, has_voxels);
  const Misfit* refused = report ? nullptr : fit_->refused();
  const auto& size = report    ? report->scene.voxel_m
                     : refused ? refused->of.grid.voxel_m
                               : workspace_->requested().grid().voxel_m;
  const LengthUnit unit = refused ? refused->unit : unit_of(*workspace_);
  qobject_cast<QLabel*>(form_->labelForField(grid_))->setText(tr("Voxel size, %1").arg(unitOnScreen(unit)));
  grid_->setToolTip(unit == LengthUnit::cells
                        ? tr("Voxel size in cells of the voxel file, such as 2, or 2,2,1 for x, y and z")
                        : tr("Voxel size in metres, such as 0.05, or 0.05,0.05,0.1 for x, y and z"));
  const bool cube = size[0] == size[1] && size[1] == size[2];
  std::string text = shortest(size[0]);
  if (!cube) text.append(",").append(shortest(size[1])).append(",").append(shortest(size[2]));
  if (!grid_->hasFocus() || !grid_->isModified()) grid_->setText(QString::fromStdString(text));
  const PackSpec& pack = report    ? report->scene.pack
                         : refused ? refused->of.pack
                                   : workspace_->requested().pack();
  const QString widths = QString::fromStdString(pack.text());
  // A refused request had an automatic packing only if no packing fits. In this case, `refused->pack` is
  // empty.
  const bool automatic = !report && workspace_->requested().packAutomatic() && !(refused && refused->pack);
  const QSignalBlocker quiet(pack_);
  if (!pack_->lineEdit()->hasFocus() || !pack_->lineEdit()->isModified()) {
    pack_->setEditText(!automatic                     ? widths
                       : workspace_->scene().voxels() ? tr("Automatic (%1)").arg(widths)
                                                      : tr("Automatic"));
    pack_->lineEdit()->setCursorPosition(0);  // A narrow field must show the beginning of the text.
  }
  for (QWidget* field : std::initializer_list<QWidget*>{grid_, pack_})
    field->setEnabled(!report);
}

/// If the last request did not fit, makes its voxel size and packing the current values. Otherwise, if the
/// user edited one of the two fields, the refused value of the other field would be lost.
void ScenesPanel::takeRefused() {
  const Misfit* refused = fit_->refused();
  if (refused == nullptr) return;
  const Misfit kept = *refused;
  workspace_->requested().setGrid(kept.of.grid);
  if (kept.pack) workspace_->requested().setPack(kept.of.pack);
}

void ScenesPanel::takeGrid() {
  if (!grid_->isModified()) return;
  grid_->setModified(false);
  try {
    const auto voxel_m = parse_grid(grid_->text().toStdString()).voxel_m;
    fault_->hide();
    const bool refused = fit_->refused() != nullptr;
    takeRefused();
    Grid grid = workspace_->requested().grid();
    if (!refused && grid.voxel_m == voxel_m) return;
    grid.voxel_m = voxel_m;
    workspace_->requested().setGrid(grid);
    emit voxelizeRequested();
  } catch (const Error&) {
    fault_->setText(
        tr("\"%1\" is not a voxel size. Enter a number, such as 0.05, or 0.05,0.05,0.1 for x, y and z.")
            .arg(grid_->text()));
    fault_->show();
    followRequest();  // Replace the invalid text by the current voxel size.
  }
}

void ScenesPanel::takePack() {
  pack_->lineEdit()->setModified(false);
  try {
    const PackSpec pack = parse_pack_spec(pack_->currentText().toStdString());
    fault_->hide();
    const bool refused = fit_->refused() != nullptr;
    takeRefused();
    const bool same = pack == workspace_->requested().pack();
    workspace_->requested().setPack(pack);
    if (refused || !same) emit voxelizeRequested();
  } catch (const Error& error) {
    fault_->setText(QString::fromStdString(error.what()));
    fault_->show();
    followRequest();
  }
}

}  // namespace spira::ui
