#include "engine/lesson/shuffled_level.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/text.hpp"
#include "engine/lesson/facts/facts.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace spira {
namespace {

/// The bounding box of a level, divided into cells of the stride grid.
struct Box {
  Voxel low{0, 0, 0};
  std::array<std::int64_t, 3> cells{0, 0, 0};
  int stride = 1;

  [[nodiscard]] std::int64_t size() const noexcept { return cells[0] * cells[1] * cells[2]; }
  /// Returns the cell with this index. Ascending indices have ascending keys.
  [[nodiscard]] Voxel cell(std::int64_t at) const {
    const auto component = [&](std::size_t axis, std::int64_t index) {
      return static_cast<std::int32_t>(low.at(axis) + (index * stride));
    };
    return {component(0, at / (cells[1] * cells[2])), component(1, at / cells[2] % cells[1]),
            component(2, at % cells[2])};
  }
};

Box box_of(const CoordSet& level, Job& job) {
  Box box;
  box.stride = level.stride;
  if (size_of(level) == 0) return box;
  box.low = voxel_at(level, 0);
  Voxel high = box.low;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"measuring the level", row, size_of(level)});
    const Voxel voxel = voxel_at(level, row);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low.at(axis) = std::min(box.low.at(axis), voxel.at(axis));
      high.at(axis) = std::max(high.at(axis), voxel.at(axis));
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    box.cells.at(axis) = ((std::int64_t{high.at(axis)} - box.low.at(axis)) / level.stride) + 1;
  return box;
}

/// Returns `count` different numbers from 0 to `all` - 1, in ascending order. If `count` is a large share of
/// `all`, makes one pass over all numbers. Otherwise draws random numbers and replaces duplicates.
std::vector<std::int64_t> choose(std::int64_t all, std::int64_t count, Random& random, Job& job) {
  constexpr std::int64_t few = 8;  // Duplicates are rare if `all` is larger than `few * count`.
  std::vector<std::int64_t> chosen;
  chosen.reserve(static_cast<std::size_t>(count));
  if (all <= few * count) {
    for (std::int64_t at = 0; at < all; ++at) {
      if (at % rows_per_checkpoint == 0) job.checkpoint({"shuffling voxels", at, all});
      const auto wanted = static_cast<double>(count - std::ssize(chosen));
      if (random.uniform() * static_cast<double>(all - at) < wanted) chosen.push_back(at);
    }
    return chosen;
  }
  while (std::ssize(chosen) < count) {
    while (std::ssize(chosen) < count)
      chosen.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(all))));
    job.checkpoint({"shuffling voxels", 0, 0});
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  }
  return chosen;
}

}  // namespace

CoordSet shuffled_level(const CoordSet& level, std::uint64_t seed, Job& job) {
  const Box box = box_of(level, job);
  Random random(seed);
  std::vector<std::uint64_t> keys;
  keys.reserve(static_cast<std::size_t>(size_of(level)));
  for (const std::int64_t cell : choose(box.size(), size_of(level), random, job))
    keys.push_back(level.pack.pack(box.cell(cell)));
  return made_level(level.pack, level.stride, keys);
}

std::shared_ptr<const PointCloud> shuffled_cloud(const VoxelScene& scene, std::uint64_t seed, Job& job) {
  const CoordSet shuffled = shuffled_level(scene.level(1), seed, job);
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = scene.cloud->name + ", shuffled";
  cloud->source = scene.cloud->source + ", shuffled";
  cloud->format = "generated";
  cloud->reading = count_text(size_of(shuffled)) + " voxels of " + scene.cloud->name + " at random positions";
  cloud->positions.reserve(static_cast<std::size_t>(size_of(shuffled)));
  for (std::int64_t row = 0; row < size_of(shuffled); ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"placing voxels", row, size_of(shuffled)});
    cloud->positions.push_back(scene.centre_m(voxel_at(shuffled, row), 1));
  }
  return cloud;
}

CoordSet made_level(const PackSpec& pack, int stride, std::span<const std::uint64_t> keys) {
  const auto pool = make_host_pool();
  CoordSet level;
  level.pack = pack;
  level.stride = stride;
  level.capacity = std::ssize(keys);
  level.size = level.capacity;
  level.count = Buffer(pool, sizeof(std::int64_t));
  level.count.host_span<std::int64_t>()[0] = level.capacity;
  level.keys = Buffer(pool, keys.size() * static_cast<std::size_t>(pack.word_bits() / 8));
  if (pack.word_bits() == 32) {
    std::transform(keys.begin(), keys.end(), level.keys.host_span<std::uint32_t>().begin(),
                   [](std::uint64_t key) { return static_cast<std::uint32_t>(key); });
  } else {
    std::copy(keys.begin(), keys.end(), level.keys.host_span<std::uint64_t>().begin());
  }
  return level;
}

namespace {

std::vector<std::uint64_t> keys_of(const CoordSet& level, Job& job) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(size_of(level)));
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    if (row % rows_per_checkpoint == 0) job.checkpoint({"reading a level", row, size_of(level)});
    keys[static_cast<std::size_t>(row)] = key_at(level, row);
  }
  return keys;
}

std::vector<std::uint64_t> floored(std::vector<std::uint64_t> keys, std::uint64_t mask, Job& job) {
  for (std::uint64_t& key : keys)
    key &= mask;
  job.checkpoint({"recomputing a level", 0, 0});
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

std::vector<LevelCheck> check_levels(const VoxelScene& scene, Job& job) {
  std::vector<LevelCheck> checks;
  const std::vector<std::uint64_t> finest = keys_of(scene.level(1), job);
  std::vector<std::uint64_t> before = finest;
  for (const auto& level : scene.levels) {
    if (level->stride == 1 || level->stride >= first_numbered_level) continue;
    const std::uint64_t mask = scene.pack.round_down_mask(level->stride);
    const std::vector<std::uint64_t> expected = keys_of(*level, job);
    LevelCheck check;
    check.stride = level->stride;
    check.voxels = std::ssize(expected);
    check.closed_form = floored(finest, mask, job) == expected;
    check.closed_form_reads = std::ssize(finest);
    check.step_by_step_reads = std::ssize(before);
    before = floored(std::move(before), mask, job);
    check.step_by_step = before == expected;
    check.waits_for = static_cast<int>(checks.size());
    check.wrong_by_adding = std::count_if(finest.begin(), finest.end(), [&](std::uint64_t key) {
      return ((key + mask) & scene.pack.word_mask()) != (key & mask);
    });
    checks.push_back(check);
  }
  return checks;
}

}  // namespace spira
