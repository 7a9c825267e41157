#include "app/common/value_names.hpp"
#include "app/spira/bev_tune.hpp"
#include "app/spira/options.hpp"
#include "app/spira/setting_lists.hpp"
#include "app/spira/survey_table.hpp"
#include "app/spira/table.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/network.hpp"
#include "engine/report/advice/threshold_model.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/report/validate.hpp"
#include "engine/scene/sequence.hpp"
#include "engine/tune/group_table.hpp"
#include "engine/tune/matrix.hpp"
#include "engine/tune/sweep.hpp"
#include "engine/tune/tune_estimate.hpp"
#include "engine/tune/tuner.hpp"

#include <algorithm>
#include <iostream>
#include <tuple>

namespace spira::app {
namespace {

struct TuneOptions {
  std::vector<std::string> scenes;
  SceneOptions scene;
  EngineOptions engine;
  std::string network = "minkunet42", budget = "30s", thresholds, dataflows, packings, algorithms = "zdelta",
              weights, output, shard;
  int warmup = 1, min_samples = 5, max_samples = 50;
  bool fresh = false, training = false;
  std::optional<Shard> taken;  ///< The shard of --shard, after its frames have replaced the folder.
  /// An option that prints a table, or writes it as CSV if it has a file.
  struct Table {
    bool wanted = false;
    std::string file;
  };
  Table matrix, groups;
  const CLI::Option* network_option = nullptr;
  OutputOptions as;
  BevTuneOptions bev;
};

/// The options that have no effect for a bird's-eye view network.
std::vector<std::string> only_for_voxel_tuning() {
  return {"--thresholds", "--dataflows",     "--algorithms", "--packings", "--neighbours",
          "--positions",  "--scene-weights", "--training",   "--shard",    "--fresh",
          "--matrix",     "--groups",        "--budget",     "--pack",     "--batch"};
}

/// Tunes a bird's-eye view network on one scene.
void tune_views(const CLI::App& command, const Context& context, const TuneOptions& options,
                Network network) {
  refuse_options(command, only_for_voxel_tuning());
  if (options.scenes.size() != 1)
    throw Error(ErrorKind::usage, "tune: a bird's-eye view network is tuned on one scene, but " +
                                      std::to_string(options.scenes.size()) + " are given");
  SceneOptions scene = options.scene;
  scene.scene = options.scenes.front();
  SamplingProtocol how;
  how.warmup = options.warmup;
  how.min_samples = options.min_samples;
  how.max_samples = std::max(options.min_samples, options.max_samples);
  tune_bev(context, scene, options.engine, how, std::move(network), options.bev, options.output,
           options.as.json);
}

/// Returns the profile in the file of -o, or an empty profile if the file does not exist. Throws Error(usage)
/// if the file is not a tuning profile, because writing the profile would destroy its content.
TuningProfile known_profile(const Context& context, const TuneOptions& options) {
  std::error_code fault;
  if (options.output.empty() || options.fresh || is_stream(options.output) ||
      !std::filesystem::exists(options.output, fault))
    return {};
  if (!looks_like_profile(options.output))
    throw Error(
        ErrorKind::usage,
        options.output + ": the file exists but is not a tuning profile; use --fresh to overwrite the file");
  TuningProfile known = read_profile(options.output);
  context.say(options.output + ": the file already contains " +
              std::to_string(known.features.size() + known.maps.size()) +
              " measured settings, which are kept (use --fresh to measure them again)");
  return known;
}

TuneScene open_scene_of(const Context& context, const TuneOptions& options, const std::string& name,
                        std::optional<Grid>& grid, const Network& network, Job& job) {
  const Levels levels = levels_of(network);
  SceneOptions one = options.scene;
  one.scene = name;
  if (grid) one.grid = grid_text(grid->voxel_m);
  TuneScene scene;
  Grid chosen;
  std::tie(scene.cloud, chosen) = one.open_for(context, network, job);
  if (!grid) grid = chosen;
  scene.grid = *grid;
  scene.pack = one.pack_for(context, *scene.cloud, *grid, levels.needs, job);
  return scene;
}

/// Returns the packings of `--packings all`: the usual packings, except packings without space for the
/// batch index of any scene, and then the other packings that fit a scene.
std::vector<PackSpec> all_packings(const std::vector<TuneScene>& scenes, const Network& network, Job& job) {
  const Levels levels = levels_of(network);
  std::vector<PackSpec> usual, fitting;
  const auto add = [](std::vector<PackSpec>& to, const PackSpec& pack) {
    if (std::find(to.begin(), to.end(), pack) == to.end()) to.push_back(pack);
  };
  for (const TuneScene& scene : scenes) {
    const auto extent = voxel_range(*scene.cloud, scene.grid, job).extent(levels.needs.levels);
    const PackNeeds needs = levels.needs.with_batch(scene.cloud->batch());
    for (const PackSpec& pack : usual_packings())
      if (fit(extent, pack.with_batch(needs.batch), needs).batch_fits()) add(usual, pack);
    for (const PackSpec& pack : packings_that_fit(extent, needs))
      add(fitting, pack.with_batch(1));
  }
  for (const PackSpec& pack : fitting)
    add(usual, pack);
  return usual;
}

/// Returns the thresholds among these dataflows, and the largest threshold.
std::vector<int> thresholds_among(const std::vector<std::string>& dataflows, int highest) {
  std::vector<int> all{highest};
  for (const std::string& name : dataflows) {
    const auto setting = setting_of(name, highest);
    if (setting && setting->is_threshold()) all.push_back(setting->threshold);
  }
  return all;
}

/// Names the requested search algorithms that cannot find native neighbours.
void say_impossible_algorithms(const Context& context, const TuneRequest& request) {
  for (const MapAlgorithm algorithm : request.algorithms) {
    std::int64_t layers = 0;
    std::string why;
    for (const Layer& layer : request.network->layers) {
      const std::string own = why_not_algorithm(algorithm, layer.kernel());
      layers += own.empty() ? 0 : 1;
      if (why.empty()) why = own;
    }
    if (layers > 0)
      context.say(std::string(text_of(algorithm)) + ": not possible in " +
                  counted_text(layers, "layer", "layers") + ": " + why);
  }
}

TuneRequest request_of(const Context& context, const TuneOptions& options, Job& job) {
  TuneRequest request;
  options.scene.check();
  if (!options.scene.batch.empty() && options.scenes.size() > 1)
    throw Error(
        ErrorKind::usage,
        "--batch combines one scene and further scenes into a batch, but " +
            std::to_string(options.scenes.size()) +
            " scenes are given before --batch; to tune on several batches, save each batch as a voxel file");
  request.budget_ms = parse_budget_ms(options.budget);
  const auto scene_weights = parse_scene_weights(options.weights, options.scenes.size());
  request.algorithms = parse_algorithms(options.algorithms);
  if (!options.packings.empty() && options.packings != "all")
    request.packings = parse_packs("--packings", options.packings);
  Network network = options.scene.neighbours.network(options.network);
  if (!options.thresholds.empty())
    request.thresholds = parse_thresholds(options.thresholds, all_thresholds(network));
  if (!options.dataflows.empty()) {
    request.dataflows = parse_dataflows(options.dataflows, network, -1);
    request.thresholds = thresholds_among(request.dataflows, all_thresholds(network).back());
  }
  request.backend = context.registry.make(options.engine.backend, context.backend_options());
  const bool weights_from_file = !options.engine.weights.empty();
  if (weights_from_file) request.weights = options.engine.weights_for(network, job);
  std::optional<Grid> grid;
  for (std::size_t at = 0; at < options.scenes.size(); ++at) {
    request.scenes.push_back(open_scene_of(context, options, options.scenes[at], grid, network, job));
    request.scenes.back().weight = scene_weights[at];
  }
  if (options.packings == "all") request.packings = all_packings(request.scenes, network, job);
  request.precision = options.engine.storage();
  request.training = options.training;
  request.protocol.warmup = options.warmup;
  request.protocol.min_samples = options.min_samples;
  request.protocol.max_samples = std::max(options.min_samples, options.max_samples);
  request.tool_version = SPIRA_VERSION;
  if (!weights_from_file) request.weights = options.engine.weights_for(network, job);
  if (const std::string partial = partial_text(network); !partial.empty()) context.say(partial);
  request.network = std::make_shared<const Network>(std::move(network));
  say_impossible_algorithms(context, request);
  return request;
}

/// Suggests a time budget that is long enough for `min_samples` samples of every setting. The estimate uses
/// the time of the previous samples.
std::string budget_advice(const TuningProfile& profile, int min_samples) {
  double round_ms = 0, spent_ms = 0;
  auto fewest = static_cast<std::size_t>(min_samples);
  const auto add = [&](const auto& records) {
    for (const auto& one : records) {
      const Statistics stats = statistics(one.ms);
      spent_ms += stats.mean * static_cast<double>(stats.n);
      if (one.dropped) continue;
      round_ms += stats.median;
      fewest = std::min(fewest, one.ms.size());
    }
  };
  add(profile.features);
  add(profile.maps);
  const double more_ms = round_ms * static_cast<double>(static_cast<std::size_t>(min_samples) - fewest);
  if (!(more_ms > 0) && profile.undecided.empty()) return {};
  if (!profile.undecided.empty() || !(spent_ms > 0))
    return "; to continue, run the same command again or use a larger --budget";
  const double needed_ms = profile.budget_ms * (spent_ms + more_ms) / spent_ms;
  return "; to continue, run the same command again, or use --budget " +
         std::to_string(static_cast<std::int64_t>(std::ceil(needed_ms / 1000))) +
         "s, which probably suffices for " + std::to_string(min_samples) + " samples of each setting";
}

void say_how_it_ended(const Context& context, const TuneOptions& options, const TuningProfile& profile) {
  if (profile.stopped.empty()) return;
  const std::string what =
      profile.stopped == "budget" ? "stopped at the budget of " + ms_text(profile.budget_ms) : "interrupted";
  context.say(what + ": the measured samples are kept" +
              (profile.stopped == "budget" ? budget_advice(profile, options.min_samples) : ""));
}

/// Writes the profile and returns the name of the file. If another program has changed the file since
/// `version` was determined, writes to a different file, so that the samples of both programs are kept.
std::string save(const Context& context, const TuneOptions& options, const TuningProfile& profile,
                 const FileVersion& version) {
  const std::string text = profile_json(profile);
  std::string file = options.output;
  if (is_stream(file)) {
    write_file(file, text, context.stop);
  } else if (!write_file_if_unchanged(file, version, text)) {
    for (int number = 2; !write_file_if_unchanged(file, {}, text); ++number)
      file = options.output + "." + std::to_string(number);
  }
  context.say("tuning profile: " + file);
  return file;
}

/// Prints the matrix of a profile or of a report, or writes it as CSV.
template <class Source>
void print_matrix(const Context& context, const TuneOptions& options, const SettingMatrix& matrix,
                  const Source& source) {
  if (options.matrix.file.empty()) {
    std::cout << matrix_text(matrix, source) << std::flush;
    return;
  }
  write_file(options.matrix.file, matrix_csv(matrix), context.stop);
  context.say("matrix: " + options.matrix.file);
}

/// Prints the tables that the options ask for, or writes them as CSV.
void print_tables(const Context& context, const TuneOptions& options, const TuningProfile& profile,
                  const Network& network) {
  if (options.matrix.wanted) print_matrix(context, options, setting_matrix(profile, network), profile);
  if (!options.groups.wanted) return;
  const GroupTable table = group_table(profile, network);
  if (options.groups.file.empty()) {
    std::cout << groups_text(table, profile) << std::flush;
    return;
  }
  write_file(options.groups.file, groups_csv(table), context.stop);
  context.say("groups: " + options.groups.file);
}

/// Returns the network of --network if this option is given. Otherwise returns the built-in network that the
/// profile names. Throws Error(usage) if no built-in network has this name.
Network network_of(const TuneOptions& options, const std::string& file, const TuningProfile& profile) {
  if (options.network_option->count() > 0) return options.scene.neighbours.network(options.network);
  const auto presets = network_presets();
  if (std::none_of(presets.begin(), presets.end(),
                   [&](const PresetFacts& facts) { return facts.id == profile.network; }))
    throw Error(ErrorKind::usage, file + ": the profile was tuned for " + profile.network +
                                      "; pass the network file with --network");
  return network_preset(profile.network);
}

/// Throws Error(usage) if the options do more than print tables of `file`, because this needs a scene. `what`
/// is the kind of `file`, such as "tuning profile".
void require_tables(const TuneOptions& options, const std::string& file, const std::string& what) {
  if (!options.matrix.wanted && !options.groups.wanted)
    throw Error(ErrorKind::usage, file + ": a " + what + ", not a scene; use --matrix to print its matrix");
  if (!options.output.empty() || options.as.json)
    throw Error(ErrorKind::usage, file + ": " + (options.matrix.wanted ? "--matrix" : "--groups") +
                                      " only prints this " + what + "; -o and --json require a scene");
}

void print_tables_of_profile(const Context& context, const TuneOptions& options, const std::string& file) {
  require_tables(options, file, "tuning profile");
  const TuningProfile profile = read_profile(file);
  print_tables(context, options, profile, network_of(options, file, profile));
}

void print_matrix_of_report(const Context& context, const TuneOptions& options, const std::string& file) {
  require_tables(options, file, "report");
  if (options.groups.wanted)
    throw Error(ErrorKind::usage, file + ": this file is a report; --groups requires a tuning profile");
  const Report report = read_report(file);
  if (!report.threshold_sweep || !has_matrix(*report.threshold_sweep))
    throw Error(ErrorKind::input, file +
                                      ": the report contains no sweep of t, so it has no matrix; record a "
                                      "report with a sweep (spira run --sweeps -o FILE)");
  SettingMatrix matrix =
      setting_matrix(*report.threshold_sweep, report.measurement, report.network, report.measurement.plan);
  std::vector<const Densities*> densities;
  for (const Densities& one : report.layer_densities)
    densities.push_back(&one);
  add_modelled_cells(matrix, report.measurement, report.network, densities);
  print_matrix(context, options, matrix, report);
}

/// If the user gave a file with records instead of a scene, prints its tables and returns true. Otherwise
/// returns false.
bool print_tables_of_file(const Context& context, const TuneOptions& options) {
  const std::string& file = options.scenes.front();
  constexpr std::uint64_t max_report_bytes = 128ULL << 20U;
  if (options.scenes.size() != 1 || !file.ends_with(".json")) return false;
  if (looks_like_profile(file)) {
    print_tables_of_profile(context, options, file);
  } else if (document_kind(read_text_file(file, max_report_bytes), file) == DocumentKind::report) {
    print_matrix_of_report(context, options, file);
  } else {
    throw Error(ErrorKind::input, file +
                                      ": this is neither a tuning profile (written by spira tune -o) nor a "
                                      "report (written by spira run --sweeps -o)");
  }
  return true;
}

/// Replaces a folder by its frames, or by the frames of a shard.
void take_frames_to_tune(TuneOptions& options) {
  require_folder_and_grid(options.shard, options.scenes, options.scene.grid);
  if (options.scenes.size() != 1 || !names_folder(options.scenes.front())) return;
  auto frames = list_frames(options.scenes.front());
  if (!options.shard.empty()) options.taken = take_shard(options.shard, frames);
  options.scenes.clear();
  for (const auto& frame : frames)
    options.scenes.push_back(frame.string());
}

void run_tune(const Context& context, TuneOptions options) {
  take_frames_to_tune(options);
  if (options.scenes.empty()) {
    context.say("shard " + options.taken->text() + " has no frames; no profile is written");
    return;
  }
  if (print_tables_of_file(context, options)) return;
  Job job = context.job();
  const FileVersion version = version_of(options.output);
  TuningProfile known = known_profile(context, options);
  if (!known.scenes.empty() && known.shard != options.taken)
    throw Error(ErrorKind::usage, options.output + ": contains " +
                                      (known.shard ? "shard " + known.shard->text() : "no shard") +
                                      " of other frames; use another -o, or --fresh");
  TuneRequest request = request_of(context, options, job);
  request.on_estimate = [&context, budget_ms = request.budget_ms](const TuneEstimate& estimate) {
    context.say(estimate.text(budget_ms));
  };
  TuningProfile profile = tune(request, std::move(known), job);
  profile.command = context.command_line;
  profile.shard = options.taken;
  if (profile.choices.empty()) {
    const std::string fault =
        "no setting could be chosen, because no group of layers was completely measured; ";
    if (profile.stopped == "interrupted")
      throw Error(ErrorKind::cancelled, fault + "run the command again without interrupting it");
    throw Error(ErrorKind::undecided, fault + "use a larger --budget (now " + options.budget + ")");
  }
  const bool right = std::all_of(profile.checks.begin(), profile.checks.end(),
                                 [](const PlanCheck& check) { return check.output.ok; });
  std::string written = options.output;
  if (right && !written.empty()) written = save(context, options, profile, version);
  std::cout << (options.as.json ? profile_json(profile) : tune_text(profile)) << std::flush;
  print_tables(context, options, profile, *request.network);
  say_how_it_ended(context, options, profile);
  if (!right)
    throw Error(ErrorKind::failed_check,
                "the output of the tuned plan differs from the output with t = max; no profile is written");
  if (written != options.output)
    throw Error(
        ErrorKind::input,
        options.output +
            ": another program changed this file during the measurement; the new profile was saved as " +
            written);
  if (profile.stopped == "interrupted")
    throw Error(ErrorKind::cancelled, "interrupted; the output of the tuned plan was not checked");
}

void add_sampling(CLI::App& command, TuneOptions& options) {
  command
      .add_option(
          "--budget", options.budget,
          "Time limit of the whole command, such as 30s, 500ms, 2m or 1h; the results so far are then saved")
      ->type_name("TIME")
      ->capture_default_str();
  add_warmup(command, options.warmup, "Number of warm-up runs of each setting, which are not measured");
  command
      .add_option("--min-samples,--repeat", options.min_samples,
                  "Minimum number of samples of each setting (if fewer than 5: no setting is chosen)")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--max-samples", options.max_samples, "Maximum number of samples of each setting")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
}

/// Checks the file of an option such as --matrix. Two options must not write to one file.
void check_table_file(const CLI::App& command, const std::string& option, const TuneOptions::Table& table,
                      const std::vector<std::pair<std::string, std::string>>& others) {
  if (table.file.empty()) return;
  if (!table.file.ends_with(".csv"))
    throw Error(ErrorKind::usage, option + " " + table.file +
                                      ": expected a file name that ends with .csv; put scenes, profiles and "
                                      "reports before " +
                                      option);
  for (const auto& [other, file] : others) {
    if (table.file == file)
      throw Error(ErrorKind::usage, other + " and " + option + " both write to " + table.file);
  }
  require_result_file(command, table.file);
}

void check_tables(const CLI::App& command, const TuneOptions& options) {
  for (const auto& [option, table] :
       {std::pair("--matrix", &options.matrix), {"--groups", &options.groups}}) {
    if (options.as.json && table->wanted && table->file.empty())
      throw Error(ErrorKind::usage, std::string(option) + " and --json: both write to standard output; use " +
                                        option + " FILE.csv");
  }
  check_table_file(command, "--matrix", options.matrix, {{"-o", options.output}});
  check_table_file(command, "--groups", options.groups,
                   {{"-o", options.output}, {"--matrix", options.matrix.file}});
}

/// Adds the options that select the settings to measure.
void add_measured_settings(CLI::App& command, TuneOptions& options) {
  command
      .add_option("--thresholds", options.thresholds,
                  "Thresholds t: all (default) or a list such as 0,2,4; t = max is always included")
      ->type_name("all|LIST");
  command
      .add_option("--dataflows", options.dataflows,
                  "Dataflows instead of thresholds: all, or a list such as os,ws,mask-sorted:2; t = max is "
                  "always included")
      ->type_name("all|LIST")
      ->excludes("--thresholds");
  command
      .add_option("--algorithms", options.algorithms,
                  "Search algorithms to measure: all, or a list such as zdelta,hash")
      ->type_name("all|zdelta|bsearch|hash|sorted|LIST")
      ->capture_default_str();
  command
      .add_option("--packings", options.packings,
                  "Packings to measure: all, or a list such as 32,64 (default: the packing of each scene)")
      ->type_name("all|LIST");
}

struct TableOptions {
  const CLI::Option *matrix = nullptr, *groups = nullptr;
};

TableOptions add_tables(CLI::App& command, TuneOptions& options) {
  const auto add = [&](const char* name, std::string& file, const char* help) {
    return command.add_option(name, file, help)->expected(0, 1)->type_name("FILE.csv");
  };
  return {
      add("--matrix", options.matrix.file,
          "Print a table with the time of each layer with each setting, or write it to FILE.csv; if a tuning "
          "profile or a report is given instead of a scene, nothing is measured"),
      add("--groups", options.groups.file,
          "Print a table with the time of each group of layers with each setting, or write it to FILE.csv; "
          "the layers of a group share a map; if a tuning profile is given instead of a scene, nothing is "
          "measured")};
}

}  // namespace

void add_tune(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "tune", "Find the fastest threshold t and search algorithm for each layer, and the fastest packing");
  command->footer(
      "Example: spira tune scan.bin --network resn21 --grid 0.05 --budget 60s -o resn21.tune.json\n"
      "         spira run scan.bin --network resn21 --grid 0.05 --plan resn21.tune.json\n"
      "         spira tune a.bin --batch b.bin c.bin --network resn21 -o batch.tune.json\n"
      "         spira tune resn21.tune.json --matrix --groups\n"
      "         spira tune scan.bin --network sbnet --mask occupied -o sbnet.plan.json");
  auto options = std::make_shared<TuneOptions>();
  command
      ->add_option(
          "scene", options->scenes,
          "Scene files, - for standard input, generated scenes (street, room or random), or one folder "
          "of frames")
      ->type_name(scene_value())
      ->required();
  options->network_option = command
                                ->add_option("--network", options->network,
                                             "resn21, minkunet42, resnl20, fcgf, sbnet or a JSON file")
                                ->type_name(network_value())
                                ->capture_default_str();
  options->scene.add_reading(*command);
  options->scene.add_batch(*command);
  options->scene.neighbours.add(*command);
  options->engine.add(*command);
  add_measured_settings(*command, *options);
  command
      ->add_option("--scene-weights", options->weights,
                   "Weight of each scene, such as 2,1 (default: 1 for each scene)")
      ->type_name("LIST");
  command->add_flag("--training", options->training, "Also measure dgrad and wgrad, for training steps");
  add_sampling(*command, *options);
  command
      ->add_option(
          "-o,--output", options->output,
          "Write or extend the tuning profile in this file; - is standard output; for a bird's-eye view "
          "network: write the plan")
      ->type_name(file_value);
  add_shard(*command, options->shard);
  command->add_flag("--fresh", options->fresh, "Measure all settings again and overwrite the file");
  command->add_flag("--json", options->as.json, "Write the profile as JSON to stdout");
  options->bev.add(*command);
  const TableOptions tables = add_tables(*command, *options);
  command->callback([command, options, tables, &context] {
    options->matrix.wanted = tables.matrix->count() > 0;
    options->groups.wanted = tables.groups->count() > 0;
    prepare_result_file(*command, options->output, options->as);
    check_tables(*command, *options);
    if (Network network = options->scene.neighbours.network(options->network);
        network.space == NetworkSpace::bev)
      return tune_views(*command, context, *options, std::move(network));
    BevTuneOptions::refuse(*command);
    run_tune(context, *options);
  });
}

}  // namespace spira::app
