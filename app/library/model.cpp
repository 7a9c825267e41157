#include "app/common/backends.hpp"
#include "app/library/state.hpp"
#include "engine/backend/compute_layer.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/tune/apply_profile.hpp"
#include "engine/tune/tuner.hpp"
#include "engine/voxel/fit.hpp"

#include <algorithm>
#include <cmath>
#include <spira/device.hpp>
#include <spira/model.hpp>
#include <utility>

namespace spira::library {

const Registry& registry() {
  static const Registry all = app::make_registry();
  return all;
}

v0::DeviceInfo device_info(const DeviceListing& listing) {
  const DeviceFacts& facts = listing.facts;
  return {facts.kind == BackendKind::cuda ? v0::DeviceKind::cuda : v0::DeviceKind::cpu,
          facts.name,
          facts.threads,
          facts.memory_bytes,
          listing.usable,
          listing.why_not};
}

std::shared_ptr<void> make_current(Backend& backend) {
  const auto enter = backend.extensions().make_current;
  return enter ? enter() : nullptr;
}

std::shared_ptr<void> current_or_none(Backend& backend) noexcept {
  try {
    return make_current(backend);
  } catch (...) {
    return nullptr;
  }
}

std::shared_ptr<Backend> ModelState::make_backend() const {
  return registry().make(backend, backend_options);
}

namespace {

Precision precision_of(v0::DataType type) {
  if (type == v0::DataType::float32) return Precision::fp32;
  if (type == v0::DataType::float16) return Precision::fp16;
  throw Error(ErrorKind::usage, "precision: is " + v0::text_of(type) + "; expected float32 or float16");
}

std::string backend_name(v0::DeviceKind kind) {
  return kind == v0::DeviceKind::cpu ? "cpu" : kind == v0::DeviceKind::cuda ? "cuda" : "auto";
}

/// Reads a tuning profile as a plan. Throws `Error(usage)` if it was measured for another network, device,
/// version or precision.
void set_tuned_plan(ModelState& model, const std::string& file, const Network& network,
                    const DeviceFacts& device) {
  const TuningProfile profile = read_profile(file);
  require_network(profile, network);
  std::string why = why_not_device(profile, device, SPIRA_VERSION);
  if (why.empty() && profile.precision != model.plan.precision)
    why = "it was measured with " + std::string(text_of(profile.precision));
  if (!why.empty()) throw Error(ErrorKind::usage, file + ": the tuning profile does not apply: " + why);
  model.plan = plan_of(profile, network);
  if (profile.packing.why != ChoiceReason::few_samples) model.tuned_pack = profile.packing.pack;
}

/// Sets the plan of a file, or the default plan. Throws `Error(usage)` if the plan must be deterministic and
/// is not.
void set_plan(ModelState& model, const v0::ModelOptions& options, const Network& network,
              const DeviceFacts& device) {
  const Precision precision = model.plan.precision;
  const bool ordered = options.deterministic && device.kind == BackendKind::cuda;
  if (options.plan.empty()) {
    model.plan = ordered ? deterministic_plan(network) : default_plan(network);
  } else if (looks_like_profile(options.plan)) {
    set_tuned_plan(model, options.plan, network, device);
  } else {
    model.plan = read_plan(options.plan, network);
  }
  model.plan.precision = precision;
  if (ordered) require_deterministic(network, model.plan);
}

Grid grid_for(const Network& network, const PointCloud& cloud, const std::array<double, 3>& voxel_m) {
  Grid grid;
  grid.voxel_m = voxel_m;
  constexpr std::array<double, 3> whole{1, 1, 1};
  if (cloud.feature_channels > 0 && voxel_m != std::array<double, 3>{} && voxel_m != whole)
    throw Error(ErrorKind::usage, cloud.name + ": contains voxels with an edge of 1; the voxel size " +
                                      grid_text(voxel_m) +
                                      " would split or merge them; leave voxel_m at zeros");
  if (voxel_m == std::array<double, 3>{}) {
    if (cloud.feature_channels > 0) {
      grid.voxel_m = whole;
    } else if (network.grid && network.grid->has_voxel_size()) {
      grid.voxel_m = network.grid->voxel_m;
    } else {
      throw Error(ErrorKind::usage, "voxel_m: the voxel size is missing; network " + network.name +
                                        " does not name one, so the program must set it");
    }
  }
  require_edges(grid.voxel_m);
  return grid;
}

PackSpec pack_for(const ModelState& model, const PointCloud& cloud, const Grid& grid, const Levels& levels,
                  Job& job) {
  const auto extent = voxel_range(cloud, grid, job).extent(levels.needs.levels);
  const PackNeeds needs = levels.needs.with_batch(cloud.batch());
  if (model.tuned_pack && fit(extent, model.tuned_pack->with_batch(cloud.batch()), needs).fits())
    return *model.tuned_pack;
  return first_pack(extent, needs);
}

/// Returns true if a layer adds sums in an unspecified order on a GPU. This is the case for weight-stationary
/// columns, unless each row of the result is in at most one pair.
bool sums_unordered(const Layer& layer, const LayerPlan& plan) {
  if (!layer.convolution() || layer.kernel().columns() == 1 || (layer.transposed && at_most_one_pair(layer)))
    return false;
  const std::string dataflow = dataflow_text(layer, plan);
  return dataflow == "ws" || dataflow.starts_with("hybrid");
}

}  // namespace

void require_edges(const std::array<double, 3>& voxel_m) {
  for (const double edge : voxel_m) {
    if (!std::isfinite(edge) || edge <= 0)
      throw Error(ErrorKind::usage, "voxel_m: each edge must be finite and greater than 0");
  }
}

PackSpec first_pack(const std::array<std::int64_t, 3>& extent, const PackNeeds& needs) {
  const auto packs = packings_that_fit(extent, needs);
  if (packs.empty()) require_fit(extent, PackSpec::bits64().with_batch(needs.batch), needs);
  return packs.front();
}

Plan deterministic_plan(const Network& network) {
  Plan plan = default_plan(network);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    if (sums_unordered(layer, plan.layers[at]))
      plan.layers[at] = with_dataflow(layer, plan.layers[at], "gather");
  }
  return plan;
}

void require_deterministic(const Network& network, const Plan& plan) {
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    if (!sums_unordered(layer, plan.layers[at])) continue;
    throw Error(ErrorKind::usage,
                "layer " + layer.name + ": the dataflow " + dataflow_text(layer, plan.layers[at]) +
                    " adds sums in an unspecified order on a GPU, so results differ in the last "
                    "digits from run to run; use a plan with another dataflow, such as " +
                    (layer.transposed ? "gather" : "os") + ", or set ModelOptions::deterministic to false");
  }
}

PreparedScene prepare(const ModelState& model, const v0::Scene& scene, const std::array<double, 3>& voxel_m,
                      Job& job) {
  const Network& network = *Access::state(model.network).network;
  const auto& cloud = Access::state(scene).cloud;
  const Grid grid = grid_for(network, *cloud, voxel_m);
  PreparedScene prepared{gridded_cloud(cloud, grid, network, job), grid, {}};
  prepared.pack = pack_for(model, *prepared.cloud, grid, levels_of(network), job);
  require_memory(*prepared.cloud, grid, {}, std::nullopt, job);
  return prepared;
}

}  // namespace spira::library

namespace spira::v0 {

std::vector<DeviceInfo> devices() {
  return library::guarded([] {
    std::vector<DeviceInfo> all;
    for (const DeviceListing& listing : library::registry().devices()) {
      if (listing.facts.kind != BackendKind::reference) all.push_back(library::device_info(listing));
    }
    return all;
  });
}

Model::Model(const Network& network, const ModelOptions& options) {
  state_ = library::guarded([&] {
    library::ModelState state{network};
    const spira::Network& layers = *library::Access::state(network).network;
    state.plan.precision = library::precision_of(options.precision);
    state.backend = library::backend_name(options.device.kind);
    state.backend_options.threads = options.device.threads;
    state.backend_options.memory_limit_bytes = options.device.memory_limit_bytes;
    if (options.device.index < 0)
      throw spira::Error(spira::ErrorKind::usage, "device: the index must be at least 0");
    state.backend_options.device = options.device.index;
    state.backend_options.repeatable = options.deterministic;
    const DeviceFacts facts = state.make_backend()->facts();
    state.backend = text_of(facts.kind);
    state.device = library::device_info({facts, true, {}});
    library::set_plan(state, options, layers, facts);
    state.weights = std::make_shared<const NetworkWeights>(options.weights.empty()
                                                               ? seeded_weights(layers, options.seed)
                                                               : read_safetensors(options.weights, layers));
    return std::make_shared<const library::ModelState>(std::move(state));
  });
}

const Network& Model::network() const noexcept {
  return state_->network;
}
const DeviceInfo& Model::device() const noexcept {
  return state_->device;
}

}  // namespace spira::v0
