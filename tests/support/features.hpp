// Creates feature matrices in host memory and layer shapes, for tests of the feature computation.
#pragma once

#include "engine/backend/host_read.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/voxel/coord_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace spira::test {

/// The layer shape and precision of one case of a parameterised test.
struct ConvShape {
  int kernel_size, stride_out, in_channels, out_channels;
  Precision precision;
};
inline std::ostream& operator<<(std::ostream& out, const ConvShape& s) {
  return out << "K" << s.kernel_size << " s" << s.stride_out << " " << s.in_channels << "->" << s.out_channels
             << " " << text_of(s.precision);
}

inline void set_feature(Features& features, std::int64_t row, int channel, float value) {
  const auto at = static_cast<std::size_t>((row * features.channels) + channel);
  if (features.precision == Precision::fp32) {
    features.data.host_span<float>()[at] = value;
  } else {
    features.data.host_span<Fp16>()[at] = float_to_fp16(value);
  }
}

/// Returns a feature matrix with these values. Its shape is [rows][channels].
[[nodiscard]] inline Features features_of(const std::vector<float>& values, int channels,
                                          Precision precision) {
  Features made{std::ssize(values) / channels, channels, precision,
                Buffer(make_host_pool(), values.size() * bytes_of(precision))};
  for (std::int64_t row = 0; row < made.rows; ++row) {
    for (int channel = 0; channel < channels; ++channel)
      set_feature(made, row, channel, values[static_cast<std::size_t>((row * channels) + channel)]);
  }
  return made;
}

[[nodiscard]] inline Features random_features(std::int64_t rows, int channels, Precision precision,
                                              std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<std::size_t>(rows * channels));
  for (float& value : values)
    value = static_cast<float>(random.normal());
  return features_of(values, channels, precision);
}

/// Expects that no value of two results differs by more than `share` of the largest value. Both results come
/// from one back end, which added the products in different orders.
inline void expect_close(const Features& found, const Features& expected, double share,
                         const std::string& what) {
  ASSERT_EQ(found.rows, expected.rows) << what;
  ASSERT_EQ(found.channels, expected.channels) << what;
  double largest = 0, worst = 0;
  for (std::int64_t row = 0; row < found.rows; ++row) {
    for (int channel = 0; channel < found.channels; ++channel) {
      const double value = feature_at(expected, row, channel);
      ASSERT_TRUE(std::isfinite(feature_at(found, row, channel))) << what << ", row " << row;
      largest = std::max(largest, std::abs(value));
      worst = std::max(worst, std::abs(value - static_cast<double>(feature_at(found, row, channel))));
    }
  }
  EXPECT_LE(worst, share * largest) << what;
}

}  // namespace spira::test
