#include "app/library/state.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/session.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <spira/compiled_runner.hpp>
#include <utility>

namespace spira::library {

struct CompiledState {
  v0::Model model;
  std::shared_ptr<Backend> backend;
  bool voxels;       ///< True if the scenes are voxels with features.
  bool batch_index;  ///< True if voxels have a batch index.
  int channels = 0;  ///< Features of a voxel.
  std::vector<UploadedWeights> weights{};
  std::vector<v0::CompiledOutput> outputs{};
  std::array<std::int64_t, 3> shift{};
  CompiledNetwork compiled{};

  CompiledState(const v0::Model& of, const SceneState& example)
      : model(of),
        backend(Access::state(of).make_backend()),
        voxels(example.cloud->feature_channels > 0),
        batch_index(example.only_frame.has_value() || example.cloud->batch() > 1),
        channels(example.cloud->feature_channels) {}
  CompiledState(const CompiledState&) = delete;
  CompiledState& operator=(const CompiledState&) = delete;
  ~CompiledState() {
    const auto current = current_or_none(*backend);
    // Waits for the runs, which use the other members.
    compiled.run.reset();
    weights.clear();
    outputs.clear();
    backend.reset();
  }
};

namespace {

/// Returns the network with other outputs, which the compiled network keeps.
std::shared_ptr<const Network> network_with(const NetworkState& from, const std::vector<std::string>& names) {
  Network network = *from.network;
  network.outputs = names.empty() ? from.outputs : names;
  for (const std::string& name : network.outputs) {
    if (network.index_of(name) < 0)
      throw Error(ErrorKind::usage, "outputs: network " + network.name + " has no layer '" + name + "'");
  }
  return std::make_shared<const Network>(std::move(network));
}

void require_options(const v0::CompileOptions& options, bool voxels) {
  if (!std::isfinite(options.headroom) || options.headroom < 1)
    throw Error(ErrorKind::usage, "headroom: must be a finite number of at least 1");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = options.low[axis], high = options.high[axis];
    if (!std::isfinite(low) || !std::isfinite(high) || low > high)
      throw Error(ErrorKind::usage, "low and high: must be finite, and low must not exceed high");
    if (voxels && (low != std::floor(low) || high != std::floor(high)))
      throw Error(ErrorKind::usage,
                  "low and high: must be whole numbers, because the example contains voxels");
  }
}

/// Throws `Error(usage)` if the host changes the points before they are voxelised, because the device only
/// voxelises them.
void require_plain_points(const Network& network, bool voxels) {
  if (voxels || (!network.grid && network.features.empty())) return;
  throw Error(ErrorKind::usage, "model: network " + network.name +
                                    " has its own grid or input features (input in the network file), which "
                                    "CompiledRunner cannot compute; give it voxels with features");
}

/// Returns the example and, if the options contain a box, its two corners.
std::shared_ptr<const PointCloud> with_corners(const std::shared_ptr<const PointCloud>& example,
                                               const v0::CompileOptions& options) {
  if (options.low == options.high) return example;
  auto cloud = std::make_shared<PointCloud>(*example);
  for (const auto& corner : {options.low, options.high}) {
    cloud->positions.push_back(corner);
    if (!cloud->intensity.empty()) cloud->intensity.push_back(0);
    if (!cloud->colour.empty()) cloud->colour.emplace_back();
    if (!cloud->label.empty()) cloud->label.push_back(0);
    cloud->features.resize(cloud->features.size() + static_cast<std::size_t>(cloud->feature_channels));
  }
  if (!cloud->frame_starts.empty()) cloud->frame_starts.back() += 2;
  return cloud;
}

v0::Tensor device_tensor(Backend& backend, v0::DataType type, std::vector<std::int64_t> shape) {
  std::size_t bytes = size_of(type);
  for (const std::int64_t length : shape)
    bytes *= static_cast<std::size_t>(length);
  auto owner = std::make_shared<const Buffer>(backend.memory().shared_from_this(), bytes);
  const void* data = owner->data();
  return v0::Tensor::owning(std::move(owner), data, type, std::move(shape), v0::Memory::cuda);
}

/// The library reads this memory only through the network, which writes to it.
template <class T> T* writable(const v0::Tensor& tensor) {
  return static_cast<T*>(const_cast<void*>(tensor.data()));
}

v0::CompiledOutput make_output(const CompiledState& state, const NetworkRunRequest& request, int index) {
  const auto at = static_cast<std::size_t>(index);
  const Layer& layer = request.network->layers[at];
  const std::int64_t capacity =
      request.capacity.voxels[request.levels.index_of(request.levels.layers[at].stride_out)];
  const v0::DataType type =
      request.plan.precision == Precision::fp16 ? v0::DataType::float16 : v0::DataType::float32;
  v0::CompiledOutput made;
  made.layer = layer.name;
  made.rows = device_tensor(*state.backend, v0::DataType::int32, {1});
  if (layer.op == LayerOp::dense) {
    std::vector<std::int64_t> shape = layer.dense_shape;
    if (state.batch_index) shape.insert(shape.begin(), request.capacity.batch);
    made.features = device_tensor(*state.backend, type, std::move(shape));
    return made;
  }
  made.features = device_tensor(*state.backend, type, {capacity, layer.out_channels});
  made.coordinates =
      device_tensor(*state.backend, v0::DataType::int32, {capacity, state.batch_index ? 4 : 3});
  return made;
}

/// Creates the outputs, and adds them to the request.
void add_outputs(CompiledState& state, NetworkRunRequest& request) {
  for (const std::string& name : request.network->outputs) {
    const int index = request.network->index_of(name);
    const v0::CompiledOutput& made = state.outputs.emplace_back(make_output(state, request, index));
    request.queued_outputs.push_back(
        {index, writable<void>(made.features),
         made.coordinates.empty() ? nullptr : writable<std::int32_t>(made.coordinates), state.batch_index,
         writable<std::int32_t>(made.rows)});
  }
}

/// Returns a request for the example, with its capacities multiplied by the headroom.
NetworkRunRequest request_for(const VoxelScene& scene, const std::shared_ptr<const Network>& network,
                              const Plan& plan, double headroom, Job& job) {
  NetworkRunRequest request = run_request(scene, network, plan, job);
  const auto more = [&](std::int64_t count) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * headroom));
  };
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  request.capacity.points = std::min(most, more(request.capacity.points));
  for (std::int64_t& voxels : request.capacity.voxels)
    voxels = std::clamp(more(voxels), std::int64_t{1}, most);
  return request;
}

std::unique_ptr<CompiledState> compiled_state(const v0::Model& of, const v0::Scene& scene,
                                              const v0::CompileOptions& options) {
  const ModelState& model = Access::state(of);
  const SceneState& example = Access::state(scene);
  if (model.device.kind != v0::DeviceKind::cuda)
    throw Error(ErrorKind::usage, "model: runs on the CPU; CompiledRunner needs a model on a GPU");
  if (example.only_frame.value_or(0) != 0)
    throw Error(ErrorKind::usage, "example: the batch index of its only frame must be 0");
  auto state = std::make_unique<CompiledState>(of, example);
  require_options(options, state->voxels);
  const auto network = network_with(Access::state(model.network), options.outputs);
  require_plain_points(*network, state->voxels);
  const auto current = make_current(*state->backend);
  Job job;
  const PreparedScene prepared =
      prepare(model, Access::scene(with_corners(example.cloud, options)), options.voxel_m, job);
  const Levels levels = levels_of(*network);
  const BuiltLevels built = build_levels(*state->backend, prepared.cloud, prepared.grid,
                                         {prepared.pack, model.plan.precision, levels.needs, levels.sets,
                                          network.get(), levels.native_stride, false},
                                         job);
  if (!state->voxels && built.scene->origin != Point{})
    throw Error(ErrorKind::usage,
                "example: has coordinates of 10,000 m or more; subtract an origin from all "
                "scenes, because x, y and z of the points are input features");
  for (const LayerWeights& layer : model.weights->layers)
    state->weights.push_back(state->backend->upload_weights(layer, model.plan.precision));
  NetworkRunRequest request = request_for(*built.scene, network, model.plan, options.headroom, job);
  request.weights = &state->weights;
  state->shift = request.shift;
  add_outputs(*state, request);
  state->compiled = state->backend->compile(request, job);
  if (!state->compiled.run)
    throw Error(ErrorKind::usage,
                "model: network " + network->name + " cannot be compiled: " + state->compiled.why_not);
  state->compiled.run->set_points(*built.again.points->cloud);
  return state;
}

/// Throws `Error(usage)` unless a tensor is in GPU memory and has this shape.
void require_tensor(const char* name, const v0::Tensor& tensor, bool type_fits,
                    const std::vector<std::int64_t>& shape, const char* wanted) {
  if (tensor.memory() != v0::Memory::cuda)
    throw Error(ErrorKind::usage, std::string(name) + ": is in host memory; CompiledRunner reads GPU memory");
  if (!type_fits || tensor.shape() != shape)
    throw Error(ErrorKind::usage, std::string(name) + ": is " + text_of(tensor) + "; expected " + wanted);
}

/// Returns true for `Tensor()`, which is in host memory.
bool is_default(const v0::Tensor& tensor) {
  return tensor.data() == nullptr && tensor.memory() == v0::Memory::host;
}

/// Checks the tensors of enqueue() and returns them for the engine.
PointsInMemory points_of(const CompiledState& state, const v0::Tensor& positions, const v0::Tensor& values) {
  const std::int64_t count = positions.rows();
  const v0::DataType type = positions.type();
  PointsInMemory points;
  points.count = count;
  points.positions = positions.data();
  points.values = static_cast<const float*>(values.data());
  if (state.voxels) {
    points.type = PointsInMemory::Type::cells;
    points.batch_index = state.batch_index;
    require_tensor("positions", positions, type == v0::DataType::int32, {count, state.batch_index ? 4 : 3},
                   state.batch_index ? "int32 [voxels, 4]" : "int32 [voxels, 3]");
    if (is_default(values)) throw Error(ErrorKind::usage, "values: are missing; voxels need features");
    require_tensor("values", values, values.type() == v0::DataType::float32, {count, state.channels},
                   "float32 [voxels, channels of the network]");
    return points;
  }
  points.type = type == v0::DataType::float64 ? PointsInMemory::Type::f64 : PointsInMemory::Type::f32;
  require_tensor("positions", positions, type == v0::DataType::float32 || type == v0::DataType::float64,
                 {count, 3}, "float32 or float64 [points, 3]");
  if (!is_default(values))
    require_tensor("values", values, values.type() == v0::DataType::float32, {count}, "float32 [points]");
  return points;
}

}  // namespace
}  // namespace spira::library

namespace spira::v0 {

CompiledRunner::CompiledRunner(const Model& model, const Scene& example, const CompileOptions& options)
    : state_(library::guarded([&] { return library::compiled_state(model, example, options); })) {}
CompiledRunner::CompiledRunner(CompiledRunner&& other) noexcept = default;
CompiledRunner& CompiledRunner::operator=(CompiledRunner&& other) noexcept = default;
CompiledRunner::~CompiledRunner() = default;

void CompiledRunner::enqueue(const Tensor& positions, const Tensor& values, void* stream) {
  library::guarded(
      [&] { state_->compiled.run->enqueue(library::points_of(*state_, positions, values), stream); });
}

void CompiledRunner::wait() {
  library::guarded([&] { state_->compiled.run->wait(); });
}

const std::vector<CompiledOutput>& CompiledRunner::outputs() const noexcept {
  return state_->outputs;
}
const std::array<std::int64_t, 3>& CompiledRunner::shift() const noexcept {
  return state_->shift;
}

}  // namespace spira::v0
