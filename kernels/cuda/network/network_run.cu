// Captures a network as one CUDA graph, runs the graph, and records timelines.
#include "engine/backend/compute_layer.hpp"
#include "engine/base/text.hpp"
#include "engine/job/stage_tree.hpp"
#include "engine/scene/batch.hpp"
#include "engine/scene/extents.hpp"
#include "kernels/cuda/conv/rows.cuh"
#include "kernels/cuda/conv_fp16/fp16_choice.hpp"
#include "kernels/cuda/conv_fp16/weight_order.hpp"
#include "kernels/cuda/device/handles.hpp"
#include "kernels/cuda/network/network_graph.hpp"
#include "kernels/cuda/network/network_layout.hpp"
#include "kernels/cuda/network/network_marks.hpp"
#include "kernels/cuda/network/network_queue.hpp"
#include "kernels/cuda/network/network_run.hpp"
#include "kernels/cuda/voxels/occupancy.hpp"

#include <algorithm>
#include <optional>

namespace spira::cuda {
namespace {

/// A kernel map of the network, in the form that the layers read.
struct RunMap {
  MapKey key;
  bool transposed = false;
  /// The kernel choice of the first layer that reads the map. Used only in fp16. Other layers that read the
  /// map use the same row order.
  Fp16Choice choice;
  OccupancyMap map{};
  MapSource source;  ///< Contains no data if the layers read only the row order of the map.
  Buffer data;
};

class CudaNetworkRun final : public NetworkRun {
 public:
  CudaNetworkRun(const Device& device, const NetworkRunRequest& request, NetworkLayout layout)
      : device_(device), request_(request), layout_(std::move(layout)), branches_(device.stream) {
    plan_maps();
    facts_.bytes = bytes_needed();
    if (const std::size_t free = free_bytes(device_); facts_.bytes > free) {
      throw Error(ErrorKind::device_memory, "the CUDA graph of the network needs " +
                                                bytes_text(facts_.bytes) + ", but only " + bytes_text(free) +
                                                " are free");
    }
    const auto& capacity = request_.capacity;
    const auto points = static_cast<std::size_t>(capacity.points);
    const auto voxels = static_cast<std::size_t>(capacity.voxels.front());
    positions_ = Buffer(device_.pool, points * 3 * sizeof(double));
    values_ = Buffer(device_.pool, points * bytes_of_values());
    point_count_ = Buffer(device_.pool, sizeof(std::int64_t) + (capacity.batch > 1 ? points : 0));
    sums_ = Buffer(device_.pool, voxels * bytes_of_sums());
    hits_ = Buffer(device_.pool, voxels * sizeof(std::int32_t));
    arena_ = Buffer(device_.pool, layout_.bytes);
    partial_ = Buffer(device_.pool, partial_bytes_);
    for (RunMap& map : maps_) {
      map.data = Buffer(device_.pool, bytes_of_map(map));
      if (!reads_order(map)) map.source.data = map.data.data();
    }
    grid_ = make_occupancy(device_, request_.pack, capacity.extent, request_.shift, request_.levels.sets,
                           capacity.voxels, {capacity.batch, capacity.frame_extent[0]}, status_.get());
    for (RunMap& map : maps_)
      map.map = occupancy_map(map.key, map.transposed);
    for (RunMap& map : maps_)
      map.source.outputs = map.map.outputs;
    clear_sums();
    std::vector<NetworkQueue::Rows> rows;
    for (const OutputMemory& output : request_.queued_outputs) {
      const FeaturePlace& place = layout_.outputs[static_cast<std::size_t>(output.layer)];
      rows.push_back({output.rows, grid_.view.levels[place.level].count});
    }
    if (!rows.empty()) queue_.emplace(device_, status_.get(), rows);
  }

  [[nodiscard]] const NetworkRunFacts& facts() const noexcept override { return facts_; }

  void set_points(const PointCloud& cloud) override {
    const std::int64_t count = cloud.size();
    require_points(cloud.name, count);
    if (cloud.batch() != request_.capacity.batch)
      throw Error(ErrorKind::does_not_fit, cloud.name + ": batch of " + std::to_string(cloud.batch()) +
                                               "; the network was compiled for a batch of " +
                                               std::to_string(request_.capacity.batch));
    const std::vector<std::uint8_t> frames = frames_of_points(cloud);
    copy_to_device(device_, frames_of_device(), frames.data(), frames.size());
    copy_to_device(device_, positions_.data(), cloud.positions.data(),
                   cloud.positions.size() * sizeof(Point));
    SPIRA_ASSERT(count == 0 || cloud.feature_channels == request_.capacity.feature_channels,
                 "the network was compiled for other input features");
    const bool ones = cloud.feature_channels == 0 && cloud.intensity.empty();
    const std::vector<float> intensity(ones ? static_cast<std::size_t>(count) : 0, 1.0F);
    const auto& values = ones ? intensity : cloud.feature_channels != 0 ? cloud.features : cloud.intensity;
    copy_to_device(device_, values_.data(), values.data(), values.size() * sizeof(float));
    copy_to_device(device_, point_count_.data(), &count, sizeof(count));
    // Wait for the copies, because the host memory may be freed after this call.
    SPIRA_CUDA(cudaStreamSynchronize(device_.stream));
    example_.name = cloud.name;
    if (const Point origin = display_origin(cloud, request_.grid.crop_m);
        !graph_ || origin != example_.origin) {
      // Delete the graph first. If the capture fails, no graph for the previous origin remains.
      graph_ = {};
      marked_.reset();
      example_.origin = origin;
      graph_ = capture(nullptr);
      facts_.how = "one CUDA graph of " + std::to_string(graph_.nodes()) +
                   " nodes, voxels from an occupancy grid of " + bytes_text(grid_.words.bytes());
    }
    if (!queue_) return;
    // The first run is slower than the others, because the driver uploads the graph and loads kernels.
    queue_->run(device_.stream, [&](cudaStream_t on) { graph_.launch(on); });
    wait();
  }

  void run() override {
    SPIRA_ASSERT(graph_ && !queue_, "no points were set, or the runs are queued");
    *status_.get() = {};
    graph_.launch(device_.stream);
    SPIRA_CUDA(cudaStreamSynchronize(device_.stream));
    require_fit();
  }

  void enqueue(const PointsInMemory& points, void* stream) override {
    SPIRA_ASSERT(graph_ && queue_, "no points were set, or the request has no outputs");
    SPIRA_ASSERT(points.batch_index || request_.capacity.batch == 1, "the points of a batch need its index");
    require_points(example_.name, points.count);
    const KeptDevice here(device_.index);
    require_own_memory(device_, points.positions, "positions");
    require_own_memory(device_, points.values, "values");
    queue_->run(static_cast<cudaStream_t>(stream), [&](cudaStream_t on) {
      Device caller = device_;
      caller.stream = on;
      const int channels = request_.capacity.feature_channels;
      feed_points(caller, points, {values<double>(positions_), values<float>(values_), channels},
                  {values<std::int64_t>(point_count_), frames_of_device(), request_.capacity.batch},
                  status_.get());
      graph_.launch(on);
    });
  }

  void wait() override {
    const KeptDevice here(device_.index);
    const RunStatus status = queue_->wait();
    if (const std::string why = why_not_fit(status, request_); !why.empty())
      throw Error(ErrorKind::does_not_fit, example_.name + ": " + why);
  }

  [[nodiscard]] Timeline timeline(int repetitions, Job& job) override {
    SPIRA_ASSERT(graph_, "no points were set");
    if (!marked_) {
      auto marked = std::make_unique<Marked>();
      marked->graph = capture(&marked->marks);
      marked_ = std::move(marked);
    }
    const auto launch = [&](const Graph& graph) { return timed_launch(graph); };
    return take_timeline({graph_, marked_->graph, marked_->marks, launch}, repetitions, job);
  }

  [[nodiscard]] CoordSet level(int index) override {
    const OccupancyLevel& from = grid_.view.levels[index];
    CoordSet coords;
    coords.pack = request_.pack;
    const SceneLevel& level = request_.levels.sets.at(static_cast<std::size_t>(index));
    coords.stride = level.number;
    coords.rule = level.rule;
    const std::int64_t count = read_value(device_, from.count);
    coords.capacity = count;
    coords.size = count;
    coords.keys = copy_of(from.keys, static_cast<std::size_t>(count * request_.pack.word_bits() / 8));
    coords.count = copy_of(from.count, sizeof(count));
    return coords;
  }

  [[nodiscard]] Features output(int layer) override {
    const FeaturePlace& place =
        layer < 0 ? layout_.input : layout_.outputs.at(static_cast<std::size_t>(layer));
    Features result;
    result.rows = read_value(device_, grid_.view.levels[place.level].count);
    result.channels = place.channels;
    result.precision = request_.plan.precision;
    const std::size_t value = bytes_of(result.precision),
                      width = static_cast<std::size_t>(place.channels) * value;
    result.data = Buffer(device_.pool, static_cast<std::size_t>(result.rows) * width);
    if (result.rows != 0) {
      SPIRA_CUDA(cudaMemcpy2DAsync(
          result.data.data(), width, at(place), static_cast<std::size_t>(place.stride) * value, width,
          static_cast<std::size_t>(result.rows), cudaMemcpyDeviceToDevice, device_.stream));
    }
    return result;
  }

 private:
  /// A second graph, which contains the work of `graph_` with timing marks. It is built when a timeline is
  /// requested for the first time.
  struct Marked {
    NetworkMarks marks;
    Graph graph;
  };

  /// What the last call of set_points() sets.
  struct Example {
    Point origin{};
    std::string name;
  };
  struct Clock {
    TimedEvent begin, end;
  };

  double timed_launch(const Graph& graph) {
    *status_.get() = {};
    clock_.begin.record(device_.stream);
    graph.launch(device_.stream);
    clock_.end.record(device_.stream);
    SPIRA_CUDA(cudaStreamSynchronize(device_.stream));
    require_fit();
    return clock_.end.ms_since(clock_.begin);
  }

  [[nodiscard]] std::uint8_t* frames_of_device() {
    return values<std::uint8_t>(point_count_) + sizeof(std::int64_t);
  }
  [[nodiscard]] bool fp16() const { return request_.plan.precision == Precision::fp16; }
  [[nodiscard]] void* at(const FeaturePlace& place) { return values<std::byte>(arena_) + place.offset; }
  Buffer copy_of(const void* from, std::size_t bytes) {
    Buffer to(device_.pool, bytes);
    if (bytes != 0)
      SPIRA_CUDA(cudaMemcpyAsync(to.data(), from, bytes, cudaMemcpyDeviceToDevice, device_.stream));
    return to;
  }
  void clear_sums() {
    for (Buffer* buffer : {&sums_, &hits_})
      SPIRA_CUDA(cudaMemsetAsync(buffer->data(), 0, buffer->bytes(), device_.stream));
  }

  [[nodiscard]] LayerOnDevice layer_at(int index) {
    const auto at_layer = static_cast<std::size_t>(index);
    const Layer& from = request_.network->layers[at_layer];
    const FeaturePlace &in = layout_.inputs[at_layer], &out = layout_.outputs[at_layer];
    LayerOnDevice layer;
    layer.in = at(in);
    layer.out = at(out);
    layer.in_channels = layer.in_read = from.in_channels;
    layer.out_channels = from.out_channels;
    layer.columns = from.kernel_size.product();
    if (fp16()) {
      const int word = FragmentShape{from.in_channels, from.out_channels, 1}.fp16_per_lane();
      layer.in_read = (from.in_channels + word - 1) / word * word;  // Includes padding, which is 0.
    }
    if (request_.features) {
      const UploadedWeights& weights = (*request_.weights)[at_layer];
      layer.weight = weights.weight.data();
      layer.bias = values<float>(weights.bias);
    }
    layer.in_stride = in.stride;
    layer.out_stride = out.stride;
    // A placeholder for the residual. The result of conv_request() shows whether the convolution itself adds
    // the residual.
    const Features any;
    const ConvRequest request = conv_request(from, &any);
    layer.relu = request.relu;
    layer.reversed = request_.levels.layers[at_layer].transposed;
    if (request.residual != nullptr) {
      const int residual = request_.network->index_of(from.residual);
      const FeaturePlace& place =
          residual < 0 ? layout_.input : layout_.outputs[static_cast<std::size_t>(residual)];
      layer.residual = at(place);
      layer.residual_stride = place.stride;
    }
    return layer;
  }

  [[nodiscard]] const OccupancyLevel& level_of(int stride) const {
    return grid_.view.levels[request_.levels.index_of(stride)];
  }
  /// Returns the capacity of a level, in voxels.
  [[nodiscard]] std::int64_t rows_of(int stride) const {
    return request_.capacity.voxels[request_.levels.index_of(stride)];
  }

  [[nodiscard]] OccupancyMap occupancy_map(const MapKey& key, bool transposed) const {
    const OccupancyLevel &fine = level_of(key.stride_in), &coarse = level_of(key.stride_out);
    const OccupancyLevel &in = transposed ? coarse : fine, &out = transposed ? fine : coarse;
    const auto low = [&](std::size_t axis) {
      const int below = key.kernel.padding[axis];
      return transposed ? below - (key.kernel.size[axis] - 1) : -below;
    };
    return {in,
            out.keys,
            {out.capacity, out.count},
            request_.pack,
            fine.shift,
            {low(0), low(1), low(2)},
            {in.shift.x - fine.shift.x, in.shift.y - fine.shift.y, in.shift.z - fine.shift.z}};
  }

  /// Returns true if the layers read only the row order of the map. They read its words in fp32, and for
  /// kernels that are not cubes.
  [[nodiscard]] bool reads_order(const RunMap& map) const { return fp16() && map.source.cube != 0; }

  [[nodiscard]] std::size_t bytes_of_map(const RunMap& map) const {
    const int groups = map.source.groups;
    const std::int64_t outputs = map.source.outputs.max;
    if (!reads_order(map)) return static_cast<std::size_t>(outputs * groups) * sizeof(std::uint32_t);
    return map.choice.order_bytes(outputs, map.source.cube);
  }

  /// Returns the bytes per point of PointCloud::features or, if there are none, of the intensity.
  [[nodiscard]] std::size_t bytes_of_values() const {
    return static_cast<std::size_t>(std::max(1, request_.capacity.feature_channels)) * sizeof(float);
  }
  /// Returns the bytes per voxel of the sums.
  [[nodiscard]] std::size_t bytes_of_sums() const {
    return static_cast<std::size_t>(request_.network->in_channels) * sizeof(double);
  }

  /// Returns the memory in bytes that the run needs. The function can be called before any memory is
  /// allocated.
  [[nodiscard]] std::size_t bytes_needed() const {
    const auto& capacity = request_.capacity;
    std::size_t sum =
        layout_.bytes + partial_bytes_ + occupancy_bytes(capacity.extent, request_.levels.sets) +
        (static_cast<std::size_t>(capacity.points) *
         ((3 * sizeof(double)) + bytes_of_values() + (capacity.batch > 1 ? 1 : 0))) +
        (static_cast<std::size_t>(capacity.voxels.front()) * (bytes_of_sums() + sizeof(std::int32_t)));
    for (const std::int64_t voxels : capacity.voxels)
      sum += static_cast<std::size_t>(voxels * request_.pack.word_bits() / 8);
    for (const RunMap& map : maps_)
      sum += bytes_of_map(map);
    return sum;
  }

  /// Finds the maps of the network and the form in which the layers read them. Allocates nothing.
  void plan_maps() {
    for (int index = 0; index < static_cast<int>(request_.network->layers.size()); ++index) {
      const auto at_layer = static_cast<std::size_t>(index);
      const Layer& own = request_.network->layers[at_layer];
      if (!own.has_map()) {
        choices_.emplace_back();
        map_of_.push_back(-1);
        if (own.op == LayerOp::instance_norm)
          partial_bytes_ = std::max(partial_bytes_, channel_statistics_bytes(own.out_channels));
        continue;
      }
      const LayerLevels& levels = request_.levels.layers[at_layer];
      const KernelShape& kernel = levels.map.kernel;
      // A pool reads the words of its map, as a convolution with a kernel that is no cube.
      const int K = own.convolution() ? fast_kernel_size(kernel) : 0,
                groups = kernel.size[0] * kernel.size[1];
      RunMap wanted;
      wanted.key = levels.map;
      wanted.transposed = levels.transposed;
      wanted.source.groups = groups;
      wanted.source.z_cells = kernel.size[2];
      wanted.source.cube = K;
      wanted.source.end_column = kernel.columns();
      std::fill_n(wanted.source.wanted, groups, (1U << static_cast<unsigned>(kernel.size[2])) - 1U);
      const int in_stride = levels.transposed ? levels.map.stride_out : levels.map.stride_in;
      wanted.source.outputs.max = rows_of(levels.transposed ? levels.map.stride_in : levels.map.stride_out);
      const LayerOnDevice layer = own.convolution() ? layer_at(index) : LayerOnDevice{};
      const std::int64_t outputs = wanted.source.outputs.max;
      Fp16Choice choice;
      if (fp16() && K != 0) {
        choice = wanted.choice = choose_fp16(device_, layer, K, {outputs, rows_of(in_stride)});
        if (!choice)
          throw Error(ErrorKind::device, request_.network->layers[at_layer].name +
                                             ": the layer has too many channels for one CUDA graph");
        partial_bytes_ = std::max(partial_bytes_, choice.partial_bytes(layer, K, outputs));
      }
      choices_.push_back(choice);
      const auto same = std::find_if(maps_.begin(), maps_.end(), [&](const RunMap& map) {
        return map.key == wanted.key && map.transposed == wanted.transposed &&
               map.source.cube == wanted.source.cube && map.choice.order() == wanted.choice.order();
      });
      map_of_.push_back(static_cast<int>(same - maps_.begin()));
      if (same == maps_.end()) maps_.push_back(std::move(wanted));
    }
  }

  void build(RunMap& map, cudaStream_t stream) {
    Device side = device_;
    side.stream = stream;
    if (reads_order(map)) {
      map.choice.make_order(side, map.map, map.source.cube, map.data);
    } else {
      write_words(side, map.map, map.key.kernel, values<std::uint32_t>(map.data));
    }
  }

  void convolve(int index) {
    const RunMap& map = maps_[static_cast<std::size_t>(map_of_[static_cast<std::size_t>(index)])];
    const LayerOnDevice layer = layer_at(index);
    if (!fp16()) return output_stationary_fp32(device_, map.source, layer);
    if (!reads_order(map)) return output_stationary_fp16(device_, map.source, layer);
    choices_[static_cast<std::size_t>(index)].launch(device_, map.source, layer, map.data,
                                                     values<float>(partial_));
  }

  void pool(int index) {
    const auto at_layer = static_cast<std::size_t>(index);
    const FeaturePlace &in = layout_.inputs[at_layer], &out = layout_.outputs[at_layer];
    const MapSource& source = maps_[static_cast<std::size_t>(map_of_[at_layer])].source;
    const Layer& layer = request_.network->layers[at_layer];
    run_pool(device_, source, request_.plan.precision,
             {{at(in), in.channels, in.stride},
              at(out),
              out.stride,
              layer.reduction,
              request_.levels.layers[at_layer].map.kernel.columns()});
  }

  /// Returns the memory that contains the output of a layer, or the input of the network.
  [[nodiscard]] RowsInMemory rows_of(const std::string& name) {
    const int index = request_.network->index_of(name);
    const FeaturePlace& place = index < 0 ? layout_.input : layout_.outputs[static_cast<std::size_t>(index)];
    return {at(place), place.channels, place.stride};
  }

  /// Sets the padding after the channels of each row to 0.
  void clear_padding(const FeaturePlace& place) {
    if (place.pad == 0) return;
    const std::size_t value = bytes_of(request_.plan.precision);
    const std::int64_t rows = request_.capacity.voxels[static_cast<std::size_t>(place.level)];
    SPIRA_CUDA(cudaMemset2DAsync(
        static_cast<std::byte*>(at(place)) + (static_cast<std::size_t>(place.channels) * value),
        static_cast<std::size_t>(place.stride) * value, 0, static_cast<std::size_t>(place.pad) * value,
        static_cast<std::size_t>(rows), device_.stream));
  }

  /// Computes a layer without a kernel map, or the steps that follow a convolution or a pool.
  void compute_rows(int index) {
    const auto at_layer = static_cast<std::size_t>(index);
    const Layer& layer = request_.network->layers[at_layer];
    const FeaturePlace& to = layout_.outputs[at_layer];
    RowsOnDevice work;
    work.out = at(to);
    work.out_channels = to.channels;
    work.out_stride = to.stride;
    const auto steps = remaining_steps(layer, (*request_.weights)[at_layer], nullptr);
    for (const RowStep& step : steps)
      work.add(step, step.step == LayerStep::add ? rows_of(layer.residual) : RowsInMemory{});
    if (layer.has_map()) {
      if (steps.empty()) return;
      work.in[work.inputs++] = {work.out, to.channels, to.stride};
    } else {
      work.op = row_operation(layer);
      work.epsilon = layer.norm_epsilon;
      work.statistics = values<double>(partial_);
      for (const std::string& input : layer.inputs)
        work.in[work.inputs++] = rows_of(input);
    }
    const OccupancyLevel& level = grid_.view.levels[to.level];
    run_rows(device_, {level.capacity, level.count}, request_.plan.precision, work);
  }

  void compute(int index) {
    const Layer& layer = request_.network->layers[static_cast<std::size_t>(index)];
    // Convolutions write whole words.
    if (!layer.convolution()) clear_padding(layout_.outputs[static_cast<std::size_t>(index)]);
    if (layer.has_map()) layer.convolution() ? convolve(index) : pool(index);
    compute_rows(index);
  }

  /// Clears the occupancy grid on a side stream, after all work that reads the grid. The main stream computes
  /// features at the same time.
  Branches::Mark clear_behind(const std::vector<Branches::Mark>& maps, NetworkMarks* marks) {
    Device side = device_;
    side.stream = branches_.side(0);
    // Also wait for the main stream, because it computes the input features, which reads the grid.
    branches_.wait(side.stream, branches_.mark(device_.stream));
    for (const auto& map : maps)
      branches_.wait(side.stream, map);
    piece(marks, "clear", branches_.track(0), side.stream, [&] { clear(side, grid_.view); });
    return branches_.mark(side.stream);
  }

  [[nodiscard]] Graph capture(NetworkMarks* marks) {
    try {
      branches_.begin();
      hand_over(marks);
      return branches_.end();
    } catch (...) {
      branches_.abandon();
      throw;
    }
  }

  void hand_over(NetworkMarks* marks) {
    const cudaStream_t main = device_.stream;
    const RowCount points{request_.capacity.points, values<std::int64_t>(point_count_)};
    const PointsOnDevice cells = describe(
        values<double>(positions_), request_.grid, request_.pack, request_.shift,
        request_.capacity.batch > 1 ? frames_of_device() : nullptr, request_.capacity.frame_extent[0]);
    const MeanInputs inputs{cells.positions,
                            values<float>(values_),
                            {example_.origin[0], example_.origin[1], example_.origin[2]},
                            request_.capacity.feature_channels};
    if (marks != nullptr) marks->begin(main);
    piece(marks, "voxelize", 0, main, [&] { index_points(device_, grid_, cells, points); });
    branches_.fork();
    std::vector<Branches::Mark> ready;
    for (std::size_t number = 0; number < maps_.size(); ++number) {
      const cudaStream_t side = branches_.side(number);
      piece(marks, map_stage(number), branches_.track(number), side, [&] { build(maps_[number], side); });
      ready.push_back(branches_.mark(side));
    }
    // The input features are computed in parallel with the maps.
    if (request_.features) {
      const MeanSums sums{values<double>(sums_), values<std::int32_t>(hits_)};
      piece(marks, "input", 0, main, [&] {
        clear_padding(layout_.input);
        mean_features(device_, grid_.view, cells, points, inputs, sums, request_.plan.precision,
                      at(layout_.input), layout_.input.stride);
      });
    }
    const auto cleared = clear_behind(ready, marks);
    if (request_.features) {
      for (int layer = 0; layer < static_cast<int>(map_of_.size()); ++layer) {
        const auto at_layer = static_cast<std::size_t>(layer);
        if (map_of_[at_layer] >= 0) branches_.wait(main, ready[static_cast<std::size_t>(map_of_[at_layer])]);
        piece(marks, StageKey("features", request_.network->layers[at_layer].name).text(), 0, main,
              [&] { compute(layer); });
      }
    }
    branches_.wait(main, cleared);
    if (queue_) capture_outputs();
    if (marks != nullptr) marks->end(main);
  }

  /// Returns the stage name of a map. It contains the name of the first layer that reads the map. If the
  /// network runs layer by layer, this layer builds the map.
  [[nodiscard]] std::string map_stage(std::size_t map) const {
    const auto reader = std::find(map_of_.begin(), map_of_.end(), static_cast<int>(map));
    return StageKey("map", request_.network->layers[static_cast<std::size_t>(reader - map_of_.begin())].name)
        .text();
  }

  void require_points(const std::string& name, std::int64_t count) const {
    if (count <= request_.capacity.points) return;
    throw Error(ErrorKind::does_not_fit, name + ": " + count_text(count) +
                                             " points; the network was compiled for at most " +
                                             count_text(request_.capacity.points));
  }

  /// Adds the kernels that write the outputs of a queued run, and that make the next run possible after a
  /// scene that exceeded the capacity.
  void capture_outputs() {
    for (const OutputMemory& output : request_.queued_outputs) {
      const auto at_layer = static_cast<std::size_t>(output.layer);
      const FeaturePlace& place = layout_.outputs[at_layer];
      const Layer& layer = request_.network->layers[at_layer];
      const PlacedRows rows{at(place), place.channels, place.stride, grid_.view.levels[place.level]};
      if (layer.op == LayerOp::dense) {
        const PerAxis stride = request_.levels.sets[static_cast<std::size_t>(place.level)].rule.stride();
        write_dense(device_, rows, grid_.view, dense_cells(layer, stride, request_), output);
      } else {
        write_rows(device_, rows, request_.pack, request_.plan.precision, output);
      }
    }
    queue_->finish({{&grid_.words, &grid_.used, &sums_, &hits_}});
  }

  void require_fit() {
    const std::string why = why_not_fit(*status_.get(), request_);
    if (why.empty()) return;
    reset(device_, grid_);
    clear_sums();
    throw Error(ErrorKind::does_not_fit, example_.name + ": " + why);
  }

  Device device_;
  NetworkRunRequest request_;
  NetworkLayout layout_;
  NetworkRunFacts facts_;
  Mapped<RunStatus> status_;
  Branches branches_;
  OccupancyMemory grid_;
  // The memory of `point_count_` contains the number of points and, for a batch, the frame of each point.
  Buffer positions_, values_, point_count_, sums_, hits_, arena_, partial_;
  // Size of `partial_` in bytes: the largest size that any layer needs.
  std::size_t partial_bytes_ = 0;
  std::vector<RunMap> maps_;
  std::vector<int> map_of_;          // The index in maps_ of each layer's map, or -1 if it reads no map.
  std::vector<Fp16Choice> choices_;  // The selected fp16 kernel for each layer.
  Example example_;
  Graph graph_;
  std::unique_ptr<Marked> marked_;
  Clock clock_;                        // Recorded before and after a launch.
  std::optional<NetworkQueue> queue_;  // Set if the request has queued outputs.
};

}  // namespace

CompiledNetwork compile(const Device& device, const NetworkRunRequest& request, Job& job) {
  job.checkpoint({"compiling the network", 0, 1});
  SPIRA_ASSERT(request.levels.sets.size() == request.capacity.voxels.size() &&
                   (request.weights != nullptr || !request.features),
               "the request is incomplete");
  if (std::string why = why_not_one_graph(request); !why.empty()) return {nullptr, std::move(why)};
  NetworkLayout layout = lay_out(request);
  if (!layout.why_not.empty()) return {nullptr, std::move(layout.why_not)};
  try {
    return {std::make_unique<CudaNetworkRun>(device, request, std::move(layout)), {}};
  } catch (const Error& error) {
    // After a device error, the network can still run layer by layer, because this needs less memory. Queued
    // runs need the graph.
    if (!is_device_fault(error.kind()) || !request.queued_outputs.empty()) throw;
    return {nullptr, error.what()};
  }
}

}  // namespace spira::cuda
