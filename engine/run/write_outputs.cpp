#include "engine/run/write_outputs.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/base/text.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/scene/point_cloud.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace spira {
namespace {

std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::map<std::string, std::string> facts_of(const VoxelScene& scene, const Network& network,
                                            const std::string& weights, Precision precision) {
  std::string shift;
  for (const std::int64_t cells : scene.shift)
    shift += (shift.empty() ? "" : ",") + std::to_string(cells);
  const Point& origin = scene.origin;
  std::map<std::string, std::string> facts{
      {"schema", "spira.outputs 1"},
      {"scene", scene.cloud->name},
      {"network", network.name},
      {"weights", weights},
      {"precision", std::string(text_of(precision))},
      {"voxel_m", shortest(scene.grid.voxel_m[0]) + "," + shortest(scene.grid.voxel_m[1]) + "," +
                      shortest(scene.grid.voxel_m[2])},
      {"unit", std::string(text_of(scene.cloud->unit()))},
      {"shift_voxels", shift},
      {"feature_origin_m", shortest(origin[0]) + "," + shortest(origin[1]) + "," + shortest(origin[2])}};
  if (network.grid && scene.cloud->feature_channels > 0 && scene.grid.voxel_m == network.grid->voxel_m) {
    // The low corner of cell 0.
    std::array<double, 3> low = network.grid->low_m;
    for (std::size_t axis = 0; axis < 3 && network.grid->rounding == CellRounding::nearest; ++axis)
      low.at(axis) -= 0.5 * network.grid->voxel_m.at(axis);
    facts["low_m"] = shortest(low[0]) + "," + shortest(low[1]) + "," + shortest(low[2]);
  }
  if (scene.grid.crop_m) facts["crop_m"] = crop_text(*scene.grid.crop_m);
  return facts;
}

}  // namespace

std::vector<std::int32_t> coordinate_rows(const CoordSet& level, int batch) {
  std::vector<std::int32_t> rows;
  for (const BatchVoxel& voxel : all_batch_voxels(level))
    rows.insert(rows.end(), voxel.begin() + (batch > 1 ? 0 : 1), voxel.end());
  return rows;
}

std::vector<float> position_rows(const PointRows& points, int batch) {
  std::vector<float> rows;
  for (std::int64_t row = 0; row < points.size(); ++row) {
    if (batch > 1) rows.push_back(static_cast<float>(points.frame(row)));
    for (const double value : points.positions[static_cast<std::size_t>(row)]) {
      // The rounded position must stay in the voxel of the point.
      const auto rounded = static_cast<float>(value);
      rows.push_back(std::floor(rounded) > static_cast<float>(std::floor(value))
                         ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
                         : rounded);
    }
  }
  return rows;
}

namespace {

/// Returns the message about a voxel outside a dense output: cell `at` on this axis, or -1 if it is below 0.
/// Coordinates count from the origin of the library.
std::string outside_text(const Layer& layer, std::size_t axis, std::int64_t at) {
  const auto& cells = layer.cells;
  const std::string text = ": layer " + layer.name + " has a voxel outside the " + count_text(cells[0]) +
                           " x " + count_text(cells[1]) + " x " + count_text(cells[2]) +
                           " cells of its dense output";
  const std::string name(1, "xyz"[axis]);
  if (at < 0) return text + ": its " + name + " is below 0";
  return text + ": cells along " + name + " must be at least " + count_text(at + 1) +
         " in the network file; compare them with the cells of input.grid";
}

}  // namespace

std::vector<std::byte> dense_grid(const Layer& layer, const LayerResult& result, const std::string& of) {
  const CoordSet& level = result.scene->level(result.levels.stride_out);
  const PerAxis stride = level.rule.stride();
  const auto& cells = layer.cells;
  const Features& features = *result.features;
  const auto value = bytes_of(features.precision);
  const auto cells_of_channel = static_cast<std::size_t>(cells[0] * cells[1] * cells[2]);
  const std::size_t values_of_frame = static_cast<std::size_t>(features.channels) * cells_of_channel;
  std::vector<std::byte> grid(static_cast<std::size_t>(result.scene->cloud->batch()) * values_of_frame *
                              value);
  const auto* from = static_cast<const std::byte*>(features.data.data());
  const std::array<std::size_t, 3> order =
      layer.dense_zyx ? std::array<std::size_t, 3>{2, 1, 0} : std::array<std::size_t, 3>{0, 1, 2};
  for (std::int64_t row = 0; row < features.rows; ++row) {
    const Voxel voxel = voxel_at(level, row);
    std::int64_t cell = 0;
    for (const std::size_t axis : order) {
      const std::int64_t at = (voxel[axis] + result.scene->shift.at(axis)) / stride[axis];
      if (const bool below = voxel[axis] + result.scene->shift.at(axis) < 0; below || at >= cells.at(axis))
        throw Error(ErrorKind::input, of + outside_text(layer, axis, below ? -1 : at));
      cell = (cell * cells.at(axis)) + at;
    }
    const std::size_t first = static_cast<std::size_t>(frame_at(level, row)) * values_of_frame;
    for (int channel = 0; channel < features.channels; ++channel, from += value) {
      const std::size_t to =
          (first + (static_cast<std::size_t>(channel) * cells_of_channel) + static_cast<std::size_t>(cell)) *
          value;
      std::copy(from, from + value, grid.data() + to);
    }
  }
  return grid;
}

void require_outputs_format(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  if (extension != ".safetensors" && extension != ".npz")
    throw Error(
        ErrorKind::usage,
        file.string() + ": unsupported extension; outputs of layers are written as .safetensors or .npz");
}

void write_outputs(const std::filesystem::path& file, const Network& network,
                   std::span<const std::shared_ptr<const LayerResult>> layers, const std::string& weights,
                   Job& job) {
  require_outputs_format(file);
  SPIRA_ASSERT(!layers.empty(), "no layer to write");
  auto facts = facts_of(*layers.front()->scene, network, weights, layers.front()->features->precision);
  // One entry per sparse layer, per layer on points, and per dense layer. `arrays` refers to this data.
  std::vector<std::vector<std::int32_t>> coordinates;
  std::vector<std::vector<float>> positions;
  std::vector<std::vector<std::byte>> grids;
  const int batch = layers.front()->scene->cloud->batch();
  const std::int64_t columns = batch > 1 ? 4 : 3;
  if (batch > 1) facts["batch"] = std::to_string(batch);
  std::vector<NamedArray> arrays;
  const auto layer_of = [&](const LayerResult& result) -> const Layer& {
    return network.layers.at(static_cast<std::size_t>(result.layer));
  };
  for (const auto& layer : layers) {
    job.checkpoint({"writing outputs", std::ssize(coordinates), std::ssize(layers)});
    if (layer_of(*layer).op == LayerOp::dense) continue;
    const std::string& name = layer_of(*layer).name;
    const int stride = layer->levels.stride_out;
    if (layer->scene->level(stride).rule.is_points()) {
      facts[name + ".level"] = "points";
      positions.push_back(position_rows(*layer->scene->point_rows, batch));
      arrays.push_back({name + ".points",
                        ArrayType::f32,
                        {std::ssize(positions.back()) / columns, columns},
                        std::as_bytes(std::span(positions.back()))});
      continue;
    }
    facts[name + ".stride"] = text_of(layer->scene->level(stride).rule.stride());
    if (stride >= first_numbered_level) facts[name + ".level"] = level_text(*layer->scene, stride);
    coordinates.push_back(coordinate_rows(layer->scene->level(stride), batch));
    arrays.push_back({name + ".coordinates",
                      ArrayType::i32,
                      {std::ssize(coordinates.back()) / columns, columns},
                      std::as_bytes(std::span(coordinates.back()))});
  }
  // Write the features last. An odd number of float16 values would misalign int32 arrays that follow.
  grids.reserve(layers.size());
  for (const auto& layer : layers) {
    const Features& features = *layer->features;
    const ArrayType type = features.precision == Precision::fp16 ? ArrayType::f16 : ArrayType::f32;
    if (const Layer& here = layer_of(*layer); here.op == LayerOp::dense) {
      grids.push_back(dense_grid(here, *layer, file.string()));
      std::vector<std::int64_t> shape = here.dense_shape;
      if (batch > 1) shape.insert(shape.begin(), batch);
      arrays.push_back({here.name + ".dense", type, shape, grids.back()});
      continue;
    }
    const std::size_t bytes = static_cast<std::size_t>(features.rows) *
                              static_cast<std::size_t>(features.channels) * bytes_of(features.precision);
    arrays.push_back({layer_of(*layer).name + ".features",
                      type,
                      {features.rows, features.channels},
                      features.data.host_span<std::byte>().first(bytes)});
  }
  write_file(file,
             extension_of(file) == ".npz" ? npz_bytes(arrays, facts, file.string())
                                          : safetensors_bytes(arrays, facts),
             job.stop_token());
}

void write_voxel_file(const std::filesystem::path& file, Backend& backend, const VoxelScene& scene,
                      const Network& network, Job& job) {
  require_outputs_format(file);
  const Levels levels = levels_of(network);
  LevelRequest request{scene.pack, Precision::fp32, levels.needs, {}, &network};
  std::copy_if(levels.sets.begin(), levels.sets.end(), std::back_inserter(request.levels),
               [](const SceneLevel& level) { return level.rule.is_points(); });
  const BuiltLevels built = build_levels(backend, scene.cloud, scene.grid, request, job);
  const int batch = scene.cloud->batch();
  const std::size_t columns = batch > 1 ? 4 : 3;
  std::vector<std::int32_t> coords = coordinate_rows(built.scene->level(1), batch);
  for (std::size_t first = columns - 3; first < coords.size(); first += columns) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      constexpr std::int64_t most = std::int64_t{1} << 30U;
      const std::int64_t cell = coords[first + axis] + built.scene->shift.at(axis);
      if (cell < -most || cell > most)
        throw Error(ErrorKind::input, scene.cloud->name + ": a voxel has " + std::string(1, "xyz"[axis]) +
                                          " = " + std::to_string(cell) +
                                          "; coordinates in voxel files are limited to 2^30");
      coords[first + axis] = static_cast<std::int32_t>(cell);
    }
  }
  const Features& made = *built.device.features;
  const Features downloaded = backend.results_are_host_memory() ? Features{} : backend.download(made);
  const Features& features = backend.results_are_host_memory() ? made : downloaded;
  const auto values = static_cast<std::size_t>(features.rows) * static_cast<std::size_t>(features.channels);
  std::vector<NamedArray> arrays{
      {"coords",
       ArrayType::i32,
       {std::ssize(coords) / static_cast<std::int64_t>(columns), static_cast<std::int64_t>(columns)},
       std::as_bytes(std::span(coords))},
      {"features",
       ArrayType::f32,
       {features.rows, features.channels},
       std::as_bytes(features.data.host_span<float>().first(values))}};
  const PointRows* const points = built.scene->point_rows.get();
  const std::vector<float> positions =
      points == nullptr ? std::vector<float>{} : position_rows(*points, batch);
  if (points != nullptr)
    arrays.push_back({"points",
                      ArrayType::f32,
                      {points->size(), static_cast<std::int64_t>(columns)},
                      std::as_bytes(std::span(positions))});
  if (points != nullptr && points->channels > 0)
    arrays.push_back({"point_features",
                      ArrayType::f32,
                      {points->size(), points->channels},
                      std::as_bytes(std::span(points->features))});
  const std::map<std::string, std::string> facts{
      {"schema", "spira.voxels 1"}, {"scene", scene.cloud->name}, {"network", network.name}};
  write_file(file,
             extension_of(file) == ".npz" ? npz_bytes(arrays, facts, file.string())
                                          : safetensors_bytes(arrays, facts),
             job.stop_token());
}

namespace {

static_assert(std::endian::native == std::endian::little,
              "binary files are written in the byte order of memory");

enum class Kind : std::uint8_t { f64, i32, u32, f32, u8 };

/// A column of the file: one property of the written voxels.
struct ValueColumn {
  const char* name;
  const char* ply_name;
  Kind kind;
  std::function<double(std::size_t row)> value;  // Returns the value for a row of the level.
};

template <class Number> void put(std::string& bytes, double value) {
  const auto number = static_cast<Number>(value);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& bytes, Kind kind, double value) {
  switch (kind) {
    case Kind::f64:
      return put<double>(bytes, value);
    case Kind::i32:
      return put<std::int32_t>(bytes, value);
    case Kind::u32:
      return put<std::uint32_t>(bytes, value);
    case Kind::f32:
      return put<float>(bytes, value);
    case Kind::u8:
      return put<std::uint8_t>(bytes, value);
  }
}

const char* ply_type(Kind kind) {
  switch (kind) {
    case Kind::f64:
      return "double";
    case Kind::i32:
      return "int";
    case Kind::u32:
      return "uint";
    case Kind::f32:
      return "float";
    case Kind::u8:
      return "uchar";
  }
  return "";
}

std::vector<ValueColumn> columns_of(const VoxelScene& scene, int stride) {
  constexpr std::array<const char*, 3> places{"x", "y", "z"}, indices{"ix", "iy", "iz"},
      channels{"r", "g", "b"}, ply_channels{"red", "green", "blue"};
  std::vector<ValueColumn> columns;
  const auto voxel = [&scene, stride](std::size_t row) {
    return voxel_at(scene.level(stride), static_cast<std::int64_t>(row));
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.push_back({places[axis], places[axis], Kind::f64, [&scene, stride, voxel, axis](std::size_t row) {
                         return scene.centre_m(voxel(row), stride)[axis];
                       }});
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.push_back({indices[axis], indices[axis], Kind::i32,
                       [voxel, axis](std::size_t row) { return static_cast<double>(voxel(row)[axis]); }});
  columns.push_back({"row", "row", Kind::i32, [](std::size_t row) { return static_cast<double>(row); }});
  columns.push_back({"points", "points", Kind::i32, [all = points_in_voxels(scene, stride)](std::size_t row) {
                       return static_cast<double>(all[row]);
                     }});
  if (!scene.cloud->intensity.empty())
    columns.push_back(
        {"intensity", "intensity", Kind::f32,
         [all = mean_intensities(scene, stride)](std::size_t row) { return static_cast<double>(all[row]); }});
  if (!scene.cloud->colour.empty()) {
    const auto all = std::make_shared<const std::vector<Colour>>(mean_colours(scene, stride));
    for (std::size_t c = 0; c < 3; ++c)
      columns.push_back({channels[c], ply_channels[c], Kind::u8,
                         [all, c](std::size_t row) { return static_cast<double>((*all)[row][c]); }});
  }
  if (!scene.cloud->label.empty())
    columns.push_back({"label", "label", Kind::u32, [all = voxel_labels(scene, stride)](std::size_t row) {
                         return static_cast<double>(all[row]);
                       }});
  return columns;
}

std::string ply_header(const std::vector<ValueColumn>& columns, std::size_t rows) {
  std::string text =
      "ply\nformat binary_little_endian 1.0\ncomment voxels, written by spira\nelement vertex " +
      std::to_string(rows) + "\n";
  for (const ValueColumn& column : columns)
    text += std::string("property ") + ply_type(column.kind) + " " + column.ply_name + "\n";
  return text + "end_header\n";
}

std::string npy_header(const std::vector<ValueColumn>& columns, std::size_t rows) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns.size()) + "), }";
  constexpr std::size_t prefix = 10, alignment = 64;
  header.resize(((header.size() + prefix + 1 + alignment - 1) / alignment * alignment) - prefix - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  const auto size = static_cast<std::uint16_t>(header.size());
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  return bytes + header;
}

std::string csv_header(const std::vector<ValueColumn>& columns) {
  std::vector<std::string> cells;
  for (const ValueColumn& column : columns)
    cells.emplace_back(column.name);
  return csv_line(cells);
}

std::string csv_row(const std::vector<ValueColumn>& columns, std::size_t row) {
  std::vector<std::string> cells;
  for (const ValueColumn& column : columns)
    cells.push_back(shortest(column.value(row)));
  return csv_line(cells);
}

}  // namespace

void write_voxels(const VoxelScene& scene, int stride, std::span<const std::int32_t> rows,
                  const std::filesystem::path& file, Job& job) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool ply = extension == ".ply", npy = extension == ".npy", csv = extension == ".csv";
  if (!ply && !npy && !csv)
    throw Error(ErrorKind::usage,
                file.string() + ": unsupported extension; voxels are written as .ply, .npy or .csv");
  const std::vector<ValueColumn> columns = columns_of(scene, stride);
  std::string bytes = ply   ? ply_header(columns, rows.size())
                      : npy ? npy_header(columns, rows.size())
                            : csv_header(columns);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (at % 16'384 == 0) job.checkpoint({"writing voxels", static_cast<std::int64_t>(at), std::ssize(rows)});
    const auto row = static_cast<std::size_t>(rows[at]);
    if (csv) {
      bytes += csv_row(columns, row);
      continue;
    }
    for (const ValueColumn& column : columns)
      put(bytes, ply ? column.kind : Kind::f64, column.value(row));
  }
  write_file(file, bytes);
}

}  // namespace spira
