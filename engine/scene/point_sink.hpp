// Where every reader puts its points: drops the ones that are not finite, refuses absurd ones, keeps
// attributes in step, says what was read.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/read_limits.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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
  /// `rows` is the number of rows to come: it must have been checked against the bytes that are there. Throws
  /// NotEnoughMemory, beginning with `file_name`, where the limits do not leave room for them.
  PointSink(RowAttributes attributes, std::int64_t rows, std::string_view file_name, const ReadLimits& limits,
            Job& job);

  void add(const PointRow& row);
  void note(std::string text) { cloud_.notes.push_back(std::move(text)); }
  /// Says how much of the file stands after the last point; nothing for 0.
  void note_left_over(std::uint64_t bytes);
  /// Throws Error(input) where no finite point was read, or one farther off than any scene on Earth.
  /// `columns`: "KITTI x,y,z,intensity".
  [[nodiscard]] PointCloud take(std::string_view file_name, std::string_view format,
                                std::string_view columns);

 private:
  RowAttributes attributes_;
  std::int64_t rows_;
  std::int64_t every_;
  std::int64_t seen_ = 0;
  std::int64_t absurd_ = 0;  ///< number of the first absurd point, from 1; 0: none
  Point absurd_position_{};
  Job& job_;
  PointCloud cloud_;
};

/// 0..1 floats and 0..255 numbers both become 0..255.
[[nodiscard]] std::uint8_t colour_level(double value, bool unit_range) noexcept;

}  // namespace spira
