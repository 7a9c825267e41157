#include "ui/features/beside/scenes_beside.hpp"

#include "engine/scene/reader.hpp"
#include "ui/features/beside/scene_pane.hpp"
#include "ui/features/beside/side_scene.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/job_pace.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/open_document.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"

#include <QCheckBox>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto beside_table = std::to_array<CommandFacts>({
    {"view.beside", QT_TRANSLATE_NOOP("Command", "Scenes side by side..."), "Ctrl+Alt+5",
     QT_TRANSLATE_NOOP("Command", "Show up to four scenes next to each other, without running a network"),
     905, Menu::view, 5, Opens::dialog},
});

QString short_name(const QString& scene) {
  if (is_standard_input(scene.toStdString())) return BesideWindow::tr("standard input");
  const QString name = QFileInfo(scene).fileName();
  return name.isEmpty() ? scene : name;
}

/// Returns the product of the number of cells on all axes, to compare the sizes of scenes.
double volume_of(const VoxelScene& scene) {
  double volume = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
    volume *= static_cast<double>(scene.span.at(axis));
  return volume;
}

}  // namespace

std::span<const CommandFacts> beside_commands() noexcept {
  return beside_table;
}

BesideWindow::BesideWindow(const FeatureContext& context, std::shared_ptr<const Registry> registry)
    : QDialog(&context.window),
      context_(context),
      registry_(std::move(registry)),
      first_(new Workspace(this)),
      selection_(new Selection(this)),
      bar_(new ViewTopBar(first_, selection_, this)),
      linked_(new QCheckBox(tr("Same camera"), this)),
      add_(makeAddButton()),
      facts_(new QLabel(this)),
      notice_(new QLabel(this)),
      progress_(new ActivityRow(tr("Stop"), this)),
      empty_(makeEmptyPage()),
      row_(new QHBoxLayout),
      task_(context.tasks) {
  setWindowTitle(tr("Scenes side by side"));
  setWindowFlag(Qt::WindowMaximizeButtonHint);
  setWindowFlag(Qt::WindowMinimizeButtonHint);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  makeTools();
  notice_->setObjectName("besideNotice");
  notice_->setWordWrap(true);
  notice_->setContentsMargins(12, 4, 12, 4);
  notice_->hide();
  progress_->setContentsMargins(12, 2, 12, 2);
  layout->addWidget(notice_);
  layout->addWidget(progress_);
  row_->setContentsMargins(0, 0, 0, 0);
  row_->setSpacing(4);
  row_->addWidget(empty_, 1);
  layout->addLayout(row_, 1);
  connect(progress_, &ActivityRow::stopRequested, this, &BesideWindow::stop);
  connect(&task_, &TaskSlot::progress, this, [this](const QString& what, qint64 done, qint64 total) {
    if (reading_) progress_->setActivity(tr("%1: %2").arg(short_name(reading_->scene()), what), done, total);
  });
  connect(&task_, &TaskSlot::finished, this, [this] {
    progress_->end();
    readNext();
  });
  connect(&selection_->look(), &SceneLook::colourByChanged, this, &BesideWindow::followLook);
  connect(selection_, &Selection::strideChanged, this, &BesideWindow::followLook);
  for (const auto changed :
       {&SceneLook::coloursChanged, &SceneLook::voxelStyleChanged, &SceneLook::pointPercentChanged})
    connect(&context_.selection.look(), changed, this, &BesideWindow::followLook);
  connect(new QShortcut(QKeySequence::Close, this), &QShortcut::activated, this, &QDialog::close);
  follow();
}

void BesideWindow::makeTools() {
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(4, 2, 8, 2);
  facts_->setObjectName("besideFacts");
  facts_->setForegroundRole(QPalette::PlaceholderText);
  linked_->setObjectName("sameCamera");
  linked_->setChecked(true);
  linked_->setToolTip(
      tr("Move the cameras of all scenes together. Scenes of similar size are shown at the same scale."));
  auto* reset = new QToolButton(this);
  reset->setObjectName("resetCameras");
  reset->setText(tr("Reset camera"));
  reset->setToolTip(tr("Move the cameras back until all scenes are fully visible"));
  tools->addWidget(bar_, 1);
  tools->addWidget(facts_);
  tools->addSpacing(12);
  tools->addWidget(linked_);
  tools->addWidget(reset);
  tools->addWidget(add_);
  static_cast<QVBoxLayout*>(layout())->addLayout(tools);
  connect(linked_, &QCheckBox::toggled, this, [this](bool linked) {
    if (linked && !panes_.empty()) followCamera(panes_.front());
  });
  connect(reset, &QToolButton::clicked, this, &BesideWindow::resetCameras);
}

QToolButton* BesideWindow::makeAddButton() {
  auto* button = new QToolButton(this);
  button->setObjectName("addScenes");
  button->setText(tr("Add scenes..."));
  button->setToolTip(tr("Choose files to show next to these scenes (up to %1 scenes)").arg(max_scenes));
  button->setPopupMode(QToolButton::MenuButtonPopup);
  auto* menu = new QMenu(button);
  menu->addAction(tr("Files..."), this, &BesideWindow::filesRequested);
  menu->addAction(tr("Built-in street"), this, [this] { add({"street"}); });
  menu->addAction(tr("Built-in room"), this, [this] { add({"room"}); });
  button->setMenu(menu);
  connect(button, &QToolButton::clicked, this, &BesideWindow::filesRequested);
  return button;
}

QWidget* BesideWindow::makeEmptyPage() {
  auto* page = new QWidget(this);
  auto* layout = new QVBoxLayout(page);
  auto* text = new QLabel(tr("Add scenes to compare. Up to four scenes appear next to each other, with the "
                             "same camera, voxel size and colour range. No network is run."),
                          page);
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignCenter);
  auto* files = new QPushButton(tr("Choose files..."), page);
  files->setObjectName("chooseScenes");
  auto* street = new QPushButton(tr("Built-in street"), page);
  auto* room = new QPushButton(tr("Built-in room"), page);
  layout->addStretch(1);
  layout->addWidget(text);
  layout->addSpacing(8);
  for (QPushButton* button : {files, street, room}) {
    button->setMinimumWidth(160);
    layout->addWidget(button, 0, Qt::AlignHCenter);
  }
  layout->addStretch(1);
  connect(files, &QPushButton::clicked, this, &BesideWindow::filesRequested);
  connect(street, &QPushButton::clicked, this, [this] { add({"street"}); });
  connect(room, &QPushButton::clicked, this, [this] { add({"room"}); });
  return page;
}

void BesideWindow::setSettings(const Settings& settings) {
  settings_ = settings;
}

void BesideWindow::addOpen(const QString& scene, const std::shared_ptr<const VoxelScene>& voxels) {
  addPane(scene, voxels);
  follow();
  readNext();
}

void BesideWindow::add(const QStringList& scenes) {
  const qsizetype count = std::ssize(panes_) + scenes.size();
  if (count > max_scenes)
    return showNotice(tr("At most %1 scenes can be shown side by side; with these files there would be %2. "
                         "Choose fewer files, or remove a scene first.")
                          .arg(max_scenes)
                          .arg(count));
  showNotice({});
  for (const QString& scene : scenes)
    addPane(scene, nullptr);
  follow();
  readNext();
}

ScenePane* BesideWindow::addPane(const QString& scene, const std::shared_ptr<const VoxelScene>& open) {
  auto* pane = new ScenePane(context_, scene, open, this);
  pane->setMessage(tr("Waiting"), tr("The scenes are read one after the other."));
  panes_.push_back(pane);
  row_->insertWidget(row_->indexOf(empty_), pane, 1);
  connect(pane, &ScenePane::removeRequested, this, [this, pane] { remove(pane); });
  connect(pane, &ScenePane::firstDrawn, this, [this, pane] { showFirst(pane); });
  // A view frames its scene again after it was resized. This must not count as a move by the user.
  connect(pane, &ScenePane::sizeFollowed, this, [this] {
    if (!camera_moved_) resetCameras();
  });
  connect(pane, &ScenePane::poseChanged, this, [this, pane] {
    if (placing_cameras_ || !pane->cameraMoved()) return;
    camera_moved_ = true;
    followCamera(pane);
  });
  return pane;
}

void BesideWindow::remove(ScenePane* pane) {
  // Erase the pane before its task is cancelled. The end of the task starts to read the next pane in panes_.
  std::erase(panes_, pane);
  if (pane == reading_) task_.cancel();
  discard(pane);
  showNotice({});
  follow();
  followLook();
  readNext();
}

/// Deletes a pane. Panes are deleted in separate event-loop iterations, because each takes up to 10 ms.
void BesideWindow::discard(ScenePane* pane) {
  row_->removeWidget(pane);
  pane->hide();
  // Use a new object as the key and not the pane, because the queue can already contain an update of the
  // pane.
  first_->viewUpdates().add(
      new QObject(pane), [pane] { pane->deleteLater(); }, true);
}

void BesideWindow::removeAll() {
  const auto removed = std::exchange(panes_, {});
  camera_moved_ = false;
  task_.cancel();
  for (ScenePane* pane : removed)
    discard(pane);
  showNotice({});
  follow();
}

/// Reads the next scene that has no result.
void BesideWindow::readNext() {
  if (task_.busy()) return;
  const auto next =
      std::find_if(panes_.begin(), panes_.end(), [](const ScenePane* pane) { return !pane->result(); });
  if (next == panes_.end()) return;
  reading_ = *next;
  reading_->setMessage(tr("Reading"), reading_->scene());
  task_.start(tr("Reading %1").arg(short_name(reading_->scene())), read_side_scene,
              {registry_, reading_->scene(), reading_->open(), settings_.voxel_m, settings_.pack,
               settings_.kernel_size, settings_.max_kernel_size, settings_.every, settings_.memory_limit},
              [this](const std::shared_ptr<const SideScene>& result) { take(result); });
}

/// Stops reading. The scenes that have been read stay visible.
void BesideWindow::stop() {
  auto stopped = std::make_shared<SideScene>();
  stopped->fault = tr("Reading was stopped. To read this scene, remove it and add it again.");
  for (ScenePane* pane : panes_) {
    if (!pane->result()) pane->setResult(stopped, settings_.pack);
  }
  task_.cancel();
}

void BesideWindow::take(const std::shared_ptr<const SideScene>& result) {
  if (!reading_) return;
  if (result->voxels && !settings_.voxel_m) settings_.voxel_m = result->voxels->grid.voxel_m;
  reading_->setResult(result, settings_.pack);
  follow();
  followLook();
}

void BesideWindow::follow() {
  constexpr qsizetype enough = 2;
  const bool any = !panes_.empty();
  empty_->setVisible(std::ssize(panes_) < enough);
  add_->setEnabled(std::ssize(panes_) < max_scenes);
  const auto shown = std::find_if(panes_.begin(), panes_.end(),
                                  [](const ScenePane* pane) { return pane->voxels() != nullptr; });
  const auto scene = shown == panes_.end() ? nullptr : (*shown)->voxels();
  if (first_->scene().voxels() != scene) first_->setScene(scene);
  facts_->setText(scene ? tr("Voxel size %1   Densities for kernel %2x%2x%2")
                              .arg(withUnit(gridOnScreen(scene->grid.voxel_m), scene->cloud->unit()))
                              .arg(settings_.kernel_size)
                        : QString());
  bar_->setEnabled(any);
  nameScenes();
}

/// Sets the titles of the scenes. Files with the same name are shown with their folder.
void BesideWindow::nameScenes() {
  for (ScenePane* pane : panes_) {
    const QString name = short_name(pane->scene());
    const auto same = std::count_if(panes_.begin(), panes_.end(), [&name](const ScenePane* other) {
      return short_name(other->scene()) == name;
    });
    const QString folder = QFileInfo(pane->scene()).absoluteDir().dirName();
    const QString title = same > 1 && QFileInfo::exists(pane->scene()) ? folder + "/" + name : name;
    pane->setTitle(pane->open() ? tr("%1 (open scene)").arg(title) : title);
  }
}

/// Returns the look with one range of each colouring for all scenes.
SideLook BesideWindow::commonLook() const {
  SideLook look{selection_->stride(), selection_->look().colourBy(), {}};
  for (const ScenePane* pane : panes_) {
    if (!pane->result()) continue;
    for (const auto& [key, range] : pane->result()->ranges) {
      if (key.second != selection_->stride()) continue;
      ValueRange& common = look.ranges.try_emplace(key.first, range).first->second;
      common = {std::min(common.low, range.low), std::max(common.high, range.high)};
    }
  }
  return look;
}

/// Updates the views in separate event-loop iterations, because colouring a large scene takes about 10 ms.
void BesideWindow::followLook() {
  for (ScenePane* pane : panes_)
    first_->viewUpdates().add(
        pane,
        [this, pane] {
          const bool shown = std::find(panes_.begin(), panes_.end(), pane) != panes_.end();
          if (shown) pane->setLook(commonLook());
        },
        true);
}

/// Moves the other cameras in the same way as the camera of `moved`.
void BesideWindow::followCamera(ScenePane* moved) {
  if (!linked_->isChecked()) return;
  // Ignore the poses that the views report while their cameras are being set.
  const QScopedValueRollback placing(placing_cameras_, true);
  for (ScenePane* pane : panes_) {
    if (pane != moved) pane->followCamera(*moved);
  }
}

ScenePane* BesideWindow::largest() const {
  ScenePane* found = nullptr;
  for (ScenePane* pane : panes_) {
    if (pane->drawn() && (found == nullptr || volume_of(*pane->voxels()) > volume_of(*found->voxels())))
      found = pane;
  }
  return found;
}

/// Moves the cameras so that all scenes are fully visible. If the cameras are linked, the largest scene
/// determines the camera.
void BesideWindow::resetCameras() {
  camera_moved_ = false;
  const QScopedValueRollback placing(placing_cameras_, true);
  for (ScenePane* pane : panes_) {
    if (!linked_->isChecked()) pane->resetCamera();
  }
  ScenePane* first = linked_->isChecked() ? largest() : nullptr;
  if (first == nullptr) return;
  first->resetCamera();
  followCamera(first);
}

/// Called after the first picture of a scene. Each new scene makes the views narrower, so all cameras are
/// reset unless the user has moved one.
void BesideWindow::showFirst(ScenePane* pane) {
  if (!linked_->isChecked()) return;
  if (!camera_moved_) return resetCameras();
  ScenePane* first = largest();
  const QScopedValueRollback placing(placing_cameras_, true);
  first == pane ? followCamera(pane) : pane->followCamera(*first);
}

void BesideWindow::showNotice(const QString& text) {
  notice_->setText(text);
  notice_->setVisible(!text.isEmpty());
}

QString BesideWindow::notice() const {
  return notice_->text();
}

bool BesideWindow::settled() const {
  return !task_.busy() && first_->viewUpdates().empty() &&
         std::all_of(panes_.begin(), panes_.end(),
                     [](const ScenePane* pane) { return pane->result() && pane->settled(); });
}

/// Frees the memory of the scenes when the window is closed.
void BesideWindow::hideEvent(QHideEvent* event) {
  QDialog::hideEvent(event);
  if (!event->spontaneous()) removeAll();
}

ScenesBeside::ScenesBeside(const FeatureContext& context, EngineJobs& jobs, const OpenDocument& document,
                           std::shared_ptr<const Registry> registry)
    : QObject(&context.window),
      context_(context),
      jobs_(jobs),
      document_(document),
      window_(new BesideWindow(context, std::move(registry))) {
  context_.commands.bind("view.beside", [this] { show(); });
  connect(window_, &BesideWindow::filesRequested, this, [this] {
    const QStringList files =
        context_.dialogs.openFiles(window_, tr("Choose scenes to show side by side"), sceneFilters());
    if (!files.isEmpty()) window_->add(files);
  });
}

/// Sets how the next scenes are read: with the voxel size and packing of the open scene.
void ScenesBeside::start() {
  const Workspace& workspace = context_.workspace;
  BesideWindow::Settings settings;
  if (const auto& voxels = workspace.scene().voxels()) settings.voxel_m = voxels->grid.voxel_m;
  settings.pack = workspace.requested().packAutomatic() ? PackSpec::bits32() : workspace.requested().pack();
  settings.kernel_size = workspace.requested().sceneKernelSize();
  constexpr int least_kernel = 5;
  settings.max_kernel_size = std::max(least_kernel, largest_kernel(EngineRequest(workspace)));
  settings.every = jobs_.scenes().options().every;
  settings.memory_limit = jobs_.scenes().memoryLimit();
  window_->removeAll();
  window_->setSettings(settings);
  window_->selection().look().setColourBy(context_.selection.look().colourBy());
  window_->selection().setStride(floor_stride(context_.selection));
}

void ScenesBeside::raise() {
  if (window_->isHidden()) {
    window_->resize(context_.window.size());
    window_->show();
  }
  window_->raise();
  window_->activateWindow();
}

void ScenesBeside::show() {
  if (!window_->isHidden()) return raise();
  start();
  raise();
  const Workspace& workspace = context_.workspace;
  const auto& frames = workspace.scene().frames();
  if (!workspace.scene().voxels()) return;
  if (frames.size() < 2 || std::ssize(frames.files()) > BesideWindow::max_scenes) {
    const QString name =
        frames.empty()
            ? document_.names().reopen
            : QString::fromStdString(frames[static_cast<std::size_t>(workspace.scene().frame())].string());
    return window_->addOpen(name, workspace.scene().voxels());
  }
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    const QString name = QString::fromStdString(frames[frame].string());
    if (static_cast<int>(frame) == workspace.scene().frame() && !workspace.scene().frameRefused()) {
      window_->addOpen(name, workspace.scene().voxels());
    } else {
      window_->add({name});
    }
  }
}

void ScenesBeside::offer(const QStringList& files) {
  if (files.size() < 2 || files.size() > BesideWindow::max_scenes || context_.notices.shown()) return;
  context_.notices.showNote(
      tr("%1 files are open as a sequence of frames").arg(files.size()),
      tr("To compare the files, show them side by side with one camera and one colour range."),
      {{tr("Show side by side"), [this, files] { showScenes(files); }}});
}

void ScenesBeside::showScenes(const QStringList& scenes) {
  start();
  raise();
  window_->add(scenes);
}

}  // namespace spira::ui
