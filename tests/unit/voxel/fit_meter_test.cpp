// Tests the functions of fit_meter.hpp: the guard cells, the voxels that do not fit a packing, and the
// smallest changes with which a scene fits.
#include "engine/voxel/fit_meter.hpp"

#include <gtest/gtest.h>

namespace spira {
namespace {

/// Returns a stack of 301 cells of 0.1 m along z, with two points in each cell.
PointCloud tower() {
  PointCloud cloud;
  for (int cell = 0; cell <= 300; ++cell) {
    for (const double within : {0.04, 0.06})
      cloud.positions.push_back({0.05, 0.05, (0.1 * cell) + within});
  }
  return cloud;
}

FitQuestion question(double voxel_m, PackSpec pack = PackSpec::bits32()) {
  return {Grid{{voxel_m, voxel_m, voxel_m}, {}}, pack, {5, 16}};
}

TEST(FitMeter, GuardAndFreeCellsAgreeWithFit) {
  EXPECT_EQ(guard_cells(5, 16), (std::array<std::int64_t, 3>{32, 2, 2}));
  EXPECT_EQ(guard_cells(2, 4), (std::array<std::int64_t, 3>{4, 1, 1}))
      << "an even kernel must need guard cells for K - 1";
  for (const PackSpec pack : {PackSpec::bits32(), PackSpec{10, 11, 9}, PackSpec::bits64()}) {
    const auto guard = guard_cells(5, 16);
    for (const std::int64_t cells : {200, 254, 255, 1000, 1022, 1023, 1024, 1025}) {
      const std::array<std::int64_t, 3> extent{cells, cells, cells};
      const Fit result = fit(extent, pack, {5, 16});
      const auto free = free_cells(extent, pack);
      for (std::size_t axis = 1; axis < 3; ++axis)
        EXPECT_EQ(result.axes.at(axis).fits(), free.at(axis) >= guard.at(axis)) << cells;
      // Unused high bits of the word also serve as guard cells.
      const bool own = cells <= (std::int64_t{1} << pack.x_bits);
      EXPECT_EQ(result.axes[0].fits(), own && free[0] >= guard[0]) << cells;
      EXPECT_EQ(own, free[0] >= 0) << "an extent that does not fit must leave no free cells";
      for (const AxisFit& axis : result.axes)
        EXPECT_EQ(axis.fits(), axis.bits_needed <= axis.bits_given) << axis.axis << " of " << cells;
    }
  }
}

TEST(FitMeter, ASceneThatFitsHasNoMisfit) {
  Job job;
  EXPECT_FALSE(misfit_of(tower(), question(0.2), job));
  EXPECT_FALSE(misfit_of(PointCloud{}, question(0.1), job));
}

TEST(FitMeter, CountsVoxelsOnceAndOffersTheSmallestRepairs) {
  Job job;
  const auto misfit = misfit_of(tower(), question(0.1), job);
  ASSERT_TRUE(misfit);
  EXPECT_EQ(misfit->extent[2], 301);
  EXPECT_EQ(misfit->voxels_past, 301 - 254)
      << "254 of 301 cells must fit, and two points in one cell must count as one voxel";
  EXPECT_NEAR(misfit->past_from_m[2], 25.4, 1e-9);
  ASSERT_TRUE(misfit->voxel_m);
  EXPECT_EQ(*misfit->voxel_m, (std::array<double, 3>{0.12, 0.12, 0.12}))
      << "0.11 m would need 274 cells, so 0.12 m must be suggested";
  ASSERT_TRUE(misfit->crop);
  EXPECT_EQ(misfit->crop->axes, "z");
  ASSERT_TRUE(misfit->pack);
  EXPECT_EQ(misfit->pack->word_bits(), 32) << "a 32-bit packing fits, so it must be suggested";
  EXPECT_TRUE(fit(misfit->extent, *misfit->pack, misfit->of.needs).fits());
}

TEST(FitMeter, VoxelsOfUnequalSidesKeepTheirProportions) {
  Job job;
  FitQuestion asked = question(0.1);
  asked.grid.voxel_m = {0.2, 0.2, 0.1};
  const auto misfit = misfit_of(tower(), asked, job);
  ASSERT_TRUE(misfit && misfit->voxel_m);
  EXPECT_EQ((*misfit->voxel_m)[0], 0.24);
  EXPECT_NEAR((*misfit->voxel_m)[2], 0.12, 1e-12);
}

TEST(FitMeter, StopsWhenItIsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  Job job(stop.get_token());
  EXPECT_ANY_THROW(static_cast<void>(misfit_of(tower(), question(0.1), job)));
}

}  // namespace
}  // namespace spira
