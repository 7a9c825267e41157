#include "engine/run/verify/verify.hpp"

#include "app/common/scene_argument.hpp"
#include "app/common/value_names.hpp"
#include "app/spira/bev.hpp"
#include "app/spira/options.hpp"
#include "app/spira/setting_lists.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/verify/capture.hpp"
#include "engine/run/verify/verify_bev.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace spira::app {
namespace {

struct VerifyCommand {
  SceneOptions scene;
  std::string network = "resn21", backend = "cpu", weights, capture, precision = "fp32", dataflows;
  std::uint64_t seed = 1;
  bool quick = false, all_rows = false, training = false;
  BevOptions bev;
  OutputOptions output;
};

void print_verify_json(const VerifyResult& result) {
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
    if (row.overflow) document["rows"].back()["overflow"] = row.note;
  }
  std::cout << document.dump(1) << "\n";
}

/// Returns the result of settings that passed.
std::string ok_text(const std::string& note) {
  return note.empty() ? "ok" : "ok; " + note;
}

/// Prints one line for each combination of a subject and a packing or precision, with its worst error. Each
/// failed setting has an additional line.
void print_verify_text(const VerifyResult& result, bool all_rows) {
  std::vector<std::vector<std::string>> rows{
      {"subject", "with", "settings", "max error / bound", "max abs error", "max rel error", "result"}};
  std::string first_overflow;
  for (std::size_t at = 0; at < result.rows.size();) {
    const std::string &subject = result.rows[at].layer, &with = result.rows[at].with;
    const auto same = [&](const VerifyRow& row) { return row.layer == subject && row.with == with; };
    double ratio = 0, absolute = 0, relative = 0;
    std::size_t settings = 0, failed = 0;
    std::string note;
    for (; at < result.rows.size() && same(result.rows[at]); ++at, ++settings) {
      const VerifyRow& row = result.rows[at];
      ratio = std::max(ratio, row.worst_ratio);
      absolute = std::max(absolute, row.worst_abs);
      relative = std::max(relative, row.worst_rel);
      failed += row.passed ? 0 : 1;
      if (note.empty()) note = row.note;
      if (row.overflow && first_overflow.empty()) first_overflow = row.layer;
      if (!row.passed || all_rows) {
        rows.push_back({"  " + subject, row.setting, "", fixed(row.worst_ratio, 3), shortest(row.worst_abs),
                        shortest(row.worst_rel), row.passed ? ok_text(row.note) : row.fault});
      }
    }
    rows.push_back({subject, with, std::to_string(settings), fixed(ratio, 3), fixed(absolute, 8),
                    fixed(relative, 8), failed == 0 ? ok_text(note) : std::to_string(failed) + " failed"});
  }
  std::cout << table_text(rows);
  for (const auto& note : result.notes)
    std::cout << printable(note) << "\n";
  std::cout << count_text(std::ssize(result.rows))
            << " settings against the reference: " << (result.passed() ? "all passed" : "FAILED") << "\n";
  if (!first_overflow.empty())
    std::cout << "fp16 values overflow on this back end and on the reference; the first case is "
              << first_overflow
              << "; the positions are the same on both, but the overflowing values are not verified\n";
}

void print_verify_json(const std::vector<CaptureRow>& rows, const Capture& capture, bool passed) {
  nlohmann::ordered_json document{{"passed", passed}, {"capture", capture.facts}};
  document["rows"] = nlohmann::ordered_json::array();
  for (const CaptureRow& row : rows) {
    document["rows"].push_back({{"layer", row.layer},
                                {"voxels", row.rows},
                                {"compared", row.compared},
                                {"max_abs", row.max_abs},
                                {"max_rel", row.max_rel},
                                {"worst_voxel", {row.worst[1], row.worst[2], row.worst[3]}},
                                {"worst_frame", row.worst[0]},
                                {"fault", row.fault}});
    if (!row.points) continue;
    document["rows"].back().erase("worst_voxel");
    document["rows"].back()["worst_point"] = row.worst[1];
  }
  std::cout << document.dump(1) << "\n";
}

/// Returns the voxel or the point with the largest difference, such as "3,4,5" or "point 7".
std::string worst_text(const CaptureRow& row) {
  if (row.points) return "point " + std::to_string(row.worst[1]);
  return (row.worst[0] > 0 ? "frame " + std::to_string(row.worst[0]) + ": " : "") +
         std::to_string(row.worst[1]) + "," + std::to_string(row.worst[2]) + "," +
         std::to_string(row.worst[3]);
}

void print_verify_text(const std::vector<CaptureRow>& rows, const Capture& capture) {
  std::vector<std::vector<std::string>> table{
      {"layer", "voxels", "compared", "max abs", "max rel", "worst voxel", "result"}};
  for (const CaptureRow& row : rows) {
    table.push_back({row.layer, count_text(row.rows), count_text(row.compared), shortest(row.max_abs),
                     shortest(row.max_rel), worst_text(row), row.fault.empty() ? "ok" : row.fault});
  }
  std::cout << table_text(table);
  for (const auto& [fact, value] : capture.facts)
    std::cout << "capture: " << printable(fact) << " " << printable(value) << "\n";
  const auto failed =
      std::count_if(rows.begin(), rows.end(), [](const CaptureRow& row) { return !row.fault.empty(); });
  std::cout << counted_text(std::ssize(rows), "layer", "layers") << " against the capture: "
            << (failed == 0 ? std::string("all passed") : count_text(failed) + " FAILED") << "\n";
}

/// Compares the outputs of all layers with a capture of another library.
void run_capture(const Context& context, const VerifyCommand& options) {
  Job job = context.job();
  auto network = std::make_shared<const Network>(options.scene.neighbours.network(options.network));
  const Capture capture = read_capture(options.capture, *network);
  const auto weights = std::make_shared<const NetworkWeights>(read_safetensors(options.weights, *network));
  SceneOptions scene = options.scene;
  scene.scene = options.capture;
  scene.voxels_only = true;
  const auto cloud = scene.open(context, job);
  Grid grid = suggest_grid(*cloud);
  grid.positions = scene.neighbours.position_kind();
  const Levels levels = levels_of(*network);
  const PackSpec pack = scene.pack_for(context, *cloud, grid, levels.needs, job);
  Plan plan = default_plan(*network);
  if (options.precision == "fp16") plan.precision = Precision::fp16;
  Session session(context.registry.make(options.backend, context.backend_options()), network, weights);
  static_cast<void>(session.load(cloud, grid, pack, plan.precision, job));
  const auto rows = compare_with_capture(session, plan, capture, job);
  const auto worst =
      std::find_if(rows.begin(), rows.end(), [](const CaptureRow& row) { return !row.fault.empty(); });
  options.output.json ? print_verify_json(rows, capture, worst == rows.end())
                      : print_verify_text(rows, capture);
  if (worst == rows.end()) return;
  const bool sampled =
      std::any_of(rows.begin(), worst, [](const CaptureRow& row) { return row.compared < row.rows; });
  throw Error(ErrorKind::failed_check, "the first layer that differs from the capture is " + worst->layer +
                                           ": " + worst->fault +
                                           (sampled ? "; the capture contains only some rows of the earlier "
                                                      "layers, so an earlier layer can be the cause"
                                                    : ""));
}

/// Prints the result. Throws Error(failed_check) if a row failed.
void report_result(const VerifyResult& result, const VerifyCommand& options) {
  if (options.output.json) {
    print_verify_json(result);
  } else {
    print_verify_text(result, options.all_rows);
  }
  if (!result.passed()) throw Error(ErrorKind::failed_check, "verification failed");
}

/// Verifies a bird's-eye view network with the mask of --mask and with all cells. The reference is slow, so
/// the default cells are large.
void run_verify_bev(const Context& context, const VerifyCommand& options, Network network) {
  constexpr double large_cell_m = 0.8;
  Job job = context.job();
  const AreaRequest request = options.bev.area_request(options.scene, network, large_cell_m);
  BackendOptions of_subject = context.backend_options();
  of_subject.poison = true;
  const auto subject = context.registry.make(options.backend, of_subject);
  static_cast<void>(require_birds_eye(*subject));
  const auto reference = context.registry.make("reference");
  const auto cloud = options.scene.open(context, job);
  options.scene.require_one_frame(*cloud, "a bird's-eye view");
  BevVerifyOptions how;
  how.area = area_of(*cloud, request);
  how.masks = {parse_mask(options.bev.mask), parse_mask("all")};
  how.seed = options.seed;
  how.quick = options.quick;
  report_result(
      verify_bev(subject, *reference, cloud, std::make_shared<const Network>(std::move(network)), how, job),
      options);
}

void run_verify(const Context& context, const VerifyCommand& options, const Network& network) {
  Job job = context.job();
  options.scene.check();
  BackendOptions of_subject = context.backend_options();
  of_subject.poison = true;
  const auto subject = context.registry.make(options.backend, of_subject);
  const auto reference = context.registry.make("reference");
  if (options.training) require_training(*subject, network);
  VerifyOptions how;
  if (!options.dataflows.empty()) how.dataflows = parse_dataflows(options.dataflows, network, -1);
  const auto [cloud, grid] = options.scene.open_for(context, network, job);
  how.grid = grid;
  how.seed = options.seed;
  how.quick = options.quick;
  how.training = options.training;
  report_result(verify(*subject, *reference, cloud, network, how, job), options);
}

/// Checks the options of `command`, and verifies the network.
void verify_network(const CLI::App& command, const VerifyCommand& options, const Context& context) {
  if (!options.capture.empty()) return run_capture(context, options);
  Network network = options.scene.neighbours.network(options.network);
  if (network.space == NetworkSpace::bev) {
    refuse_options(command, {"--training", "--dataflows", "--neighbours", "--positions", "--batch"});
    return run_verify_bev(context, options, std::move(network));
  }
  BevOptions::refuse(command);
  run_verify(context, options, network);
}

void add_verified_scene(CLI::App& command, SceneOptions& scene) {
  scene.scene = "street";
  command
      .add_option("scene", scene.scene,
                  "A scene file, - for standard input, or a generated scene (street, room or random)")
      ->type_name(scene_value())
      ->capture_default_str();
  command.add_option("--grid", scene.grid, "Voxel size in metres (default: automatic, from the points)")
      ->type_name("METRES");
  add_crop(command, scene.crop);
  add_format(command, scene.format);
  scene.add_batch(command);
}

}  // namespace

void add_verify(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "verify", "Compare the results of a back end with a simple reference in double precision");
  command->footer("Example: spira verify scan.bin --grid 0.05 --network resn21");
  auto options = std::make_shared<VerifyCommand>();
  add_verified_scene(*command, options->scene);
  command
      ->add_option("--network", options->network, "resn21, minkunet42, resnl20, fcgf, sbnet or a JSON file")
      ->type_name(network_value())
      ->capture_default_str();
  options->scene.neighbours.add(*command);
  command->add_option("--backend", options->backend, "The back end to check")
      ->type_name(backend_value)
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the random weights")->capture_default_str();
  auto* weights = command
                      ->add_option("--weights", options->weights,
                                   "With --capture: a .safetensors file with the weights of the network")
                      ->type_name(file_value);
  auto* capture =
      command
          ->add_option(
              "--capture", options->capture,
              "Compare the output of each layer with the output that another library recorded in this file")
          ->type_name(file_value)
          ->needs(weights);
  weights->needs(capture);
  capture->excludes(command->get_option("--batch"));
  command
      ->add_option("--precision", options->precision,
                   "With --capture: number format of stored features and weights")
      ->check(CLI::IsMember({"fp16", "fp32"}))
      ->capture_default_str();
  command->add_flag("--quick", options->quick, "Check only these thresholds t");
  command
      ->add_flag("--training", options->training,
                 "Also check the gradients of all convolutions (dgrad and wgrad) for a random gradient of "
                 "the output")
      ->excludes(capture);
  command
      ->add_option("--dataflows,--dataflow", options->dataflows,
                   "Check convolutions (with --training also their gradients) only with these dataflows: "
                   "all, or a list such as ws,mask-sorted:2")
      ->type_name("LIST")
      ->excludes(capture)
      ->excludes(command->get_option("--quick"));
  command->add_flag("--all", options->all_rows, "Print one row per setting");
  options->output.add(*command, false);
  options->bev.add_mask(*command);
  command->callback([command, options, &context] { verify_network(*command, *options, context); });
}

}  // namespace spira::app
