#include "engine/voxel/fit.hpp"

#include "engine/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

using testing::HasSubstr;

TEST(Fit, GuardCellsDependOnTheKernelAndForXOnTheCoarsestStride) {
  const Fit k3 = fit({1, 1, 1}, PackSpec::bits32(), {3, 16});
  EXPECT_EQ(k3.axes[0].limit, 4096 - 16);
  EXPECT_EQ(k3.axes[1].limit, 4096 - 1);
  EXPECT_EQ(k3.axes[2].limit, 256 - 1);
  const Fit k5 = fit({1, 1, 1}, PackSpec::bits32(), {5, 1});
  EXPECT_EQ(k5.axes[0].limit, 4096 - 2);
  EXPECT_EQ(k5.axes[2].limit, 256 - 2);
  EXPECT_EQ(fit({1, 1, 1}, PackSpec::bits32(), {2, 1}).axes[2].limit, 256 - 1)
      << "K = 2 must need one guard cell";
  EXPECT_EQ(fit({1, 1, 1}, PackSpec::bits32(), {1, 16}).axes[0].limit, 4096)
      << "K = 1 must need no guard cells";
}

TEST(Fit, XUsesTheUnusedBitsOfTheWordAsGuard) {
  EXPECT_EQ(fit({1, 1, 1}, {10, 10, 10}, {7, 16}).axes[0].limit, 1024);
}

TEST(Fit, TheTopBitOf64BitWordsStaysFree) {
  EXPECT_EQ(fit({1, 1, 1}, PackSpec::bits64(), {3, 16}).axes[0].limit, (1 << 23) - 16);
  const auto wide = packings_that_fit({1 << 23, 100, 100}, {3, 16});
  ASSERT_EQ(wide.size(), 1U);
  EXPECT_EQ(wide.front(), (PackSpec{31, 7, 7}));
}

TEST(Fit, TheLimitItselfFitsAndOneMoreDoesNot) {
  EXPECT_TRUE(fit({4080, 4095, 255}, PackSpec::bits32(), {3, 16}).fits());
  EXPECT_FALSE(fit({4081, 4095, 255}, PackSpec::bits32(), {3, 16}).fits());
  EXPECT_FALSE(fit({4080, 4096, 255}, PackSpec::bits32(), {3, 16}).fits());
  EXPECT_FALSE(fit({4080, 4095, 256}, PackSpec::bits32(), {3, 16}).fits());
}

TEST(PackingsThatFit, DefaultThenAnother32BitSplitThen64Bits) {
  EXPECT_EQ(packings_that_fit({100, 100, 100}, {3, 16}).front(), PackSpec::bits32());
  const auto tall = packings_that_fit({100, 100, 1000}, {3, 16});
  ASSERT_GE(tall.size(), 2U);
  EXPECT_EQ(tall.front().word_bits(), 32);
  EXPECT_EQ(tall.back(), PackSpec::bits64());
  EXPECT_EQ(packings_that_fit({10000, 10000, 1000}, {3, 16}).front(), PackSpec::bits64());
  EXPECT_TRUE(packings_that_fit({std::int64_t{1} << 40, 10, 10}, {3, 16}).empty());
  for (const PackSpec& pack : tall)
    EXPECT_TRUE(fit({100, 100, 1000}, pack, {3, 16}).fits());
}

TEST(PackingsToTry, AreTheUsualPackingsAndOthersThatFit) {
  EXPECT_EQ(packings_to_try({100, 100, 100}, {3, 16}), usual_packings());
  // This extent needs 12 bits for z.
  const auto tall = packings_to_try({100, 100, 3000}, {3, 16});
  ASSERT_EQ(tall.size(), usual_packings().size() + 1);
  EXPECT_EQ(tall.back(), packings_that_fit({100, 100, 3000}, {3, 16}).front());
}

TEST(RequireFit, Trap1TheErrorNamesTheAxisItsBitsAndThePackingsThatFit) {
  EXPECT_NO_THROW(require_fit({10, 10, 10}, PackSpec::bits32(), {5, 16}));
  try {
    require_fit({100, 100, 301}, PackSpec::bits32(), {3, 16});
    ADD_FAILURE() << "an extent that does not fit must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::does_not_fit);
    EXPECT_THAT(error.what(), HasSubstr("z spans 301 cells; 8 bits hold 255 (9 needed)"));
    EXPECT_THAT(error.what(), HasSubstr("packings that fit: "));
    EXPECT_THAT(error.what(), HasSubstr("24/24/16"));
  }
  EXPECT_THROW(require_fit({std::int64_t{1} << 50, 1, 1}, PackSpec::bits64(), {3, 1}), Error);
  EXPECT_THROW(require_fit({9'000'000'000'000'000'000, 1, 1}, PackSpec::bits64(), {3, 1}), Error);
  EXPECT_THROW(require_fit({1, std::int64_t{1} << 62, std::int64_t{1} << 62}, PackSpec::bits64(), {3, 1}),
               Error);
}

TEST(RequireFit, NamesTheBitsOfTheBatch) {
  const PackNeeds needs = PackNeeds(3, 4).with_batch(4);
  const std::array<std::int64_t, 3> extent{1000, 1000, 200};
  const auto packs = packings_that_fit(extent, needs);
  ASSERT_EQ(packs.size(), 2U);
  EXPECT_EQ(packs[0], (PackSpec{10, 12, 8, 2})) << "x is narrow, so that the frames are close together";
  EXPECT_EQ(packs[1], (PackSpec{10, 24, 16, 2}));
  for (const PackSpec& pack : packs)
    EXPECT_NO_THROW(require_fit(extent, pack, needs));
  const auto fault = [&](const PackSpec& pack) {
    try {
      require_fit(extent, pack, needs);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(
      fault(PackSpec::bits32().with_batch(4)),
      "packing 12/12/8 and 2 bits for the batch does not fit (K = 3, strides up to 4): with 2 bits for the "
      "batch, the fields have 34 bits; a word has 32; packings that fit: 10/12/8, 10/24/16");
  EXPECT_THAT(fault(PackSpec::bits64().with_batch(4)), HasSubstr("66 bits; a word has 63"));
  EXPECT_THAT(fault({9, 12, 8, 2}), HasSubstr("x spans 1,000 cells; 9 bits hold 508 (10 needed)"));
  EXPECT_EQ(fit(extent, {10, 12, 8, 2}, needs).axes[0].limit, 1020) << "spare bits are not guard cells";
  EXPECT_EQ(packings_that_fit({1, 1, 1}, PackNeeds(3, 16).with_batch(2)).front().x_bits, 5);
  EXPECT_EQ(fit({1, 1, 1}, {3, 12, 8, 2}, PackNeeds(1, 16)).axes[0].limit, 0)
      << "frames must start at a multiple of the coarsest stride";
}

TEST(ParsePackSpec, NamesAndWidths) {
  EXPECT_EQ(parse_pack_spec("32"), PackSpec::bits32());
  EXPECT_EQ(parse_pack_spec("64"), PackSpec::bits64());
  EXPECT_EQ(parse_pack_spec("11,12,9"), (PackSpec{11, 12, 9}));
  EXPECT_EQ(parse_pack_spec("24/24/16"), PackSpec::bits64()) << "the output of text() must be accepted";
  EXPECT_EQ(parse_pack_spec(PackSpec{11, 12, 9}.text()), (PackSpec{11, 12, 9}));
  for (const char* text : {"", "16", "12,12", "0,12,8", "32,1,1", "31,31,31", "a,b,c", "1,2,3,4"})
    EXPECT_THROW(static_cast<void>(parse_pack_spec(text)), Error) << text;
}

TEST(CropThatFits, KeepsTheLongestPartWithTheMostPoints) {
  PointCloud cloud;
  // This point is far below the other points.
  cloud.positions.push_back({0, 0, 0});
  for (int at = 0; at < 100; ++at)
    cloud.positions.push_back({0.1 * at, 0, 40 + 0.1 * at});
  Job job;
  const Grid grid{{0.1, 0.1, 0.1}, {}};
  const auto crop = crop_that_fits(cloud, grid, PackSpec::bits32(), {3, 16}, job);
  ASSERT_TRUE(crop.has_value());
  EXPECT_EQ(crop->axes, "z");
  EXPECT_EQ(crop->text(), "z to 24.0 m")
      << "the crop must keep 255 cells, less 15 that the shift may leave empty";
  EXPECT_EQ(crop->kept, 100);
  EXPECT_EQ(crop->points, 101);
  Grid cropped = grid;
  cropped.crop_m = crop->box;
  EXPECT_TRUE(fit(voxel_range(cloud, cropped, job).extent(16), PackSpec::bits32(), {3, 16}).fits());
  EXPECT_FALSE(crop_that_fits(cloud, cropped, PackSpec::bits32(), {3, 16}, job))
      << "a scene that fits must get no suggested crop";
  EXPECT_FALSE(crop_that_fits({}, grid, PackSpec::bits32(), {3, 16}, job))
      << "a scene without points must get no suggested crop";
}

TEST(CropThatFits, HasATextForVoxelsOfAnySize) {
  FittingCrop crop;
  crop.axes = "xz";
  crop.length_m = {0.00258, 1, 0.2549};
  EXPECT_EQ(crop.text(), "x to 0.0026 m, z to 0.25 m");
  crop.length_m = {1, 1, 9.5};
  EXPECT_EQ(crop.text(), "x to 1.00 m, z to 9.50 m");
  crop.unit = LengthUnit::cells;
  crop.length_m = {1, 1, 240};
  EXPECT_EQ(crop.text(), "x to 1 cell, z to 240 cells");
}

}  // namespace
}  // namespace spira
