// Reads voxel files: coordinates and features of voxels in the arrays "coords" and "features", and points in
// the arrays "points" and "point_features".
#include "engine/base/error.hpp"
#include "engine/base/tensor_file.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/formats/voxel_file.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace spira {
namespace {

constexpr std::int64_t largest_coordinate = std::int64_t{1} << 30U;

class Rows {
 public:
  Rows(const VoxelRows& rows, std::string_view file_name) : rows_(rows), file_name_(file_name) {}

  [[nodiscard]] std::int64_t size() const { return std::ssize(rows_.coords) / rows_.columns; }
  [[nodiscard]] std::span<const std::int64_t> voxel(std::int64_t row) const {
    const auto columns = static_cast<std::size_t>(rows_.columns);
    return std::span(rows_.coords).subspan((static_cast<std::size_t>(row) * columns) + columns - 3, 3);
  }

  /// Returns the batch index of a row, or 0 if the file has no batch indices.
  [[nodiscard]] std::int64_t batch_index(std::int64_t row) const {
    return rows_.columns == 3 ? 0 : rows_.coords[static_cast<std::size_t>(row) * 4];
  }
  /// Returns the first row of each frame and the number of rows, for rows in the order of order_by_frame().
  /// Returns an empty list if all rows have the same batch index: they are one scene.
  [[nodiscard]] std::vector<std::int64_t> frame_starts() const {
    std::vector<std::int64_t> starts{0};
    bool one = true;
    for (std::int64_t row = 0; row < size(); ++row) {
      const auto index = static_cast<std::size_t>(batch_index(row));
      one = one && batch_index(row) == batch_index(0);
      if (starts.size() < index + 2) starts.resize(index + 2, 0);
      ++starts[index + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    return one ? std::vector<std::int64_t>{} : starts;
  }
  /// Returns the rows ordered by their batch index. Rows of a frame stay in the order of the file.
  [[nodiscard]] std::vector<std::int64_t> order_by_frame() const {
    std::vector<std::int64_t> order(static_cast<std::size_t>(size()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [this](std::int64_t a, std::int64_t b) { return batch_index(a) < batch_index(b); });
    return order;
  }

  void check(Job& job) const {
    if (size() == 0) throw fault("contains no voxels");
    const std::int64_t features = std::ssize(rows_.features) / std::max(1, rows_.channels);
    if (features != size())
      throw fault(count_text(size()) + " rows of coords, but " + count_text(features) + " rows of features");
    require_batch();
    for (std::int64_t row = 0; row < size(); ++row) {
      for (const std::int64_t value : voxel(row)) {
        if (value < -largest_coordinate || value > largest_coordinate)
          throw fault("coords[" + std::to_string(row) + "] is " + std::to_string(value) +
                      "; coordinates are limited to 2^30");
      }
    }
    const auto bad = std::find_if(rows_.features.begin(), rows_.features.end(),
                                  [](float value) { return !std::isfinite(value); });
    if (bad != rows_.features.end())
      throw fault("features[" + std::to_string((bad - rows_.features.begin()) / rows_.channels) +
                  "] has a value that is NaN or infinite");
    job.checkpoint({"checking voxels", 1, 2});
    require_distinct();
    if (rows_.point_columns != 0) require_points();
  }

  /// Returns the points of the file. `batch` is the number of frames of its voxels.
  [[nodiscard]] std::shared_ptr<const PointRows> points(int batch) const {
    auto rows = std::make_shared<PointRows>();
    const auto columns = static_cast<std::size_t>(rows_.point_columns);
    for (std::size_t at = 0; at < rows_.points.size(); at += columns) {
      const double* const xyz = rows_.points.data() + at + columns - 3;
      rows->positions.push_back({xyz[0], xyz[1], xyz[2]});
      if (batch > 1) rows->frames.push_back(static_cast<std::uint8_t>(rows_.points[at]));
    }
    rows->features = rows_.point_features;
    rows->channels = rows_.point_channels;
    return rows;
  }

 private:
  [[nodiscard]] Error fault(const std::string& text) const {
    return Error(ErrorKind::input, std::string(file_name_) + ": " + text);
  }

  void require_batch() const {
    for (std::int64_t row = 0; row < size(); ++row) {
      const std::int64_t index = batch_index(row);
      if (index < 0 || index >= max_batch)
        throw fault("coords[" + std::to_string(row) + "] has batch index " + std::to_string(index) +
                    "; expected 0 to " + std::to_string(max_batch - 1));
    }
  }

  void require_points() const {
    const auto columns = static_cast<std::size_t>(rows_.point_columns);
    const std::int64_t count = std::ssize(rows_.points) / rows_.point_columns;
    constexpr std::int64_t most = std::int64_t{1} << 30U;
    if (count == 0 || count > most)
      throw fault("points has " + count_text(count) + " rows; expected 1 to " + count_text(most));
    if (rows_.point_columns != rows_.columns)
      throw fault("points has " + std::to_string(rows_.point_columns) + " columns, but coords has " +
                  std::to_string(rows_.columns));
    std::set<std::int64_t> frames;
    for (std::int64_t row = 0; row < size(); ++row)
      frames.insert(batch_index(row));
    for (std::size_t at = 0; at < rows_.points.size(); ++at) {
      const double value = rows_.points[at];
      const std::string row = "points[" + std::to_string(at / columns) + "]";
      if (!std::isfinite(value)) throw fault(row + " has a value that is NaN or infinite");
      if (columns == 4 && at % columns == 0) {
        if (value != std::floor(value) || std::abs(value) > max_batch ||
            !frames.contains(static_cast<std::int64_t>(value)))
          throw fault(row + " has batch index " + shortest(value) + ", but no row of coords has this index");
      } else if (std::abs(value) > static_cast<double>(largest_coordinate)) {
        throw fault(row + " is " + shortest(value) + "; coordinates are limited to 2^30");
      }
    }
    if (rows_.point_channels == 0) return;
    const std::int64_t features = std::ssize(rows_.point_features) / rows_.point_channels;
    if (features != count)
      throw fault(count_text(count) + " rows of points, but " + count_text(features) +
                  " rows of point_features");
    const auto bad = std::find_if(rows_.point_features.begin(), rows_.point_features.end(),
                                  [](float value) { return !std::isfinite(value); });
    if (bad != rows_.point_features.end())
      throw fault("point_features[" +
                  std::to_string((bad - rows_.point_features.begin()) / rows_.point_channels) +
                  "] has a value that is NaN or infinite");
  }

  void require_distinct() const {
    std::vector<std::int64_t> order(static_cast<std::size_t>(size()));
    std::iota(order.begin(), order.end(), 0);
    const auto compare = [this](std::int64_t a, std::int64_t b) {
      if (batch_index(a) != batch_index(b)) return batch_index(a) < batch_index(b);
      const auto first = voxel(a), second = voxel(b);
      return std::lexicographical_compare(first.begin(), first.end(), second.begin(), second.end());
    };
    std::stable_sort(order.begin(), order.end(), compare);
    for (std::size_t at = 1; at < order.size(); ++at) {
      if (!compare(order[at - 1], order[at]))
        throw fault("the voxel of row " + std::to_string(order[at - 1]) + " occurs again in row " +
                    std::to_string(order[at]) + "; each voxel may occur only once");
    }
  }

  const VoxelRows& rows_;
  std::string_view file_name_;
};

class VoxelReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const override {
    constexpr std::size_t most = 1 << 20;  // The header of a voxel file is shorter than this.
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), most));
    const bool named = start.find("\"coords\"") != std::string_view::npos &&
                       start.find("\"features\"") != std::string_view::npos;
    return {named && start.substr(8).starts_with("{") && file_name.ends_with(".safetensors") ? 1.0 : 0.0,
            "a .safetensors file with coords and features"};
  }

  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    const TensorFile file(bytes, std::string(file_name));
    const Tensor& coords = wanted(file, "coords");
    const Tensor& features = wanted(file, "features");
    if (coords.type != "I32" && coords.type != "I64")
      throw file.fault("tensor coords: dtype " + shortened(coords.type) + ", expected I32 or I64");
    if (features.type != "F32" && features.type != "F16")
      throw file.fault("tensor features: dtype " + shortened(features.type) + ", expected F32 or F16");
    if (coords.shape.size() != 2 || (coords.shape[1] != 3 && coords.shape[1] != 4))
      throw file.fault("tensor coords has shape " + shape_text(coords.shape) +
                       ", expected [voxels, 3] or [voxels, 4]");
    if (features.shape.size() != 2 || features.shape[1] < 1 || features.shape[1] > most_channels)
      throw file.fault("tensor features has shape " + shape_text(features.shape) +
                       ", expected [voxels, channels] with 1 to 4,096 channels");
    VoxelRows rows{static_cast<int>(coords.shape[1]), file.integers(coords),
                   static_cast<int>(features.shape[1]), file.floats(features)};
    add_points(file, rows);
    return cloud_of_voxels(std::move(rows), file_name, "voxels", limits, job);
  }

 private:
  /// Reads the tensors "points" and "point_features", if the file has them.
  static void add_points(const TensorFile& file, VoxelRows& rows) {
    const Tensor *const points = file.find("points"), *const features = file.find("point_features");
    if (points == nullptr && features == nullptr) return;
    if (points == nullptr) throw file.fault("tensor point_features needs the tensor points");
    if (points->type != "F32")
      throw file.fault("tensor points: dtype " + shortened(points->type) + ", expected F32");
    if (points->shape.size() != 2 || (points->shape[1] != 3 && points->shape[1] != 4))
      throw file.fault("tensor points has shape " + shape_text(points->shape) +
                       ", expected [points, 3] or [points, 4]");
    const std::vector<float> values = file.floats(*points);
    rows.point_columns = static_cast<int>(points->shape[1]);
    rows.points.assign(values.begin(), values.end());
    if (features == nullptr) return;
    if (features->type != "F32" && features->type != "F16")
      throw file.fault("tensor point_features: dtype " + shortened(features->type) + ", expected F32 or F16");
    if (features->shape.size() != 2 || features->shape[1] < 1 || features->shape[1] > most_channels)
      throw file.fault("tensor point_features has shape " + shape_text(features->shape) +
                       ", expected [points, channels] with 1 to 4,096 channels");
    rows.point_channels = static_cast<int>(features->shape[1]);
    rows.point_features = file.floats(*features);
  }

  static constexpr std::int64_t most_channels = 4'096;

  static const Tensor& wanted(const TensorFile& file, const std::string& name) {
    const Tensor* const found = file.find(name);
    if (found == nullptr)
      throw file.fault("tensor " + name + " is missing; a voxel file has the tensors coords and features");
    return *found;
  }
};

}  // namespace

PointCloud cloud_of_voxels(VoxelRows rows, std::string_view file_name, const std::string& format,
                           const ReadLimits& limits, Job& job) {
  if (limits.every > 1)
    throw Error(ErrorKind::usage,
                std::string(file_name) + ": a voxel file is read completely; remove --every");
  const Rows all(rows, file_name);
  all.check(job);
  PointCloud cloud;
  cloud.format = format;
  cloud.positions.reserve(static_cast<std::size_t>(all.size()));
  cloud.frame_starts = all.frame_starts();
  const auto channels = static_cast<std::size_t>(rows.channels);
  if (cloud.batch() > 1) cloud.features.reserve(rows.features.size());
  for (const std::int64_t row : all.order_by_frame()) {
    const auto voxel = all.voxel(row);
    if (cloud.batch() > 1) {
      const auto first =
          rows.features.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * channels);
      cloud.features.insert(cloud.features.end(), first, first + static_cast<std::ptrdiff_t>(channels));
    }
    cloud.positions.push_back({static_cast<double>(voxel[0]) + 0.5, static_cast<double>(voxel[1]) + 0.5,
                               static_cast<double>(voxel[2]) + 0.5});
  }
  cloud.in_file = all.size();
  cloud.feature_channels = rows.channels;
  cloud.from_voxel_file = true;
  if (rows.point_columns != 0) cloud.point_rows = all.points(cloud.batch());
  if (cloud.batch() == 1) cloud.features = std::move(rows.features);
  cloud.reading =
      "read as voxels with " + counted_text(rows.channels, "feature", "features") + "; " +
      count_text(cloud.size()) + " voxels" +
      (cloud.batch() > 1 ? " in a batch of " + std::to_string(cloud.batch()) : "") +
      (cloud.point_rows ? " and " + counted_text(cloud.point_rows->size(), "point", "points") : "");
  return cloud;
}

const SceneReader& voxel_reader() noexcept {
  static const VoxelReader reader;
  return reader;
}

}  // namespace spira
