#include "ui/view3d/voxels/colour_sources.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/view3d/voxels/voxel_values.hpp"

#include <QCoreApplication>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

}  // namespace

ColourSources colour_sources(const Workspace& workspace, const Selection& selection, int stride,
                             ColourBy colour_by) {
  const std::int64_t voxels = size_of(workspace.voxels()->level(stride));
  const bool sides = colour_by == ColourBy::threshold_sides;
  const int chosen = sides && selection.tried() ? selection.tried()->layer : selection.layer();
  const auto& layer = workspace.layer(chosen);
  const auto shown = workspace.shownMap(chosen);
  ColourSources sources;
  if (layer && layer->features->rows == voxels && layer->levels.stride_out == stride) sources.layer = layer;
  if (shown.map && shown.map->outputs == voxels && shown.stride_out == stride) sources.map = shown.map;
  if (sides && workspace.wasRun(chosen))
    sources.threshold = threshold_looked_at(workspace, selection, chosen);
  if (colour_by == ColourBy::changed) sources.other = workspace.otherVoxels();
  if (colour_by == ColourBy::offset_match && sources.map) {
    const auto& over = selection.hover().columns;
    sources.columns = over.empty() ? selection.columns() : over;
    std::erase_if(sources.columns, [&](int column) { return column >= sources.map->offsets->columns(); });
  }
  return sources;
}

ColourBy colouring_now(const Workspace& workspace, const Selection& selection) {
  const bool sides = selection.tried() &&
                     colouring_unavailable_reason(ColourBy::threshold_sides, workspace, selection).isEmpty();
  return sides ? ColourBy::threshold_sides : selection.colourBy();
}

QString colouring_unavailable_reason(ColourBy colour_by, const Workspace& workspace,
                                     const Selection& selection) {
  const auto& scene = workspace.voxels();
  if (!scene) return tr("no scene is open");
  const int stride = selection.stride();
  const ColourSources sources =
      has_level(*scene, stride) ? colour_sources(workspace, selection, stride, colour_by) : ColourSources{};
  return colouring_unavailable_reason(colour_by, *scene, stride, sources);
}

}  // namespace spira::ui
