#include "ui/model/requested_settings.hpp"

#include <utility>

namespace spira::ui {

void RequestedSettings::setGridAndPack(const Grid& grid, const PackSpec& pack) {
  // The width of a batch index follows from the scene.
  announce(std::exchange(now_.voxels, GridAndPack{grid, pack.with_batch(1), false}));
}

void RequestedSettings::announce(const GridAndPack& former) {
  const GridAndPack& now = now_.voxels;
  if (former.grid.voxel_m != now.grid.voxel_m || former.grid.crop_m != now.grid.crop_m ||
      former.grid.positions != now.grid.positions)
    emit gridChanged();
  if (former.pack != now.pack || former.pack_automatic != now.pack_automatic) emit packChanged();
}

void RequestedSettings::setGrid(const Grid& grid) {
  announce(std::exchange(now_.voxels, GridAndPack{grid, pack(), packAutomatic()}));
}

void RequestedSettings::setPack(const PackSpec& pack) {
  setGridAndPack(grid(), pack);
}

void RequestedSettings::setPackAutomatic(bool automatic) {
  if (std::exchange(now_.voxels.pack_automatic, automatic) != automatic) emit packChanged();
}

void RequestedSettings::chooseDevice(const std::string& name) {
  if (name == chosen_device_) return;
  chosen_device_ = name;
  emit deviceChoiceChanged();
}

void RequestedSettings::setSceneKernelSize(int kernel_size) {
  if (kernel_size == now_.scene_kernel_size) return;
  now_.scene_kernel_size = kernel_size;
  emit sceneKernelChanged();
}

}  // namespace spira::ui
