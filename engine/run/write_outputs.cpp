#include "engine/run/write_outputs.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/base/text.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/scene/point_cloud.hpp"

#include <algorithm>
#include <cctype>
#include <map>
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
      {"shift_voxels", shift},
      {"feature_origin_m", shortest(origin[0]) + "," + shortest(origin[1]) + "," + shortest(origin[2])}};
  if (scene.grid.crop_m) facts["crop_m"] = crop_text(*scene.grid.crop_m);
  return facts;
}

}  // namespace

void require_outputs_format(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  if (extension != ".safetensors" && extension != ".npz")
    throw Error(
        ErrorKind::usage,
        file.string() + ": outputs of layers are written as .safetensors or .npz; choose by the extension");
}

void write_outputs(const std::filesystem::path& file, const Network& network,
                   std::span<const std::shared_ptr<const LayerResult>> layers, const std::string& weights,
                   Job& job) {
  require_outputs_format(file);
  SPIRA_ASSERT(!layers.empty(), "no layer to write");
  auto facts = facts_of(*layers.front()->scene, network, weights, layers.front()->features->precision);
  std::vector<std::vector<Voxel>> coordinates;  // One entry per layer. `arrays` points to this data.
  std::vector<NamedArray> arrays;
  for (const auto& layer : layers) {
    job.checkpoint({"writing outputs", std::ssize(coordinates), std::ssize(layers)});
    const std::string& name = network.layers.at(static_cast<std::size_t>(layer->layer)).name;
    const int stride = layer->levels.stride_out;
    facts[name + ".stride"] = std::to_string(stride);
    coordinates.push_back(all_voxels(layer->scene->level(stride)));
    arrays.push_back({name + ".coordinates",
                      ArrayType::i32,
                      {std::ssize(coordinates.back()), 3},
                      std::as_bytes(std::span(coordinates.back()))});
  }
  // Write the features after all coordinates. Otherwise an odd number of float16 values would misalign the
  // next array.
  for (const auto& layer : layers) {
    const Features& features = *layer->features;
    const std::size_t bytes = static_cast<std::size_t>(features.rows) *
                              static_cast<std::size_t>(features.channels) * bytes_of(features.precision);
    arrays.push_back({network.layers.at(static_cast<std::size_t>(layer->layer)).name + ".features",
                      features.precision == Precision::fp16 ? ArrayType::f16 : ArrayType::f32,
                      {features.rows, features.channels},
                      features.data.host_span<std::byte>().first(bytes)});
  }
  write_file(file,
             extension_of(file) == ".npz" ? npz_bytes(arrays, facts, file.string())
                                          : safetensors_bytes(arrays, facts),
             job.stop_token());
}

}  // namespace spira
