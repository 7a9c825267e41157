// Arrays as tables of points: which dimension counts the points, and which arrays belong to one cloud.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/columns.hpp"
#include "engine/scene/npy_header.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/read_limits.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// An array of numbers with one row per point.
struct NpyTable {
  NpyHeader header;
  std::string name;  ///< of the array, without ".npy"
  std::uint64_t rows = 0, row_bytes = 0;
  std::vector<NpyField> columns;    ///< offsets from the begin of a row
  bool transposed = false;          ///< The first dimension counts the columns.
  std::string fault;                ///< why it cannot be a table; empty if it is one
  std::span<const std::byte> data;  ///< empty until the values are read

  /// Size of the header and the data together. Requires an empty `fault`.
  [[nodiscard]] std::uint64_t file_bytes() const noexcept;
  [[nodiscard]] double value(std::uint64_t row, std::size_t column) const noexcept {
    const NpyField& field = columns[column];
    return load_scalar(data.data() + (row * row_bytes) + field.offset, field.type, field.order);
  }
};

/// The table of an array of `file_bytes`. Faults of the shape are in `fault`.
[[nodiscard]] NpyTable table_of(NpyHeader header, std::string name, std::uint64_t file_bytes);

/// Indexes of the tables that make one cloud: the array with the coordinates first, then arrays of as many
/// rows whose names say that they hold colours, labels, normals or intensities. Empty if no array has
/// coordinates.
[[nodiscard]] std::vector<std::size_t> tables_of_cloud(std::span<const NpyTable> tables);

/// What an array of a scene holds by its name: "coord" has coordinates, "color" and "segment20" attributes.
enum class ArrayPart : std::uint8_t { none, coordinates, attribute };
[[nodiscard]] ArrayPart part_of_scene(const std::string& array_name);

/// "boxes (2 x 7), lidar (240 x 4)".
[[nodiscard]] std::string list_of(std::span<const NpyTable> tables);

/// "float32"; "named fields".
[[nodiscard]] std::string type_text(const NpyTable& table);

/// The points of the tables, which have equally many rows and their data. `left_over`: bytes after the data.
[[nodiscard]] PointCloud points_of(const std::vector<const NpyTable*>& tables, std::string_view file_name,
                                   std::string_view format, const std::string& title, std::uint64_t left_over,
                                   const ReadLimits& limits, Job& job);

}  // namespace spira
