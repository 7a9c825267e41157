#include "engine/run/memory_forecast.hpp"

#include "engine/backend/compute_layer.hpp"
#include "engine/backend/gradients.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/host_facts.hpp"
#include "engine/base/text.hpp"
#include "engine/network/network.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/voxel/grid.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace spira {
namespace {

constexpr std::int64_t sampled_outputs = 2048;

/// Estimates the sum of pairs_of(row) over all outputs from `samples` evenly spaced outputs.
template <class PairsOfRow>
double pairs_of_samples(std::int64_t outputs, std::int64_t samples, const PairsOfRow& pairs_of) {
  const std::int64_t step = std::max<std::int64_t>(1, outputs / samples);
  std::int64_t found = 0, asked = 0;
  for (std::int64_t row = step / 2; row < outputs; row += step, ++asked)
    found += pairs_of(row);
  return asked == 0 ? 0.0
                    : static_cast<double>(found) * static_cast<double>(outputs) / static_cast<double>(asked);
}

/// Returns the position of a row relative to the corner of the scene, in position units.
std::array<std::int64_t, 3> place_of(const CoordSet& level, const Positions& positions, std::int64_t row) {
  const Voxel voxel = voxel_at(level, row);
  const auto fields =
      position_fields(positions.words.host_span<std::uint64_t>()[static_cast<std::size_t>(row)]);
  std::array<std::int64_t, 3> place{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    place.at(axis) = (std::int64_t{voxel[axis]} * position_one) + fields.at(axis);
  return place;
}

/// Estimates the number of triplets of a native map: counts the neighbours of some outputs exactly.
double triplets_of(const VoxelScene& scene, const MapKey& key, const KernelOffsets& offsets) {
  const CoordSet &in = scene.level(key.stride_in), &out = scene.level(key.stride_out);
  const Positions &of_in = positions_of(scene, key.stride_in), &of_out = positions_of(scene, key.stride_out);
  const int stride = offsets.stride()[0];
  const NeighbourTest test(key.kernel.neighbourhood, key.kernel.size[0], stride);
  const int reach = test.window * stride;
  constexpr std::int64_t most_cells = 1 << 20;  // Limits the time of large windows.
  const std::int64_t edge = (2 * test.window) + 1,
                     samples =
                         std::clamp<std::int64_t>(most_cells / (edge * edge * edge), 16, sampled_outputs);
  return pairs_of_samples(size_of(out), samples, [&](std::int64_t row) {
    const auto place = place_of(out, of_out, row);
    const int frame = frame_at(out, row);
    Voxel around{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      around[axis] = static_cast<std::int32_t>(place.at(axis) / position_one / stride * stride);
    std::int64_t found = 0;
    for (int dx = -reach; dx <= reach; dx += stride) {
      for (int dy = -reach; dy <= reach; dy += stride) {
        for (int dz = -reach; dz <= reach; dz += stride) {
          const auto input = row_of_voxel(in, {around[0] + dx, around[1] + dy, around[2] + dz}, frame);
          if (!input) continue;
          const auto there = place_of(in, of_in, *input);
          const auto distance = [&](std::size_t axis) {
            return static_cast<std::int32_t>(there.at(axis) - place.at(axis));
          };
          found += test.column(distance(0), distance(1), distance(2)) >= 0 ? 1 : 0;
        }
      }
    }
    return found;
  });
}

/// Estimates the number of pairs in these columns of a map.
double pairs_of(const VoxelScene& scene, const MapKey& key, const KernelOffsets& offsets,
                const std::vector<int>& columns) {
  if (key.kernel.native()) return triplets_of(scene, key, offsets);
  const CoordSet &in = scene.level(key.stride_in), &out = scene.level(key.stride_out);
  return pairs_of_samples(size_of(out), sampled_outputs, [&](std::int64_t row) {
    const Voxel at = voxel_at(out, row);
    const int frame = frame_at(out, row);
    return std::count_if(columns.begin(), columns.end(), [&](int column) {
      const Voxel by = offsets.offset(column);
      return row_of_voxel(in, {at[0] + by[0], at[1] + by[1], at[2] + by[2]}, frame).has_value();
    });
  });
}

std::size_t bytes_of_part(const Backend& backend, const MapPartRequest& part, const MapRequest& request,
                          const VoxelScene& scene, const MapKey& key) {
  const CoordSet &in = scene.level(key.stride_in), &out = scene.level(key.stride_out);
  const KernelOffsets& offsets = *request.offsets;
  const auto outputs = static_cast<std::size_t>(size_of(out));
  if (part.layout == MapLayout::z_runs) {
    const bool narrow = size_of(in) <= (std::int64_t{1} << (32 - offsets.z_cells()));
    return outputs * static_cast<std::size_t>(offsets.z_groups()) * (narrow ? 4 : 8);
  }
  if (part.layout == MapLayout::mask_sorted) {
    const auto rows = static_cast<std::size_t>(padded_rows_of(size_of(out)) * part.splits);
    return rows * static_cast<std::size_t>(columns_per_split(offsets.columns(), part.splits) + 1) * 4;
  }
  const auto columns = stored_columns(part, request);
  if (part.layout == MapLayout::pair_lists)
    return backend.pair_list_bytes({request.algorithm, offsets.kernel(), size_of(out), columns.size(),
                                    pairs_of(scene, key, offsets, columns), request.parts.size() == 1}) +
           (columns.size() * 4);
  return outputs * columns.size() * 4;
}

/// The predicted sizes of a kernel map, which several layers can share.
struct ForecastMap {
  std::size_t bytes = 0;
  bool dense = false, sparse = false;
  /// The values of LayerMemory::kept_as whose buffers are already included.
  std::set<int> kept;
};

/// Counts the bytes of buffers that exist at the same time.
class SimulatedMemory {
 public:
  using Block = std::shared_ptr<void>;  ///< A buffer. The last copy that is destroyed frees it.
  explicit SimulatedMemory(std::size_t used) : used_(used), peak_(used) {}

  [[nodiscard]] Block allocate(std::size_t bytes) {
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    return {this, [bytes](SimulatedMemory* memory) { memory->used_ -= bytes; }};
  }
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }

 private:
  std::size_t used_, peak_;
};

class Forecaster {
 public:
  Forecaster(const Backend& backend, const VoxelScene& scene, const Network& network, const Plan& plan)
      : backend_(backend),
        scene_(scene),
        network_(network),
        plan_(plan),
        levels_(levels_of(network)),
        last_reader_(last_readers(network)) {}

  MemoryForecast make(std::size_t level_bytes) {
    MemoryForecast forecast;
    for (std::size_t at = 0; at < network_.layers.size(); ++at) {
      if (network_.layers[at].has_map()) forecast.indexing += map_of(at, plan_.layers[at]).second;
      forecast.results += output_bytes(at);
    }
    std::size_t kept = 0;
    for (std::size_t at = 0; at < network_.layers.size(); ++at)
      forecast.features = std::max(forecast.features, step_bytes(at, kept));
    forecast.results += forecast.indexing + kept;
    forecast.indexing += level_bytes;
    forecast.levels = level_bytes;
    return forecast;
  }

  /// Simulates the buffers of a training step.
  std::size_t make_training(Gradients& gradients, std::size_t indexing) {
    const std::size_t layers = network_.layers.size();
    std::size_t before = indexing;
    for (std::size_t at = 0; at < layers; ++at)
      static_cast<void>(map_of(at, plan_.layers[at]));
    for (std::size_t at = 0; at < layers; ++at) {
      const Layer& here = network_.layers[at];
      const bool dgrad = needs_dgrad(network_, here);
      MemoryShape shape = shape_of(at);
      before += gradients.packed_bytes(shape);
      std::swap(shape.in_channels, shape.out_channels);
      if (dgrad) before += gradients.packed_bytes(shape);
      const BackwardPlan backward = backward_of(plan_, network_, levels_, at);
      if (dgrad) before += map_of(at, backward.dgrad).second;
      before += map_of(at, backward.wgrad).second;
    }
    SimulatedMemory memory(before);
    std::vector<SimulatedMemory::Block> outputs;
    Block joined;
    for (std::size_t at = 0; at < layers; ++at) {
      if (at == 0 || !same_inputs(at, at - 1)) joined = joined_inputs(memory, at);
      outputs.push_back(memory.allocate(output_bytes(at)));
      static_cast<void>(memory.allocate(backend_.layer_memory(shape_of(at)).passing));
    }
    joined.reset();
    simulate_backward(gradients, memory, std::move(outputs));
    return memory.peak();
  }

 private:
  using Block = SimulatedMemory::Block;

  [[nodiscard]] static std::size_t weight_count(const Layer& layer) {
    return static_cast<std::size_t>(layer.kernel_size.product()) *
           static_cast<std::size_t>(layer.in_channels) * static_cast<std::size_t>(layer.out_channels);
  }
  [[nodiscard]] std::size_t input_bytes(std::size_t layer) const {
    return row_bytes(network_.layers[layer].in_channels, levels_.layers[layer].stride_in);
  }
  [[nodiscard]] bool same_inputs(std::size_t layer, std::size_t other) const {
    return network_.layers[layer].inputs == network_.layers[other].inputs;
  }
  [[nodiscard]] Block joined_inputs(SimulatedMemory& memory, std::size_t layer) const {
    return memory.allocate(network_.layers[layer].inputs.size() > 1 ? input_bytes(layer) : 0);
  }
  [[nodiscard]] MemoryShape shape_of(std::size_t layer) {
    const Layer& here = network_.layers[layer];
    const LayerLevels& at = levels_.layers[layer];
    const ForecastMap& map = map_of(layer, plan_.layers[layer]).first;
    return {at.map.kernel,
            here.in_channels,
            here.out_channels,
            size_of(scene_.level(at.map.stride_in)),
            size_of(scene_.level(at.map.stride_out)),
            at.transposed,
            map.dense,
            map.sparse,
            plan_.layers[layer].dense_layout,
            plan_.layers[layer].splits,
            plan_.precision};
  }

  /// Allocates and frees the gradients in the order of run_backward().
  void simulate_backward(Gradients& gradients, SimulatedMemory& memory, std::vector<Block> outputs) {
    std::vector<std::vector<Block>> parts(network_.layers.size());
    std::vector<Block> results;
    Block joined;
    const auto add_part = [&](const std::string& name, const Block& part) {
      if (const int index = network_.index_of(name); index >= 0)
        parts[static_cast<std::size_t>(index)].push_back(part);
    };
    for (const int output : output_layers(network_))
      parts[static_cast<std::size_t>(output)].push_back(memory.allocate(0));  // Exists before the step.
    for (std::size_t at = network_.layers.size(); at-- > 0;) {
      const Layer& here = network_.layers[at];
      if (!parts[at].empty()) {
        const bool kept = here.activation == Activation::none && parts[at].size() == 1;
        const Block sum = kept ? parts[at].front() : memory.allocate(output_bytes(at));
        parts[at].clear();
        add_part(here.residual, sum);
        if (needs_dgrad(network_, here)) {
          const Block by_inputs = memory.allocate(input_bytes(at));
          MemoryShape shape = shape_of(at);
          std::swap(shape.in_channels, shape.out_channels);
          shape.transposed = !shape.transposed;
          static_cast<void>(memory.allocate(backend_.layer_memory(shape).passing));
          for (const std::string& input : here.inputs)
            add_part(input, by_inputs);
        }
        if (!joined) joined = joined_inputs(memory, at);
        const Block scratch = memory.allocate(gradients.wgrad_memory(shape_of(at)));
        results.push_back(memory.allocate(weight_count(here) * sizeof(float)));
      }
      if (at == 0 || !same_inputs(at, at - 1)) joined.reset();
      outputs[at].reset();
    }
  }

  /// Returns the map of a layer, and the number of bytes that this map adds to the forecast. The number is 0
  /// if an earlier layer uses the same map.
  std::pair<ForecastMap&, std::size_t> map_of(std::size_t layer, const LayerPlan& plan) {
    const LayerLevels& here = levels_.layers[layer];
    const MapUse use = map_use(here, plan);
    if (const auto known = maps_.find(use); known != maps_.end()) return {known->second, 0};
    const auto offsets = std::make_shared<const KernelOffsets>(
        here.map.kernel, scene_.level(here.map.stride_in).rule.stride());
    const MapRequest request = request_for(use, offsets);
    ForecastMap map;
    for (const MapPartRequest& part : request.parts) {
      if (part.columns.empty()) continue;
      map.bytes += bytes_of_part(backend_, part, request, scene_, here.map);
      (part.layout == MapLayout::pair_lists ? map.sparse : map.dense) = true;
    }
    ForecastMap& added = maps_.emplace(use, std::move(map)).first->second;
    return {added, added.bytes};
  }

  /// Returns an upper bound of the bytes of the row numbers and weights that a device reads to move features
  /// between voxels and points. A back end in host memory does not store them in its memory pool.
  [[nodiscard]] std::size_t link_bytes(std::size_t layer) const {
    const Layer& here = network_.layers[layer];
    if (!here.moves_points() || backend_.results_are_host_memory()) return 0;
    const auto points = static_cast<std::size_t>(scene_.point_rows->size());
    const auto rows = static_cast<std::size_t>(size_of(scene_.level(levels_.layers[layer].stride_out)));
    const std::size_t links =
        points * (here.op == LayerOp::to_points && here.mode == PointMode::trilinear ? 8 : 1);
    return (links * (sizeof(std::int32_t) + sizeof(float))) + ((rows + 1) * sizeof(std::int64_t)) +
           (rows * sizeof(float));
  }
  [[nodiscard]] std::size_t output_bytes(std::size_t layer) const {
    return row_bytes(network_.layers[layer].out_channels, levels_.layers[layer].stride_out);
  }
  [[nodiscard]] std::size_t row_bytes(int channels, int stride) const {
    return static_cast<std::size_t>(size_of(scene_.level(stride))) * static_cast<std::size_t>(channels) *
           bytes_of(plan_.precision);
  }

  /// Returns the bytes that are in use while a layer runs, without the maps. Adds the bytes of the buffers
  /// that stay allocated as long as the map to `kept`.
  std::size_t step_bytes(std::size_t layer, std::size_t& kept) {
    const Layer& here = network_.layers[layer];
    const LayerLevels& at = levels_.layers[layer];
    if (!here.convolution()) {
      // The activation of an operation that changes its rows is applied to a copy of its output.
      const bool copies =
          (here.has_map() || here.changes_set()) && !remaining_steps(here, {}, nullptr).empty();
      return kept + link_bytes(layer) + (output_bytes(layer) * (copies ? 2 : 1)) + live_outputs(layer);
    }
    ForecastMap& map = map_of(layer, plan_.layers[layer]).first;
    const LayerMemory memory = backend_.layer_memory(shape_of(layer));
    std::size_t sorting = 0;
    if (memory.kept != 0 && map.kept.insert(memory.kept_as).second) {
      kept += memory.kept;
      if (sorts_triplets(layer)) {
        kept += map.bytes;  // The map consists of the lists, and the sorted triplets have the same size.
        // The temporary buffers are two lists of keys, the triplets before the sort, and copies of both.
        sorting = 5 * map.bytes;
      }
    }
    std::size_t live = kept + memory.passing + sorting + output_bytes(layer);
    if (here.inputs.size() > 1) live += row_bytes(here.in_channels, at.stride_in);
    // The steps after a convolution are applied to a copy of its output.
    if (!remaining_steps(here, {}, nullptr).empty()) live += output_bytes(layer);
    return live + live_outputs(layer);
  }

  /// Returns true if a device sorts a copy of the triplets by input before it can run the layer. The copy
  /// stays allocated as long as the map. Backend::layer_memory() does not include it, because it does not
  /// know the number of triplets.
  [[nodiscard]] bool sorts_triplets(std::size_t layer) const {
    const LayerLevels& at = levels_.layers[layer];
    return at.transposed && at.map.kernel.native() && plan_.precision == Precision::fp16 &&
           plan_.layers[layer].method == FeatureMethod::by_layout && !backend_.results_are_host_memory();
  }

  /// Returns the bytes of the outputs of earlier layers that this layer or a later layer reads.
  [[nodiscard]] std::size_t live_outputs(std::size_t layer) const {
    std::size_t live = 0;
    for (std::size_t before = 0; before < layer; ++before) {
      const bool dead = last_reader_[before] >= 0 && last_reader_[before] < static_cast<int>(layer);
      if (!dead) live += output_bytes(before);
    }
    return live;
  }

  const Backend& backend_;
  const VoxelScene& scene_;
  const Network& network_;
  const Plan& plan_;
  Levels levels_;
  std::vector<int> last_reader_;
  std::map<MapUse, ForecastMap> maps_;
};

}  // namespace

MemoryForecast forecast_memory(const Backend& backend, const VoxelScene& scene, const Network& network,
                               const Plan& plan, std::size_t level_bytes) {
  return Forecaster(backend, scene, network, plan).make(level_bytes);
}

std::size_t forecast_training(Backend& backend, const VoxelScene& scene, const Network& network,
                              const Plan& plan, std::size_t indexing) {
  return Forecaster(backend, scene, network, plan).make_training(*backend.extensions().gradients, indexing);
}

void require_memory(const MemoryForecast& forecast, const DeviceFacts& device) {
  if (device.memory_bytes == 0 ||
      static_cast<double>(forecast.total()) <= 1.25 * static_cast<double>(device.memory_bytes))
    return;
  // For CUDA, report a device error: the CPU may have enough memory for a scene that does not fit on the GPU.
  throw Error(device.kind == BackendKind::cuda ? ErrorKind::device_memory : ErrorKind::memory,
              "the network needs about " + bytes_text(forecast.total()) + " on this scene; " + device.name +
                  " has " + bytes_text(device.memory_bytes) + "; use larger voxels or a crop");
}

namespace {

// Bytes per point: 4 for the voxel of the point. Sorting needs two copies of a key (8 bytes) and a point
// number (4 bytes).
constexpr std::uint64_t bytes_of_point = 4 + (2 * 12);
// Bytes per voxel: 4 for the number of its points, and 13 for its keys on all levels. All levels together
// have about 1.6 times as many voxels as the first level.
constexpr std::uint64_t bytes_of_voxel = 13 + 4;
// Bytes per voxel for the positions of all levels: a word of 8 bytes and the index of a point in 4 bytes.
constexpr std::uint64_t bytes_of_positions = 20;
// Bytes per drawn voxel: centre 12, open faces 1, two copies of the colour 6, cells 8, indices into two
// coarser meshes 8, and 28 for the copy that VTK makes.
constexpr std::uint64_t bytes_of_picture = 12 + 1 + 6 + 8 + 8 + 28;

}  // namespace

std::uint64_t scene_bytes(std::int64_t points, std::int64_t voxels, const SceneUse& use) {
  const auto z_runs =
      static_cast<std::uint64_t>(use.kernel_size) * static_cast<std::uint64_t>(use.kernel_size);
  // A native map has lists of triplets of 8 bytes. A surface has about K^2 points in the K^3 cells.
  const std::uint64_t map = (use.positions ? 8 : 4) * z_runs;
  return (static_cast<std::uint64_t>(points) * bytes_of_point) +
         (static_cast<std::uint64_t>(voxels) * (bytes_of_voxel + map + (use.drawn ? bytes_of_picture : 0) +
                                                (use.positions ? bytes_of_positions : 0)));
}

void require_memory(const PointCloud& cloud, const Grid& grid, const SceneUse& use,
                    std::optional<std::uint64_t> max_bytes, Job& job) {
  const auto free = free_memory_bytes(max_bytes);
  if (!free || scene_bytes(cloud.size(), cloud.size(), use) <= *free) return;
  const std::int64_t voxels = estimate_voxels(cloud, grid, job);
  const std::uint64_t need = scene_bytes(cloud.size(), voxels, use);
  if (need <= *free) return;
  const auto points = static_cast<std::uint64_t>(cloud.size());
  const std::int64_t every = cloud.every * every_that_fits(points, (need / points) + 1, *free);
  std::string text = cloud.name + ": about " + count_text(voxels) + " voxels of " + count_text(cloud.size()) +
                     " points need " + bytes_text(need) + ", but only " + bytes_text(*free) + " is free";
  if (every > 0) text += "; " + every_text(every) + " point would fit";
  throw NotEnoughMemory(text, every);
}

}  // namespace spira
