#include "app/library/state.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/host_facts.hpp"
#include "engine/base/text.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/run/session.hpp"
#include "engine/run/write_outputs.hpp"

#include <optional>
#include <spira/runner.hpp>
#include <utility>

namespace spira::library {

struct RunnerState {
  v0::Model model;
  std::shared_ptr<Backend> backend;
  std::optional<Session> session;

  explicit RunnerState(const v0::Model& of)
      : model(of),
        backend(Access::state(of).make_backend()),
        session(std::in_place, backend, Access::state(Access::state(of).network).network,
                Access::state(of).weights) {}
  RunnerState(const RunnerState&) = delete;
  RunnerState& operator=(const RunnerState&) = delete;
  ~RunnerState() {
    const auto current = current_or_none(*backend);
    session.reset();
    backend.reset();
  }
};

namespace {

/// Returns the bytes of the coordinates and grids of a result, and of the outputs that only the result keeps.
std::uint64_t result_bytes(const Session& session, Precision precision, std::span<const int> wanted,
                           int frames) {
  const VoxelScene& scene = *session.scene();
  const std::vector<int> readers = last_readers(session.network());
  std::uint64_t bytes = 0;
  for (const int index : wanted) {
    const auto at = static_cast<std::size_t>(index);
    const Layer& layer = session.network().layers[at];
    const auto rows =
        static_cast<std::uint64_t>(size_of(scene.level(session.levels().layers[at].stride_out)));
    const std::uint64_t row_bytes = static_cast<std::uint64_t>(layer.out_channels) * bytes_of(precision);
    // The forecast includes outputs without a reader.
    if (readers[at] >= 0) bytes += rows * row_bytes;
    auto cells = static_cast<std::uint64_t>(frames);
    for (const std::int64_t axis : layer.cells)
      cells *= static_cast<std::uint64_t>(axis);
    bytes += layer.op == LayerOp::dense ? cells * row_bytes : rows * 4 * sizeof(std::int32_t);
  }
  return bytes;
}

}  // namespace

void require_run_memory(Session& session, const ModelState& model, std::span<const int> wanted, int frames) {
  if (!session.backend().results_are_host_memory()) return;
  const std::uint64_t limit = model.backend_options.memory_limit_bytes;
  const MemoryForecast forecast = session.forecast(model.plan);
  // The weights, the levels of the scene, and outputs of earlier runs that the program keeps.
  const std::uint64_t used = session.backend().memory().used_bytes();
  const std::uint64_t more =
      forecast.run() - forecast.levels + result_bytes(session, model.plan.precision, wanted, frames);
  const auto free = free_memory_bytes(std::nullopt);
  const bool over_limit = limit != 0 && used + more > limit;
  if (!over_limit && (!free || more <= *free)) return;
  throw Error(ErrorKind::memory,
              session.scene()->cloud->name + ": the run needs about " +
                  (over_limit ? bytes_text(used + more) + ", but the memory limit is " + bytes_text(limit)
                              : bytes_text(more) + " more, but only " + bytes_text(*free) + " is free") +
                  "; use larger voxels or a smaller scene");
}

namespace {

v0::DataType type_of(Precision precision) {
  return precision == Precision::fp16 ? v0::DataType::float16 : v0::DataType::float32;
}

v0::Tensor feature_tensor(std::shared_ptr<const Features> features, v0::Memory memory) {
  const Features& values = *features;
  return v0::Tensor::owning(std::move(features), values.data.data(), type_of(values.precision),
                            {values.rows, values.channels}, memory);
}

/// Returns the indices of the wanted layers. Throws `Error(usage)` if a layer does not exist.
std::vector<int> wanted_layers(const NetworkState& network, const std::vector<std::string>& names) {
  std::vector<int> layers;
  for (const std::string& name : names.empty() ? network.outputs : names) {
    layers.push_back(network.network->index_of(name));
    if (layers.back() < 0)
      throw Error(ErrorKind::usage,
                  "outputs: network " + network.network->name + " has no layer '" + name + "'");
  }
  return layers;
}

class OutputMaker {
 public:
  OutputMaker(Session& session, v0::Memory memory, std::optional<int> only_frame)
      : session_(session), memory_(memory), only_frame_(only_frame) {}

  [[nodiscard]] v0::Output output(int index, const std::shared_ptr<const Features>& features) const {
    const auto at = static_cast<std::size_t>(index);
    const Layer& layer = session_.network().layers[at];
    v0::Output made;
    made.layer = layer.name;
    if (layer.op == LayerOp::dense) {
      made.features = dense(index, features);
      return made;
    }
    const bool host = session_.backend().results_are_host_memory();
    made.features = feature_tensor(host || memory_ == v0::Memory::cuda ? features : downloaded(*features),
                                   host ? v0::Memory::host : memory_);
    made.coordinates = coordinates(session_.levels().layers[at].stride_out);
    return made;
  }

 private:
  [[nodiscard]] std::shared_ptr<const Features> downloaded(const Features& features) const {
    return std::make_shared<const Features>(session_.backend().download(features));
  }

  [[nodiscard]] v0::Tensor dense(int index, const std::shared_ptr<const Features>& features) const {
    const auto at = static_cast<std::size_t>(index);
    const Layer& layer = session_.network().layers[at];
    LayerResult result;
    result.layer = index;
    result.scene = session_.scene();
    result.levels = session_.levels().layers[at];
    result.features = session_.backend().results_are_host_memory() ? features : downloaded(*features);
    std::vector<std::int64_t> shape = layer.dense_shape;
    std::vector<std::byte> grid = dense_grid(layer, result, result.scene->cloud->name);
    if (const int batch = result.scene->cloud->batch(); batch > 1) {
      shape.insert(shape.begin(), batch);
    } else if (only_frame_) {
      // As in other batches, the frames before this one exist and are empty.
      shape.insert(shape.begin(), *only_frame_ + 1);
      grid.insert(grid.begin(), grid.size() * static_cast<std::size_t>(*only_frame_), std::byte{});
    }
    return owned(std::move(grid), type_of(features->precision), shape);
  }

  [[nodiscard]] v0::Tensor coordinates(int level) const {
    const VoxelScene& scene = *session_.scene();
    const int batch = scene.cloud->batch();
    const std::int64_t columns = batch > 1 ? 4 : 3;
    if (scene.level(level).rule.is_points())
      return owned(position_rows(*scene.point_rows, batch), v0::DataType::float32,
                   {scene.point_rows->size(), columns});
    std::vector<std::int32_t> rows = coordinate_rows(scene.level(level), batch);
    const std::int64_t count = std::ssize(rows) / columns;
    return owned(only_frame_ ? with_frame(rows) : std::move(rows), v0::DataType::int32,
                 {count, only_frame_ ? 4 : columns});
  }

  /// Puts the batch index of the only frame before x, y and z of each row.
  [[nodiscard]] std::vector<std::int32_t> with_frame(const std::vector<std::int32_t>& rows) const {
    std::vector<std::int32_t> wider;
    wider.reserve(rows.size() / 3 * 4);
    for (std::size_t at = 0; at < rows.size(); ++at) {
      if (at % 3 == 0) wider.push_back(*only_frame_);
      wider.push_back(rows[at]);
    }
    return wider;
  }

  Session& session_;
  v0::Memory memory_;
  std::optional<int> only_frame_;
};

v0::Result run(RunnerState& runner, const v0::Scene& scene, const v0::RunOptions& options) {
  const ModelState& model = Access::state(runner.model);
  const std::vector<int> layers = wanted_layers(Access::state(model.network), options.outputs);
  if (options.memory == v0::Memory::cuda && model.device.kind != v0::DeviceKind::cuda)
    throw Error(ErrorKind::usage, "memory: the model runs on the CPU, so its outputs are in host memory");
  const auto current = make_current(*runner.backend);
  Session& session = *runner.session;
  Job job(options.stop);
  const PreparedScene prepared = prepare(model, scene, options.voxel_m, job);
  const auto loaded =
      session.load(prepared.cloud, prepared.grid, prepared.pack, model.plan.precision, job, false);
  const std::optional<int> only_frame = Access::state(scene).only_frame;
  require_run_memory(session, model, layers, only_frame ? *only_frame + 1 : loaded->cloud->batch());
  const auto features = session.run_outputs(model.plan, layers, job);
  v0::Result result;
  result.shift = loaded->shift;
  const OutputMaker maker(session, options.memory, only_frame);
  for (std::size_t at = 0; at < layers.size(); ++at)
    result.outputs.push_back(maker.output(layers[at], features[at]));
  return result;
}

}  // namespace
}  // namespace spira::library

namespace spira::v0 {

Runner::Runner(const Model& model)
    : state_(library::guarded([&] { return std::make_unique<library::RunnerState>(model); })) {}
Runner::Runner(Runner&& other) noexcept = default;
Runner& Runner::operator=(Runner&& other) noexcept = default;
Runner::~Runner() = default;

Result Runner::run(const Scene& scene, const RunOptions& options) {
  return library::guarded([&] { return library::run(*state_, scene, options); });
}

}  // namespace spira::v0
