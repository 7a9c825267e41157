// Tests the densities of masks and the shares of their blocks on real scenes. The expected values were
// counted by an independent program and are rounded as in its table.
#include "engine/bev/blocks.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/real_scenes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

namespace spira {
namespace {

constexpr double all_heights = 1e6;

struct BevTruth {
  const char* file;
  Bounds crop_m;
  std::array<double, 2> z_m;
  std::array<double, 5> mask;            ///< In percent, at the strides 1, 2, 4, 8 and 16.
  std::array<double, 4> computed, read;  ///< In percent, at stride 2, for the cores 4, 8, 16, 32.
  std::array<double, 3> computed_at_8;   ///< In percent, for the cores 4, 8 and 16.
  std::map<int, double> heights{};       ///< In percent by stride, of height:0.3,3 with core 8.
};

const std::array bev_truths{
    BevTruth{"kitti/semantickitti_00_000000.bin",
             {{0, -40, -3}, {70.4, 40, 1}},
             {-3, 1},
             {2.5, 4.5, 7.1, 11.5, 18},
             {15, 21, 29, 37},
             {33, 33, 36, 42},
             {33, 37, 55},
             {{2, 12}, {8, 36}}},
    BevTruth{"kitti/semantickitti_00_000000.bin",
             {{-70.4, -40, -3}, {70.4, 40, 1}},
             {-3, 1},
             {3.4, 6.8, 12, 20, 31},
             {26, 35, 45, 57},
             {58, 54, 58, 64},
             {51, 59, 71},
             {{2, 17}, {8, 53}}},
    // The ground of this scene is at z = 0. The area begins near the lowest corner of the points.
    BevTruth{"formats/spconv_benchmark-pc.npz",
             {{-74.1, -38, -3}, {66.7, 42, 1}},
             {-all_heights, all_heights},
             {6.0, 12, 20, 33, 47},
             {41, 52, 63, 73},
             {93, 81, 80, 83},
             {67, 76, 89},
             {{2, 26}, {8, 65}}},
    BevTruth{"nuscenes/n015_1532402927647951.pcd.bin",
             {{-40, -40, -3}, {40, 40, 1}},
             {-3, 1},
             {1.7, 4.2, 8.6, 17, 30},
             {23, 35, 53, 75},
             {52, 55, 67, 85},
             {62, 79, 100}}};

/// Expects that a share equals a percentage with one decimal, or a whole percentage that was rounded from one
/// decimal.
void expect_percent(double share, double percent, const std::string& what) {
  const double half = percent == std::round(percent) ? 0.55 : 0.05;
  EXPECT_NEAR(100 * share, percent, half + 1e-9) << what;
}

BlockShares shares_with(const Mask& mask, int stride, int core) {
  const BlockShape shape{stride, core, 1, 1};
  return shares_of(mask, shape, active_blocks(mask, shape), core + 2, 1);
}

TEST(BirdsEyeView, MasksAndBlocksOfRealScenesHaveTheExpectedShares) {
  SPIRA_NEED_REAL_SCENES();
  for (const BevTruth& truth : bev_truths) {
    Job job;
    const auto cloud = load_scene(test::data_folder() / truth.file, {}, job);
    const Area area = area_of(*cloud, {.crop_m = truth.crop_m, .z_m = truth.z_m});
    SCOPED_TRACE(std::string(truth.file) + ", " + text_of(area));
    const Mask mask = make_mask(*cloud, area, parse_mask("occupied"), job);
    for (std::size_t at = 0; at < truth.mask.size(); ++at) {
      const int stride = 1 << at;
      const auto cells = static_cast<double>(count_cells(cells_at(mask, stride)));
      expect_percent(cells / static_cast<double>(area.size(stride)), truth.mask.at(at),
                     "mask at stride " + std::to_string(stride));
    }
    for (std::size_t at = 0; at < block_cores.size(); ++at) {
      const int core = block_cores.at(at);
      const BlockShares shares = shares_with(mask, 2, core);
      expect_percent(shares.computed, truth.computed.at(at), "computed, core " + std::to_string(core));
      expect_percent(shares.read, truth.read.at(at), "read, core " + std::to_string(core));
      EXPECT_EQ(shares.covered, 1);
      if (at < truth.computed_at_8.size())
        expect_percent(shares_with(mask, 8, core).computed, truth.computed_at_8.at(at),
                       "computed at stride 8, core " + std::to_string(core));
    }
    const Mask heights = make_mask(*cloud, area, parse_mask("height:0.3,3"), job);
    for (const auto& [stride, percent] : truth.heights)
      expect_percent(shares_with(heights, stride, 8).computed, percent,
                     "computed for heights at stride " + std::to_string(stride));
  }
}

}  // namespace
}  // namespace spira
