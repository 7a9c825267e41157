#include "engine/backend/host_read.hpp"

#include "engine/base/fp16.hpp"

#include <algorithm>
#include <cmath>

namespace spira {

std::int64_t size_of(const CoordSet& coords) {
  SPIRA_ASSERT(coords.size.has_value(), "the size of a coordinate set is not known on the host");
  return *coords.size;
}

std::size_t key_bytes(const CoordSet& coords) {
  return static_cast<std::size_t>(size_of(coords) * coords.pack.word_bits() / 8);
}

std::uint64_t key_at(const CoordSet& coords, std::int64_t row) {
  SPIRA_ASSERT(row >= 0 && row < size_of(coords), "no such row");
  const auto index = static_cast<std::size_t>(row);
  return coords.pack.word_bits() == 32 ? coords.keys.host_span<std::uint32_t>()[index]
                                       : coords.keys.host_span<std::uint64_t>()[index];
}

Voxel voxel_at(const CoordSet& coords, std::int64_t row) {
  return coords.pack.unpack(key_at(coords, row));
}

std::optional<std::int64_t> row_of_voxel(const CoordSet& coords, Voxel voxel) {
  if (coords.pack.unpack(coords.pack.pack(voxel)) != voxel)
    return std::nullopt;  // the component exceeds its bit field
  const std::uint64_t wanted = coords.pack.pack(voxel);
  std::int64_t low = 0, high = size_of(coords);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (key_at(coords, middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == size_of(coords) || key_at(coords, low) != wanted) return std::nullopt;
  return low;
}

std::vector<Voxel> all_voxels(const CoordSet& coords) {
  std::vector<Voxel> voxels;
  voxels.reserve(static_cast<std::size_t>(size_of(coords)));
  for (std::int64_t row = 0; row < size_of(coords); ++row)
    voxels.push_back(voxel_at(coords, row));
  return voxels;
}

float feature_at(const Features& features, std::int64_t row, int channel) {
  const auto index = static_cast<std::size_t>(row * features.channels + channel);
  return features.precision == Precision::fp32 ? features.data.host_span<float>()[index]
                                               : fp16_to_float(features.data.host_span<Fp16>()[index]);
}

std::int64_t count_non_finite(const Features& features) {
  // A value is not finite if all bits of its exponent are set. The test uses integers so that the compiler
  // vectorises the loop: an output can have 10^8 values.
  const auto values = static_cast<std::size_t>(features.rows * features.channels);
  const auto count = [values](const auto all, const auto exponent) {
    std::int64_t found = 0;
    for (const auto bits : all.first(values))
      found += (bits & exponent) == exponent ? 1 : 0;
    return found;
  };
  return features.precision == Precision::fp16
             ? count(features.data.host_span<Fp16>(), Fp16{0x7C00})
             : count(features.data.host_span<std::uint32_t>(), std::uint32_t{0x7F800000});
}

std::int64_t count_non_finite_rows(const Features& features) {
  std::int64_t rows = 0;
  for (std::int64_t row = 0; row < features.rows; ++row) {
    bool finite = true;
    for (int channel = 0; channel < features.channels; ++channel)
      finite = finite && std::isfinite(feature_at(features, row, channel));
    rows += finite ? 0 : 1;
  }
  return rows;
}

std::vector<float> feature_norms(const Features& features) {
  std::vector<float> norms;
  norms.reserve(static_cast<std::size_t>(features.rows));
  for (std::int64_t row = 0; row < features.rows; ++row) {
    double sum = 0;
    for (int channel = 0; channel < features.channels; ++channel) {
      const double value = feature_at(features, row, channel);
      sum += value * value;
    }
    norms.push_back(static_cast<float>(std::sqrt(sum)));
  }
  return norms;
}

}  // namespace spira
