#include "app/common/value_names.hpp"
#include "app/spira/bev.hpp"
#include "app/spira/options.hpp"
#include "app/spira/run_table.hpp"
#include "engine/base/error.hpp"
#include "engine/network/network.hpp"

namespace spira::app {
namespace {

/// Throws if a report is wanted for several captured layers.
void require_one_captured_layer(const RunView& view, const RunOptions& run) {
  if (view.layer.empty() && !run.output.empty())
    throw CLI::ValidationError("-o with --capture",
                               "requires --layer NAME: a report contains only one scene, but each captured "
                               "layer has a different scene");
}

/// Returns the options of `run` that have no effect on a bird's-eye view.
std::vector<std::string> only_for_voxels() {
  return {"--threshold",     "--dataflow",       "--map",          "--layer-threshold",
          "--layer-map",     "--layer-dataflow", "--layer-layout", "--dgrad",
          "--wgrad",         "--training",       "--sweeps",       "--layer",
          "--outputs",       "--save-voxels",    "--counters",     "--rates",
          "--neighbours",    "--positions",      "--pack",         "--batch",
          "--capture",       "--voxels",         "--duration",     "--strict",
          "--ignore-devices"};
}

struct RunCommand {
  SceneOptions scene;
  RunOptions run;
  OutputOptions output;
  std::string network = "minkunet42", voxels, capture;
  RunView view;
  BevOptions bev;
};

/// Checks the options of `command`, and measures the network.
void run_network(const CLI::App& command, RunCommand& options, const Context& context) {
  if (!options.capture.empty()) {
    require_one_captured_layer(options.view, options.run);
  } else if (!options.voxels.empty()) {
    options.scene.scene = options.voxels;
    options.scene.voxels_only = true;
  } else if (options.scene.scene.empty()) {
    throw CLI::RequiredError("scene");
  }
  prepare_result_file(command, options.run.output, options.output);
  Network network = options.scene.neighbours.network(options.network);
  if (network.space == NetworkSpace::bev) {
    refuse_options(command, only_for_voxels());
    options.bev.plan = options.run.plan;
    return measure_bev(context, options.scene, options.run, options.output, std::move(network), options.bev,
                       options.view.check);
  }
  BevOptions::refuse(command);
  if (!options.capture.empty())
    return measure_captured(context, options.capture, options.scene, options.run, options.output, network,
                            options.view);
  measure_and_print(context, options.scene, options.run, options.output, std::move(network), options.view);
}

}  // namespace

void add_run(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand("run", "Run a network layer by layer and measure its times");
  command->footer(
      "Example: spira run scan.bin --network minkunet42 --grid 0.05 --threshold 2 -o report.spira.json\n"
      "         spira run scan.bin --repeat 30 --sweeps -o report.spira.json (open it with spirascope)");
  auto options = std::make_shared<RunCommand>();
  options->scene.add(*command);
  options->scene.add_batch(*command);
  auto* const scene = command->get_option("scene")->required(false);
  command
      ->add_option("--voxels", options->voxels,
                   "Instead of a scene: a .safetensors or .npz file with voxels (coords and features)")
      ->type_name(file_value)
      ->excludes(scene);
  command
      ->add_option(
          "--capture", options->capture,
          "Instead of a scene: a capture file of spira_export. Each layer behind a part of "
          "the network that Spira cannot run uses its captured input (with --layer: only this layer)")
      ->type_name(file_value)
      ->excludes(scene)
      ->excludes("--voxels");
  command
      ->add_option("--network", options->network, "resn21, minkunet42, resnl20, fcgf, sbnet or a JSON file")
      ->type_name(network_value())
      ->capture_default_str();
  options->scene.neighbours.add(*command);
  options->run.add(*command);
  command
      ->add_option("--layer", options->view.layer,
                   "Print only this layer and its stages; the whole network runs anyway")
      ->type_name("NAME");
  command->add_flag("--sweeps", options->view.sweeps,
                    "Also measure all thresholds t and all packings, and add the results to the report");
  options->view.add(*command, options->run);
  options->bev.add(*command);
  for (const char* const name : {"--method", "--core"})
    command->get_option(name)->excludes("--plan");
  command->get_option("--training")->excludes("--capture");
  options->output.add(*command, true);
  command->callback([command, options, &context] { run_network(*command, *options, context); });
}

void add_layer(CLI::App& program, Context& context) {
  struct Options {
    SceneOptions scene;
    RunOptions run;
    OutputOptions output;
    RunView view;
    int in_channels = 64, out_channels = 64, kernel = 3, stride = 1;
  };
  auto* command = program.add_subcommand("layer", "Run a single layer and measure its times");
  command->footer("Example: spira layer scan.bin --cin 64 --cout 64 --kernel 3 --threshold 2");
  auto options = std::make_shared<Options>();
  options->scene.add(*command);
  options->scene.add_batch(*command);
  command->add_option("--cin", options->in_channels, "Input channels")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--cout", options->out_channels, "Output channels")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_option("--kernel", options->kernel, "Kernel size, from 1 to 7")->capture_default_str();
  command->add_option("--stride", options->stride, "Stride (down-sampling factor): 1, 2, 4, 8 or 16")
      ->capture_default_str();
  options->scene.neighbours.add(*command);
  options->run.add(*command);
  options->view.add(*command, options->run);
  options->output.add(*command, true);
  command->callback([command, options, &context] {
    prepare_result_file(*command, options->run.output, options->output);
    measure_and_print(context, options->scene, options->run, options->output,
                      options->scene.neighbours.applied_to(single_layer_network(
                          options->kernel, options->stride, options->in_channels, options->out_channels)),
                      options->view);
  });
}

}  // namespace spira::app
