#include "ui/features/compare/compared_scenes.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

QWidget* head_with(QWidget* title) {
  auto* head = new QWidget;
  auto* layout = new QHBoxLayout(head);
  layout->setContentsMargins(8, 3, 8, 3);
  layout->addWidget(title);
  return head;
}

}  // namespace

ComparedScenes::ComparedScenes(Tasks& tasks, Workspace* workspace, Selection* selection, ViewParts* parts,
                               Comparing* comparing, SceneFinder* finder, std::function<QStringList()> files,
                               SceneView* current, Theme* theme, QWidget* parent)
    : QWidget(parent),
      tasks_(tasks),
      workspace_(workspace),
      selection_(selection),
      parts_(parts),
      comparing_(comparing),
      finder_(finder),
      files_(std::move(files)),
      current_(current),
      theme_(theme),
      baseline_{new Workspace(this), new Selection(this), new ViewParts(this), new QStackedWidget},
      recorded_{new Workspace(this), new Selection(this), new ViewParts(this), new QStackedWidget},
      halves_(new QSplitter(Qt::Horizontal)),
      baseline_title_(new ElidedLabel),
      current_title_(new ElidedLabel),
      baseline_head_(head_with(baseline_title_)),
      current_head_(head_with(current_title_)),
      word_(new QLabel),
      button_(new QPushButton),
      find_current_(new QPushButton(tr("Find the scene..."))) {
  baseline_side_ = makeBaselineSide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  halves_->addWidget(baseline_side_);
  halves_->addWidget(makeCurrentSide());
  halves_->setChildrenCollapsible(false);
  for (const int side : {0, 1})
    halves_->setStretchFactor(side, 1);
  layout->addWidget(halves_);
  baseline_side_->hide();
  current_head_->hide();
  connect(comparing_, &Comparing::changed, this, &ComparedScenes::follow);
  connect(finder_, &SceneFinder::changed, this, &ComparedScenes::follow);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &ComparedScenes::follow);
  connect(current_, &SceneView::poseChanged, this, [this] { joined(current_); });
  for (const auto changed :
       {&SceneLook::colourByChanged, &SceneLook::coloursChanged, &SceneLook::hiddenLabelsChanged,
        &SceneLook::slabChanged, &SceneLook::voxelStyleChanged, &SceneLook::pointPercentChanged})
    connect(&selection_->look(), changed, this, &ComparedScenes::followLook);
  connect(selection_, &Selection::strideChanged, this, &ComparedScenes::followLook);
  connect(parts_, &ViewParts::changed, this, &ComparedScenes::followParts);
  followParts();
}

QWidget* ComparedScenes::makeBaselineSide() {
  auto* side = new QWidget;
  side->setAccessibleName(tr("Baseline scene"));
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* page = new QWidget;
  auto* words = new QVBoxLayout(page);
  word_->setAlignment(Qt::AlignCenter);
  word_->setWordWrap(true);
  words->addStretch(1);
  words->addWidget(word_);
  words->addSpacing(6);
  words->addWidget(button_, 0, Qt::AlignHCenter);
  words->addStretch(1);
  baseline_.pages->addWidget(page);
  layout->addWidget(baseline_head_);
  layout->addWidget(baseline_.pages, 1);
  connect(button_, &QPushButton::clicked, this, [this] {
    if (command_.isEmpty()) return findDialog();
    emit commandRequested(command_);
  });
  return side;
}

QWidget* ComparedScenes::makeCurrentSide() {
  auto* side = new QWidget;
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  recorded_.pages->addWidget(current_);
  current_head_->layout()->addWidget(find_current_);
  find_current_->setToolTip(
      tr("Choose the scene file whose fingerprint matches this report. The report stays open."));
  find_current_->hide();
  connect(find_current_, &QPushButton::clicked, this, &ComparedScenes::findDialog);
  layout->addWidget(current_head_);
  layout->addWidget(recorded_.pages, 1);
  return side;
}

void ComparedScenes::setSideBySide(bool side_by_side) {
  if (side_by_side == side_by_side_) return;
  side_by_side_ = side_by_side;
  baseline_side_->setVisible(side_by_side);
  current_head_->setVisible(side_by_side);
  const auto share = [this] { halves_->setSizes({std::max(2, width()) / 2, std::max(2, width()) / 2}); };
  // Divide the width after the event has been handled, because the same event may also show or hide docks.
  QMetaObject::invokeMethod(this, share, Qt::QueuedConnection);
  follow();
}

const Baseline* ComparedScenes::chosen() const {
  const int at = comparing_->chosen();
  return at < 0 ? nullptr : &comparing_->baselines()[static_cast<std::size_t>(at)];
}

QString ComparedScenes::wordFor(const Report& report) const {
  const SceneFacts& scene = report.scene;
  const auto words = tr("This report contains no coordinates. Its scene was %1 (%2).")
                         .arg(QString::fromStdString(scene.name).toHtmlEscaped(),
                              voxelsOnScreen(scene.voxels, scene.voxel_m, scene.unit));
  if (finder_->looksFor(report)) return words + tr(" Searching the recent files for this scene.");
  const QString why = finder_->unavailableReason(report);
  if (!why.isEmpty()) return words + "<br>" + why.toHtmlEscaped() + ".";
  return words + tr(" None of the recent files contains this scene with the same voxels.");
}

/// Returns the scene of the report. If the scene has not been found yet, starts a search and returns
/// `nullptr`.
std::shared_ptr<const VoxelScene> ComparedScenes::found(const std::shared_ptr<const Report>& report) const {
  if (auto voxels = finder_->sceneOf(*report)) return voxels;
  finder_->look(report, files_());
  return nullptr;
}

void ComparedScenes::follow() {
  if (side_by_side_) {
    followBaseline();
    followCurrent();
  } else {  // Release the scenes that are not visible.
    showScene(baseline_, nullptr);
    showScene(recorded_, nullptr);
  }
  followOthers();
}

/// Passes the voxels of each view to the other view, so that the views can show the differences.
void ComparedScenes::followOthers() {
  auto before = comparing_->baselineScene();
  if (!before) before = baseline_.open->scene().voxels();
  const auto& now =
      recorded_.open->scene().voxels() ? recorded_.open->scene().voxels() : workspace_->scene().voxels();
  workspace_->baseline().setVoxels(before);
  recorded_.open->baseline().setVoxels(before);
  baseline_.open->baseline().setVoxels(now);
}

void ComparedScenes::followBaseline() {
  const Baseline* baseline = chosen();
  if (baseline == nullptr) {
    baseline_title_->setText(tr("Baseline: none"));
    const QString why = comparing_->baselineUnavailableReason();
    if (why.isEmpty()) {
      showPage(tr("Press B to make the open run the baseline. It remains the baseline when you open or "
                  "measure another run."),
               tr("Set as baseline"), "compare.set_baseline");
    } else {
      showPage(tr("No baseline yet: %1.").arg(why), tr("Open..."), "file.open");
    }
    return showScene(baseline_, nullptr);
  }
  baseline_title_->setText(tr("Baseline: %1").arg(baseline->name));
  auto voxels = comparing_->baselineScene();
  if (!voxels) voxels = found(baseline->report);
  if (!voxels)
    showPage("<b>" + baseline->name.toHtmlEscaped() + "</b><br>" + wordFor(*baseline->report),
             tr("Find the scene..."), {});
  showScene(baseline_, voxels);
}

/// Shows the open scene, or the scene of the open report. If the scene of the report is not found, shows a
/// page with the reason.
void ComparedScenes::followCurrent() {
  const auto current = comparing_->currentName();
  current_title_->setText(current.isEmpty() ? tr("Current: not measured yet")
                                            : tr("Current: %1").arg(current));
  const auto& report = workspace_->results().report();
  const Baseline* baseline = chosen();
  std::shared_ptr<const VoxelScene> voxels;
  if (report && report->scene.fingerprint != 0) {
    const bool same =
        baseline != nullptr && baseline->voxels && scene_key(*baseline->report) == scene_key(*report);
    voxels = same ? baseline->voxels : found(report);
  }
  find_current_->setVisible(report && !voxels && reportToFind() == report);
  current_title_->setToolTip(report && !voxels ? wordFor(*report) : QString());
  showScene(recorded_, voxels);
  std::set<SceneKey> wanted;
  for (const Baseline& one : comparing_->baselines())
    wanted.insert(scene_key(*one.report));
  if (report) wanted.insert(scene_key(*report));
  finder_->forgetAllBut(wanted);
  // The other view has a heading and a toolbar above its picture. This heading gets the height of both, so
  // that the two pictures begin at the same height.
  const int bar = workspace_->scene().voxels() ? current_->topBar()->sizeHint().height() : 0;
  baseline_head_->setFixedHeight(current_head_->sizeHint().height() + bar);
}

void ComparedScenes::showPage(const QString& text, const QString& button, const QString& command) {
  word_->setText(text);
  button_->setText(button);
  command_ = command;
}

/// Returns the run whose scene file the user can select with "Find the scene...". Returns `nullptr` if no
/// scene is missing.
std::shared_ptr<const Report> ComparedScenes::reportToFind() const {
  const Baseline* baseline = chosen();
  if (baseline != nullptr && baseline_.pages->currentIndex() == 0) return baseline->report;
  return workspace_->results().report();
}

void ComparedScenes::findDialog() {
  if (const auto report = reportToFind()) emit findRequested(QString::fromStdString(report->scene.name));
}

void ComparedScenes::findIn(const QString& file) {
  if (const auto report = reportToFind()) finder_->lookIn(report, file);
}

void ComparedScenes::showScene(Side& side, const std::shared_ptr<const VoxelScene>& voxels) {
  if (voxels && side.view == nullptr) makeView(side);
  side.pages->setCurrentIndex(voxels ? 1 : 0);
  if (voxels == side.open->scene().voxels()) return;
  side.joined = false;
  if (voxels) takeLook(side, *voxels);
  side.open->setScene(voxels);
}

/// Creates the 3D view of one side. Called only when a scene must be shown, because each view needs an OpenGL
/// context.
void ComparedScenes::makeView(Side& side) {
  side.view =
      new SceneView(tasks_, side.open, side.selection, side.parts, new CropBox(side.open, this), theme_);
  side.view->topBar()->hide();  // The toolbar of the open scene controls both views.
  side.pages->addWidget(side.view);
  // The first picture uses the camera of the other view. After that, a camera change in one view also changes
  // the camera of the other view.
  connect(side.view, &SceneView::pictureReady, this, [this, &side] {
    side.joined = true;
    joined(&side == &baseline_ ? currentView() : baseline_.view);
  });
  connect(side.view, &SceneView::poseChanged, this, [this, &side] {
    if (side.joined) joined(side.view);
  });
  connect(side.view, &SceneView::cropResetRequested, this,
          [this] { workspace_->addLog(tr("the crop of a measured run cannot be changed")); });
  connect(side.view, &SceneView::allPointsRequested, this,
          [this] { workspace_->addLog(tr("the points of a measured run cannot be changed")); });
  // If the user removes a filter in this view, the filter is removed in both views.
  connect(&side.selection->look(), &SceneLook::slabChanged, this,
          [this, &side] { selection_->look().setSlab(side.selection->look().slab()); });
  connect(&side.selection->look(), &SceneLook::hiddenLabelsChanged, this,
          [this, &side] { selection_->look().setHiddenLabels(side.selection->look().hiddenLabels()); });
  // The user can show hidden parts again with a notice in this view. The other views of the window must then
  // show these parts too.
  connect(side.parts, &ViewParts::changed, this, [this, &side] {
    const ViewPart part = &side == &baseline_ ? ViewPart::baseline : ViewPart::voxels;
    parts_->show(part, side.parts->shows(ViewPart::voxels));
    parts_->show(ViewPart::highlights, side.parts->shows(ViewPart::highlights));
  });
  emit viewMade(side.view);
}

SceneView* ComparedScenes::currentView() const {
  return recorded_.pages->currentIndex() == 1 ? recorded_.view : current_;
}

/// Copies the camera of the view `moved` to the other view.
void ComparedScenes::joined(SceneView* moved) {
  SceneView* now = currentView();
  if (!side_by_side_ || linking_ || moved == nullptr || baseline_.view == nullptr ||
      !baseline_.open->scene().voxels())
    return;
  if (moved != now && moved != baseline_.view) return;
  SceneView* other = moved == now ? baseline_.view : now;
  const auto pose = moved->camera().pose();
  if (!pose || !other->camera().pose()) return;
  linking_ = true;
  if (other->camera().orthographic() != moved->camera().orthographic())
    other->camera().setOrthographic(moved->camera().orthographic());
  other->camera().setPose(*pose, false);
  linking_ = false;
}

void ComparedScenes::followLook() {
  for (const Side* side : {&baseline_, &recorded_}) {
    if (const auto& voxels = side->open->scene().voxels()) takeLook(*side, *voxels);
  }
}

/// Copies the stride, the colours and the voxel style of the open scene. Must be called before the voxels are
/// set, because the first picture already uses these values.
void ComparedScenes::takeLook(const Side& side, const VoxelScene& voxels) {
  side.selection->setStride(std::min(floor_stride(*selection_), coarsest_floor_level(voxels).stride));
  side.selection->look().setColourBy(selection_->look().colourBy());
  side.selection->look().setColours(selection_->look().colours());
  side.selection->look().setVoxelStyle(selection_->look().voxelStyle());
  side.selection->look().setPointPercent(selection_->look().pointPercent());
  side.selection->look().setHiddenLabels(selection_->look().hiddenLabels());
  side.selection->look().setSlab(selection_->look().slab());
}

/// Copies the visibility of the parts from the open scene. Never shows the crop box and the points outside
/// the crop, because they belong to the open scene only. The part `baseline` controls the voxels of the
/// baseline.
void ComparedScenes::followParts() {
  for (const Side* side : {&baseline_, &recorded_}) {
    PartsShown shown;
    for (const ViewPart part : view_parts) {
      if (!parts_->shows(part)) shown.hidden.insert(part);
    }
    if (side == &baseline_) {
      shown.hidden.erase(ViewPart::voxels);
      if (!parts_->shows(ViewPart::baseline)) shown.hidden.insert(ViewPart::voxels);
    }
    shown.hidden.insert({ViewPart::crop_box, ViewPart::outside});
    side->parts->set(shown);
  }
}

bool ComparedScenes::settled() const {
  const auto looked_for = [this](const std::shared_ptr<const Report>& report) {
    return side_by_side_ && report && finder_->looksFor(*report);
  };
  if (looked_for(workspace_->results().report()) || (chosen() != nullptr && looked_for(chosen()->report)))
    return false;
  for (const Side* side : {&baseline_, &recorded_}) {
    if (side->open->scene().voxels() && !(side->view->settled() && side->joined)) return false;
  }
  return true;
}

QString ComparedScenes::sceneUnavailableReason() const {
  return baseline_.pages->currentIndex() == 0 ? word_->text() : QString();
}

}  // namespace spira::ui
