#include "app/library/state.hpp"
#include "engine/base/error.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/run/session.hpp"
#include "engine/run/write_outputs.hpp"
#include "engine/scene/formats/voxel_file.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/fit.hpp"

#include <cmath>
#include <spira/scene.hpp>
#include <utility>

namespace spira::library {

std::string text_of(const v0::Tensor& tensor) {
  std::string shape;
  for (const std::int64_t length : tensor.shape())
    shape += (shape.empty() ? "" : ", ") + std::to_string(length);
  return v0::text_of(tensor.type()) + " [" + shape + "]";
}

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
  if (!right) throw Error(ErrorKind::usage, name + ": is " + text_of(tensor) + "; expected " + wanted);
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

/// Returns the coordinates of all voxels without the shift of the scene. Throws `Error(does_not_fit)` if one
/// is beyond the coordinates that Scene::voxels() accepts.
std::vector<std::int32_t> unshifted_coordinates(const VoxelScene& scene) {
  constexpr std::int64_t largest_coordinate = std::int64_t{1} << 30U;
  std::vector<std::int32_t> rows = coordinate_rows(scene.level(1), 1);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const std::int64_t value = rows[at] + scene.shift.at(at % 3);
    if (std::abs(value) > largest_coordinate)
      throw Error(ErrorKind::does_not_fit, "positions: a voxel has the coordinate " + std::to_string(value) +
                                               ", but coordinates are at most 2^30; use larger voxels");
    rows[at] = static_cast<std::int32_t>(value);
  }
  return rows;
}

/// Returns the mean of the rows of `features` in each of the `voxels`, in the order of the voxels.
std::vector<float> means(const v0::Tensor& features, std::span<const std::int32_t> voxel_of_point,
                         const std::vector<std::int32_t>& points_per_voxel, Job& job) {
  constexpr std::size_t points_per_checkpoint = 65'536;
  const auto channels = static_cast<std::size_t>(features.shape()[1]);
  const auto values = features.values<float>();
  std::vector<double> sums(points_per_voxel.size() * channels);
  for (std::size_t point = 0; point < voxel_of_point.size(); ++point) {
    if (point % points_per_checkpoint == 0) job.checkpoint({"averaging features", 0, 0});
    const auto voxel = static_cast<std::size_t>(voxel_of_point[point]);
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const float value = values[(point * channels) + channel];
      if (!std::isfinite(value))
        throw Error(ErrorKind::input,
                    "features: row " + std::to_string(point) + " has a value that is NaN or infinite");
      sums[(voxel * channels) + channel] += value;
    }
  }
  std::vector<float> result(sums.size());
  for (std::size_t at = 0; at < sums.size(); ++at)
    result[at] = static_cast<float>(sums[at] / points_per_voxel[at / channels]);
  return result;
}

v0::Voxels voxels_of_points(const v0::Tensor& positions, const std::array<double, 3>& voxel_m,
                            const v0::Tensor& features, Job& job) {
  require_edges(voxel_m);
  const auto cloud = cloud_of_points(positions, {}, "positions");
  if (!features.empty()) {
    require_array("features", features, {v0::DataType::float32}, {0}, "float32 [points, channels]");
    if (features.rows() != cloud->size())
      throw Error(ErrorKind::usage, "features: has " + std::to_string(features.rows()) +
                                        " rows, but positions has " + std::to_string(cloud->size()));
  }
  const Grid grid{voxel_m};
  const PackNeeds needs(1, 1);
  const PackSpec pack = first_pack(voxel_range(*cloud, grid, job).extent(needs.levels), needs);
  require_memory(*cloud, grid, {}, std::nullopt, job);
  const auto backend = registry().make("cpu", {});
  const auto scene = voxelize_scene(*backend, cloud, grid, pack, needs, job);
  std::vector<std::int32_t> coordinates = unshifted_coordinates(*scene);
  const std::int64_t voxels = std::ssize(scene->points_per_voxel);
  v0::Voxels result;
  result.features = features.empty()
                        ? owned(std::vector<float>{}, v0::DataType::float32, {voxels, 0})
                        : owned(means(features, scene->voxel_of_point, scene->points_per_voxel, job),
                                v0::DataType::float32, {voxels, features.shape()[1]});
  result.coordinates = owned(std::move(coordinates), v0::DataType::int32, {voxels, 3});
  result.voxel_of_point = owned(scene->voxel_of_point, v0::DataType::int32, {cloud->size()});
  return result;
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

Voxels voxelize(const Tensor& positions, const std::array<double, 3>& voxel_m, const Tensor& features,
                std::stop_token stop) {
  return library::guarded([&] {
    Job job(std::move(stop));
    return library::voxels_of_points(positions, voxel_m, features, job);
  });
}

}  // namespace spira::v0
