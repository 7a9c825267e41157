#include "app/spira/bench/bench.hpp"

#include "app/spira/bev.hpp"
#include "engine/base/error.hpp"

#include <algorithm>

namespace spira::app {
namespace {

/// Maximum kernel size and stride of all layers in all suites. The packing supports them, so all suites can
/// use the same voxelized scene.
constexpr int largest_kernel = 5, largest_stride = 16;

bool is_wgrad(const StageNode& stage) {
  return StageKey(stage.name).phase == "wgrad";
}

}  // namespace

std::vector<double> BenchRow::stages_ms() const {
  std::vector<double> sums;
  for (std::size_t node = 0; node < stages.nodes.size(); ++node) {
    const auto& samples = stages.nodes[node].samples_ms;
    const int parent = stages.nodes[node].parent;
    const bool innermost =
        std::none_of(stages.nodes.begin(), stages.nodes.end(),
                     [&](const StageNode& other) { return other.parent == static_cast<int>(node); });
    if (parent >= 0 && is_wgrad(stages.nodes[static_cast<std::size_t>(parent)])) continue;
    if (!innermost && !is_wgrad(stages.nodes[node])) continue;
    sums.resize(std::max(sums.size(), samples.size()), 0.0);
    for (std::size_t at = 0; at < samples.size(); ++at)
      sums[at] += samples[at];
  }
  return sums;
}

std::vector<double> BenchRow::phase_ms(std::string_view phase) const {
  std::vector<double> sums;
  for (const StageNode& node : stages.nodes) {
    if (StageKey(node.name).phase != phase) continue;
    sums.resize(std::max(sums.size(), node.samples_ms.size()), 0.0);
    for (std::size_t at = 0; at < node.samples_ms.size(); ++at)
      sums[at] += node.samples_ms[at];
  }
  return sums;
}

std::vector<double> BenchRow::ratio_samples() const {
  return ratio_of == RatioOf::wall ? wall.ms : stages_ms();
}

Bench::Bench(const Context& context, const SceneOptions& scene, const RunOptions& run, BenchChoice choice)
    : context_(context),
      options_(scene),
      run_(run),
      choice_(std::move(choice)),
      job_(context.job()),
      backend_(context.registry.make(run.backend, context.backend_options())),
      precision_(run.precision == "fp16" ? Precision::fp16 : Precision::fp32) {
  if (!choice_.with_scene) {
    scene_ = nullptr;
  } else if (choice_.own_networks) {
    const auto [cloud, grid] = scene.open_for(context, choice_.networks.front(), job_);
    const Levels levels = levels_of(choice_.networks.front());
    const PackSpec pack = scene.pack_for(context, *cloud, grid, levels.needs, job_);
    scene_ =
        voxelize_scene(*backend_, cloud, grid, pack, levels.needs, job_, levels.sets, levels.native_stride);
  } else {
    const auto cloud = scene.open(context, job_);
    const Grid grid = scene.grid_for(context, *cloud);
    const PackSpec pack = scene.pack_for(context, *cloud, grid, {largest_kernel, largest_stride}, job_);
    scene_ = voxelize_scene(*backend_, cloud, grid, pack, {largest_kernel, largest_stride}, job_);
  }
  timer_ = measure_timer(backend_->stages());
  rates_ = backend_->measure_rates(precision_, job_);
  state_before_ = backend_->state(StateDetail::all);
}

void Bench::note(const std::string& text) {
  if (std::find(results_.notes.begin(), results_.notes.end(), text) != results_.notes.end()) return;
  results_.notes.push_back(text);
  context_.say(text);
}

bool Bench::runs(const BenchSubject& subject) {
  try {
    Job quiet = job_.with_recorder(nullptr);
    subject.run(quiet);
    return true;
  } catch (const Error& error) {
    if (!is_device_fault(error.kind())) throw;
    note(subject.name + " is skipped: " + error.what());
    backend_->wait();  // If the device is lost, this call throws and the benchmark ends.
    return false;
  }
}

void Bench::measure(const std::string& group, RatioOf ratio_of, std::vector<BenchSubject> subjects,
                    double least_rate_share) {
  if (!wants(group)) return;
  std::erase_if(subjects, [&](const BenchSubject& subject) { return !runs(subject); });
  if (subjects.empty()) return;
  Job quiet = job_.with_recorder(nullptr);
  std::vector<Contender> walls;
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (const BenchSubject& subject : subjects) {
    walls.push_back({subject.name, [&subject, &quiet] { subject.run(quiet); }});
    recorders.push_back(std::make_unique<Recorder>(backend_->stages()));
  }
  const auto with_marks = [&](const std::vector<Samples>&) {
    for (std::size_t at = 0; at < subjects.size(); ++at) {
      Job timed = job_.with_recorder(recorders[at].get());
      {
        const auto stage = timed.stage("all");
        subjects[at].run(timed);
      }
      recorders[at]->next_repetition();
    }
  };
  const auto samples = sample_interleaved(walls, protocol(), quiet, with_marks);
  double first_ms = 0;
  for (std::size_t at = 0; at < subjects.size(); ++at) {
    BenchRow row{group, subjects[at].name, ratio_of, subjects[at].work, subjects[at].graph};
    row.wall = samples[at];
    row.stages = recorders[at]->take();
    if (at == 0) {
      const auto floor_ms = floors_of(row.work, rates_).larger_ms();
      first_ms = floor_ms && *floor_ms < least_rate_share * row.ratio_ms() ? 0 : row.ratio_ms();
    }
    row.first_ms = first_ms;
    results_.rows.push_back(std::move(row));
  }
}

std::pair<std::shared_ptr<const PointCloud>, Area> Bench::open_area() {
  const AreaRequest request = BevOptions().area_request(options_, network_preset("sbnet"), default_cell_m);
  auto cloud = options_.open(context_, job_);
  const Area area = area_of(*cloud, request);
  note("area: " + text_of(area));
  return {std::move(cloud), area};
}

std::shared_ptr<const VoxelScene> Bench::scene_in(PackSpec pack) {
  return voxelize_scene(*backend_, scene_->cloud, scene_->grid, pack, {largest_kernel, largest_stride}, job_);
}

PackSpec Bench::pack_of(const Levels& levels) {
  return choice_.own_networks ? options_.pack_for(context_, *scene_->cloud, scene_->grid, levels.needs, job_)
                              : scene_->pack;
}

std::shared_ptr<const VoxelScene> Bench::scene_for(const Network& network) {
  if (!choice_.own_networks) return scene_;
  const Levels levels = levels_of(network);
  return voxelize_scene(*backend_, scene_->cloud, scene_->grid, pack_of(levels), levels.needs, job_,
                        levels.sets, levels.native_stride);
}

LoadedNetwork Bench::load(const Network& network, std::optional<Plan> plan) {
  LoadedNetwork loaded;
  loaded.plan = plan ? std::move(*plan) : run_.plan_for(context_, network);
  loaded.session = std::make_unique<Session>(backend_, std::make_shared<const Network>(network),
                                             run_.weights_for(network, job_));
  static_cast<void>(loaded.session->load(scene_->cloud, scene_->grid, pack_of(levels_of(network)),
                                         loaded.plan.precision, job_));
  return loaded;
}

}  // namespace spira::app
