#include "ui/window/compared_scenes.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/elided_label.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

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

ComparedScenes::ComparedScenes(Workspace* workspace, Selection* selection, Comparing* comparing,
                               SceneView* current, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      selection_(selection),
      comparing_(comparing),
      current_(current),
      theme_(theme),
      baseline_(new Workspace(this)),
      baseline_selection_(new Selection(this)),
      halves_(new QSplitter(Qt::Horizontal)),
      pages_(new QStackedWidget),
      baseline_title_(new ElidedLabel),
      current_title_(new ElidedLabel),
      baseline_head_(head_with(baseline_title_)),
      current_head_(head_with(current_title_)),
      word_(new QLabel),
      button_(new QPushButton) {
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
  connect(workspace_, &Workspace::voxelsChanged, this, &ComparedScenes::follow);
  connect(current_, &SceneView::poseChanged, this, [this] { link(current_, view_); });
  for (const auto changed : {&Selection::colourByChanged, &Selection::lookChanged,
                             &Selection::hiddenLabelsChanged, &Selection::slabChanged})
    connect(selection_, changed, this, &ComparedScenes::followLook);
  connect(selection_, &Selection::strideChanged, this, &ComparedScenes::followLook);
}

QWidget* ComparedScenes::makeBaselineSide() {
  auto* side = new QWidget;
  side->setAccessibleName(tr("Scene of the baseline"));
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
  pages_->addWidget(page);
  layout->addWidget(baseline_head_);
  layout->addWidget(pages_, 1);
  connect(button_, &QPushButton::clicked, this, [this] { emit commandRequested(command_); });
  return side;
}

QWidget* ComparedScenes::makeCurrentSide() {
  auto* side = new QWidget;
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(current_head_);
  layout->addWidget(current_, 1);
  return side;
}

void ComparedScenes::setBeside(bool beside) {
  if (beside == beside_) return;
  beside_ = beside;
  baseline_side_->setVisible(beside);
  current_head_->setVisible(beside);
  const auto share = [this] { halves_->setSizes({std::max(2, width()) / 2, std::max(2, width()) / 2}); };
  QMetaObject::invokeMethod(this, share, Qt::QueuedConnection);  // docks come and go in the same step
  follow();
}

QString ComparedScenes::wordFor(const Baseline& baseline) const {
  const SceneFacts& scene = baseline.report->scene;
  return tr("<b>%1</b><br>A report carries no coordinates. Open its scene, %2 with %3 voxels of %4 m, and "
            "measure it: where the voxels are the same, they stand here too.")
      .arg(baseline.name.toHtmlEscaped(), QString::fromStdString(scene.name).toHtmlEscaped(),
           QString::fromStdString(count_text(scene.voxels)),
           QString::fromStdString(grid_text(scene.voxel_m)));
}

void ComparedScenes::follow() {
  if (!beside_) return showScene(nullptr);  // nothing is drawn, or kept, that nobody sees
  // As high as the head and the bar of the other side, so that both pictures begin at one height.
  const int bar = workspace_->voxels() ? current_->topBar()->sizeHint().height() : 0;
  baseline_head_->setFixedHeight(current_head_->sizeHint().height() + bar);
  const int chosen = comparing_->chosen();
  const auto current = comparing_->currentName();
  current_title_->setText(current.isEmpty() ? tr("Current: not measured yet")
                                            : tr("Current: %1").arg(current));
  if (chosen < 0) {
    baseline_title_->setText(tr("Baseline: none"));
    const QString why = comparing_->whyNotBaseline();
    word_->setText(why.isEmpty()
                       ? tr("Press B to make the open run the baseline; it stays here while the next one "
                            "is opened or measured.")
                       : tr("There is no baseline yet: %1.").arg(why));
    command_ = why.isEmpty() ? "compare.set_baseline" : "file.open";
    button_->setText(why.isEmpty() ? tr("Set as baseline") : tr("Open..."));
    return showScene(nullptr);
  }
  const Baseline& baseline = comparing_->baselines()[static_cast<std::size_t>(chosen)];
  baseline_title_->setText(tr("Baseline: %1").arg(baseline.name));
  word_->setText(wordFor(baseline));
  command_ = "file.open";
  button_->setText(tr("Open scene..."));
  showScene(comparing_->baselineScene());
}

void ComparedScenes::showScene(const std::shared_ptr<const VoxelScene>& voxels) {
  if (voxels && view_ == nullptr) makeView();
  pages_->setCurrentIndex(voxels ? 1 : 0);
  if (voxels == baseline_->voxels()) return;
  joined_ = false;
  baseline_->setCloud(voxels ? voxels->cloud : nullptr);
  if (!voxels) return;
  followLook();
  baseline_->setVoxels(voxels);
}

/// Only when it is needed: a view has a mesh thread and an OpenGL context.
void ComparedScenes::makeView() {
  view_ = new SceneView(baseline_, baseline_selection_, new CropBox(baseline_, this), theme_);
  view_->topBar()->hide();  // the one of the open scene is for both
  pages_->addWidget(view_);
  // Its first picture looks where the open scene is looked at; from then on either takes the other along.
  connect(view_, &SceneView::pictureReady, this, [this] {
    link(current_, view_);
    joined_ = true;
  });
  connect(view_, &SceneView::poseChanged, this, [this] {
    if (joined_) link(view_, current_);
  });
  connect(view_, &SceneView::cropResetRequested, this,
          [this] { workspace_->addLog(tr("the baseline keeps the crop that it was measured with")); });
  // What its chips take away is taken away on both sides.
  connect(baseline_selection_, &Selection::slabChanged, this,
          [this] { selection_->setSlab(baseline_selection_->slab()); });
  connect(baseline_selection_, &Selection::hiddenLabelsChanged, this,
          [this] { selection_->setHiddenLabels(baseline_selection_->hiddenLabels()); });
  emit viewMade(view_);
}

/// One camera: what moves takes the other along.
void ComparedScenes::link(SceneView* from, SceneView* to) {
  if (!beside_ || linking_ || view_ == nullptr || !workspace_->voxels() || !baseline_->voxels()) return;
  const auto pose = from->pose();
  if (!pose || !to->pose()) return;
  linking_ = true;
  view_->setStyle(current_->style());
  if (to->orthographic() != from->orthographic()) to->setOrthographic(from->orthographic());
  to->setPose(*pose, false);
  linking_ = false;
}

void ComparedScenes::followLook() {
  baseline_selection_->setStride(selection_->stride());
  baseline_selection_->setColourBy(selection_->colourBy());
  baseline_selection_->setLook(selection_->look());
  baseline_selection_->setHiddenLabels(selection_->hiddenLabels());
  baseline_selection_->setSlab(selection_->slab());
}

QString ComparedScenes::whyNoScene() const {
  return pages_->currentIndex() == 0 ? word_->text() : QString();
}

}  // namespace spira::ui
