#include "engine/lesson/level_check.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/facts/fact_list.hpp"

#include <algorithm>

namespace spira {
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
    if (level->stride == 1) continue;
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
