#include "engine/run/native_row.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/map/map_view.hpp"

namespace spira {
namespace {

using Fields = std::array<std::int32_t, 3>;

Fields fields_of(const VoxelScene& scene, int stride, std::int64_t row) {
  const auto words = positions_of(scene, stride).words.host_span<std::uint64_t>();
  return position_fields(words[static_cast<std::size_t>(row)]);
}

/// Returns the position of an input minus the position of the output, in position units.
std::array<std::int32_t, 3> difference(const Voxel& in, const Fields& in_fields, const Voxel& out,
                                       const Fields& out_fields) {
  std::array<std::int32_t, 3> d{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    d[axis] = ((in[axis] - out[axis]) * static_cast<std::int32_t>(position_one)) + in_fields[axis] -
              out_fields[axis];
  return d;
}

/// Returns the column of the offset from one voxel to another, or -1 if it is not an offset of the kernel.
int column_of_offset(const Voxel& from, const Voxel& to, const KernelOffsets& offsets) {
  const int size = offsets.kernel().size[0], stride = offsets.stride()[0];
  int column = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int away = to[axis] - from[axis];
    if (away % stride != 0) return -1;
    const int index = (away / stride) + ((size - 1) / 2);
    if (index < 0 || index >= size) return -1;
    column = (column * size) + index;
  }
  return column;
}

class RowReader {
 public:
  RowReader(const VoxelScene& scene, const KernelMap& map, int stride_in, int stride_out, std::int32_t row)
      : scene_(scene),
        map_(map),
        in_(scene.level(stride_in)),
        voxel_(voxel_at(scene.level(stride_out), row)),
        fields_(fields_of(scene, stride_out, row)),
        test_(map.offsets->kernel().neighbourhood, map.offsets->kernel().size[0], stride_in),
        row_(row) {}

  /// Returns the input in the row `input` of the input level. Its column is still unknown.
  [[nodiscard]] NativeInput at(std::int32_t input) const {
    const Voxel voxel = voxel_at(in_, input);
    const auto d = difference(voxel, fields_of(scene_, in_.stride, input), voxel_, fields_);
    return {input, position_m(scene_, in_.stride, input), -1, column_of_offset(voxel_, voxel, *map_.offsets),
            test_.outside(d[0], d[1], d[2])};
  }
  [[nodiscard]] std::vector<NativeInput> inputs() const {
    std::vector<NativeInput> found;
    for (int column = 0; column < map_.offsets->columns(); ++column) {
      for (const std::int32_t input : inputs_of(map_, row_, column)) {
        found.push_back(at(input));
        found.back().column = column;
      }
    }
    return found;
  }
  /// Appends the rows that are inputs with the neighbourhood voxels only.
  void add_lost(std::vector<NativeInput>& inputs) const {
    std::vector<bool> kept(static_cast<std::size_t>(map_.offsets->columns()), false);
    for (const NativeInput& input : inputs) {
      if (input.voxel_column >= 0) kept[static_cast<std::size_t>(input.voxel_column)] = true;
    }
    for (int column = 0; column < map_.offsets->columns(); ++column) {
      if (kept[static_cast<std::size_t>(column)]) continue;
      Voxel voxel = map_.offsets->offset(column);
      for (std::size_t axis = 0; axis < 3; ++axis)
        voxel[axis] += voxel_[axis];
      const auto row = row_of_voxel(in_, voxel);
      if (!row) continue;
      inputs.push_back(at(static_cast<std::int32_t>(*row)));
      inputs.back().folded = false;
    }
  }
  [[nodiscard]] const Voxel& voxel() const noexcept { return voxel_; }

 private:
  const VoxelScene& scene_;
  const KernelMap& map_;
  const CoordSet& in_;
  Voxel voxel_;
  Fields fields_;
  NeighbourTest test_;
  std::int32_t row_;
};

}  // namespace

NativeInput::Change NativeInput::change() const noexcept {
  if (column < 0) return Change::lost;
  if (voxel_column < 0) return Change::added;
  return column == voxel_column ? Change::same_column : Change::other_column;
}

Point position_m(const VoxelScene& scene, int stride, std::int64_t row) {
  const Voxel voxel = voxel_at(scene.level(stride), row);
  const Fields fields = fields_of(scene, stride, row);
  Point position{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto cell = static_cast<double>(voxel[axis] + scene.shift[axis]);
    const double part = static_cast<double>(fields[axis]) / static_cast<double>(position_one);
    position[axis] = (cell + part) * scene.grid.voxel_m[axis];
  }
  return position;
}

NativeRow native_row(const VoxelScene& scene, const KernelMap& map, int stride_in, int stride_out,
                     std::int32_t row) {
  const KernelShape& kernel = map.offsets->kernel();
  const Neighbourhood& neighbourhood = kernel.neighbourhood;
  SPIRA_ASSERT(map.many() && row >= 0 && row < map.outputs, "native_row: not an output of a native map");
  const RowReader reader(scene, map, stride_in, stride_out, row);
  NativeRow result;
  result.kernel_size = kernel.size[0];
  result.position_m = position_m(scene, stride_out, row);
  result.voxel_centre_m = scene.centre_m(reader.voxel(), stride_in);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.voxel_cell_m[axis] = stride_in * scene.grid.voxel_m[axis];
    result.cell_m[axis] = neighbourhood.cell * result.voxel_cell_m[axis];
  }
  if (neighbourhood.shape == NeighbourShape::ball) {
    result.ball_m = result.cell_m;
    for (double& half_axis : *result.ball_m)
      half_axis *= neighbourhood.radius_of(result.kernel_size);
  }
  result.inputs = reader.inputs();
  reader.add_lost(result.inputs);
  return result;
}

std::vector<VoxelPoint> points_of_voxels(const VoxelScene& scene, int stride,
                                         const std::vector<bool>& wanted) {
  const auto kept = positions_of(scene, stride).points.host_span<std::int32_t>();
  // A voxel of stride 1 is its own parent.
  const auto parents = stride == 1 ? std::vector<std::int32_t>() : parent_rows(scene, stride);
  std::vector<VoxelPoint> points;
  for (std::size_t point = 0; point < scene.voxel_of_point.size(); ++point) {
    const std::int32_t voxel = scene.voxel_of_point[point];
    if (voxel < 0) continue;
    const std::int32_t row = parents.empty() ? voxel : parents[static_cast<std::size_t>(voxel)];
    if (row < 0 || !wanted[static_cast<std::size_t>(row)]) continue;
    const auto index = static_cast<std::int32_t>(point);
    points.push_back({index, row, kept[static_cast<std::size_t>(row)] == index});
  }
  return points;
}

}  // namespace spira
