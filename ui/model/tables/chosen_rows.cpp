#include "ui/model/tables/chosen_rows.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/run/voxel_scene.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace spira::ui {
namespace {

std::shared_ptr<const ChosenRows> of(const std::shared_ptr<const VoxelScene>& scene, int stride,
                                     std::vector<std::int32_t> rows) {
  if (rows.empty()) return nullptr;
  return std::make_shared<const ChosenRows>(ChosenRows{scene, stride, std::move(rows), {}});
}

std::vector<bool> mask_of(const ChosenRows& chosen) {
  std::vector<bool> mask(static_cast<std::size_t>(size_of(chosen.scene->level(chosen.stride))), false);
  for (const std::int32_t row : chosen.rows)
    mask[static_cast<std::size_t>(row)] = true;
  return mask;
}

std::vector<std::int32_t> rows_of(const std::vector<bool>& mask) {
  std::vector<std::int32_t> rows;
  for (std::size_t row = 0; row < mask.size(); ++row) {
    if (mask[row]) rows.push_back(static_cast<std::int32_t>(row));
  }
  return rows;
}

}  // namespace

std::shared_ptr<const ChosenRows> combined(const std::shared_ptr<const ChosenRows>& before,
                                           const std::shared_ptr<const VoxelScene>& scene, int stride,
                                           std::vector<std::int32_t> drawn, Combine how) {
  if (how == Combine::replace) return of(scene, stride, std::move(drawn));
  const auto former =
      before && before->scene == scene ? rows_at(*before, stride) : std::vector<std::int32_t>{};
  std::vector<std::int32_t> result;
  if (how == Combine::add) {
    std::set_union(former.begin(), former.end(), drawn.begin(), drawn.end(), std::back_inserter(result));
  } else {
    std::set_difference(former.begin(), former.end(), drawn.begin(), drawn.end(), std::back_inserter(result));
  }
  return of(scene, stride, std::move(result));
}

std::shared_ptr<const ChosenRows> grown(const ChosenRows& chosen, const std::stop_token& stop) {
  const CoordSet& level = chosen.scene->level(chosen.stride);
  const PerAxis step = level.rule.stride();
  std::vector<bool> mask = mask_of(chosen);
  std::size_t done = 0;
  for (const std::int32_t row : chosen.rows) {
    if (++done % 16'384 == 0 && stop.stop_requested()) break;
    const Voxel centre = voxel_at(level, row);
    for (int at = 0; at < 27; ++at) {
      const Voxel near{centre[0] + (((at / 9) - 1) * step[0]), centre[1] + (((at / 3 % 3) - 1) * step[1]),
                       centre[2] + (((at % 3) - 1) * step[2])};
      const bool outside =
          std::any_of(near.begin(), near.end(), [](std::int32_t value) { return value < 0; });
      if (const auto found = outside ? std::nullopt : row_of_voxel(level, near))
        mask[static_cast<std::size_t>(*found)] = true;
    }
  }
  return of(chosen.scene, chosen.stride, rows_of(mask));
}

std::shared_ptr<const ChosenRows> inverted(const ChosenRows& chosen, const std::vector<bool>& hidden) {
  std::vector<bool> mask = mask_of(chosen);
  for (std::size_t row = 0; row < mask.size(); ++row)
    mask[row] = !mask[row] && (hidden.empty() || !hidden[row]);
  return of(chosen.scene, chosen.stride, rows_of(mask));
}

std::shared_ptr<const ChosenRows> rows_past(const std::shared_ptr<const VoxelScene>& scene, PackSpec pack,
                                            const Point& from_m, const std::stop_token& stop) {
  const CoordSet& level = scene->level(1);
  std::vector<std::int32_t> rows;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row % 65'536 == 0 && stop.stop_requested()) break;
    const Point centre = scene->centre_m(voxel_at(level, row), 1);
    if (centre[0] >= from_m[0] || centre[1] >= from_m[1] || centre[2] >= from_m[2])
      rows.push_back(static_cast<std::int32_t>(row));
  }
  if (rows.empty()) return nullptr;
  return std::make_shared<const ChosenRows>(ChosenRows{scene, 1, std::move(rows), pack});
}

namespace {

/// Returns the voxels of `wanted` that overlap a selected voxel. Used if neither of the two levels is finer
/// than the other on all axes.
std::vector<std::int32_t> rows_in_common_cells(const ChosenRows& chosen, const CoordSet& own,
                                               const CoordSet& wanted) {
  PerAxis step;
  for (std::size_t axis = 0; axis < 3; ++axis)
    step[axis] = std::max(own.rule.stride()[axis], wanted.rule.stride()[axis]);
  std::vector<Voxel> cells;
  cells.reserve(chosen.rows.size());
  for (const std::int32_t row : chosen.rows)
    cells.push_back(cell_around(voxel_at(own, row), step));
  std::sort(cells.begin(), cells.end());
  std::vector<std::int32_t> rows;
  for (std::int64_t row = 0; row < size_of(wanted); ++row) {
    if (std::binary_search(cells.begin(), cells.end(), cell_around(voxel_at(wanted, row), step)))
      rows.push_back(static_cast<std::int32_t>(row));
  }
  return rows;
}

}  // namespace

std::vector<std::int32_t> rows_at(const ChosenRows& chosen, int stride) {
  if (stride == chosen.stride) return chosen.rows;
  const CoordSet& own = chosen.scene->level(chosen.stride);
  const CoordSet& wanted = chosen.scene->level(stride);
  const PerAxis own_step = own.rule.stride(), step = wanted.rule.stride();
  const auto divides = [](const PerAxis& fine, const PerAxis& coarse) {
    return fine[0] <= coarse[0] && fine[1] <= coarse[1] && fine[2] <= coarse[2];
  };
  std::vector<bool> mask(static_cast<std::size_t>(size_of(wanted)), false);
  if (divides(own_step, step)) {
    for (const std::int32_t row : chosen.rows) {
      if (const auto holder = row_of_voxel(wanted, cell_around(voxel_at(own, row), step)))
        mask[static_cast<std::size_t>(*holder)] = true;
    }
    return rows_of(mask);
  }
  // On each axis, either level may be finer, so compare the cells of the level that is coarser on this axis.
  if (!divides(step, own_step)) return rows_in_common_cells(chosen, own, wanted);
  const std::vector<bool> chosen_mask = mask_of(chosen);
  Voxel last{-1, -1, -1};
  bool last_in = false;
  for (std::size_t row = 0; row < mask.size(); ++row) {
    const Voxel holder = cell_around(voxel_at(wanted, static_cast<std::int64_t>(row)), own_step);
    if (holder != last) {
      const auto found = row_of_voxel(own, holder);
      last_in = found && chosen_mask[static_cast<std::size_t>(*found)];
      last = holder;
    }
    mask[row] = last_in;
  }
  return rows_of(mask);
}

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
