#include "engine/base/fp16.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace spira {
namespace {

TEST(Fp16, EveryValueSurvivesConversionToFloatAndBack) {
  for (std::uint32_t bits = 0; bits <= 0xFFFFU; ++bits) {
    const auto half = static_cast<Fp16>(bits);
    const float value = fp16_to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(fp16_to_float(float_to_fp16(value)))) << bits;
    } else {
      ASSERT_EQ(float_to_fp16(value), half) << bits;
    }
  }
}

TEST(Fp16, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(float_to_fp16(1.0F + 0x1p-11F), float_to_fp16(1.0F));  // Tie: 1.0 is even.
  // This value is a tie between two fp16 values. The larger of them is even.
  EXPECT_EQ(float_to_fp16(1.0F + 3 * 0x1p-11F), float_to_fp16(1.0F + 0x1p-9F));
  EXPECT_EQ(float_to_fp16(1.0F + 0x1p-11F + 0x1p-20F), float_to_fp16(1.0F + 0x1p-10F));
}

TEST(Fp16, RangeEndsAndSpecialValues) {
  EXPECT_EQ(float_to_fp16(65504.0F), 0x7BFF);
  EXPECT_EQ(float_to_fp16(65519.996F), 0x7BFF);
  EXPECT_EQ(float_to_fp16(65520.0F), 0x7C00);
  EXPECT_EQ(float_to_fp16(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_EQ(float_to_fp16(0x1p-24F), 0x0001);
  EXPECT_EQ(float_to_fp16(0x1p-25F), 0x0000);  // Tie: zero is even.
  EXPECT_EQ(float_to_fp16(0x1.8p-25F), 0x0001);
  EXPECT_EQ(float_to_fp16(-0.0F), 0x8000);
  EXPECT_TRUE(std::isnan(fp16_to_float(float_to_fp16(std::nanf("")))));
}

}  // namespace
}  // namespace spira
