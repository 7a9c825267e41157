// Interprets arrays as tables of points: finds which dimension counts the points, and which arrays belong to
// the same point cloud.
#pragma once

#include "engine/job/job.hpp"
#include "engine/scene/columns.hpp"
#include "engine/scene/formats/npy_header.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/scene/reader.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// An array of numbers that has one row per point.
struct NpyTable {
  NpyHeader header;
  std::string name;  ///< The name of the array, without ".npy".
  std::uint64_t rows = 0, row_bytes = 0;
  std::vector<NpyField> columns;    ///< The offsets are relative to the start of a row.
  bool transposed = false;          ///< True if the first dimension counts the columns instead of the rows.
  std::string fault;                ///< The reason why the array is not a table. Empty if it is one.
  std::span<const std::byte> data;  ///< Empty until the values are read.

  /// Returns the size of header and data in bytes, or the largest number if it does not fit 64 bits.
  [[nodiscard]] std::uint64_t file_bytes() const noexcept;
  [[nodiscard]] double value(std::uint64_t row, std::size_t column) const noexcept {
    const NpyField& field = columns[column];
    return load_scalar(data.data() + (row * row_bytes) + field.offset, field.type, field.order);
  }
};

/// Interprets an array as a table. `file_bytes` is the size of its file. If the shape is not suitable,
/// NpyTable::fault contains the reason.
[[nodiscard]] NpyTable table_of(NpyHeader header, std::string name, std::uint64_t file_bytes);

/// Returns the indices of the tables that form one cloud: first the array with the coordinates, then the
/// arrays that have the same number of rows and the name of a colour, label, normal or intensity array.
/// Returns an empty list if no array contains coordinates.
[[nodiscard]] std::vector<std::size_t> tables_of_cloud(std::span<const NpyTable> tables);

/// The content of an array of a scene, judged by its name. For example, "coord" contains coordinates; "color"
/// and "segment20" contain attributes.
enum class ArrayPart : std::uint8_t { none, coordinates, attribute };
[[nodiscard]] ArrayPart part_of_scene(const std::string& array_name);

/// Returns the names and shapes of the arrays, such as "boxes (2 x 7), lidar (240 x 4)".
[[nodiscard]] std::string list_of(std::span<const NpyTable> tables);

/// Returns the type of the numbers, such as "float32", or the text "named fields".
[[nodiscard]] std::string type_text(const NpyTable& table);

/// Combines tables into a point cloud. The tables must have the same number of rows, and their data must be
/// loaded. `left_over` is the number of bytes after the data of the file.
[[nodiscard]] PointCloud points_of(const std::vector<const NpyTable*>& tables, std::string_view file_name,
                                   std::string_view format, const std::string& title, std::uint64_t left_over,
                                   const ReadLimits& limits, Job& job);

}  // namespace spira
