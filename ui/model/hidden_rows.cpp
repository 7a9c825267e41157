#include "ui/model/hidden_rows.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/run/voxel_attributes.hpp"

namespace spira::ui {

std::vector<bool> hidden_rows(const VoxelScene& scene, int stride, const Hiding& hiding) {
  const bool by_label = !hiding.labels.empty() && !scene.cloud->label.empty();
  if (!by_label && !hiding.slab_m) return {};
  const CoordSet& level = scene.level(stride);
  std::vector<bool> hidden(static_cast<std::size_t>(size_of(level)), false);
  if (by_label) {
    const auto labels = voxel_labels(scene, stride);
    for (std::size_t row = 0; row < hidden.size(); ++row)
      hidden[row] = hiding.labels.count(labels[row]) > 0;
  }
  for (std::size_t row = 0; hiding.slab_m && row < hidden.size(); ++row) {
    const double z = scene.centre_m(voxel_at(level, static_cast<std::int64_t>(row)), stride)[2];
    if (z < hiding.slab_m->first || z > hiding.slab_m->second) hidden[row] = true;
  }
  return hidden;
}

std::vector<bool> hidden_coarse(const std::vector<bool>& hidden,
                                const std::vector<std::int32_t>& coarse_of_row, std::int64_t coarse_voxels) {
  if (hidden.empty()) return {};
  std::vector<bool> result(static_cast<std::size_t>(coarse_voxels), true);
  for (std::size_t row = 0; row < hidden.size(); ++row) {
    if (!hidden[row] && coarse_of_row[row] >= 0) result[static_cast<std::size_t>(coarse_of_row[row])] = false;
  }
  return result;
}

}  // namespace spira::ui
