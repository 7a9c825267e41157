// Tests row_at_place(), which selects the initial voxel of a lesson page. The expected voxel comes from a
// linear search over all voxels of the level.
#include "engine/lesson/lesson_voxel.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "tests/support/case_name.hpp"
#include "tests/support/small_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace spira {
namespace {

class RowAtPlace : public testing::TestWithParam<int> {
 protected:
  RowAtPlace() {
    Job job;
    const auto backend = app::make_registry().make("cpu");
    scene_ = voxelize_scene(*backend, test::small_room(), test::small_grid, PackSpec::bits32(), {5, 16}, job);
    for (std::int64_t row = 0; row < size_of(level()); ++row)
      voxels_.insert(voxel_at(level(), row));
  }
  [[nodiscard]] const CoordSet& level() const { return scene_->level(GetParam()); }
  [[nodiscard]] Voxel at(VoxelPlace place) const {
    Job job;
    return voxel_at(level(), row_at_place(level(), place, job));
  }
  [[nodiscard]] std::pair<int, int> heights() const {
    const auto [low, high] = std::minmax_element(voxels_.begin(), voxels_.end(),
                                                 [](const Voxel& a, const Voxel& b) { return a[2] < b[2]; });
    return {(*low)[2], (*high)[2]};
  }
  [[nodiscard]] int neighbours(const Voxel& v) const {
    int found = 0;
    for (const Voxel& other : voxels_) {
      const auto near = [&](std::size_t axis) { return std::abs(other.at(axis) - v.at(axis)) <= GetParam(); };
      found += near(0) && near(1) && near(2) ? 1 : 0;
    }
    return found;
  }

  std::shared_ptr<const VoxelScene> scene_;
  std::set<Voxel> voxels_;
};

TEST_P(RowAtPlace, FindsTheHighestAndTheLowest) {
  EXPECT_EQ(at(VoxelPlace::lowest)[2], heights().first);
  EXPECT_EQ(at(VoxelPlace::highest)[2], heights().second);
}

TEST_P(RowAtPlace, TheMiddleIsHalfwayUpAndHasNeighbours) {
  const auto [low, high] = heights();
  std::vector<Voxel> layer;
  for (int z = (low + high) / 2; layer.empty(); ++z)
    std::copy_if(voxels_.begin(), voxels_.end(), std::back_inserter(layer),
                 [&](const Voxel& v) { return v[2] == z; });
  const Voxel middle = at(VoxelPlace::middle);
  EXPECT_EQ(middle[2], layer.front()[2]);
  EXPECT_GE(neighbours(middle), neighbours(layer[layer.size() / 2]))
      << "the chosen voxel must not have fewer neighbours than another voxel of its height";
}

TEST_P(RowAtPlace, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  Job job(stop.get_token());
  EXPECT_THROW(static_cast<void>(row_at_place(level(), VoxelPlace::middle, job)), Error);
}

INSTANTIATE_TEST_SUITE_P(Strides, RowAtPlace, testing::Values(1, 4), test::PrintedName{});

}  // namespace
}  // namespace spira
