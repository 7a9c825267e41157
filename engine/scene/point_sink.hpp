// Where every reader puts its points: drops the ones that are not finite, keeps attributes in step, says what
// was read.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace spira {

/// What a row may carry beside its position.
struct RowAttributes {
  bool intensity = false, colour = false, label = false;
};

struct PointRow {
  Point position{};
  float intensity = 0.0F;
  Colour colour{};
  std::uint32_t label = 0;
};

class PointSink {
 public:
  /// `rows` is the number of rows to come: it must have been checked against the bytes that are there.
  PointSink(RowAttributes attributes, std::int64_t rows, Job& job);

  void add(const PointRow& row);
  /// Throws Error(input) where no finite point was read. `columns`: "KITTI x,y,z,intensity".
  [[nodiscard]] PointCloud take(std::string_view file_name, std::string_view format,
                                std::string_view columns);

 private:
  RowAttributes attributes_;
  std::int64_t rows_;
  std::int64_t seen_ = 0;
  Job& job_;
  PointCloud cloud_;
};

/// 0..1 floats and 0..255 numbers both become 0..255.
[[nodiscard]] std::uint8_t colour_level(double value, bool unit_range) noexcept;

}  // namespace spira
