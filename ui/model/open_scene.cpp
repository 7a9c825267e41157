#include "ui/model/open_scene.hpp"

#include <utility>

namespace spira::ui {

ShownMap OpenScene::map(int stride) const {
  const auto found = now_.maps.find(stride);
  return found == now_.maps.end() ? ShownMap{} : found->second;
}

void OpenScene::setFrames(const FileList& frames, int frame, bool refused) {
  if (!(frames == now_.frames)) now_.frames = frames;
  now_.frame = frame;
  now_.frame_refused = refused;
  emit framesChanged();
}

void OpenScene::setMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const Densities> densities,
                       int stride) {
  const KernelShape& kernel = map->offsets->kernel();
  std::erase_if(now_.maps, [&](const auto& one) { return one.second.map->offsets->kernel() != kernel; });
  ShownMap& shown = now_.maps[stride];
  const bool there = now_.voxels && has_level(*now_.voxels, stride);
  shown.title =
      QString("%1, %2x%2x%2%3, stride %4")
          .arg(isBatch() ? QString("frame %1").arg(now_.voxels->frame) : "scene")
          .arg(kernel.size[0])
          .arg(kernel.native() ? " " + QString::fromStdString(text_of(kernel.neighbourhood)) : QString())
          .arg(there ? QString::fromStdString(level_text(*now_.voxels, stride)) : QString::number(stride));
  shown.densities_title = shown.title;
  shown.densities = std::move(densities);
  shown.map = std::move(map);
  shown.stride_in = shown.stride_out = stride;
  emit mapsChanged();
}

void OpenScene::replaceVoxels(std::shared_ptr<const VoxelScene> voxels) {
  now_.voxels = std::move(voxels);
  now_.maps.clear();
}

void OpenScene::updateFacts() {
  now_.facts.reset();
  if (now_.voxels) now_.facts = scene_facts(*whole_scene(now_.voxels));
}

}  // namespace spira::ui
