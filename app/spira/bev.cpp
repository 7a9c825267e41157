#include "app/spira/bev.hpp"

#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/report/advice/advice.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/tune/choice_text.hpp"
#include "engine/tune/unit_choice.hpp"

#include <algorithm>
#include <iostream>

namespace spira::app {
namespace {

constexpr std::array bev_option_names{"--mask", "--z", "--method", "--core", "--min-cells", "--ignore-mask"};

std::string size_text(const Area& area, int stride) {
  return std::to_string(area.rows(stride)) + "x" + std::to_string(area.columns(stride));
}

std::string difference_cell(const UnitFacts& unit) {
  return unit.difference ? scientific(unit.difference->mask_rel) : "";
}

std::string mask_text(const BevFacts& view) {
  std::string text = "area          " + text_of(view.area) + "\n" + "mask          " + view.mask + ": " +
                     count_text(view.mask_cells) + " cells;";
  for (const MaskDensity& one : view.densities)
    text += (one.stride == 1 ? " " : ", ") + percent_text(one.density) + " at stride " +
            std::to_string(one.stride);
  return text + "\n";
}

std::string dense_check_text(const Measurement& measurement) {
  const BevFacts& view = *measurement.bev;
  if (view.units.empty() || !view.units.front().difference) return {};
  const UnitFacts& last = view.units.back();
  const UnitFacts* worst = &view.units.front();
  for (const UnitFacts& unit : view.units) {
    if (unit.difference->deep_rel > worst->difference->deep_rel) worst = &unit;
  }
  return "from dense    " + scientific(last.difference->mask_rel) +
         " of the largest value on the mask after the last unit, by design; " +
         scientific(worst->difference->deep_rel) + " on cells whose whole reach lies in active blocks (" +
         count_text(last.difference->deep_cells) + " cells after the last unit)\n";
}

void print_bev(const Report& report) {
  const Measurement& m = report.measurement;
  std::cout << units_text(m) << mask_text(*m.bev);
  for (int node = 0; node < static_cast<int>(m.indexing.nodes.size()); ++node) {
    if (m.indexing.nodes[static_cast<std::size_t>(node)].parent < 0)
      std::cout << m.indexing.key(node).text() << " " << ms_text(m.indexing.median_ms(node)) << "\n";
  }
  std::cout << "sum of stages " << ms_text(m.sum_of_stages_ms()) << " (medians of "
            << counted_text(std::ssize(m.wall.ms), "sample", "samples") << ", isolated pass)\n"
            << "wall time     " << stats_text(m.wall.stats())
            << ", from points to the last output, measured without timers\n"
            << "peak memory   " << bytes_text(m.peak_bytes)
            << " for the buffers of one run (forecast: " << bytes_text(m.forecast_peak_bytes) << ")\n"
            << "device        " << device_text(m.device) << "\n"
            << dense_check_text(m) << "trust         " << trust_of(report).text() << "\n";
}

/// Throws if cells whose whole reach lies in active blocks differ from dense units by more than rounding.
void require_equal_deep_cells(const Measurement& measurement) {
  for (const UnitFacts& unit : measurement.bev->units) {
    if (unit.difference && unit.difference->deep_rel > output_tolerance(measurement.plan.precision))
      throw Error(ErrorKind::failed_check,
                  "output check: " + unit.name + " differs from dense by " +
                      scientific(unit.difference->deep_rel) +
                      " of the largest value on cells whose whole reach lies in active blocks (limit: " +
                      shortest(output_tolerance(measurement.plan.precision)) + ")");
  }
}

}  // namespace

void BevOptions::add_mask(CLI::App& command) {
  command
      .add_option("--mask", mask,
                  "For a bird's-eye view: the cells that are needed. all, occupied[:POINTS], label:A,B, "
                  "height:LOW,HIGH, file:MASK.npy, top-left:SHARE or blobs:SHARE[:CELLS]; +CELLS adds cells "
                  "around it")
      ->type_name("MASK")
      ->capture_default_str();
  command
      .add_option("--z", z,
                  "For a bird's-eye view: the range of z in metres that the bins of the input image divide")
      ->type_name("LOW,HIGH")
      ->capture_default_str();
}

void BevOptions::add(CLI::App& command) {
  add_mask(command);
  command
      .add_option(
          "--method", method,
          "For a bird's-eye view: dense computes all cells; gathered copies the active blocks, computes them "
          "and "
          "copies them back; fused computes the blocks in place; rows runs the cells of the mask as voxels, "
          "which is another function")
      ->check(CLI::IsMember({"dense", "gathered", "fused", "rows"}))
      ->capture_default_str();
  command.add_option("--core", core, "For a bird's-eye view: edge of the core of a block, in cells")
      ->check(CLI::IsMember({4, 8, 16, 32}))
      ->capture_default_str();
  command
      .add_option(
          "--min-cells", min_cells,
          "For a bird's-eye view: a block is active if it has at least this number of cells of the mask")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command.add_flag("--ignore-mask", ignore_mask,
                   "For a bird's-eye view: use a plan even if it was tuned for a mask with other blocks");
}

void BevOptions::refuse(const CLI::App& command) {
  for (const char* const name : bev_option_names) {
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option != nullptr && option->count() > 0)
      throw Error(ErrorKind::usage,
                  std::string(name) + " needs a bird's-eye view network, such as --network sbnet");
  }
}

AreaRequest BevOptions::area_request(const SceneOptions& scene, const Network& network, double cell_m) const {
  AreaRequest request;
  request.cell_m = cell_m;
  if (!scene.grid.empty()) {
    const auto cell = parse_grid(scene.grid).voxel_m;
    if (cell[0] != cell[1])
      throw Error(ErrorKind::usage, "--grid " + scene.grid + ": the cells of a bird's-eye view are squares");
    request.cell_m = cell[0];
  }
  if (!scene.crop.empty()) request.crop_m = parse_crop(scene.crop);
  request.z_m = parse_z_range(z);
  request.coarsest_stride = coarsest_stride(units_of(network));
  return request;
}

void refuse_options(const CLI::App& command, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option != nullptr && option->count() > 0)
      throw Error(ErrorKind::usage, name + " has no effect for a bird's-eye view network; remove it");
  }
}

BevSubject open_bev(const Context& context, const SceneOptions& scene, const EngineOptions& engine,
                    Network network, const BevOptions& options, Job& job) {
  BevSubject subject;
  subject.settings.mask = parse_mask(options.mask);
  subject.settings.precision = engine.storage();
  subject.settings.min_cells = options.min_cells;
  const AreaRequest request = options.area_request(scene, network, default_cell_m);
  subject.backend = context.registry.make(engine.backend, context.backend_options());
  static_cast<void>(require_birds_eye(*subject.backend));
  subject.cloud = scene.open(context, job);
  scene.require_one_frame(*subject.cloud, "a bird's-eye view");
  subject.settings.area = area_of(*subject.cloud, request);
  context.say("area: " + text_of(subject.settings.area));
  if (const std::string note = enlargement_note(*subject.cloud, request); !note.empty())
    context.say("area: " + note);
  subject.network = std::make_shared<const Network>(std::move(network));
  subject.weights = engine.weights_for(*subject.network, job);
  return subject;
}

namespace {

/// Returns a plan file for the units of a network.
Plan unit_plan_file(const std::string& file, const Network& network) {
  Plan plan = read_plan(file, network);
  if (plan.units.empty())
    throw Error(ErrorKind::input,
                file + ": the plan has no units; make one with spira tune --network " + network.name);
  return plan;
}

/// Returns a plan with one method and core for all units that can run it.
Plan uniform_unit_plan(const Context& context, const BevOptions& options, const Network& network,
                       const Area& area) {
  Plan plan = default_plan(network);
  UnitPlan each{parse_unit_method(options.method), 0};
  if (in_blocks(each)) each.core = options.core;
  plan.units = unit_plans(units_of(network), area, each);
  const auto other =
      std::count_if(plan.units.begin(), plan.units.end(), [&](const UnitPlan& one) { return one != each; });
  if (other > 0)
    context.say(counted_text(other, "unit runs", "units run") + " dense, because core " +
                std::to_string(each.core) + " is larger than the image");
  return plan;
}

}  // namespace

std::unique_ptr<BevRun> load_bev(const Context& context, const SceneOptions& scene,
                                 const EngineOptions& engine, Network network, const BevOptions& options,
                                 Job& job) {
  BevSubject subject = open_bev(context, scene, engine, std::move(network), options, job);
  BevSettings& settings = subject.settings;
  const Plan plan = options.plan.empty()
                        ? uniform_unit_plan(context, options, *subject.network, settings.area)
                        : unit_plan_file(options.plan, *subject.network);
  settings.units = plan.units;
  if (!options.plan.empty() && !engine.precision_given()) settings.precision = plan.precision;
  auto run = std::make_unique<BevRun>(subject.backend, subject.cloud, subject.network, subject.weights,
                                      std::move(settings), job);
  if (!options.ignore_mask) require_tuned_mask(plan, run->facts());
  if (plan.tuned_mask && plan.tuned_mask->mask != run->facts().mask)
    context.say("plan: tuned for the mask " + plan.tuned_mask->mask + ", used for " + run->facts().mask);
  return run;
}

void measure_bev(const Context& context, const SceneOptions& scene, const RunOptions& run,
                 const OutputOptions& output, Network network, const BevOptions& options, bool check) {
  Job job = context.job();
  if (check && options.method == text_of(UnitMethod::rows))
    throw Error(ErrorKind::usage,
                "--check compares units with dense units, but --method rows computes another function");
  const auto loaded = load_bev(context, scene, run, std::move(network), options, job);
  Measurement measurement = loaded->measure(run.protocol(), job);
  if (check) {
    const auto found = loaded->difference_from_dense(job);
    for (std::size_t unit = 0; unit < found.size(); ++unit)
      measurement.bev->units.at(unit).difference = found[unit];
  }
  Report report = make_report(*loaded, measurement, context.command_line);
  report.tool_version = SPIRA_VERSION;
  if (!run.output.empty()) {
    write_file(run.output, report_json(report), context.stop);
    context.say("report: " + run.output);
  }
  if (output.json) {
    std::cout << report_json(report);
  } else if (output.csv) {
    std::cout << measurements_csv(report);
  } else {
    print_bev(report);
    constexpr std::size_t max_advice = 5;
    const std::string advice = advice_text(advise(facts_of(report)), max_advice);
    if (!advice.empty()) std::cout << "\nadvice (largest gain first)\n" << advice;
  }
  require_equal_deep_cells(report.measurement);
}

std::string units_text(const Measurement& measurement) {
  const BevFacts& view = *measurement.bev;
  const bool checked = !view.units.empty() && view.units.front().difference.has_value();
  std::vector<std::vector<std::string>> rows{{"unit", "cells", "method", "core", "blocks", "mask", "computed",
                                              "read", "ms", "GFLOP/s", "useful GFLOP/s"}};
  if (checked) rows.front().emplace_back("from dense");
  rows.front().emplace_back("kernel");
  for (const UnitFacts& unit : view.units) {
    const double ms = unit_time_ms(measurement, unit);
    const LayerMeasurement& last = measurement.layers.at(static_cast<std::size_t>(unit.last_layer));
    const auto cells =
        std::find_if(view.densities.begin(), view.densities.end(),
                     [&](const MaskDensity& one) { return view.area.size(one.stride) == last.outputs; });
    const auto rate = [&](std::int64_t flops) {
      return ms > 0 ? fixed(static_cast<double>(flops) / ms / 1e6, 1) : std::string();
    };
    const bool blocks = unit.plan.core > 0;
    rows.push_back({unit.name, cells == view.densities.end() ? "" : size_text(view.area, cells->stride),
                    std::string(text_of(unit.plan.method)), blocks ? std::to_string(unit.plan.core) : "",
                    blocks ? count_text(unit.shares.blocks) : "", percent_text(unit.shares.mask),
                    percent_text(unit.shares.computed), percent_text(unit.shares.read), fixed(ms, 3),
                    rate(unit.flops), rate(unit.useful_flops)});
    if (checked) rows.back().push_back(difference_cell(unit));
    rows.back().push_back(kernel_text(last));
  }
  return table_text(rows);
}

}  // namespace spira::app
