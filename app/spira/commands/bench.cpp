#include "app/spira/bench/bench.hpp"

#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/network/network.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <sstream>
#include <vector>

namespace spira::app {
namespace {

struct Suite {
  const char* name;
  void (*measure)(Bench&);
};
constexpr std::array suites{Suite{"mapping", bench_mapping},   Suite{"layers", bench_layers},
                            Suite{"indexing", bench_indexing}, Suite{"network", bench_network},
                            Suite{"ablation", bench_ablation}, Suite{"dataflows", bench_dataflows},
                            Suite{"training", bench_training}, Suite{"relations", bench_relations},
                            Suite{"native", bench_native},     Suite{"blocks", bench_blocks}};

/// The suite that runs on graphs instead of a scene.
constexpr std::string_view graph_suite = "relations";
/// The suite that runs on bird's-eye views. It needs no scene.
constexpr std::string_view view_suite = "blocks";

struct BenchOptions {
  std::string suite, only, densities = "5,10,25,50,75,90";
  bool quick = false;
  std::vector<std::string> networks;
  SceneOptions scene;
  RunOptions run;
  OutputOptions output;
};

std::string rate_text(const char* what, const DeviceRate& rate, const char* unit) {
  return std::string(what) +
         (rate.per_second ? fixed(*rate.per_second / 1e9, 1) + unit + ", " + rate.how : rate.how);
}

/// Returns the networks of --network, or the built-in networks on voxels if there are none, with the
/// requested neighbourhoods. Adds numbers to names that occur more than once, because the name of a network
/// is the name of its group.
std::vector<Network> bench_networks(const BenchOptions& options) {
  std::vector<Network> networks;
  for (const std::string& name : options.networks)
    networks.push_back(options.scene.neighbours.network(name));
  if (options.networks.empty()) {
    for (const auto& preset : network_presets()) {
      if (network_preset(preset.id).space == NetworkSpace::voxels)
        networks.push_back(options.scene.neighbours.network(std::string(preset.id)));
    }
  }
  for (std::size_t at = 1; at < networks.size(); ++at) {
    const auto same = std::count_if(networks.begin(), networks.begin() + static_cast<std::ptrdiff_t>(at),
                                    [&](const Network& other) { return other.name == networks[at].name; });
    if (same > 0) networks[at].name += " #" + std::to_string(same + 1);
  }
  return networks;
}

/// Returns the shares of a list of percentages such as "5,10,25", in ascending order.
std::vector<double> parse_densities(const std::string& text) {
  std::vector<double> shares;
  for (const auto& part : split_list(text)) {
    const auto percent = parse_double(part);
    if (!percent || !(*percent > 0 && *percent <= 100))
      throw Error(ErrorKind::usage, "--densities " + shortened(text) +
                                        ": expected percentages above 0 and up to 100, such as 5,10,25");
    shares.push_back(*percent / 100);
  }
  std::sort(shares.begin(), shares.end());
  shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
  return shares;
}

/// Checks the options before the scene is read. Throws if an option is not valid.
void check_bench(const Context& context, const BenchOptions& options, const std::vector<Network>& networks) {
  options.scene.check();
  const bool of_views = options.suite == view_suite;
  if (options.scene.scene.empty() && options.suite != graph_suite && !of_views)
    throw Error(ErrorKind::usage, "bench " + options.suite + ": a scene is required");
  const bool of_graph = options.suite == graph_suite;
  if (of_graph &&
      (!options.scene.grid.empty() || !options.scene.pack.empty() || !options.scene.batch.empty()))
    throw Error(ErrorKind::usage,
                "bench " + options.suite + ": a graph has no voxels; remove --grid, --pack and --batch");
  if (of_views && (!options.scene.pack.empty() || !options.scene.batch.empty()))
    throw Error(ErrorKind::usage,
                "bench " + options.suite + ": a bird's-eye view has no voxels; remove --pack and --batch");
  const bool whole_networks = options.suite == "network";
  if (!options.networks.empty() && !whole_networks && options.suite != "indexing")
    throw Error(ErrorKind::usage,
                "--network can only be used with the suites indexing and network, not with " + options.suite);
  if (options.scene.neighbours.given() && !whole_networks && options.suite != "indexing")
    throw Error(
        ErrorKind::usage,
        "--neighbours can only be used with the suites indexing and network, not with " + options.suite);
  if (!whole_networks && (!options.run.dataflow.empty() || !options.run.layers.dataflows.empty()))
    throw Error(ErrorKind::usage,
                "--dataflow can only be used with the suite network, not with " + options.suite);
  if (!whole_networks) return;
  Context silent = context;
  silent.quiet = true;
  Job job;
  for (const Network& network : networks) {
    if (network.name.find(options.only) == std::string::npos) continue;
    static_cast<void>(options.run.plan_for(silent, network));
    if (!options.run.weights.empty()) static_cast<void>(options.run.weights_for(network, job));
  }
}

void run_bench(const Context& context, const BenchOptions& options) {
  const std::vector<Network> networks = bench_networks(options);
  check_bench(context, options, networks);
  const bool with_scene = options.suite != graph_suite && options.suite != view_suite;
  Bench bench(context, options.scene, options.run,
              {options.only,
               networks,
               !options.networks.empty() || options.scene.neighbours.given(),
               with_scene,
               {parse_densities(options.densities), options.quick}});
  if (with_scene && options.suite != "network")
    options.scene.require_one_frame(*bench.scene().cloud, "bench " + options.suite);
  std::find_if(suites.begin(), suites.end(), [&](const Suite& suite) {
    return options.suite == suite.name;
  })->measure(bench);
  const bool empty = bench.rows().empty() && bench.claims().empty();
  if (empty && !options.only.empty())
    throw Error(ErrorKind::usage, "--only " + options.only + ": no group of the suite " + options.suite +
                                      " has this text in its name");
  if (empty && !bench.notes().empty()) throw Error(ErrorKind::usage, bench.notes().back());
  if (options.output.json || !options.run.output.empty()) {
    const std::string document = bench_json(bench, options.suite, context.command_line);
    if (!options.run.output.empty()) write_file(options.run.output, document, context.stop);
    if (options.output.json) std::cout << document;
  }
  if (options.output.csv) {
    std::cout << csv_text(bench_table(bench));
    // CSV is one table, so it does not contain the claims.
    std::istringstream claims(claims_text(bench));
    for (std::string line; std::getline(claims, line);)
      context.say(line);
  } else if (!options.output.json) {
    std::cout << table_text(bench_table(bench)) << claims_text(bench);
  }
  context.say("device  " + device_text(bench.backend().facts()));
  context.say("floors  " + rate_text("", bench.rates().bytes, " GB/s") + "; " +
              rate_text("", bench.rates().flops, " GFLOP/s"));
  context.say(
      "times_first: time divided by the time of the first row of the group; times_floor: time divided by the "
      "floor (minimum time); both use median_ms if ratio_of is wall, otherwise stages_ms");
}

}  // namespace

void add_bench(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "bench", "Measure algorithms on a scene or a graph in interleaved runs, and compare their times");
  command->footer(
      "Example: spira bench mapping scan.bin --grid 0.05 --repeat 20\n"
      "         spira bench relations --only AIFB (or with a file of triples)");
  auto options = std::make_shared<BenchOptions>();
  std::vector<std::string> names;
  for (const Suite& suite : suites)
    names.emplace_back(suite.name);
  command
      ->add_option("suite", options->suite,
                   "What to compare: mapping, layers, indexing, network, ablation, dataflows, training, "
                   "relations, native or blocks")
      ->required()
      ->check(CLI::IsMember(names));
  command->add_option("--only", options->only,
                      "Measure only the groups whose name contains this text, such as K=3");
  auto* const densities =
      command->add_option("--densities", options->densities,
                          "With blocks: densities of the masks of figure 6 of the SBNet paper, in percent");
  densities->type_name("LIST")->capture_default_str();
  auto* const quick =
      command->add_flag("--quick", options->quick, "With blocks: measure only a part of the tables");
  command
      ->add_option("--network", options->networks,
                   "With indexing or network: measure this network instead of the built-in networks; "
                   "may be repeated")
      ->type_name(network_value());
  options->scene.add(*command);
  command->get_option("scene")->required(false);
  options->scene.add_batch(*command);
  options->scene.neighbours.add(*command);
  options->run.add(*command);
  options->output.add(*command, true);
  command->callback([command, options, densities, quick, &context] {
    for (const CLI::Option* const own : {densities, quick}) {
      if (own->count() > 0 && options->suite != view_suite)
        throw Error(ErrorKind::usage,
                    own->get_name() + " can only be used with the suite blocks, not with " + options->suite);
    }
    prepare_result_file(*command, options->run.output, options->output);
    run_bench(context, *options);
  });
}

}  // namespace spira::app
