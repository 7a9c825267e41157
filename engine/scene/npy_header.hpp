// The header of an NPY array, checked. Object arrays (pickles) are refused.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/bytes.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/read_limits.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct NpyHeader {
  Scalar type = Scalar::f32;
  ByteOrder order = ByteOrder::little;
  bool column_major = false;
  std::vector<std::uint64_t> shape;
  std::size_t data_offset = 0;
};

/// Throws Error(input) naming file and fault.
[[nodiscard]] NpyHeader read_npy_header(std::span<const std::byte> bytes, std::string_view file_name);

/// Header and data together, in bytes. Throws Error(input) unless it is an N x 3+ array within `file_bytes`.
[[nodiscard]] std::uint64_t bytes_of_points_npy(const NpyHeader& header, std::uint64_t file_bytes,
                                                std::string_view file_name);

/// The points of an N x 3+ array of floats: x, y, z, then intensity (4 or 5 columns) or colour (6 columns).
/// `format`: "npy" or "npz"; `title` heads the reading text; `cut_bytes`: known to follow `bytes`.
[[nodiscard]] PointCloud points_of_npy(std::span<const std::byte> bytes, std::string_view file_name,
                                       std::string_view format, const std::string& title,
                                       std::uint64_t cut_bytes, const ReadLimits& limits, Job& job);

}  // namespace spira
