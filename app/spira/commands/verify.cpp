#include "engine/run/verify/verify.hpp"

#include "app/common/scene_argument.hpp"
#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace spira::app {
namespace {

struct Options {
  SceneOptions scene;
  std::string network = "resn21", backend = "cpu";
  std::uint64_t seed = 1;
  bool quick = false, all_rows = false;
  OutputOptions output;
};

void print_json(const VerifyResult& result) {
  nlohmann::ordered_json document{{"passed", result.passed()}, {"notes", result.notes}};
  document["rows"] = nlohmann::ordered_json::array();
  for (const auto& row : result.rows) {
    document["rows"].push_back({{"subject", row.layer},
                                {"setting", row.setting},
                                {"passed", row.passed},
                                {"worst_error_over_bound", row.worst_ratio},
                                {"worst_abs", row.worst_abs},
                                {"worst_rel", row.worst_rel},
                                {"fault", row.fault}});
  }
  std::cout << document.dump(1) << "\n";
}

/// Prints one line for each subject and packing or precision, with its worst error. Each failed setting also
/// has its own line.
void print_text(const VerifyResult& result, bool all_rows) {
  std::vector<std::vector<std::string>> rows{
      {"subject", "with", "settings", "max error / bound", "max abs error", "max rel error", "result"}};
  for (std::size_t at = 0; at < result.rows.size();) {
    const std::string &subject = result.rows[at].layer, &with = result.rows[at].with;
    const auto same = [&](const VerifyRow& row) { return row.layer == subject && row.with == with; };
    double ratio = 0, absolute = 0, relative = 0;
    std::size_t settings = 0, failed = 0;
    for (; at < result.rows.size() && same(result.rows[at]); ++at, ++settings) {
      const VerifyRow& row = result.rows[at];
      ratio = std::max(ratio, row.worst_ratio);
      absolute = std::max(absolute, row.worst_abs);
      relative = std::max(relative, row.worst_rel);
      failed += row.passed ? 0 : 1;
      if (!row.passed || all_rows) {
        rows.push_back({"  " + subject, row.setting, "", fixed(row.worst_ratio, 3), shortest(row.worst_abs),
                        shortest(row.worst_rel), row.passed ? "ok" : row.fault});
      }
    }
    rows.push_back({subject, with, std::to_string(settings), fixed(ratio, 3), fixed(absolute, 8),
                    fixed(relative, 8), failed == 0 ? "ok" : std::to_string(failed) + " failed"});
  }
  std::cout << table_text(rows);
  for (const auto& note : result.notes)
    std::cout << printable(note) << "\n";
  std::cout << count_text(std::ssize(result.rows))
            << " settings against the reference: " << (result.passed() ? "all passed" : "FAILED") << "\n";
}

void run(const Context& context, const Options& options) {
  Job job = context.job();
  options.scene.check();
  const Network network = network_by_name_or_file(options.network);
  BackendOptions of_subject = context.backend_options();
  of_subject.poison = true;
  const auto subject = context.registry.make(options.backend, of_subject);
  const auto reference = context.registry.make("reference");
  const auto cloud = options.scene.open(context, job);
  VerifyOptions how;
  how.grid = options.scene.grid_for(context, *cloud);
  how.seed = options.seed;
  how.quick = options.quick;
  const VerifyResult result = verify(*subject, *reference, cloud, network, how, job);
  if (options.output.json) {
    print_json(result);
  } else {
    print_text(result, options.all_rows);
  }
  if (!result.passed()) throw Error(ErrorKind::failed_check, "verification failed");
}

}  // namespace

void add_verify(CLI::App& program, Context& context) {
  auto* command =
      program.add_subcommand("verify", "Check a back end against the naive reference in double precision");
  command->footer("Example: spira verify scan.bin --grid 0.05 --network resn21");
  auto options = std::make_shared<Options>();
  options->scene.scene = "street";
  command
      ->add_option("scene", options->scene.scene,
                   "A scene file, - for standard input, or street, room, random")
      ->type_name(scene_value())
      ->capture_default_str();
  command
      ->add_option("--grid", options->scene.grid,
                   "Voxel size in metres (default: automatic, from the points)")
      ->type_name("METRES");
  add_format(*command, options->scene.format);
  command->add_option("--network", options->network, "resn21, minkunet42, resnl20 or a JSON file")
      ->type_name(network_value())
      ->capture_default_str();
  command->add_option("--backend", options->backend, "The back end to check")
      ->type_name(backend_value)
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the weights")->capture_default_str();
  command->add_flag("--quick", options->quick, "Check only some thresholds t");
  command->add_flag("--all", options->all_rows, "Print every setting");
  options->output.add(*command, false);
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace spira::app
