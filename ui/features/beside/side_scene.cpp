#include "ui/features/beside/side_scene.hpp"

#include "engine/run/memory_forecast.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"

#include <QCoreApplication>

#include <new>

namespace spira::ui {
namespace {

constexpr int max_stride = 16;  // The coarsest stride of the 3D view.

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

std::shared_ptr<const PointCloud> read_cloud(const SideSceneArgs& args, Job& job) {
  const std::string name = args.scene.toStdString();
  if (names_built_in_scene(name)) return built_in_scene(name, job);
  LoadOptions options;
  options.limits = {args.every, args.memory_limit};
  return load_scene(name, options, job);
}

std::shared_ptr<const VoxelScene> voxelise(const SideSceneArgs& args, Backend& backend, Job& job) {
  const auto cloud = read_cloud(args, job);
  if (cloud->size() == 0) throw Error(ErrorKind::input, "the scene has no points");
  if (cloud->batch() > 1)
    throw Error(ErrorKind::input, "the file is a batch of " + std::to_string(cloud->batch()) +
                                      " frames; save one frame per file");
  const Grid grid = args.voxel_m ? Grid{*args.voxel_m} : suggest_grid(*cloud);
  require_memory(*cloud, grid, {args.kernel_size, true}, args.memory_limit, job);
  const auto extent = voxel_range(*cloud, grid, job).extent(max_stride);
  PackSpec pack = args.pack;
  if (!fit(extent, pack, {args.max_kernel_size, max_stride}).fits()) {
    const auto packs = packings_that_fit(extent, {args.max_kernel_size, max_stride});
    if (!packs.empty()) pack = packs.front();
  }
  return voxelize_scene(backend, cloud, grid, pack, {args.max_kernel_size, max_stride}, job);
}

std::string misfit_of_pack(const VoxelScene& scene, const SideSceneArgs& args) {
  const auto& axes = scene.fit.axes;
  const Fit found = fit({axes[0].extent, axes[1].extent, axes[2].extent}, args.pack,
                        {args.max_kernel_size, coarsest_floor_level(scene).stride});
  return found.fits() ? std::string() : misfit_text(found, {});
}

/// Computes what the views compare: the densities and the colour ranges of each stride. The kernel maps are
/// discarded, because they need much more memory than the densities.
void describe(SideScene& side, const SideSceneArgs& args, Backend& backend, Job& job) {
  const VoxelScene& scene = *side.voxels;
  for (const auto& level : scene.levels) {
    const int stride = level->stride;
    // Skip the levels whose number may denote another level in the other scene.
    if (stride >= first_numbered_level) continue;
    const auto map = map_of_scene(backend, scene, {args.kernel_size, stride, stride}, job);
    side.densities[stride] = std::make_shared<const Densities>(densities(*map));
    for (const ColourBy by : {ColourBy::height, ColourBy::intensity, ColourBy::points_per_voxel}) {
      job.checkpoint({"computing the colour range", 0, 0});
      if (!colouring_unavailable_reason(by, scene, stride, {}).isEmpty()) continue;
      side.ranges[{by, stride}] = middle_range(voxel_values(scene, stride, by, {}).amount);
    }
  }
  side.misfit = QString::fromStdString(misfit_of_pack(scene, args));
}

/// Removes the file name from the start of an error message, because the title of the pane shows the name.
QString without_file(const QString& message, const QString& file) {
  return message.startsWith(file + ": ") ? message.mid(file.size() + 2) : message;
}

}  // namespace

void read_side_scene(const SideSceneArgs& args, Job& job,
                     const Send<std::shared_ptr<const SideScene>>& send) {
  auto side = std::make_shared<SideScene>();
  try {
    const auto backend = args.registry->make("cpu");
    side->voxels = args.voxels ? args.voxels : voxelise(args, *backend, job);
    describe(*side, args, *backend, job);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    *side = {};
    side->fault = without_file(QString::fromStdString(error.what()), args.scene);
  } catch (const std::bad_alloc&) {
    *side = {};
    side->fault = tr("There is not enough memory for this scene.");
  }
  send(std::move(side));
}

}  // namespace spira::ui
