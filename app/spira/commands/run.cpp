#include "app/common/value_names.hpp"
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
    RunView view;
  };
  auto* command = program.add_subcommand("run", "Run a network layer by layer and measure it");
  command->footer(
      "Example: spira run scan.bin --network minkunet42 --grid 0.05 --threshold 2 -o report.spira.json\n"
      "         spira run scan.bin --repeat 30 --sweeps -o report.spira.json (open it with spirascope)");
  auto options = std::make_shared<Options>();
  options->scene.add(*command);
  command->add_option("--network", options->network, "resn21, minkunet42, resnl20 or a JSON file")
      ->type_name(network_value())
      ->capture_default_str();
  options->run.add(*command);
  command
      ->add_option("--layer", options->view.layer,
                   "Print only this layer, with all its stages; the whole network still runs")
      ->type_name("NAME");
  command->add_flag("--sweeps", options->view.sweeps,
                    "Also measure every threshold t and every packing, and add the results to the report");
  options->view.add(*command);
  options->output.add(*command, true);
  command->callback([command, options, &context] {
    prepare_result_file(*command, options->run.output, options->output);
    measure_and_print(context, options->scene, options->run, options->output,
                      network_by_name_or_file(options->network), options->view);
  });
}

}  // namespace spira::app
