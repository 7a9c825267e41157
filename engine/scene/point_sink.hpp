// Collects the rows that a reader produces into a PointCloud. Drops points that are not finite, rejects
// coordinates that are implausibly large, and scales colours. Records which columns and rows were used.
#pragma once

#include "engine/base/error.hpp"
#include "engine/job/job.hpp"
#include "engine/scene/columns.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/reader.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spira {

class PointSink {
 public:
  /// `columns` must contain x, y and z; no attribute may occur twice. `rows` is the expected number of rows;
  /// the caller must have checked it against the size of the file. Throws NotEnoughMemory, with a message
  /// that begins with `file_name`, if `limits` allow less memory than the points need.
  PointSink(std::vector<Column> columns, std::int64_t rows, std::string_view file_name,
            const ReadLimits& limits, Job& job);

  /// Returns the indices of the columns that have an attribute, in ascending order.
  [[nodiscard]] std::span<const std::size_t> used() const noexcept { return used_; }
  /// Adds one row of the file to the cloud. `values` has one value per column, but only the columns in used()
  /// need valid values.
  void add(std::span<const double> values);
  void note(std::string text) { cloud_.notes.push_back(std::move(text)); }
  /// Adds a note to the cloud that the file has `bytes` bytes after its last point. Does nothing if `bytes`
  /// is 0.
  void note_left_over(std::uint64_t bytes);
  /// Returns the collected cloud. Throws `Error(input)` if no finite point was added, or if a coordinate is
  /// larger than any coordinate on Earth. `title` is the name of the format for `PointCloud::reading`, such
  /// as "KITTI" or "PCD binary".
  [[nodiscard]] PointCloud take(std::string_view file_name, std::string_view format, std::string_view title);

 private:
  struct Tally {
    double low, high;
    std::int64_t non_finite;
  };

  void add_attributes(std::span<const double> values);
  void add_colour(std::span<const double> values);
  void add_label(double value);
  void finish_colours();
  void finish_facts();
  [[nodiscard]] int column_of(Attribute attribute) const {
    return column_of_.at(static_cast<std::size_t>(attribute));
  }

  std::vector<Column> columns_;
  std::vector<std::size_t> used_;
  /// The column that contains each attribute. -1 if no column contains it.
  std::array<int, attribute_count> column_of_{};
  std::vector<Tally> tallies_;  ///< One entry per used column.
  /// The colours as stored in the file. They are scaled at the end, when their range is known.
  std::vector<std::array<float, 3>> raw_colours_;
  std::int64_t odd_labels_ = 0;  ///< Number of labels that are negative, fractional or too large.
  std::int64_t rows_;
  std::int64_t every_;
  std::int64_t seen_ = 0;
  /// The number of the first point with implausible coordinates, from 1. 0 if there is none.
  std::int64_t absurd_ = 0;
  Point absurd_position_{};
  Job& job_;
  PointCloud cloud_;
};

}  // namespace spira
