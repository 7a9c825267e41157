#include "engine/tune/sweep.hpp"

#include "app/common/value_names.hpp"
#include "app/spira/bev_tune.hpp"
#include "app/spira/options.hpp"
#include "app/spira/setting_lists.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"

#include <iostream>

namespace spira::app {
namespace {

struct SweepOptions {
  SceneOptions scene;
  RunOptions run;
  OutputOptions output;
  std::string network, layer, thresholds, dataflows, packs;
  int in_channels = 0, out_channels = 64, kernel = 3;
  BevTuneOptions bev;
};

/// The options that have no effect for a bird's-eye view network.
std::vector<std::string> only_for_voxel_sweeps() {
  return {"--layer",           "--thresholds", "--dataflows",    "--packs",      "--threshold",
          "--dataflow",        "--map",        "--plan",         "--neighbours", "--positions",
          "--layer-threshold", "--layer-map",  "--layer-layout", "--pack",       "--layer-dataflow",
          "--batch",           "--duration"};
}

void print_sweep(const Context& context, const Sweep& sweep, const SweepOptions& options) {
  if (!options.run.output.empty()) write_file(options.run.output, sweep_json(sweep), context.stop);
  if (options.output.json) {
    std::cout << sweep_json(sweep);
    return;
  }
  if (options.output.csv) {
    std::cout << sweep_csv(sweep);
    return;
  }
  std::cout << sweep_text(sweep) << "device  " << device_text(sweep.device) << "\n";
}

void run_sweep(const CLI::App& command, const Context& context, const SweepOptions& options) {
  Job job = context.job();
  options.scene.check();
  const bool single = options.in_channels > 0;
  if (single != options.network.empty())
    throw Error(ErrorKind::usage, "sweep: use exactly one of --network and --cin");
  if (!options.layer.empty() && (single || !options.packs.empty()))
    throw Error(ErrorKind::usage, "--layer requires --network and cannot be used with --packs");
  const Network network = options.scene.neighbours.applied_to(
      single ? single_layer_network(options.kernel, 1, options.in_channels, options.out_channels)
             : network_by_name_or_file(options.network));
  if (network.space == NetworkSpace::bev) {
    refuse_options(command, only_for_voxel_sweeps());
    return sweep_bev(context, options.scene, options.run, options.output, network, options.bev);
  }
  BevTuneOptions::refuse(command);
  if (!options.packs.empty()) {
    const auto packs = parse_packs("--packs", options.packs);
    const Plan plan = options.run.plan_for(context, network);
    const auto backend = context.registry.make(options.run.backend, context.backend_options());
    std::shared_ptr<const NetworkWeights> weights;
    if (!options.run.weights.empty()) weights = options.run.weights_for(network, job);
    const auto [cloud, grid] = options.scene.open_for(context, network, job);
    if (!weights) weights = options.run.weights_for(network, job);
    print_sweep(context,
                sweep_packings(backend, std::make_shared<const Network>(network), weights, cloud, grid, plan,
                               packs, options.run.protocol(), job),
                options);
    return;
  }
  const int layer = single                  ? network.index_of("conv")
                    : options.layer.empty() ? -1
                                            : convolution_named(network, options.layer);
  const auto thresholds = parse_thresholds(options.thresholds, all_thresholds(network, layer));
  const auto dataflows = options.dataflows.empty() ? std::vector<std::string>()
                                                   : parse_dataflows(options.dataflows, network, layer);
  if (dataflows.empty()) say_only_threshold(context, network, layer);
  const Loaded loaded = load_session(context, options.scene, options.run, network, job);
  loaded.session->run_all(loaded.plan, job, {});
  if (!dataflows.empty())
    return print_sweep(
        context, sweep_dataflows(*loaded.session, layer, loaded.plan, dataflows, options.run.protocol(), job),
        options);
  print_sweep(context,
              sweep_thresholds(*loaded.session, layer, loaded.plan, thresholds, options.run.protocol(), job),
              options);
}

}  // namespace

void add_sweep(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "sweep",
      "Compare all thresholds t, several dataflows, packings or cores of blocks in interleaved runs");
  command->footer(
      "Example: spira sweep scan.bin --cin 64 --cout 64 --kernel 5 --grid 0.1\n         spira sweep scan.bin "
      "--network resn21 --packs 32,64,11/12/9\n         spira sweep scan.bin --network sbnet --mask occupied "
      "--cores 8,16");
  auto options = std::make_shared<SweepOptions>();
  options->scene.add(*command);
  options->scene.add_batch(*command);
  command
      ->add_option("--network", options->network, "resn21, minkunet42, resnl20, fcgf, sbnet or a JSON file")
      ->type_name(network_value());
  command
      ->add_option("--layer", options->layer, "Measure this layer of --network instead of the whole network")
      ->type_name("NAME");
  command
      ->add_option("--cin", options->in_channels,
                   "Input channels of a single layer, which is measured instead of a network")
      ->check(CLI::Range(1, 4096));
  command->add_option("--cout", options->out_channels, "Output channels of the single layer")
      ->check(CLI::Range(1, 4096));
  command->add_option("--kernel", options->kernel, "Kernel size of the single layer")->capture_default_str();
  command->add_option("--thresholds", options->thresholds,
                      "Thresholds t to measure: all (default), or a list such as 0,2,4");
  command
      ->add_option(
          "--dataflows", options->dataflows,
          "Measure dataflows instead of thresholds: all, or a list such as os,unsorted,mask-sorted:2")
      ->type_name("LIST")
      ->check(not_empty())
      ->excludes("--thresholds");
  command
      ->add_option("--packs", options->packs,
                   "Measure packings instead of thresholds: a list such as 32,64,11/12/9")
      ->excludes("--dataflows");
  options->scene.neighbours.add(*command);
  options->run.add(*command);
  options->bev.add(*command);
  options->output.add(*command, true);
  command->callback([command, options, &context] {
    prepare_result_file(*command, options->run.output, options->output);
    run_sweep(*command, context, *options);
  });
}

}  // namespace spira::app
