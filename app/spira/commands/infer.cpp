#include "app/common/value_names.hpp"
#include "app/spira/gpus.hpp"
#include "app/spira/options.hpp"
#include "app/spira/run_table.hpp"
#include "app/spira/survey_table.hpp"
#include "app/spira/table.hpp"
#include "app/spira/tuned_run.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/text.hpp"
#include "engine/network/network.hpp"
#include "engine/run/infer/frame_pipeline.hpp"
#include "engine/run/infer/manifest.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/run/write_outputs.hpp"
#include "engine/scene/sequence.hpp"
#include "engine/tune/apply_profile.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <span>
#include <thread>

namespace spira::app {
namespace {

namespace fs = std::filesystem;

struct InferOptions {
  std::string folder, network = "minkunet42", shard, devices, output;
  bool json = false;
  SceneOptions scene;
  RunOptions run;
  RunOutputs outputs;
};

/// Everything that is the same for all frames.
struct InferSetup {
  Context quiet;  ///< For the notes about frames, which would be the same for most frames.
  std::vector<fs::path> frames;
  std::optional<Shard> shard;
  std::shared_ptr<Backend> backend;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  std::optional<TuningProfile> profile;
  Plan plan;  ///< The plan of all frames. Not set if there is a profile.
  std::unique_ptr<Session> session;
  std::vector<int> layers;
  RunFingerprints fingerprints;
};

std::uint64_t text_hash(const std::string& text) {
  return hash64(std::as_bytes(std::span(text)));
}

/// Returns the hash of all settings that can change a result, except the network and the weights.
std::uint64_t settings_hash(const InferOptions& options, const InferSetup& setup) {
  const RunOptions& run = options.run;
  std::string text = SPIRA_VERSION;
  const auto add = [&](const std::string& value) { text += '\n' + value; };
  for (const std::string& value :
       {options.scene.grid, options.scene.pack, options.scene.crop, options.scene.format,
        std::string(text_of(options.scene.neighbours.position_kind())), std::to_string(options.scene.every),
        run.precision, std::string(run.precision_given() ? "given" : "default"), run.map, run.dataflow,
        std::to_string(run.threshold), run.plan, std::to_string(static_cast<int>(run.ignore_devices))})
    add(value);
  for (const auto* list :
       {&run.layers.thresholds, &run.layers.maps, &run.layers.layouts, &run.layers.dataflows}) {
    add(std::to_string(list->size()));
    for (const std::string& value : *list)
      add(value);
  }
  for (const int layer : setup.layers)
    add(std::to_string(layer));
  add(setup.backend->facts().name);
  constexpr std::uint64_t max_plan_bytes = 128ULL << 20U;
  if (!run.plan.empty() && !is_named_plan(run.plan)) add(read_text_file(run.plan, max_plan_bytes));
  return text_hash(text);
}

/// Throws Error(usage) if the results would be written into the folder of the frames.
void require_own_folder(const InferOptions& options) {
  if (!names_folder(options.folder))
    throw Error(ErrorKind::usage,
                options.folder + ": is not a folder of frames; use spira run for one scene");
  std::error_code fault;
  fs::create_directories(options.output, fault);
  if (!fs::is_directory(options.output))
    throw Error(ErrorKind::input, options.output + ": cannot be created: " + fault.message());
  if (same_file(options.folder, options.output))
    throw Error(ErrorKind::usage,
                "-o " + options.output + ": is the folder of the frames; use another folder");
}

/// Returns the network. First checks the options that need no device.
Network checked_network(const InferOptions& options) {
  options.scene.check();
  Network network = options.scene.neighbours.network(options.network);
  if (options.scene.grid.empty() && !network.grid)
    throw Error(ErrorKind::usage, "infer: requires --grid, so that all frames have the same voxel size");
  if (!options.shard.empty()) static_cast<void>(parse_shard(options.shard));
  require_own_folder(options);
  return network;
}

InferSetup set_up(const Context& context, const InferOptions& options, Job& job) {
  Network network = checked_network(options);
  InferSetup setup{context, list_frames(options.folder), {}, {}, {}, {}, {}, {}, {}, {}, {}};
  setup.quiet.quiet = true;
  if (!options.shard.empty()) setup.shard = take_shard(options.shard, setup.frames);
  setup.layers = options.outputs.named_layers(network);
  setup.profile = profile_of(options.run);
  if (setup.profile) {
    options.run.check_settings(context, network);
  } else {
    setup.plan = options.run.plan_for(context, network);
  }
  setup.backend = context.registry.make(options.run.backend, context.backend_options());
  setup.weights = options.run.weights_for(network, job);
  setup.network = std::make_shared<const Network>(std::move(network));
  setup.session = std::make_unique<Session>(setup.backend, setup.network, setup.weights);
  const bool from_file = !options.run.weights.empty();
  setup.fingerprints.network = fingerprint_of(*setup.network);
  setup.fingerprints.weights =
      from_file ? setup.weights->fingerprint : text_hash("seed " + std::to_string(options.run.seed));
  setup.fingerprints.settings = settings_hash(options, setup);
  return setup;
}

std::string results_name(const fs::path& frame) {
  return frame.filename().string() + ".safetensors";
}

/// Removes temporary files that a killed process left for the results of these frames.
void remove_leftovers(const fs::path& folder, const std::vector<fs::path>& frames) {
  std::vector<std::string> names;
  for (const fs::path& frame : frames)
    names.push_back(results_name(frame) + ".part");
  std::sort(names.begin(), names.end());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const auto part = name.rfind(".part");
    if (part == std::string::npos || name.find_first_not_of("0123456789", part + 5) != std::string::npos)
      continue;
    std::error_code ignored;
    if (std::binary_search(names.begin(), names.end(), name.substr(0, part + 5)))
      fs::remove(entry.path(), ignored);
  }
}

FrameInput read_frame(const InferOptions& options, const InferSetup& setup, const fs::path& frame, Job& job) {
  SceneOptions one = options.scene;
  one.scene = frame.string();
  FrameInput input;
  std::tie(input.cloud, input.grid) = one.open_for(setup.quiet, *setup.network, job);
  if (input.cloud->size() == 0) throw Error(ErrorKind::input, "contains no points");
  input.pack =
      tuned_pack(setup.quiet, one, setup.profile, *input.cloud, input.grid, setup.session->levels(), job);
  require_memory(*input.cloud, input.grid, {.positions = has_native_layers(*setup.network)}, std::nullopt,
                 job);
  return input;
}

FrameOutputs run_frame(const InferOptions& options, const InferSetup& setup, bool first,
                       const FrameInput& input, const Context& context, Job& job) {
  const Precision precision =
      setup.profile ? tuned_precision(options.run, *setup.profile) : setup.plan.precision;
  Session& session = *setup.session;
  static_cast<void>(session.load(input.cloud, input.grid, input.pack, precision, job, false));
  const Plan plan = setup.profile
                        ? tuned_plan(first ? context : setup.quiet, options.run, *setup.profile, session)
                        : setup.plan;
  const auto features = session.run_outputs(plan, setup.layers, job);
  FrameOutputs outputs;
  for (std::size_t at = 0; at < setup.layers.size(); ++at) {
    auto result = std::make_shared<LayerResult>();
    result->layer = setup.layers[at];
    result->scene = session.scene();
    result->levels = session.levels().layers[static_cast<std::size_t>(result->layer)];
    result->features = session.backend().results_are_host_memory()
                           ? features[at]
                           : std::make_shared<const Features>(session.backend().download(*features[at]));
    outputs.push_back(std::move(result));
  }
  return outputs;
}

FrameLine line_of(const InferSetup& setup, const fs::path& folder, const fs::path& frame,
                  const FrameResult& result) {
  FrameLine line;
  line.frame = frame.filename().string();
  line.bytes = frame_bytes(frame);
  line.run = setup.fingerprints;
  line.read_ms = result.read_ms;
  line.engine_ms = result.engine_ms;
  if (result.fault) {
    line.fault = result.fault->what();
    return line;
  }
  const VoxelScene& scene = *result.outputs.front()->scene;
  line.file = results_name(frame);
  line.file_bytes = fs::file_size(folder / line.file);
  line.points = scene.cloud->size();
  line.voxels = size_of(scene.level(1));
  line.pack = scene.pack.text();
  return line;
}

/// Prints the counts and the times of a process.
void print_json(const PipelineTimes& times, std::int64_t skipped) {
  const nlohmann::ordered_json all{{"finished", times.finished},
                                   {"skipped", skipped},
                                   {"failed", times.failed},
                                   {"total_ms", times.total_ms},
                                   {"first_ms", times.first_ms},
                                   {"engine_ms", times.engine_ms},
                                   {"waiting_ms", times.waiting_ms},
                                   {"writing_ms", times.writing_ms},
                                   {"frames_per_s", times.frames_per_s()},
                                   {"busy", times.busy_share()}};
  std::cout << all.dump(1) << "\n";
}

std::string infer_text(const PipelineTimes& times, std::int64_t skipped) {
  std::string text = "frames        " + count_text(times.finished) + " finished, " + count_text(skipped) +
                     " skipped (finished before), " + count_text(times.failed) + " failed\n";
  if (times.finished == 0) return text;
  text += "rate          " + fixed(times.frames_per_s(), 2) + " frames per second over " +
          ms_text(times.total_ms) + "\n";
  text += "first frame   " + ms_text(times.first_ms);
  if (const auto later = times.later_frames_per_s())
    text += "; later frames: " + fixed(*later, 2) + " per second";
  return text + "\nwaiting       " + ms_text(times.waiting_ms) + " for files, " + ms_text(times.writing_ms) +
         " for writing\nengine        busy " + percent_text(times.busy_share()) + " of the time\n";
}

/// Returns the frames that have no complete results.
std::vector<fs::path> unfinished(const InferSetup& setup, const Manifest& manifest) {
  std::vector<fs::path> frames;
  std::copy_if(setup.frames.begin(), setup.frames.end(), std::back_inserter(frames),
               [&](const fs::path& frame) { return !manifest.finished(frame, setup.fingerprints); });
  return frames;
}

/// A GPU runs a frame faster than one thread reads it. On the CPU, the network uses all threads.
std::size_t readers_for(const Backend& backend) {
  if (backend.facts().kind != BackendKind::cuda) return 1;
  constexpr unsigned most = 8;
  return std::clamp(std::thread::hardware_concurrency() / 2, 1U, most);
}

void run_infer(const Context& context, const InferOptions& options) {
  Job job = context.job();
  const InferSetup setup = set_up(context, options, job);
  const fs::path folder = options.output;
  Manifest manifest(folder, setup.shard);
  const std::vector<fs::path> frames = unfinished(setup, manifest);
  remove_leftovers(folder, frames);
  std::optional<Error> worst;
  FrameStages stages;
  stages.read = [&](std::size_t at, Job& reading) { return read_frame(options, setup, frames[at], reading); };
  stages.run = [&](std::size_t at, const FrameInput& input, Job& running) {
    return run_frame(options, setup, at == 0, input, context, running);
  };
  stages.write = [&](const FrameResult& result) {
    // A frame that has run is written even after Ctrl-C.
    Job writing;
    write_outputs(folder / results_name(frames[result.frame]), *setup.network, result.outputs,
                  setup.weights->source, writing);
  };
  stages.record = [&](const FrameResult& result) {
    const fs::path& frame = frames[result.frame];
    manifest.append(line_of(setup, folder, frame, result));
    if (!result.fault) return;
    std::cerr << "spira: " << printable(frame.filename().string() + ": " + result.fault->what()) << "\n";
    if (!worst || facts(result.fault->kind()).exit_code > facts(worst->kind()).exit_code)
      worst = result.fault;
  };
  const std::int64_t skipped = std::ssize(setup.frames) - std::ssize(frames);
  PipelineTimes times;
  try {
    run_frames(frames.size(), stages, times, job, {readers_for(*setup.backend)});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    if (options.json) print_json(times, skipped);
    throw Error(ErrorKind::cancelled, "cancelled after " + count_text(times.finished) + " of " +
                                          count_text(std::ssize(frames)) +
                                          " frames; run the same command again to continue");
  }
  if (options.json) {
    print_json(times, skipped);
  } else {
    std::cout << infer_text(times, skipped);
  }
  if (worst)
    throw Error(worst->kind(),
                count_text(times.failed) + " of " + count_text(std::ssize(frames)) + " frames failed");
}

/// Returns the indices of the usable GPUs. Asks another process, because listing them opens each GPU, and
/// this process would keep them open.
std::vector<int> usable_gpus(const Context& context) {
  const auto listed = run_processes({{"--quiet", "devices", "--json"}}, context.stop);
  const auto devices = nlohmann::json::parse(listed.front().output, nullptr, false);
  std::vector<int> usable;
  int gpu = 0;
  for (const auto& device : devices) {
    if (!device.is_object() || device.value("kind", "") != text_of(BackendKind::cuda)) continue;
    if (device.value("usable", false)) usable.push_back(gpu);
    ++gpu;
  }
  return usable;
}

/// Throws Error(usage) for options that --devices all excludes, and for settings that all processes would
/// refuse.
void require_for_all_gpus(const Context& context, const InferOptions& options) {
  if (options.devices != "all")
    throw Error(ErrorKind::usage,
                "--devices " + options.devices + ": expected all; --device N selects one GPU");
  if (!options.shard.empty())
    throw Error(ErrorKind::usage, "--devices all: gives each GPU its own shard, so it excludes --shard");
  if (context.gpu) throw Error(ErrorKind::usage, "--devices all: excludes --device");
  if (options.run.backend != "auto" && options.run.backend != text_of(BackendKind::cuda))
    throw Error(ErrorKind::usage, "--devices all: excludes --backend " + options.run.backend);
  static_cast<void>(checked_network(options));
}

/// Returns what the processes did: one object for each GPU, and the sums.
nlohmann::ordered_json summary_of(const std::vector<int>& gpus, const std::vector<ProcessResult>& results,
                                  double total_ms) {
  nlohmann::ordered_json all{{"gpus", nlohmann::ordered_json::array()}};
  std::int64_t finished = 0;
  for (std::size_t at = 0; at < gpus.size(); ++at) {
    auto facts = nlohmann::ordered_json::parse(results[at].output, nullptr, false);
    if (!facts.is_object()) facts = nlohmann::ordered_json::object();
    finished += facts.value("finished", std::int64_t{0});
    facts["gpu"] = gpus[at];
    facts["exit_code"] = results[at].exit_code;
    all["gpus"].push_back(std::move(facts));
  }
  all["finished"] = finished;
  all["total_ms"] = total_ms;
  all["frames_per_s"] = static_cast<double>(finished) * 1e3 / total_ms;
  return all;
}

std::string summary_text(const nlohmann::ordered_json& summary) {
  std::vector<std::vector<std::string>> table{
      {"GPU", "finished", "skipped", "failed", "frames/s", "busy", "first frame", "exit code"}};
  for (const auto& facts : summary.at("gpus")) {
    std::vector<std::string>& row =
        table.emplace_back(std::vector<std::string>{std::to_string(facts.at("gpu").get<int>())});
    // A process that was killed or that refused its arguments printed nothing.
    for (const char* key : {"finished", "skipped", "failed"})
      row.push_back(facts.contains(key) ? count_text(facts.at(key).get<std::int64_t>()) : "-");
    row.push_back(facts.contains("frames_per_s") ? fixed(facts.at("frames_per_s").get<double>(), 2) : "-");
    row.push_back(facts.contains("busy") ? percent_text(facts.at("busy").get<double>()) : "-");
    row.push_back(facts.contains("first_ms") ? ms_text(facts.at("first_ms").get<double>()) : "-");
    row.push_back(std::to_string(facts.at("exit_code").get<int>()));
  }
  return table_text(table) + count_text(summary.at("finished").get<std::int64_t>()) + " frames in " +
         ms_text(summary.at("total_ms").get<double>()) +
         ", including the start of the processes: " + fixed(summary.at("frames_per_s").get<double>(), 2) +
         " frames per second\n";
}

/// Throws the error of the processes that failed, with the largest exit code.
void require_success(const std::vector<int>& gpus, const std::vector<ProcessResult>& results) {
  int worst = 0;
  std::string failed;
  for (std::size_t at = 0; at < gpus.size(); ++at) {
    if (results[at].exit_code == 0) continue;
    worst = std::max(worst, results[at].exit_code);
    failed += (failed.empty() ? "" : ", ") + std::to_string(gpus[at]);
  }
  if (worst == 0) return;
  ErrorKind kind = ErrorKind::failed_check;
  for (const ErrorKind one : {ErrorKind::usage, ErrorKind::input, ErrorKind::does_not_fit, ErrorKind::device})
    kind = facts(one).exit_code == worst ? one : kind;
  constexpr int shells_add = 128;
  throw Error(worst > shells_add ? ErrorKind::cancelled : kind,
              "--devices all: failed on GPU " + failed + "; run the same command again to continue");
}

/// Runs one process on each usable GPU, each with its own shard.
void infer_on_all_gpus(const Context& context, const InferOptions& options) {
  require_for_all_gpus(context, options);
  const std::vector<int> gpus = usable_gpus(context);
  if (gpus.empty()) throw Error(ErrorKind::device, "--devices all: this machine has no usable GPU");
  std::vector<std::vector<std::string>> arguments;
  for (std::size_t at = 0; at < gpus.size(); ++at) {
    std::vector<std::string> added{"--json", "--device", std::to_string(gpus[at]), "--shard",
                                   std::to_string(at + 1) + "/" + std::to_string(gpus.size())};
    // Without a GPU, the back end auto would use the CPU.
    if (options.run.backend == "auto")
      added.insert(added.end(), {"--backend", std::string(text_of(BackendKind::cuda))});
    arguments.push_back(process_arguments(context.command_line, added));
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto results = run_processes(arguments, context.stop);
  const double total_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  const auto summary = summary_of(gpus, results, total_ms);
  std::cout << (options.json ? summary.dump(1) + "\n" : summary_text(summary));
  require_success(gpus, results);
}

}  // namespace

void add_infer(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "infer", "Run a network on all frames of a folder and write the outputs of each frame");
  command->footer(
      "Example: spira infer sweeps --network net.json --weights net.safetensors --grid 0.05 -o results\n"
      "Run the same command again to continue after an interruption.");
  auto options = std::make_shared<InferOptions>();
  command->add_option("folder", options->folder, "A folder of frames")->type_name("FOLDER")->required();
  command->add_option("--network", options->network, "resn21, minkunet42, resnl20, fcgf or a JSON file")
      ->type_name(network_value())
      ->capture_default_str();
  options->scene.add_reading(*command);
  options->scene.neighbours.add(*command);
  options->run.add_settings(*command);
  options->outputs.add_layers(*command, "The layers to write");
  add_shard(*command, options->shard);
  command
      ->add_option("--devices", options->devices,
                   "all: run one process on each GPU of the machine, each with its own shard of the frames")
      ->type_name("all");
  command->add_flag("--json", options->json, "Write the counts and times to stdout as JSON");
  command
      ->add_option("-o,--output", options->output,
                   "Write one .safetensors file per frame and the manifest to this folder")
      ->type_name("FOLDER")
      ->required();
  command->callback([options, &context] {
    if (options->devices.empty()) {
      run_infer(context, *options);
    } else {
      infer_on_all_gpus(context, *options);
    }
  });
}

}  // namespace spira::app
