#include "app/spira/options.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace spira::app {
namespace {

struct Options {
  std::string suite;
  SceneOptions scene;
  RunOptions run;
  OutputOptions output;
};

using Rows = std::vector<std::vector<std::string>>;

/// One row a subject; `times_first` is its median over that of the group's first: below 1 is faster.
void add_rows(Rows& rows, const std::string& group, const std::vector<Subject>& subjects,
              const std::vector<Samples>& samples) {
  const double first = samples.front().stats().median;
  for (std::size_t at = 0; at < subjects.size(); ++at) {
    const Statistics s = samples[at].stats();
    rows.push_back({group, subjects[at].name, std::to_string(s.n), fixed(s.median, 3), fixed(s.iqr(), 3),
                    fixed(s.median / first, 2)});
  }
}

/// Each mapping algorithm on the same map, in the dense layout and in the one it writes by itself.
void bench_mapping(Backend& backend, const VoxelScene& scene, const SamplingProtocol& how, Rows& rows,
                   Job& job) {
  const CoordSet level = backend.upload(scene.level(1));
  for (const int kernel_size : {3, 5}) {
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
    for (const auto layout : {MapLayout::z_runs, MapLayout::output_major}) {
      std::vector<Subject> subjects;
      for (const auto algorithm : {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                   MapAlgorithm::sorted_query}) {
        const auto request =
            request_for_threshold(offsets, algorithm, offsets->max_threshold(), true, layout);
        subjects.push_back({std::string(text_of(algorithm)), [&backend, &level, request, &job] {
                              const KernelMap map = backend.build_map(level, level, request, job);
                              backend.wait();
                            }});
      }
      add_rows(rows, "K=" + std::to_string(kernel_size) + " " + std::string(text_of(layout)), subjects,
               sample_interleaved(subjects, how, job));
    }
  }
}

void bench_indexing(Backend& backend, const VoxelScene& scene, const SamplingProtocol& how, Rows& rows,
                    Job& job) {
  const CoordSet level = backend.upload(scene.level(1));
  std::vector<Subject> subjects;
  for (const int stride : {2, 4, 8, 16}) {
    subjects.push_back({"downsample " + std::to_string(stride), [&backend, &level, stride, &job] {
                          const CoordSet coarse = backend.downsample(level, stride, job);
                          backend.wait();
                        }});
  }
  subjects.insert(subjects.begin(), {"voxelize", [&backend, &scene, &job] {
                                       static_cast<void>(backend.voxelize(
                                           *scene.cloud, scene.grid, {scene.pack, 16, Precision::fp32}, job));
                                     }});
  add_rows(rows, "indexing", subjects, sample_interleaved(subjects, how, job));
}

/// Sort, all levels and all maps of a network, from points on the device, where the back end compiles.
void bench_network_indexing(Backend& backend, const VoxelScene& scene, const SamplingProtocol& how,
                            Rows& rows, Job& job) {
  std::vector<std::unique_ptr<NetworkRun>> runs;
  std::vector<Subject> subjects;
  for (const auto& preset : network_presets()) {
    const auto network = std::make_shared<const Network>(network_preset(preset.id));
    Plan plan = default_plan(*network);
    plan.precision = Precision::fp16;
    NetworkRunRequest request = run_request(scene, network, plan, job);
    request.features = false;
    CompiledNetwork compiled = backend.compile(request, job);
    if (!compiled.run) return;
    compiled.run->set_points(*scene.cloud);
    subjects.push_back({"all of " + std::string(preset.id), [run = compiled.run.get()] { run->run(); }});
    runs.push_back(std::move(compiled.run));
  }
  add_rows(rows, "as one graph", subjects, sample_interleaved(subjects, how, job));
}

void bench_layers(const Context& context, const Options& options, Rows& rows, Job& job) {
  for (const int kernel_size : {3, 5}) {
    for (const int channels : {16, 32, 64, 128}) {
      const Loaded loaded = load_session(context, options.scene, options.run,
                                         single_layer_network(kernel_size, 1, channels, channels), job);
      Session& session = *loaded.session;
      session.run_all(loaded.plan, job, {});
      const int layer = session.network().index_of("conv");
      std::vector<Subject> subjects;
      const int most = KernelOffsets(kernel_size, 1).max_threshold();
      for (const int t : {most, 0, most / 2}) {
        LayerPlan plan;
        plan.threshold = t;
        subjects.push_back({t == 0      ? "weight-stationary"
                            : t == most ? "output-stationary"
                                        : "hybrid t=" + std::to_string(t),
                            [&session, layer, plan, &job] { session.execute_layer(layer, plan, job); }});
      }
      add_rows(rows,
               "K=" + std::to_string(kernel_size) + " " + std::to_string(channels) + ">" +
                   std::to_string(channels),
               subjects, sample_interleaved(subjects, options.run.protocol(), job));
    }
  }
}

void bench_network(const Context& context, const Options& options, Rows& rows, Job& job) {
  std::vector<Loaded> loaded;
  std::vector<Subject> subjects;
  for (const auto& preset : network_presets()) {
    loaded.push_back(load_session(context, options.scene, options.run, network_preset(preset.id), job));
    Session* session = loaded.back().session.get();
    subjects.push_back({std::string(preset.id),
                        [session, plan = loaded.back().plan, &job] { session->execute_network(plan, job); }});
    const CompiledNetwork& compiled = session->compiled(loaded.back().plan, job);
    if (compiled.run) {
      subjects.push_back(
          {std::string(preset.id) + " as one graph", [run = compiled.run.get()] { run->run(); }});
    } else {
      context.say(std::string(preset.id) + ": not compiled: " + compiled.why_not);
    }
  }
  add_rows(rows, "network", subjects, sample_interleaved(subjects, options.run.protocol(), job));
}

std::string as_json(const Rows& rows, const DeviceFacts& device) {
  nlohmann::ordered_json document{{"device", device_text(device)}};
  document["rows"] = nlohmann::ordered_json::array();
  for (std::size_t at = 1; at < rows.size(); ++at) {
    document["rows"].push_back({{"group", rows[at][0]},
                                {"subject", rows[at][1]},
                                {"n", parse_int(rows[at][2]).value_or(0)},
                                {"median_ms", parse_double(rows[at][3]).value_or(0)},
                                {"iqr_ms", parse_double(rows[at][4]).value_or(0)},
                                {"times_first", parse_double(rows[at][5]).value_or(0)}});
  }
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void run(const Context& context, const Options& options) {
  Job job = context.job();
  Rows rows{{"group", "subject", "n", "median_ms", "iqr_ms", "times_first"}};
  const auto backend = context.registry.make(options.run.backend, context.backend_options());
  if (options.suite == "layers") {
    bench_layers(context, options, rows, job);
  } else if (options.suite == "network") {
    bench_network(context, options, rows, job);
  } else {
    const auto cloud = options.scene.open(context, job);
    const Grid grid = options.scene.grid_for(context, *cloud);
    const PackSpec pack = options.scene.pack_for(context, *cloud, grid, 5, 16, job);
    const auto scene = voxelize_scene(*backend, cloud, grid, pack, 5, 16, job);
    if (options.suite == "mapping") {
      bench_mapping(*backend, *scene, options.run.protocol(), rows, job);
    } else {
      bench_indexing(*backend, *scene, options.run.protocol(), rows, job);
      bench_network_indexing(*backend, *scene, options.run.protocol(), rows, job);
    }
  }
  const std::string document = as_json(rows, backend->facts());
  if (!options.run.output.empty()) write_file(options.run.output, document);
  std::cout << (options.output.json ? document : options.output.csv ? csv_text(rows) : table_text(rows));
  context.say("device  " + device_text(backend->facts()) +
              "; times_first: this median over the first of its group");
}

}  // namespace

void add_bench(CLI::App& program, Context& context) {
  auto* command =
      program.add_subcommand("bench", "Compare algorithms on a scene: interleaved, ratios within one run");
  command->footer("Example: spira bench mapping scan.bin --grid 0.05 --repeat 20");
  auto options = std::make_shared<Options>();
  command->add_option("suite", options->suite, "mapping, layers, network or indexing")
      ->required()
      ->check(CLI::IsMember({"mapping", "layers", "network", "indexing"}));
  options->scene.add(*command);
  options->run.add(*command);
  options->output.add(*command, true);
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace spira::app
