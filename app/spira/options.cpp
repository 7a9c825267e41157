#include "app/spira/options.hpp"

#include "app/common/scene_argument.hpp"
#include "app/common/value_names.hpp"
#include "app/spira/tuned_run.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/job/pace.hpp"
#include "engine/map/neighbourhood.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/scene/batch.hpp"
#include "engine/scene/extents.hpp"
#include "engine/voxel/grid.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <tuple>
#include <unistd.h>

namespace spira::app {

Job Context::job() const {
  if (quiet || isatty(STDERR_FILENO) == 0) return Job(stop);
  return Job(stop, nullptr,
             [pace = Pace(), begin = std::chrono::steady_clock::now(),
              width = std::size_t{0}](const Progress& now) mutable {
               const auto now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                                       std::chrono::steady_clock::now() - begin)
                                       .count();
               pace.add(now.what, now.done, now.total, now_ms);
               // The previous text may be longer, so spaces erase the rest of the line.
               const std::string line = progress_text(now.what, now.done, now.total, pace, now_ms);
               width = std::max(width, line.size());
               std::cerr << "\r" << line << std::string(width - line.size(), ' ') << "\r" << std::flush;
             });
}

BackendOptions Context::backend_options() const {
  BackendOptions options;
  options.threads = threads;
  if (memory_limit_bytes > 0) options.memory_limit_bytes = memory_limit_bytes;
  return options;
}

void Context::say(const std::string& line) const {
  if (!quiet) std::cerr << printable(line) << "\n";
}

std::size_t parse_memory_limit(const std::string& text) {
  std::string number = text;
  double factor = 1.0;
  const std::string units = "kMG";
  if (const auto unit = text.empty() ? std::string::npos : units.find(text.back());
      unit != std::string::npos) {
    factor = unit == 0 ? 1e3 : unit == 1 ? 1e6 : 1e9;
    number.pop_back();
  }
  constexpr double largest = 1e18;
  const auto value = parse_double(number);
  if (!value || !(*value * factor >= 1) || *value * factor > largest)
    throw Error(ErrorKind::usage,
                "--memory-limit " + text + ": expected a size in bytes, such as 500M or 2G");
  return static_cast<std::size_t>(*value * factor);
}

void OutputOptions::add(CLI::App& command, bool with_csv) {
  auto* as_json = command.add_flag("--json", json, "Write JSON to stdout");
  if (with_csv) command.add_flag("--csv", csv, "Write CSV to stdout")->excludes(as_json);
}

void add_crop(CLI::App& command, std::string& crop) {
  command
      .add_option("--crop", crop,
                  "Use only the points in this box: x,y,z of its lower corner (inclusive), then of its upper "
                  "corner (exclusive), in metres")
      ->type_name("X,Y,Z,X,Y,Z");
}

void add_every(CLI::App& command, std::int64_t& every) {
  command
      .add_option("--every", every,
                  "Read only every N-th point of the file (default: all points); reports contain N")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
}

void add_shard(CLI::App& command, std::string& shard) {
  command
      .add_option("--shard", shard,
                  "Use only shard K of N of a folder: every N-th frame, beginning with frame K (requires "
                  "--grid); spira merge combines the results of all shards")
      ->type_name("K/N");
}

void add_warmup(CLI::App& command, int& warmup, const std::string& what) {
  command.add_option("--warmup", warmup, what)->check(CLI::Range(0, 1000))->capture_default_str();
}

void NeighbourOptions::add_shape(CLI::App& command) {
  command
      .add_option(
          "--neighbours", neighbours,
          "Inputs that convolutions with the kernel size 3, 5 or 7 read: the voxels at the offsets of "
          "the kernel, or the points in a cube or a ball around the exact position of the output "
          "(default: as in the network)")
      ->check(CLI::IsMember({"voxels", "cube", "ball"}));
  command
      .add_option(
          "--cell", cell,
          "With --neighbours: edge of a cell of the cube or ball, in voxels of the input (default: 1)")
      ->check(CLI::Range(1, most_window_cells))
      ->needs("--neighbours");
  command
      .add_option("--radius", radius,
                  "With --neighbours ball: radius in cells (default: a ball with the volume of the kernel)")
      ->check(CLI::PositiveNumber)
      ->needs("--neighbours");
}

void NeighbourOptions::add(CLI::App& command) {
  add_shape(command);
  command
      .add_option("--positions", positions,
                  "Position of a voxel for --neighbours: its point nearest to its centre (nearest), or its "
                  "corner (grid); with grid, a cube with cells of 1 has the inputs of voxels (default: "
                  "nearest)")
      ->check(CLI::IsMember({"nearest", "grid"}));
}

Neighbourhood NeighbourOptions::neighbourhood() const {
  Neighbourhood wanted;
  for (const auto shape : {NeighbourShape::cube, NeighbourShape::ball}) {
    if (neighbours == text_of(shape)) wanted.shape = shape;
  }
  wanted.cell = cell;
  wanted.radius = radius;
  constexpr int smallest = 3;  // The kernel size with which the most cells and radii are possible.
  if (const std::string why = why_not(wanted, smallest); !why.empty())
    throw Error(ErrorKind::usage, "--" + why);
  return wanted;
}

Network NeighbourOptions::applied_to(Network network) const {
  if (given()) set_neighbourhood(network, neighbourhood());
  if (!positions.empty() && !has_native_layers(network))
    throw Error(ErrorKind::usage, "--positions " + positions + ": network " + network.name +
                                      " reads no positions; add --neighbours cube or ball");
  return network;
}

Network NeighbourOptions::network(const std::string& name) const {
  return applied_to(network_by_name_or_file(name));
}

void SceneOptions::add(CLI::App& command) {
  command
      .add_option("scene", scene,
                  "A scene file, - for standard input, or a generated scene: street, room or random "
                  "(street:SEED sets the seed)")
      ->required()
      ->type_name(scene_value());
  add_reading(command);
}

void SceneOptions::add_batch(CLI::App& command) {
  command
      .add_option("--batch", batch,
                  "More scenes, which form a batch with the first scene: one run computes all scenes of "
                  "the batch; times are also printed per frame")
      ->type_name(scene_value())
      ->expected(1, max_batch - 1);
}

void SceneOptions::add_reading(CLI::App& command) {
  command
      .add_option("--grid", grid,
                  "Voxel size in metres, such as 0.05, or 0.05,0.05,0.1 for x, y and z (default: chosen from "
                  "the points)")
      ->type_name("METRES");
  command
      .add_option("--pack", pack,
                  "Packing of the coordinates: 32, 64, or the bits of x, y and z, such as 11/12/9 (default: "
                  "a 32-bit packing if one fits the scene, otherwise a 64-bit packing)")
      ->type_name("BITS");
  add_crop(command, crop);
  add_every(command, every);
  add_format(command, format);
}

void SceneOptions::check() const {
  if (!grid.empty()) static_cast<void>(parse_grid(grid));
  if (!crop.empty()) static_cast<void>(parse_crop(crop));
  if (!pack.empty()) static_cast<void>(parse_pack_spec(pack));
}

std::shared_ptr<const PointCloud> SceneOptions::open(const Context& context, Job& job) const {
  check();
  const auto open_one = [&](const std::string& name) {
    auto cloud = opened && batch.empty() ? opened : open_scene(name, format, every, job);
    if (voxels_only && cloud->feature_channels == 0)
      throw Error(ErrorKind::input, name + ": " + cloud->reading +
                                        "; --voxels requires the arrays coords (int32, [N, 3] or [N, 4]) and "
                                        "features (float32, [N, C])");
    context.say(cloud->name + ": " + cloud->reading);
    return cloud;
  };
  auto cloud = open_one(scene);
  if (!batch.empty()) {
    std::vector<std::shared_ptr<const PointCloud>> clouds{std::move(cloud)};
    for (const std::string& further : batch)
      clouds.push_back(open_one(further));
    std::optional<Bounds> crop_m;
    if (!crop.empty()) crop_m = parse_crop(crop);
    cloud = batch_of(clouds, crop_m);
    context.say(cloud->name + ": " + cloud->reading);
  }
  for (const auto& note : cloud->notes)
    context.say(cloud->name + ": " + note);
  return cloud;
}

void SceneOptions::require_one_frame(const PointCloud& cloud, const std::string& command) const {
  if (cloud.batch() > 1)
    throw Error(ErrorKind::usage, scene + ": this scene is a batch of " + std::to_string(cloud.batch()) +
                                      " frames; " + command + " accepts only one frame");
}

std::pair<std::shared_ptr<const PointCloud>, Grid> SceneOptions::open_for(const Context& context,
                                                                          const Network& network,
                                                                          Job& job) const {
  auto cloud = open(context, job);
  if (cloud->feature_channels > 0 && !grid.empty() &&
      parse_grid(grid).voxel_m != std::array<double, 3>{1, 1, 1})
    throw Error(ErrorKind::usage, cloud->name +
                                      ": the voxels of this file have an edge length of 1; --grid " + grid +
                                      " would split or merge them; remove --grid");
  const bool own_grid = network.grid && !network.features_from_file && cloud->feature_channels == 0;
  const Grid chosen = grid_for(context, *cloud, own_grid ? grid_text(network.grid->voxel_m) : std::string());
  const std::size_t notes = cloud->notes.size();
  cloud = gridded_cloud(std::move(cloud), chosen, network, job);
  for (std::size_t at = notes; at < cloud->notes.size(); ++at)
    context.say(cloud->name + ": " + cloud->notes[at]);
  return {std::move(cloud), chosen};
}

Grid SceneOptions::grid_for(const Context& context, const PointCloud& cloud,
                            const std::string& automatic_grid) const {
  std::optional<Bounds> crop_m;
  if (!crop.empty()) crop_m = parse_crop(crop);
  Grid chosen = !grid.empty()             ? parse_grid(grid)
                : !automatic_grid.empty() ? parse_grid(automatic_grid)
                                          : suggest_grid(cloud, crop_m);
  chosen.crop_m = crop_m;
  chosen.positions = neighbours.position_kind();
  if (grid.empty() && automatic_grid.empty())
    context.say(cloud.feature_channels > 0
                    ? "grid: 1 (the voxels of the file)"
                    : "grid: " + shortest(chosen.voxel_m[0]) + " m (automatic; set it with --grid)");
  if (grid.empty() && !automatic_grid.empty())
    context.say("grid: " + automatic_grid + " m (from the network file)");
  if (context.quiet) return chosen;
  for (const auto& note : grid_notes(cloud, chosen, extents_of(cloud, crop_m)))
    context.say(cloud.name + ": " + note);
  return chosen;
}

PackSpec SceneOptions::pack_for(const Context& context, const PointCloud& cloud, const Grid& chosen,
                                const PackNeeds& needs, Job& job) const {
  if (!pack.empty()) return parse_pack_spec(pack);
  const auto extent = voxel_range(cloud, chosen, job).extent(needs.levels);
  const PackNeeds all = needs.with_batch(cloud.batch());
  const auto packs = packings_that_fit(extent, all);
  if (packs.empty()) require_fit(extent, PackSpec::bits64().with_batch(cloud.batch()), all);
  if (packs.front() != PackSpec::bits32())
    context.say(
        "packing: " + packs.front().batch_text() + ", because 12/12/8 " +
        (cloud.batch() > 1 ? "with a batch index does not fit the scenes" : "does not fit the scene"));
  return packs.front();
}

void EngineOptions::add(CLI::App& command) {
  command.add_option("--backend", backend, "Back end that runs the network")
      ->type_name(backend_value)
      ->capture_default_str();
  precision_option =
      command.add_option("--precision", precision, "Number format in which features and weights are stored")
          ->check(CLI::IsMember({"fp16", "fp32"}))
          ->capture_default_str();
  command
      .add_option("--weights", weights, "A .safetensors file with the weights (default: random He weights)")
      ->type_name(file_value);
  command.add_option("--seed", seed, "Seed of the random weights")->capture_default_str();
}

Precision EngineOptions::storage() const {
  return precision == "fp16" ? Precision::fp16 : Precision::fp32;
}

std::shared_ptr<const NetworkWeights> EngineOptions::weights_for(const Network& network,
                                                                 const Job& job) const {
  if (loaded_weights) return loaded_weights;
  return std::make_shared<const NetworkWeights>(
      weights.empty() ? seeded_weights(network, seed, job.stop_token()) : read_safetensors(weights, network));
}

void RunOptions::add_settings(CLI::App& command) {
  EngineOptions::add(command);
  command.add_option("--map", map, "Search algorithm that builds the kernel maps")
      ->check(CLI::IsMember({"zdelta", "bsearch", "hash", "sorted"}))
      ->capture_default_str();
  command
      .add_option("--threshold", threshold,
                  "Threshold t: offsets with an L1 norm below t run output-stationary, all others "
                  "weight-stationary (default: all offsets run output-stationary)")
      ->check(CLI::Range(0, 10));
  command
      .add_option(
          "--dataflow", dataflow,
          "Dataflow of all layers: os (output-stationary), ws (weight-stationary), hybrid:T (threshold T), "
          "unsorted or mask-sorted:S (implicit GEMM; S splits), gather or gather-fp16 (gather-GEMM-scatter)")
      ->type_name("NAME")
      ->check(not_empty())
      ->excludes("--threshold");
  layers.add(command);
  auto* file = command
                   .add_option("--plan", plan,
                               "Settings of the layers: a plan file, a tuning profile, or the settings of "
                               "another engine (torchsparse, torchsparse:S with S splits, or minuet)")
                   ->type_name("torchsparse|minuet|FILE");
  command
      .add_flag("--strict", strict, "Fail if the tuning profile does not match every layer of the network")
      ->needs(file);
  command
      .add_flag("--ignore-devices", ignore_devices,
                "Use a tuning profile even if it was measured on another device or with another version of "
                "the program")
      ->needs(file);
}

void RunOptions::add(CLI::App& command) {
  add_settings(command);
  command
      .add_option("--repeat,--iterations", repeat,
                  "Number of measured repetitions (with --duration: the minimum number of repetitions)")
      ->check(CLI::Range(1, max_repetitions))
      ->capture_default_str();
  add_warmup(command, warmup, "Number of warm-up runs, which are not measured");
  constexpr double max_seconds = 3600;
  command
      .add_option("--duration", duration_s,
                  "Minimum duration of the measurement in seconds: the runs with timers and the runs "
                  "without timers together (at most 10,000 repetitions)")
      ->check(CLI::Range(0.0, max_seconds))
      ->type_name("SECONDS");
  command.add_option("-o,--output", output, "Write the report (JSON) to this file; - is standard output")
      ->type_name(file_value);
}

CLI::Validator not_empty() {
  return {
      [](const std::string& text) { return text.empty() ? std::string("must not be empty") : std::string(); },
      std::string()};
}

Plan RunOptions::plan_without_file(const Network& network) const {
  Plan result = default_plan(network);
  result.precision = storage();
  const MapAlgorithm algorithm = parse_map_algorithm(map);
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    if (const auto why = why_not_algorithm(algorithm, layer.kernel()); !why.empty())
      throw Error(ErrorKind::usage, "--map " + map + ": layer " + layer.name + ": " + why);
    result.layers[at].algorithm = algorithm;
  }
  return result;
}

namespace {

/// Sets the dataflow of all convolutions. Names the layers that cannot run it; they keep their setting.
/// Throws Error(usage) if no layer can run it.
void set_all_dataflows(Plan& plan, const Context& context, const Network& network, const std::string& name) {
  std::string why;
  std::size_t set = 0, others = 0;
  int most_offsets = 0;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    const Layer& layer = network.layers[at];
    // With one offset, all dataflows are the same product.
    if (!layer.convolution() || layer.kernel().columns() == 1) continue;
    try {
      plan.layers[at] = with_dataflow(layer, plan.layers[at], name);
      note_threshold_source(plan, at, "user");
      ++set;
    } catch (const Error& error) {
      ++others;
      if (layer.kernel().columns() <= most_offsets) continue;
      most_offsets = layer.kernel().columns();
      why = layer.name + ": " + error.what();
    }
  }
  if (set == 0)
    throw Error(ErrorKind::usage,
                "--dataflow " + name + ": " +
                    (why.empty() ? "no layer has a kernel with more than one offset" : why));
  if (others != 0)
    context.say(std::to_string(others) +
                (others == 1
                     ? " layer cannot run this dataflow and keeps its own dataflow: "
                     : " layers cannot run this dataflow and keep their own dataflows, for example ") +
                why);
  plan.source = "--dataflow " + name;
}

}  // namespace

void RunOptions::set_dataflow_of(Plan& result, const Context& context, const Network& network) const {
  const std::vector<LayerPlan> before = result.layers;
  if (threshold >= 0) {
    int most = 0;
    PerAxis kernel_size;
    for (const Layer& layer : network.layers) {
      const int own = KernelOffsets(layer.kernel(), 1).max_threshold();
      if (own <= most) continue;
      most = own;
      kernel_size = layer.kernel_size;
    }
    if (threshold > most) {
      context.say("t = " + std::to_string(threshold) + " exceeds the maximum " + std::to_string(most) +
                  " for K = " + text_of(kernel_size) + "; using " + std::to_string(most));
    }
    set_threshold(result, network, threshold);
    for (std::size_t at = 0; at < network.layers.size(); ++at)
      note_threshold_source(result, at, "user");
    result.source = "--threshold " + std::to_string(threshold);
  }
  if (!dataflow.empty()) set_all_dataflows(result, context, network, dataflow);
  layers.set_in(result, before, network);
}

void RunOptions::check_settings(const Context& context, const Network& network) const {
  Context silent = context;
  silent.quiet = true;
  Plan unused = plan_without_file(network);
  set_dataflow_of(unused, silent, network);
}

namespace {

/// Returns how many convolutions run each dataflow, such as "unsorted in 38 layers, ws in 4 layers".
std::string dataflow_counts(const Plan& plan, const Network& network) {
  std::map<std::string, std::int64_t> counts;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    if (network.layers[at].convolution()) ++counts[dataflow_text(network.layers[at], plan.layers[at])];
  }
  std::string text;
  for (const auto& [name, count] : counts)
    text += (text.empty() ? "" : ", ") + name + " in " + counted_text(count, "layer", "layers");
  return text;
}

}  // namespace

Plan RunOptions::plan_for(const Context& context, const Network& network) const {
  if (auto named = named_plan(plan, network)) {
    named->precision = storage();
    context.say("plan " + plan + ": " + dataflow_counts(*named, network));
    set_dataflow_of(*named, context, network);
    return std::move(*named);
  }
  if (!plan.empty() && looks_like_profile(plan))
    throw Error(ErrorKind::usage, plan +
                                      ": this file is a tuning profile; only run, layer and sweeps of the "
                                      "threshold t accept a tuning profile");
  Plan result = plan.empty() ? plan_without_file(network) : read_plan(plan, network);
  set_dataflow_of(result, context, network);
  return result;
}

SamplingProtocol RunOptions::protocol() const {
  SamplingProtocol how;
  how.warmup = warmup;
  how.min_samples = how.max_samples = repeat;
  how.max_time_ms = 1e9;  // The time is not limited, because the user set the number of repetitions.
  if (duration_s > 0) {
    how.max_samples = max_repetitions;
    how.max_time_ms = duration_s * 1e3;
    how.target_iqr_rel = 0;  // Only the time limit ends the sampling.
  }
  return how;
}

Loaded load_session(const Context& context, const SceneOptions& scene, const RunOptions& run, Network network,
                    Job& job) {
  Loaded loaded;
  scene.check();
  const auto profile = profile_of(run);
  if (profile) {
    run.check_settings(context, network);
  } else {
    loaded.plan = run.plan_for(context, network);
  }
  loaded.backend = context.registry.make(run.backend, context.backend_options());
  // Load the weights first, so that an error in their file is reported before the long work starts.
  const bool weights_from_file = !run.weights.empty();
  if (weights_from_file) loaded.weights = run.weights_for(network, job);
  Grid grid;
  std::tie(loaded.cloud, grid) = scene.open_for(context, network, job);
  const Levels levels = levels_of(network);
  const PackSpec pack = tuned_pack(context, scene, profile, *loaded.cloud, grid, levels, job);
  if (!weights_from_file) loaded.weights = run.weights_for(network, job);
  loaded.network = std::make_shared<const Network>(std::move(network));
  loaded.session = std::make_unique<Session>(loaded.backend, loaded.network, loaded.weights);
  const Precision precision = profile ? tuned_precision(run, *profile) : loaded.plan.precision;
  require_memory(*loaded.cloud, grid, {.positions = has_native_layers(*loaded.network)}, std::nullopt, job);
  static_cast<void>(loaded.session->load(loaded.cloud, grid, pack, precision, job));
  if (profile) loaded.plan = tuned_plan(context, run, *profile, *loaded.session);
  return loaded;
}

int layer_named(const Network& network, const std::string& name) {
  const int layer = network.index_of(name);
  if (layer < 0)
    throw Error(ErrorKind::usage,
                "--layer " + name + ": network " + network.name + " has no layer with this name");
  return layer;
}

int convolution_named(const Network& network, const std::string& name) {
  const int layer = layer_named(network, name);
  const Layer& found = network.layers[static_cast<std::size_t>(layer)];
  if (found.convolution()) return layer;
  throw Error(ErrorKind::usage, "--layer " + name + ": the operation " + std::string(text_of(found.op)) +
                                    " has no kernel map and no threshold t; choose a convolution");
}

std::string device_text(const DeviceFacts& facts) {
  return std::string(text_of(facts.kind)) + ": " + facts.name + ", " + std::to_string(facts.threads) +
         (facts.kind == BackendKind::cuda ? " SMs, "
          : facts.threads == 1            ? " thread, "
                                          : " threads, ") +
         facts.instructions + "; timed by " + std::string(clocks_text(facts.clock));
}

std::string stats_text(const Statistics& stats) {
  return ms_text(stats.median) + " (median of " + counted_text(stats.n, "sample", "samples") + ", IQR " +
         ms_text(stats.iqr()) + ", min " + ms_text(stats.min) + ")";
}

bool is_standard_output(const std::string& file) {
  const auto names_descriptor_1 = [](const std::filesystem::path& path) {
    return path.filename() == "1" && same_file(path.parent_path(), "/dev/fd");
  };
  std::error_code not_a_link;
  return file == standard_output || names_descriptor_1(file) ||
         names_descriptor_1(std::filesystem::read_symlink(file, not_a_link));
}

void require_result_file(const CLI::App& command, const std::string& file) {
  refuse_overwriting_inputs(command, {"--output", "--matrix", "--groups"}, {file, file + ".meta.json"});
  require_writable(file);
}

void prepare_result_file(const CLI::App& command, std::string& file, OutputOptions& output) {
  if (file.empty()) return;
  if (!is_standard_output(file)) return require_result_file(command, file);
  if (output.csv)
    throw Error(ErrorKind::usage,
                "-o " + file + " and --csv both write to standard output; use only one of them");
  output.json = true;
  file.clear();
}

namespace {

/// The name and the value in an option value of the form "NAME=VALUE".
struct Setting {
  std::string option, text;

  [[nodiscard]] Error fault(const std::string& why) const {
    return Error(ErrorKind::usage, option + " " + text + ": " + why);
  }
  [[nodiscard]] std::string value() const {
    const auto equals = text.rfind('=');
    return equals == std::string::npos ? std::string() : text.substr(equals + 1);
  }
  [[nodiscard]] std::size_t layer_of(const Network& network) const {
    const int layer = network.index_of(text.substr(0, text.rfind('=')));
    if (layer < 0) throw fault("network " + network.name + " has no layer with this name");
    return static_cast<std::size_t>(layer);
  }
};

void set_threshold_of_layer(Plan& plan, const Network& network, const Setting& setting) {
  const auto t = parse_int(setting.value());
  if (!t || *t < 0 || *t > 10) throw setting.fault("expected NAME=T, such as conv1=2");
  const std::size_t at = setting.layer_of(network);
  if (const auto why = why_not_threshold(network.layers[at], static_cast<int>(*t)); !why.empty())
    throw setting.fault(why);
  plan.layers.at(at).set_threshold(static_cast<int>(*t));
  note_threshold_source(plan, at, "user");
  plan.source = setting.option;
}

void set_map_of_layer(Plan& plan, const Network& network, const Setting& setting) {
  const std::size_t at = setting.layer_of(network);
  try {
    plan.layers.at(at).algorithm = parse_map_algorithm(setting.value());
  } catch (const Error& error) {
    throw setting.fault(error.what());
  }
}

void set_dataflow_of_layer(Plan& plan, const Network& network, const Setting& setting) {
  const std::size_t at = setting.layer_of(network);
  try {
    plan.layers.at(at) = with_dataflow(network.layers[at], plan.layers.at(at), setting.value());
  } catch (const Error& error) {
    throw setting.fault(error.what());
  }
  note_threshold_source(plan, at, "user");
  plan.source = setting.option;
}

void set_backward_of_layer(Plan& plan, const Network& network, LayerPass pass, const Setting& setting) {
  try {
    set_pass(plan, network, setting.layer_of(network), pass, setting.value());
  } catch (const Error& error) {
    throw setting.fault(error.what());
  }
}

void set_layout_of_layer(Plan& plan, const Network& network, const Setting& setting) {
  const std::size_t at = setting.layer_of(network);
  for (const auto layout : {MapLayout::output_major, MapLayout::offset_major, MapLayout::z_runs}) {
    if (setting.value() != text_of(layout)) continue;
    LayerPlan& own = plan.layers.at(at);
    if (own.splits > 0 || own.method != FeatureMethod::by_layout)
      throw setting.fault("the layer runs " + dataflow_text(network.layers[at], own) +
                          ", whose map layout cannot be chosen; change the dataflow with --layer-dataflow");
    own.dense_layout = layout;
    return;
  }
  throw setting.fault("expected NAME=output-major, offset-major or z-runs");
}

}  // namespace

void LayerSettings::add(CLI::App& command) {
  const auto option = [&](const char* name, std::vector<std::string>& into, const char* about,
                          const char* value) {
    command.add_option(name, into, about)->type_name(value)->allow_extra_args(false);
  };
  option("--layer-threshold", thresholds,
         "Threshold t of one layer, which overrides --threshold; may be repeated", "NAME=T");
  option("--layer-map", maps, "Search algorithm of one layer, which overrides --map; may be repeated",
         "NAME=ALGORITHM");
  option("--layer-layout", layouts,
         "Layout of the kernel map of one layer, for the offsets that run output-stationary: output-major, "
         "offset-major or z-runs; may be repeated",
         "NAME=LAYOUT");
  option("--layer-dataflow", dataflows, "Dataflow of one layer, such as mask-sorted:2; may be repeated",
         "NAME=DATAFLOW");
}

void LayerSettings::add_backward(CLI::App& command) {
  const auto option = [&](const char* name, std::vector<std::string>& into, const char* about) {
    command.add_option(name, into, about)
        ->type_name("NAME=DATAFLOW")
        ->allow_extra_args(false)
        ->needs("--training");
  };
  option("--layer-dgrad", dgrads,
         "With --training: dataflow of one layer for dgrad, the gradient of the inputs; may be repeated");
  option(
      "--layer-wgrad", wgrads,
      "With --training: one layer computes wgrad, the gradient of the weights, from the kernel map of this "
      "dataflow; may be repeated");
}

void LayerSettings::set_in(Plan& plan, const std::vector<LayerPlan>& before, const Network& network) const {
  set_forward_in(plan, network);
  const Levels levels = levels_of(network);
  // The backward settings of a profile belong to the forward settings that were chosen with them.
  for (std::size_t at = 0; at < plan.backward.size(); ++at) {
    if (plan.layers[at] != before[at])
      plan.backward[at] = default_backward(network.layers[at], levels.layers[at], plan.layers[at]);
  }
  for (const auto& text : dgrads)
    set_backward_of_layer(plan, network, LayerPass::dgrad, {"--layer-dgrad", text});
  for (const auto& text : wgrads)
    set_backward_of_layer(plan, network, LayerPass::wgrad, {"--layer-wgrad", text});
}

void LayerSettings::set_forward_in(Plan& plan, const Network& network) const {
  for (const auto& text : thresholds)
    set_threshold_of_layer(plan, network, {"--layer-threshold", text});
  for (const auto& text : maps)
    set_map_of_layer(plan, network, {"--layer-map", text});
  for (const auto& text : layouts)
    set_layout_of_layer(plan, network, {"--layer-layout", text});
  // A dataflow implies a threshold and a layout.
  for (const auto& text : dataflows) {
    const Setting setting{"--layer-dataflow", text};
    const std::size_t at = setting.layer_of(network);
    for (const auto& [option, others] :
         {std::pair("--layer-threshold", &thresholds), std::pair("--layer-layout", &layouts)}) {
      for (const auto& other : *others)
        if (Setting{option, other}.layer_of(network) == at)
          throw setting.fault(std::string("cannot be used with ") + option + " of the same layer");
    }
  }
  for (const auto& text : dataflows)
    set_dataflow_of_layer(plan, network, {"--layer-dataflow", text});
}

}  // namespace spira::app
