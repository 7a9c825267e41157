#include "ui/view3d/hidden_rows.hpp"

#include "ui/view3d/voxel_values.hpp"

namespace spira::ui {

std::vector<bool> hidden_rows(const VoxelScene& scene, int stride, const std::set<std::uint32_t>& labels) {
  if (labels.empty() || scene.cloud->label.empty()) return {};
  std::vector<bool> hidden;
  for (const std::uint32_t label : voxel_labels(scene, stride))
    hidden.push_back(labels.count(label) > 0);
  return hidden;
}

std::vector<bool> hidden_coarse(const std::vector<bool>& hidden,
                                const std::vector<std::int32_t>& coarse_of_row, std::int64_t coarse_voxels) {
  if (hidden.empty()) return {};
  std::vector<bool> result(static_cast<std::size_t>(coarse_voxels), true);
  for (std::size_t row = 0; row < hidden.size(); ++row) {
    if (!hidden[row]) result[static_cast<std::size_t>(coarse_of_row[row])] = false;
  }
  return result;
}

}  // namespace spira::ui
