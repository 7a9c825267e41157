#include "ui/model/parameters.hpp"

#include "ui/model/neighbours.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

/// Returns a name for a change of t or of the dataflow. It contains the name of the changed layer. If several
/// layers changed, it contains their number instead.
QString plan_difference(const Parameters& from, const Parameters& to) {
  if (from.precision != to.precision) return tr("precision");
  if (from.plan.layers == to.plan.layers) return {};
  int changed = 0;
  std::size_t which = 0;
  bool of_dataflow = false;  // True if the change is more than a change of t.
  for (std::size_t at = 0; at < std::min(from.plan.layers.size(), to.plan.layers.size()); ++at) {
    if (from.plan.layers[at] == to.plan.layers[at]) continue;
    ++changed;
    which = at;
    LayerPlan with_t = from.plan.layers[at];
    with_t.threshold = to.plan.layers[at].threshold;
    with_t.algorithm = to.plan.layers[at].algorithm;
    of_dataflow = of_dataflow || with_t != to.plan.layers[at];
  }
  if (changed == 1 && to.network && which < to.network->layers.size())
    return (of_dataflow ? tr("change of the dataflow of %1") : tr("change of t in %1"))
        .arg(QString::fromStdString(to.network->layers[which].name));
  return of_dataflow ? counted(changed, tr("change of the dataflow of 1 layer"),
                               tr("change of the dataflows of %1 layers"))
                     : counted(changed, tr("change of t in 1 layer"), tr("change of t in %1 layers"));
}

}  // namespace

Parameters parameters_of(const Workspace& workspace, const Selection& selection, const ViewParts& parts) {
  return {workspace.requested().grid(),
          workspace.requested().pack(),
          workspace.requested().packAutomatic(),
          workspace.network(),
          workspace.requested().plan(),
          workspace.requested().chosenPrecision(),
          workspace.requested().sceneKernelSize(),
          selection.look().colourBy(),
          selection.look().colours(),
          selection.look().voxelStyle(),
          selection.look().hiddenLabels(),
          selection.look().slab(),
          parts.shown(),
          workspace.requested().chosenDevice(),
          workspace.weights()};
}

bool other_pack(const Parameters& from, const Parameters& to) {
  return from.pack_automatic != to.pack_automatic || (!to.pack_automatic && !(from.pack == to.pack));
}

QString difference(const Parameters& from, const Parameters& to) {
  if (from.network != to.network)
    return from.network && to.network && differ_in_neighbours(*from.network, *to.network) ? tr("neighbours")
                                                                                          : tr("network");
  if (from.weights != to.weights) return tr("weights");
  if (from.device != to.device) return tr("device");
  if (from.grid.voxel_m != to.grid.voxel_m) return tr("voxel size");
  if (from.grid.crop_m != to.grid.crop_m) return tr("crop");
  if (from.grid.positions != to.grid.positions) return tr("positions");
  if (other_pack(from, to)) return tr("packing");
  if (QString plan = plan_difference(from, to); !plan.isEmpty()) return plan;
  if (from.scene_kernel_size != to.scene_kernel_size) return tr("kernel size of the scene's kernel map");
  if (from.colour_by != to.colour_by) return tr("colouring");
  if (from.look.map != to.look.map) return tr("colour map");
  if (!(from.look == to.look)) return tr("colour range");
  if (from.voxel_style != to.voxel_style) return tr("voxel style");
  if (from.hidden_labels != to.hidden_labels) return tr("hidden classes");
  if (from.slab_m != to.slab_m) return tr("z slab");
  return from.parts == to.parts ? QString() : tr("visible parts");
}

}  // namespace spira::ui
