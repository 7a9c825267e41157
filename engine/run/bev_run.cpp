#include "engine/run/bev_run.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/text.hpp"
#include "engine/run/session.hpp"
#include "engine/voxel/fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace spira {
namespace {

std::size_t image_bytes(const Area& area, int stride, int channels, Precision precision) {
  return static_cast<std::size_t>(area.size(stride)) * static_cast<std::size_t>(channels) *
         bytes_of(precision);
}

/// Returns a text such as "blocks[stride 2, core 16, reach 1]".
std::string blocks_stage(const BlockShape& shape) {
  return StageKey("blocks", "stride " + std::to_string(shape.stride) + ", core " +
                                std::to_string(shape.core) + ", reach " + std::to_string(shape.reach))
      .text();
}

/// Returns the network for the cells of the mask as voxels.
Network rows_network(const Network& network) {
  Network rows = network;
  rows.space = NetworkSpace::voxels;
  rows.features_from_file = true;
  for (Layer& layer : rows.layers)
    layer.unit.clear();
  return rows;
}

float value_at(const Features& features, std::size_t at) {
  return features.precision == Precision::fp32 ? features.data.host_span<float>()[at]
                                               : fp16_to_float(features.data.host_span<Fp16>()[at]);
}

/// Returns the cells of an image whose whole reach through one more unit is in `deep` cells of its input, and
/// in active blocks if the unit runs in blocks.
std::vector<std::uint8_t> deep_cells(const Area& area, const BevUnit& unit,
                                     const std::vector<std::uint8_t>& deep,
                                     const std::vector<std::uint8_t>& active) {
  Area image = area;
  image.cells = {area.rows(unit.stride_in), area.columns(unit.stride_in)};
  Mask shallow{image, {}, deep};
  for (std::uint8_t& cell : shallow.cells)
    cell = cell == 0 ? 1 : 0;
  const Mask reached = dilate(shallow, unit.halo);
  const std::int64_t rows = area.rows(unit.stride_out), columns = area.columns(unit.stride_out);
  std::vector<std::uint8_t> result(static_cast<std::size_t>(rows * columns));
  for (std::int64_t x = 0; x < rows; ++x) {
    for (std::int64_t y = 0; y < columns; ++y) {
      const auto from = static_cast<std::size_t>(x * unit.step() * image.columns() + y * unit.step()),
                 to = static_cast<std::size_t>(x * columns + y);
      result[to] = active[to] != 0 && reached.cells[from] == 0 ? 1 : 0;
    }
  }
  return result;
}

/// Returns the cells of the active cores of a unit: all cells if it does not run in blocks.
std::vector<std::uint8_t> active_cells(const Mask& mask, const BlockShape& shape, const UnitPlan& plan) {
  const std::int64_t rows = mask.area.rows(shape.stride), columns = mask.area.columns(shape.stride);
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(rows * columns), in_blocks(plan) ? 0 : 1);
  if (!in_blocks(plan)) return cells;
  const auto grid = grid_of(shape, mask.area);
  for (const std::int32_t block : active_blocks(mask, shape)) {
    const std::int64_t x0 = block / grid[1] * shape.core, y0 = block % grid[1] * shape.core;
    for (std::int64_t x = x0; x < std::min(rows, x0 + shape.core); ++x)
      std::fill_n(cells.begin() + x * columns + y0, std::min<std::int64_t>(shape.core, columns - y0),
                  std::uint8_t{1});
  }
  return cells;
}

/// Compares an output with the dense output, both in host memory. The spans contain one value per cell.
DenseDifference difference_of(const Features& output, const Features& dense,
                              const std::vector<std::uint8_t>& mask, const std::vector<std::uint8_t>& deep) {
  const auto channels = static_cast<std::size_t>(output.channels);
  double largest = 0, on_mask = 0, on_deep = 0;
  for (std::size_t row = 0; row < deep.size(); ++row) {
    double most = 0;
    for (std::size_t at = row * channels; at < (row + 1) * channels; ++at) {
      const auto wanted = static_cast<double>(value_at(dense, at));
      largest = std::max(largest, std::abs(wanted));
      most = std::max(most, std::abs(static_cast<double>(value_at(output, at)) - wanted));
    }
    if (mask[row] != 0) on_mask = std::max(on_mask, most);
    if (deep[row] != 0) on_deep = std::max(on_deep, most);
  }
  const double scale = largest > 0 ? 1 / largest : 0;
  return {on_mask * scale, count_cells(deep), on_deep * scale};
}

}  // namespace

std::string why_not_unit_plan(const BevUnit& unit, const Area& area, const UnitPlan& plan) {
  if (!in_blocks(plan)) return {};
  if (std::find(block_cores.begin(), block_cores.end(), plan.core) == block_cores.end())
    return "a core has 4, 8, 16 or 32 cells, not " + std::to_string(plan.core);
  const std::int64_t rows = area.rows(unit.stride_out), columns = area.columns(unit.stride_out);
  if (plan.core <= std::min(rows, columns)) return {};
  return "core " + std::to_string(plan.core) + " is larger than the image of " + unit.name + " (" +
         std::to_string(rows) + " x " + std::to_string(columns) + " cells)";
}

std::vector<UnitPlan> unit_plans(const std::vector<BevUnit>& units, const Area& area, UnitPlan plan) {
  std::vector<UnitPlan> plans;
  std::string why;
  for (const BevUnit& unit : units) {
    const std::string own = why_not_unit_plan(unit, area, plan);
    if (!own.empty() && why.empty()) why = own;
    plans.push_back(own.empty() ? plan : UnitPlan{});
  }
  const bool any = std::any_of(plans.begin(), plans.end(), in_blocks);
  if (in_blocks(plan) && !any) throw Error(ErrorKind::usage, why);
  return plans;
}

UnitRequest unit_request(const Network& network, const BevUnit& unit, const Area& area,
                         const std::vector<UploadedWeights>& weights) {
  UnitRequest request;
  request.cells = {area.rows(unit.stride_in), area.columns(unit.stride_in)};
  request.step = unit.step();
  for (int at = unit.first; at <= unit.last; ++at) {
    const Layer& layer = network.layers[static_cast<std::size_t>(at)];
    request.layers.push_back(
        {layer.kernel_size[0], layer.activation == Activation::relu, &weights[static_cast<std::size_t>(at)]});
  }
  request.residual = unit.residual;
  request.keep_input = unit.keeps_input;
  return request;
}

PointCloud cells_as_voxels(const Mask& mask, const Features& image, const PointCloud& of) {
  PointCloud cells;
  cells.name = of.name;
  cells.source = of.source;
  cells.format = of.format;
  cells.reading = of.reading;
  cells.from_voxel_file = true;
  cells.feature_channels = image.channels;
  const auto channels = static_cast<std::size_t>(image.channels);
  for (std::size_t row = 0; row < mask.cells.size(); ++row) {
    if (mask.cells[row] == 0) continue;
    const auto at = static_cast<std::int64_t>(row);
    const std::int64_t x = at / mask.area.columns();
    cells.positions.push_back(
        {static_cast<double>(x), static_cast<double>(at - (x * mask.area.columns())), 0.0});
    for (std::size_t channel = 0; channel < channels; ++channel)
      cells.features.push_back(value_at(image, row * channels + channel));
  }
  return cells;
}

std::unique_ptr<Session> load_rows(std::shared_ptr<Backend> backend, const Network& network,
                                   std::shared_ptr<const NetworkWeights> weights, PointCloud cells,
                                   Precision precision, Job& job) {
  const auto cloud = std::make_shared<const PointCloud>(std::move(cells));
  auto rows = std::make_unique<Session>(
      std::move(backend), std::make_shared<const Network>(rows_network(network)), std::move(weights));
  const Grid grid{{1, 1, 1}};
  const PackNeeds needs = rows->levels().needs;
  const auto extent = voxel_range(*cloud, grid, job).extent(needs.levels);
  const auto packs = packings_that_fit(extent, needs);
  if (packs.empty()) require_fit(extent, PackSpec::bits64(), needs);
  static_cast<void>(rows->load(cloud, grid, packs.front(), precision, job, false));
  return rows;
}

/// One run of the network. Stores the images that later units need.
class BevRun::Pass {
 public:
  Pass(const BevRun& of, Job& job) : of_(of), job_(job), outputs_(of.units_.size()) {}

  void project() {
    const auto stage = job_.stage("project");
    input_ = views().project(of_.points_, of_.settings_.area, of_.network_->in_channels,
                             of_.settings_.precision, job_);
  }
  void make_mask() {
    const auto stage = job_.stage("mask");
    mask_ = of_.settings_.given_mask
                ? of_.backend_->to_device(host_mask())
                : views().make_mask(of_.points_, of_.settings_.area, of_.settings_.mask, job_);
  }
  void find_blocks() {
    for (std::size_t unit = 0; unit < of_.units_.size(); ++unit) {
      if (!in_blocks(of_.settings_.units[unit])) continue;
      const BlockShape shape = of_.blocks_of(unit);
      if (blocks_.contains(shape)) continue;
      const auto stage = job_.stage(blocks_stage(shape));
      blocks_.emplace(shape, views().active_blocks(mask_, of_.settings_.area, shape, job_));
    }
  }
  /// Computes a unit from the output of an earlier unit, which it may destroy.
  const Features& compute(std::size_t unit) {
    const BevUnit& here = of_.units_[unit];
    UnitRequest request = of_.request_of(unit, of_.uploaded_);
    if (in_blocks(of_.settings_.units[unit])) request.blocks = &blocks_.at(of_.blocks_of(unit));
    Features& image = image_of(here.source);
    const auto stage = job_.stage(
        StageKey("features", of_.network_->layers[static_cast<std::size_t>(here.last)].name).text());
    outputs_[unit] = views().run_unit(image, request, job_);
    if (!here.keeps_input) image = Features();
    return *outputs_[unit];
  }
  /// Returns the image with which a unit starts, before compute() runs for it.
  [[nodiscard]] Features& image_of(int source) {
    if (source < 0) return input_;
    const auto unit = std::find_if(of_.units_.begin(), of_.units_.end(),
                                   [&](const BevUnit& one) { return one.last == source; });
    return *outputs_[static_cast<std::size_t>(unit - of_.units_.begin())];
  }
  [[nodiscard]] const BlockList* blocks(std::size_t unit) const {
    return in_blocks(of_.settings_.units[unit]) ? &blocks_.at(of_.blocks_of(unit)) : nullptr;
  }

 private:
  [[nodiscard]] BirdsEye& views() const { return *of_.backend_->extensions().birds_eye; }
  [[nodiscard]] Buffer host_mask() const {
    const auto& cells = of_.settings_.given_mask->cells;
    Buffer buffer(make_host_pool(), cells.size());
    std::copy(cells.begin(), cells.end(), buffer.host_span<std::uint8_t>().begin());
    return buffer;
  }

  const BevRun& of_;
  Job& job_;
  Features input_;
  Buffer mask_;
  std::map<BlockShape, BlockList> blocks_;
  std::vector<std::optional<Features>> outputs_;  // one for each unit
};

BevRun::BevRun(std::shared_ptr<Backend> backend, std::shared_ptr<const PointCloud> cloud,
               std::shared_ptr<const Network> network, std::shared_ptr<const NetworkWeights> weights,
               BevSettings settings, Job& job)
    : backend_(std::move(backend)),
      network_(std::move(network)),
      weights_(std::move(weights)),
      settings_(std::move(settings)),
      units_(units_of(*network_)) {
  BirdsEye& views = require_birds_eye(*backend_);
  require_sound_plans();
  for (std::size_t at = 0; at < network_->layers.size(); ++at) {
    job.checkpoint({"copying the weights", static_cast<std::int64_t>(at), std::ssize(network_->layers)});
    uploaded_.push_back(views.upload_weights(weights_->layers[at], settings_.precision));
  }
  const DeviceFacts& device = backend_->facts();
  if (const std::size_t bytes = run_bytes(); device.memory_bytes != 0 && bytes > device.memory_bytes)
    throw Error(device.kind == BackendKind::cuda ? ErrorKind::device_memory : ErrorKind::memory,
                cloud->name + ": the images of " + text_of(settings_.area) + " need about " +
                    bytes_text(bytes) + "; " + device.name + " has " + bytes_text(device.memory_bytes) +
                    "; use --crop or a larger cell");
  if (settings_.given_mask) {
    require_same_area(settings_.given_mask->area, settings_.area);
    mask_ = *settings_.given_mask;
  } else {
    mask_ = make_mask(*cloud, settings_.area, settings_.mask, job);
  }
  points_ = backend_->upload_points(std::move(cloud), job);
  fill_facts();
  if (on_rows()) prepare_rows(job);
}

BevRun::~BevRun() = default;

bool BevRun::on_rows() const noexcept {
  return !settings_.units.empty() && settings_.units.front().method == UnitMethod::rows;
}

void BevRun::require_sound_plans() const {
  SPIRA_ASSERT(settings_.units.size() == units_.size(), "a plan is needed for each unit");
  for (std::size_t at = 0; at < units_.size(); ++at) {
    const UnitPlan& plan = settings_.units[at];
    if (const std::string why = why_not_unit_plan(units_[at], settings_.area, plan); !why.empty())
      throw Error(ErrorKind::usage, why);
    if ((plan.method == UnitMethod::rows) != on_rows())
      throw Error(ErrorKind::usage, "the method rows applies to all units of a network, but " +
                                        units_[at].name + " has the method " +
                                        std::string(text_of(plan.method)));
  }
}

void BevRun::prepare_rows(Job& job) {
  if (facts_.mask_cells == 0)
    throw Error(ErrorKind::input,
                points_.cloud->name + ": the mask is empty, so there are no rows to run on");
  Pass pass(*this, job);
  pass.project();
  const Features image = backend_->download(pass.image_of(-1));
  rows_ = load_rows(backend_, *network_, weights_, cells_as_voxels(mask_, image, *points_.cloud),
                    settings_.precision, job);
}

BlockShape BevRun::blocks_of(std::size_t unit) const {
  return {units_[unit].stride_out, settings_.units[unit].core, units_[unit].reach(), settings_.min_cells};
}

UnitRequest BevRun::request_of(std::size_t unit, const std::vector<UploadedWeights>& weights) const {
  UnitRequest request = unit_request(*network_, units_[unit], settings_.area, weights);
  request.method = settings_.units[unit].method;
  return request;
}

void BevRun::run(Job& job, const Visit& visit) const {
  Pass pass(*this, job);
  pass.project();
  pass.make_mask();
  if (on_rows()) {
    Plan plan = default_plan(rows_->network());
    plan.precision = settings_.precision;
    rows_->execute_network(plan, job);
    return;
  }
  pass.find_blocks();
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    job.checkpoint({"running the units", static_cast<std::int64_t>(unit), std::ssize(units_)});
    const Features& output = pass.compute(unit);
    if (visit) visit(unit, output);
  }
  backend_->wait();
}

std::size_t BevRun::run_bytes() const {
  const Area& area = settings_.area;
  std::size_t most = 0;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    const BevUnit& here = units_[unit];
    const auto channels_in = network_->layers[static_cast<std::size_t>(here.first)].in_channels,
               channels_out = network_->layers[static_cast<std::size_t>(here.last)].out_channels;
    std::size_t bytes = image_bytes(area, here.stride_in, channels_in, settings_.precision) +
                        image_bytes(area, here.stride_out, channels_out, settings_.precision);
    // Images of earlier units that later units still read.
    for (const BevUnit& earlier : units_) {
      if (earlier.keeps_input && earlier.first < here.first)
        bytes += image_bytes(area, earlier.stride_in,
                             network_->layers[static_cast<std::size_t>(earlier.first)].in_channels,
                             settings_.precision);
    }
    if (!on_rows()) {
      BlockList blocks;
      blocks.shape = blocks_of(unit);
      blocks.grid =
          in_blocks(settings_.units[unit]) ? grid_of(blocks.shape, area) : std::array<std::int64_t, 2>{};
      UnitRequest request = request_of(unit, uploaded_);
      if (in_blocks(settings_.units[unit])) request.blocks = &blocks;
      bytes += backend_->extensions().birds_eye->scratch_bytes(request, settings_.precision);
    }
    most = std::max(most, bytes);
  }
  return most + static_cast<std::size_t>(area.size());  // the mask
}

void BevRun::fill_facts() {
  facts_.area = settings_.area;
  facts_.mask = settings_.given_mask ? settings_.given_mask->text : text_of(settings_.mask);
  facts_.mask_cells = count_cells(mask_.cells);
  facts_.mask_fingerprint = hash64(std::as_bytes(std::span(mask_.cells)));
  for (int stride = 1; stride <= coarsest_stride(units_); stride *= 2) {
    const std::int64_t cells = count_cells(cells_at(mask_, stride));
    facts_.densities.push_back(
        {stride, cells, static_cast<double>(cells) / static_cast<double>(settings_.area.size(stride))});
  }
  std::map<std::pair<BlockShape, int>, BlockShares> known;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    const BevUnit& here = units_[unit];
    UnitFacts facts{here.name, here.first, here.last, settings_.units[unit]};
    const std::int64_t per_cell = 2 * multiply_adds_per_cell(*network_, here);
    const auto density = std::find_if(facts_.densities.begin(), facts_.densities.end(),
                                      [&](const MaskDensity& one) { return one.stride == here.stride_out; });
    facts.useful_flops = per_cell * density->cells;
    const double all = on_rows() ? density->density : 1;
    facts.shares = {0, density->density, 1, all, all};
    facts.flops = per_cell * (on_rows() ? density->cells : settings_.area.size(here.stride_out));
    if (in_blocks(facts.plan)) {
      const BlockShape shape = blocks_of(unit);
      const int edge = here.gathered_edge(shape.core);
      auto [shares, added] = known.try_emplace({shape, edge});
      if (added) shares->second = shares_of(mask_, shape, active_blocks(mask_, shape), edge, here.step());
      facts.shares = shares->second;
      facts.flops = 2 * facts.shares.blocks * multiply_adds_per_block(*network_, here, shape.core);
    }
    facts_.units.push_back(std::move(facts));
  }
}

Measurement BevRun::measure(const SamplingProtocol& how, Job& job) const {
  Job quiet = job.with_recorder(nullptr);
  Measurement measurement;
  Plan& plan = measurement.plan;
  plan = default_plan(*network_);
  plan.precision = settings_.precision;
  plan.units = settings_.units;
  const StageTree stages = measure_runs(
      *backend_, [this](Job& with) { run(with); }, how, measurement, quiet);
  measurement.state_after = backend_->state(StateDetail::all);
  measurement.forecast_peak_bytes = run_bytes();
  measurement.indexing = stages_of_indexing(stages);
  std::vector<std::int64_t> non_finite(network_->layers.size());
  Job untimed(job.stop_token());
  run(untimed, [&](std::size_t unit, const Features& output) {
    non_finite[static_cast<std::size_t>(units_[unit].last)] = count_non_finite(backend_->download(output));
  });
  for (const BevUnit& here : units_) {
    for (int at = here.first; at <= here.last; ++at) {
      const Layer& layer = network_->layers[static_cast<std::size_t>(at)];
      LayerMeasurement row;
      row.name = layer.name;
      row.stages = stages_of_layer(stages, layer.name);
      row.inputs = settings_.area.size(at == here.first ? here.stride_in : here.stride_out);
      row.outputs = settings_.area.size(here.stride_out);
      const auto density =
          std::find_if(facts_.densities.begin(), facts_.densities.end(),
                       [&](const MaskDensity& one) { return one.stride == here.stride_out; });
      row.pairs = density->cells * layer.kernel_size.product();
      row.useful_flops = 2 * row.pairs * layer.in_channels * layer.out_channels;
      row.map_shared = true;
      if (at == here.last) row.non_finite = non_finite[static_cast<std::size_t>(at)];
      measurement.layers.push_back(std::move(row));
    }
  }
  measurement.bev = facts_;
  return measurement;
}

std::vector<OutputDifference> BevRun::compare_with(Backend& reference, Job& job) const {
  SPIRA_ASSERT(!on_rows(), "rows are verified as layers on voxels");
  BirdsEye& truth = require_birds_eye(reference);
  Job untimed(job.stop_token());
  std::vector<UploadedWeights> weights;
  for (const LayerWeights& layer : weights_->layers)
    weights.push_back(truth.upload_weights(layer, settings_.precision));
  Pass pass(*this, untimed);
  pass.project();
  pass.make_mask();
  pass.find_blocks();
  std::vector<OutputDifference> found;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    job.checkpoint({"checking the outputs", static_cast<std::int64_t>(unit), std::ssize(units_)});
    Features image = reference.upload(backend_->download(pass.image_of(units_[unit].source)));
    UnitRequest request = request_of(unit, weights);
    std::optional<BlockList> blocks;
    if (const BlockList* const own = pass.blocks(unit)) {
      blocks.emplace(BlockList{own->shape, own->grid, reference.to_device(backend_->to_host(own->numbers)),
                               reference.to_device(backend_->to_host(own->count)), own->size});
      request.blocks = &*blocks;
    }
    const Features theirs = reference.download(truth.run_unit(image, request, untimed));
    found.push_back(output_difference(backend_->download(pass.compute(unit)), theirs));
    found.back().ok = found.back().ok && found.back().non_finite == 0;
  }
  return found;
}

std::vector<DenseDifference> BevRun::difference_from_dense(Job& job) const {
  SPIRA_ASSERT(!on_rows(), "rows compute another function than dense units");
  Job untimed(job.stop_token());
  BevSettings all_dense = settings_;
  std::fill(all_dense.units.begin(), all_dense.units.end(), UnitPlan{});
  const BevRun dense(backend_, points_.cloud, network_, weights_, std::move(all_dense), untimed);
  std::vector<Features> outputs;
  run(untimed, [&](std::size_t, const Features& output) { outputs.push_back(backend_->download(output)); });
  std::map<int, std::vector<std::uint8_t>> deep;  // by the layer that computed the image
  deep[-1] = std::vector<std::uint8_t>(static_cast<std::size_t>(settings_.area.size()), std::uint8_t{1});
  std::vector<DenseDifference> found;
  dense.run(untimed, [&](std::size_t unit, const Features& output) {
    job.checkpoint({"comparing with dense units", static_cast<std::int64_t>(unit), std::ssize(units_)});
    const BevUnit& here = units_[unit];
    const auto active = active_cells(mask_, blocks_of(unit), settings_.units[unit]);
    deep[here.last] = deep_cells(settings_.area, here, deep.at(here.source), active);
    found.push_back(difference_of(outputs[unit], backend_->download(output), cells_at(mask_, here.stride_out),
                                  deep.at(here.last)));
    outputs[unit] = Features();
  });
  return found;
}

}  // namespace spira
