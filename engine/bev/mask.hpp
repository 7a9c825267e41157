// Defines Mask, the cells of a bird's-eye view that the user needs (SBNet paper, sections 3.1 and 4.1).
#pragma once

#include "engine/bev/area.hpp"
#include "engine/job/job.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class MaskSource : std::uint8_t {
  all,        ///< Every cell.
  occupied,   ///< Cells with at least MaskSpec::points points in the range of z.
  label,      ///< Cells with a point in the range of z that has one of these labels. Stands for a road map.
  height,     ///< Cells with a point whose height above the lowest point of 5 x 5 cells is in a range.
  selection,  ///< The cells that the user selected in the window.
  file,       ///< An NPY file, with the shape [rows][columns] of the area and the type bool or uint8.
  top_left,   ///< A rectangle at the low corner with the given share of the cells.
  blobs       ///< Random disks that cover the given share of the cells.
};

/// How a mask is made. Text form: SOURCE[:ARGUMENT][+R], such as "occupied:3+1", "label:40,48",
/// "height:0.3,3", "file:road.npy", "top-left:0.1", "blobs:0.1:8" or "all".
struct MaskSpec {
  MaskSource source = MaskSource::occupied;
  std::int64_t points = 1;              ///< For `occupied`.
  std::vector<std::uint32_t> labels{};  ///< For `label`.
  double low_m = 0, high_m = 0;         ///< For `height`: the range [low, high].
  std::string file{};
  double density = 0;  ///< For `top_left` and `blobs`: the share of the cells, from 0 to 1.
  int radius = 8;      ///< For `blobs`: the radius of a disk in cells.
  int dilation = 0;    ///< Adds all cells within this number of cells, on both axes.
  bool operator==(const MaskSpec&) const = default;
};
/// Throws `Error(usage)` with the grammar if the text is not a mask.
[[nodiscard]] MaskSpec parse_mask(std::string_view text);
/// Returns a text from which parse_mask() returns the same value.
[[nodiscard]] std::string text_of(const MaskSpec& spec);

/// The cells of an area that the user needs.
struct Mask {
  Area area;
  std::string text;                 ///< How the mask was made, in the form that parse_mask() reads.
  std::vector<std::uint8_t> cells;  ///< Shape: [rows][columns]. Each value is 0 or 1.
};
/// Makes a mask from the points of a scene. For `occupied` and `label`, only points in the range of z of the
/// area count. For `height`, points of all heights count. Throws `Error(input)` if the scene
/// has no labels, or if the file does not have the shape of the area; and `Error(usage)` for `selection`,
/// which only the window can make.
[[nodiscard]] Mask make_mask(const PointCloud& cloud, const Area& area, const MaskSpec& spec, Job& job);
/// Returns the mask and all cells within `cells` cells of it on both axes.
[[nodiscard]] Mask dilate(const Mask& mask, int cells);
/// Writes the cells as an NPY file of uint8, which the source `file` reads.
void write_mask(const Mask& mask, const std::filesystem::path& file);

/// Returns the cells at a stride: a cell is set if one of its stride x stride cells is set. This is the
/// closed form of eq. 1 of the Spira paper. Shape: [rows(stride)][columns(stride)].
[[nodiscard]] std::vector<std::uint8_t> cells_at(const Mask& mask, int stride);
/// Returns the number of set cells.
[[nodiscard]] std::int64_t count_cells(std::span<const std::uint8_t> cells);
/// Throws `Error(usage)` with both areas if they differ.
void require_same_area(const Area& mask, const Area& image);

}  // namespace spira
