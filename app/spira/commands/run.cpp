#include "app/spira/options.hpp"
#include "app/spira/run_table.hpp"
#include "engine/network/network.hpp"

namespace spira::app {

void add_run(CLI::App& program, Context& context) {
  struct Options {
    SceneOptions scene;
    RunOptions run;
    OutputOptions output;
    std::string network = "minkunet42";
  };
  auto* command = program.add_subcommand("run", "Run a network layer by layer and measure it");
  command->footer(
      "Example: spira run scan.bin --network minkunet42 --grid 0.05 --threshold 2 -o report.spira.json");
  auto options = std::make_shared<Options>();
  options->scene.add(*command);
  command->add_option("--network", options->network, "resn21, minkunet42, resnl20 or a JSON file")
      ->capture_default_str();
  options->run.add(*command);
  options->output.add(*command, true);
  command->callback([options, &context] {
    measure_and_print(context, options->scene, options->run, options->output,
                      network_by_name_or_file(options->network));
  });
}

}  // namespace spira::app
