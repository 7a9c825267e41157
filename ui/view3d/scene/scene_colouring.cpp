#include "ui/view3d/scene/scene_colouring.hpp"

#include "engine/backend/host_read.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene/scene_canvas.hpp"
#include "ui/view3d/scene/scene_levels.hpp"
#include "ui/view3d/view_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/mesh_worker.hpp"
#include "ui/view3d/voxels/voxel_actors.hpp"

#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

constexpr std::int64_t at_once = 100'000;  // Number of voxels that can be coloured again in about 10 ms.
// Maximum number of voxels for colourings that count or search for matches, and for the first colours of a
// mesh. The first colours also need the values, their range and their histogram.
constexpr std::int64_t computed_at_once = 10'000;

std::int64_t max_at_once(ColourBy colour_by, bool new_mesh) {
  const bool counted = colour_by == ColourBy::threshold_sides || colour_by == ColourBy::offset_match ||
                       colour_by == ColourBy::changed || colour_by == ColourBy::changed_neighbours;
  return counted || new_mesh ? computed_at_once : at_once;
}

}  // namespace

SceneColouring::SceneColouring(Tasks& tasks, Workspace* workspace, Selection* selection, ViewParts* parts,
                               Theme* theme, SceneCanvas* canvas, SceneLevels* levels)
    : workspace_(workspace),
      selection_(selection),
      parts_(parts),
      theme_(theme),
      canvas_(canvas),
      levels_(levels),
      worker_(new MeshWorker(tasks, this)) {
  connect(worker_, &MeshWorker::failed, this, &SceneColouring::failed);
  connect(worker_, &MeshWorker::coloursReady, this,
          [this](const std::shared_ptr<SceneColours>& colours) { take(std::move(*colours)); });
  connect(levels_, &SceneLevels::built, this, &SceneColouring::recolour);
  connect(levels_, &SceneLevels::emptied, this, &SceneColouring::forget);
  connectModel();
}

void SceneColouring::connectModel() {
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &SceneColouring::recolourSoon);
  connect(&workspace_->results(), &RunResults::layerChanged, this, [this](int layer) {
    if (layer == selection_->layer()) recolourSoon();
  });
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, [this] {
    if (selection_->look().colourBy() == ColourBy::threshold_sides) recolourSoon();
  });
  connect(&workspace_->baseline(), &BaselineRun::voxelsChanged, this, [this] {
    if (selection_->look().colourBy() == ColourBy::changed) recolourSoon();
  });
  connect(selection_, &Selection::triedChanged, this, &SceneColouring::recolourSoon);
  connect(selection_, &Selection::layerChanged, this, &SceneColouring::recolourSoon);
  connect(&selection_->look(), &SceneLook::colourByChanged, this, &SceneColouring::recolour);
  connect(&selection_->look(), &SceneLook::coloursChanged, this, &SceneColouring::recolour);
  connect(selection_, &Selection::columnsChanged, this, &SceneColouring::recolour);
  connect(selection_, &Selection::rowsChanged, this, &SceneColouring::recolour);
  connect(selection_, &Selection::hoverChanged, this, [this] {
    if (std::exchange(hovered_columns_, selection_->hover().columns) != hovered_columns_) recolourSoon();
  });
}

/// Schedules one recolouring for all changes of a selection. An immediate recolouring could colour a mesh
/// that is about to be replaced, for example if the user selects a layer of another stride.
void SceneColouring::recolourSoon() {
  if (pending_) return;
  pending_ = true;
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (pending_) recolourIfChanged();
      },
      Qt::QueuedConnection);
}

ColourRequest SceneColouring::request(const std::shared_ptr<const VoxelMesh>& mesh) const {
  const auto rgb = [](const QColor& colour) {
    return Rgb{static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
               static_cast<std::uint8_t>(colour.blue())};
  };
  ColourRequest request;
  const ColourBy by = colouring_now(*workspace_, *selection_);
  request.key = {workspace_->scene().voxels(), mesh->stride, by,
                 colour_sources(*workspace_, *selection_, mesh->stride, by)};
  request.key.sources.sides = {rgb(theme_->palette().dense), rgb(theme_->palette().sparse)};
  request.mesh = mesh;
  request.known = colouring_;
  request.known_moving = moving_colouring_;
  request.look = selection_->look().colours();
  if (theme_->dark()) request.look.map = on_dark(request.look.map);
  if (workspace_->scene().frames().size() > 1)
    request.held = ranges_.of(workspace_->scene().frame(), by, mesh->stride);
  if (const auto common = common_ranges_.find(by); common != common_ranges_.end())
    request.held = HeldRange{HeldRange::all_scenes, common->second};
  request.from = canvas_->viewPoint();
  request.columns = selection_->hover().columns.empty() ? selection_->columns() : selection_->hover().columns;
  // While the user tries a t for a layer that is not selected, the map belongs to that layer, so the selected
  // offsets are not highlighted.
  const auto& map = request.key.sources.map;
  if (map && map != shown_map(*workspace_, *selection_).map) request.columns.clear();
  request.chosen = selection_->rows();
  if (!parts_->shows(ViewPart::highlights)) {
    request.columns.clear();
    request.chosen = nullptr;
  }
  request.hidden_labels = selection_->look().hiddenLabels();
  request.alarm = rgb(theme_->palette().error);
  request.background = rgb(theme_->palette().view_bottom);
  return request;
}

/// Does nothing if the view already has the requested colours. For example, most colours do not depend on the
/// selected layer.
void SceneColouring::recolourIfChanged() {
  const auto mesh = levels_->meshToColour();
  const bool same = shown_ && mesh && mesh == canvas_->actors().mesh() && !levels_->waiting() &&
                    gives_same_colours(request(mesh), *shown_);
  if (!same) return recolour();
  pending_ = false;
}

void SceneColouring::recolour() {
  pending_ = false;
  shown_.reset();
  const auto mesh = levels_->meshToColour();
  if (!mesh) return;
  const ColourRequest wanted = request(mesh);
  if (mesh->voxels <= max_at_once(wanted.key.colour_by, levels_->waiting() != nullptr)) {
    take(colour_scene(wanted, {}));
    shown_ = wanted;
    shown_->known.reset();  // Do not keep colourings that are no longer shown.
    shown_->known_moving.reset();
    return;
  }
  answerAtOnce(wanted);
  // If a request is running, let it finish and show its result, even if the pointer has moved. Then start the
  // next request.
  again_ = worker_->busy();
  if (!again_) worker_->startColours(wanted);
}

/// If drawing all voxels takes longer than `quick_ms`, first shows the highlight only in the points that are
/// drawn while the camera moves.
void SceneColouring::answerAtOnce(const ColourRequest& request) {
  constexpr double quick_ms = 16;
  if (levels_->waiting() || request.mesh != canvas_->actors().mesh()) return;
  if (canvas_->stillMs() <= quick_ms) return;
  std::vector<Rgb> colours = colour_moving(request);
  if (colours.empty()) return;
  canvas_->actors().setMovingColours(std::move(colours));
  canvas_->startMoving(quick_ms);
  canvas_->redraw();
}

void SceneColouring::recomputeRange() {
  forgetRanges();
  recolourSoon();
}

void SceneColouring::setCommonRanges(std::map<ColourBy, ValueRange> ranges) {
  if (std::exchange(common_ranges_, std::move(ranges)) != common_ranges_) recolourSoon();
}

void SceneColouring::forgetRanges() {
  ranges_.forget();
}

void SceneColouring::forget() {
  worker_->cancel();
  colouring_.reset();
  moving_colouring_.reset();
  shown_.reset();
}

void SceneColouring::finish() {
  const bool wanted = pending_ || again_ || worker_->busy();
  const auto mesh = levels_->meshToColour();
  if (!wanted || !mesh) return;
  worker_->cancel();
  pending_ = again_ = false;
  shown_.reset();
  take(colour_scene(request(mesh), {}));
}

void SceneColouring::take(SceneColours colours) {
  if (const auto mesh = levels_->waiting(); mesh && mesh == colours.mesh) levels_->showArrived();
  if (colours.mesh == canvas_->actors().mesh()) {
    colouring_ = colours.colouring;
    colours.legend.title = titleHere(colours.legend.title);
    if (colouring_->of_all)
      ranges_.take(colouring_->key.colour_by, colouring_->key.stride,
                   {workspace_->scene().frame(), colouring_->colours.legend.range});
    moving_colouring_ = colours.moving_colouring;
    canvas_->actors().setColours(std::move(colours.shown), std::move(colours.moving),
                                 std::move(colours.still));
    canvas_->overlay().setLegend(colours.group ? *colours.group : colours.legend);
    emit legendChanged(colours.legend);
    emit coloured();
  }
  if (std::exchange(again_, false)) recolour();
}

void SceneColouring::prepareFrame() {
  if (colouring_ && colouring_->from && !canvas_->actors().moving() &&
      *colouring_->from != canvas_->viewPoint())
    recolourSoon();
}

bool SceneColouring::busy() const {
  return worker_->busy();
}

QString SceneColouring::titleHere(const QString& title) const {
  const auto& scene = workspace_->scene().voxels();
  if (canvas_->camera().up() == UpAxis::z || !scene || title != height_title(scene->cloud->unit()))
    return title;
  return tr("z, %1").arg(unitOnScreen(scene->cloud->unit()));
}

QString SceneColouring::valueText(const Voxel& voxel) const {
  const auto& mesh = canvas_->actors().mesh();
  if (!colouring_ || colouring_->key.scene != workspace_->scene().voxels() ||
      colouring_->key.stride != mesh->stride)
    return {};
  const auto row = row_of_voxel(colouring_->key.scene->level(mesh->stride), voxel);
  const VoxelValues& values = colouring_->values;
  const auto at = static_cast<std::size_t>(row.value_or(0));
  if (row && !values.classes.empty()) return QStringLiteral("   ") + values.classes[values.label[at]].text;
  if (!row || at >= values.amount.size()) return {};
  const double amount = values.amount[at];
  return QStringLiteral("   %1: %2")
      .arg(titleHere(values.title), std::isnan(amount) ? tr("none") : onScreen(amount, 'g', 4));
}

}  // namespace spira::ui
