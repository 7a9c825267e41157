#include "app/library/state.hpp"
#include "engine/scene/formats/voxel_file.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"

#include <cmath>
#include <spira/scene.hpp>
#include <utility>

namespace spira::library {
namespace {

/// Throws `Error(usage)` unless the tensor has a type of `types` and a second dimension from `columns`, or
/// one dimension if `columns` is empty. `name` is the name of the argument.
void require_array(const std::string& name, const v0::Tensor& tensor, const std::vector<v0::DataType>& types,
                   const std::vector<std::int64_t>& columns, const std::string& wanted) {
  bool right = false;
  for (const v0::DataType type : types)
    right = right || tensor.type() == type;
  if (columns.empty()) {
    right = right && tensor.shape().size() == 1;
  } else {
    const std::int64_t second = tensor.shape().size() == 2 ? tensor.shape()[1] : 0;
    bool found = false;
    for (const std::int64_t one : columns)
      found = found || (one == 0 ? second > 0 : second == one);
    right = right && found;
  }
  std::string shape;
  for (const std::int64_t length : tensor.shape())
    shape += (shape.empty() ? "" : ", ") + std::to_string(length);
  if (!right)
    throw Error(ErrorKind::usage,
                name + ": is " + v0::text_of(tensor.type()) + " [" + shape + "]; expected " + wanted);
  if (tensor.memory() != v0::Memory::host)
    throw Error(ErrorKind::usage, name + ": is in GPU memory; scenes are read from host memory");
}

template <class T> std::vector<Point> points_from(std::span<const T> values) {
  std::vector<Point> points(values.size() / 3);
  for (std::size_t at = 0; at < values.size(); ++at)
    points[at / 3].at(at % 3) = static_cast<double>(values[at]);
  return points;
}

/// Throws `Error(input)` if a value is NaN or infinite, with the row of the value.
template <class Rows> void require_finite(const std::string& name, const Rows& rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    bool finite = true;
    if constexpr (requires { rows[row].size(); }) {
      for (const double value : rows[row])
        finite = finite && std::isfinite(value);
    } else {
      finite = std::isfinite(rows[row]);
    }
    if (!finite)
      throw Error(ErrorKind::input,
                  name + ": row " + std::to_string(row) + " has a value that is NaN or infinite");
  }
}

std::shared_ptr<PointCloud> cloud_of_points(const v0::Tensor& positions, const v0::Tensor& intensity,
                                            const std::string& name) {
  require_array("positions", positions, {v0::DataType::float32, v0::DataType::float64}, {3},
                "float32 or float64 [points, 3]");
  auto cloud = std::make_shared<PointCloud>();
  cloud->name = cloud->source = name;
  cloud->format = "memory";
  cloud->positions = positions.type() == v0::DataType::float32 ? points_from(positions.values<float>())
                                                               : points_from(positions.values<double>());
  require_finite("positions", cloud->positions);
  if (intensity.empty()) return cloud;
  require_array("intensity", intensity, {v0::DataType::float32}, {}, "float32 [points]");
  if (intensity.rows() != cloud->size())
    throw Error(ErrorKind::usage, "intensity: has " + std::to_string(intensity.rows()) +
                                      " values, but positions has " + std::to_string(cloud->size()) +
                                      " rows");
  const auto values = intensity.values<float>();
  cloud->intensity.assign(values.begin(), values.end());
  require_finite("intensity", cloud->intensity);
  return cloud;
}

VoxelRows rows_of_voxels(const v0::Tensor& coordinates, const v0::Tensor& features) {
  require_array("coordinates", coordinates, {v0::DataType::int32}, {3, 4},
                "int32 [voxels, 3], or [voxels, 4] with the batch index first");
  require_array("features", features, {v0::DataType::float32}, {0}, "float32 [voxels, channels]");
  VoxelRows rows;
  rows.columns = static_cast<int>(coordinates.shape()[1]);
  const auto cells = coordinates.values<std::int32_t>();
  rows.coords.assign(cells.begin(), cells.end());
  rows.channels = static_cast<int>(features.shape()[1]);
  const auto values = features.values<float>();
  rows.features.assign(values.begin(), values.end());
  return rows;
}

v0::Scene scene_of_arrays(const v0::Tensor& coordinates, const v0::Tensor& features,
                          const std::string& name) {
  Job job;
  auto cloud = std::make_shared<PointCloud>(
      cloud_of_voxels(rows_of_voxels(coordinates, features), name, "memory", ReadLimits{}, job));
  cloud->name = cloud->source = name;
  std::optional<int> only_frame;
  if (coordinates.shape()[1] == 4 && cloud->batch() == 1)
    only_frame = coordinates.values<std::int32_t>().front();
  return Access::scene(std::move(cloud), only_frame);
}

}  // namespace
}  // namespace spira::library

namespace spira::v0 {

Scene Scene::points(const Tensor& positions, const Tensor& intensity, const std::string& name) {
  return library::guarded([&] {
    return library::Access::scene(
        library::cloud_of_points(positions, intensity, name.empty() ? "points" : name));
  });
}

Scene Scene::voxels(const Tensor& coordinates, const Tensor& features, const std::string& name) {
  return library::guarded(
      [&] { return library::scene_of_arrays(coordinates, features, name.empty() ? "voxels" : name); });
}

std::int64_t Scene::size() const noexcept {
  return state_->cloud->size();
}
bool Scene::has_voxels() const noexcept {
  return state_->cloud->from_voxel_file;
}

Scene read_scene(const std::string& file, const std::string& format, std::stop_token stop) {
  return library::guarded([&] {
    Job job(std::move(stop));
    if (names_built_in_scene(file)) return library::Access::scene(built_in_scene(file, job));
    LoadOptions options;
    options.format = format;
    return library::Access::scene(load_scene(file, options, job));
  });
}

}  // namespace spira::v0
