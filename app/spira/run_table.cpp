#include "app/spira/run_table.hpp"

#include "app/common/value_names.hpp"
#include "app/spira/setting_lists.hpp"
#include "app/spira/table.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/job/timeline.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/measure/timeline_text.hpp"
#include "engine/report/advice/advice.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/layer_work.hpp"
#include "engine/run/verify/capture.hpp"
#include "engine/run/verify/verify.hpp"
#include "engine/run/write_outputs.hpp"
#include "engine/scene/formats/npy_header.hpp"
#include "engine/tune/choice_text.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <tuple>
#include <utility>

namespace spira::app {
namespace {

double top_ms(const StageTree& tree, std::string_view phase) {
  for (int node = 0; node < static_cast<int>(tree.nodes.size()); ++node) {
    const auto& here = tree.nodes[static_cast<std::size_t>(node)];
    if (here.parent < 0 && tree.key(node).phase == phase) return tree.median_ms(node);
  }
  return 0.0;
}

/// Returns the cells of a layer that relate its work to its time: GFLOP/s and GB/s. If the rates of the
/// device were measured, also returns the ratio of the time to its floor (the shortest possible time).
std::vector<std::string> efficiency_cells(const Session& session, const Measurement& measurement,
                                          std::size_t at) {
  const LayerPlan& plan = measurement.plan.layers[at];
  const StageWork work = features_work({session.network().layers[at], session.levels().layers[at],
                                        measurement.layers[at], plan.threshold, measurement.plan.precision});
  const bool timed = work.median_ms() > 0;
  std::vector<std::string> cells{timed ? fixed(work.flops_per_s() / 1e9, 1) : "",
                                 timed ? fixed(work.bytes_per_s() / 1e9, 1) : ""};
  if (!measurement.rates) return cells;
  const auto ratio = work.times_floor(measurement.rates);
  cells.push_back(ratio ? fixed(*ratio, 2) : "");
  return cells;
}

/// Returns the rows of the table of layers. If `only` is not -1, returns only the row of the layer with this
/// index.
std::vector<std::vector<std::string>> layer_rows(const Session& session, const Measurement& measurement,
                                                 int only) {
  std::vector<std::vector<std::string>> rows{{"layer", "stride", "K", "channels", "outputs", "pairs",
                                              "dataflow", "map ms", "features ms", "peak MB", "GFLOP/s",
                                              "GB/s"}};
  const bool counted = std::any_of(measurement.layers.begin(), measurement.layers.end(),
                                   [](const LayerMeasurement& row) { return row.redundancy.has_value(); });
  const bool native = has_neighbours(measurement);
  if (measurement.rates) rows.front().emplace_back("time / floor");
  if (native) rows.front().emplace_back("fan-in");
  if (counted) rows.front().emplace_back("slots per pair");
  rows.front().emplace_back("kernel");
  for (std::size_t at = 0; at < measurement.layers.size(); ++at) {
    if (only >= 0 && static_cast<std::size_t>(only) != at) continue;
    const LayerMeasurement& row = measurement.layers[at];
    const Layer& layer = session.network().layers[at];
    const LayerLevels& levels = session.levels().layers[at];
    const auto peak = row.stages.peak_bytes();
    const bool convolution = layer.convolution(), map = layer.has_map();
    const std::string out = level_text(session.levels(), levels.stride_out);
    rows.push_back({row.name, map ? level_text(session.levels(), levels.stride_in) + ">" + out : out,
                    convolution ? text_of(layer.kernel_size) : std::string(text_of(layer.op)),
                    std::to_string(layer.in_channels) + ">" + std::to_string(layer.out_channels),
                    count_text(row.outputs), map ? count_text(row.pairs) : "",
                    dataflow_text(layer, measurement.plan.layers[at]),
                    !map             ? ""
                    : row.map_shared ? "shared"
                                     : fixed(top_ms(row.stages, "map"), 3),
                    fixed(top_ms(row.stages, "features"), 3),
                    peak ? fixed(static_cast<double>(*peak) / 1e6, 1) : ""});
    const auto efficiency = efficiency_cells(session, measurement, at);
    rows.back().insert(rows.back().end(), efficiency.begin(), efficiency.end());
    if (native) rows.back().push_back(row.neighbours ? fixed(row.neighbours->fan_in(), 2) : "");
    if (counted) rows.back().push_back(row.redundancy ? fixed(row.redundancy->slots_per_pair(), 2) : "");
    rows.back().push_back(kernel_text(row));
  }
  return rows;
}

/// Returns the end of a line with a time, such as ", 5.2 ms per frame of 4". Empty for one frame.
std::string per_frame_text(const Samples& samples, int batch) {
  if (batch <= 1) return {};
  return ", " + ms_text(samples.stats().median / batch) + " per frame, batch of " + std::to_string(batch);
}

/// Returns the line with the time of the network as one compiled graph. Returns an empty string if the back
/// end can only run layer by layer.
std::string compiled_text(const Measurement& measurement, int batch) {
  if (measurement.device.kind != BackendKind::cuda) return {};
  if (measurement.compiled_wall.ms.empty())
    return "CUDA graph    not compiled: " + measurement.compiled_how + "\n";
  return "CUDA graph    " + stats_text(measurement.compiled_wall.stats()) +
         per_frame_text(measurement.compiled_wall, batch) +
         ", from the points in device memory to the last output; " + measurement.compiled_how + ", " +
         "memory: " + bytes_text(measurement.compiled_bytes) + "\n";
}

std::string timeline_text(const Timeline& timeline) {
  if (timeline.mode != TimelineMode::in_situ || timeline.empty()) return {};
  return "timeline      in situ, " + std::to_string(timeline.tracks.size()) +
         " parallel branches, overlap factor " + fixed(timeline.overlap_factor(), 2) + ", " +
         mark_cost_text(timeline) + "; " + timeline.how + "\n";
}

/// Returns the percentiles of the samples as text, such as "p90 41.9 ms, p95 42.3 ms, p99 - (p99 needs 100
/// samples)".
std::string percentiles_text(const std::vector<double>& samples_ms) {
  std::string text;
  for (const Percentile& one : percentiles(samples_ms))
    text += (text.empty() ? "" : ", ") + std::string(one.name) + " " + (one.ms ? ms_text(*one.ms) : "-");
  const std::string missing = missing_percentiles_text(samples_ms);
  return missing.empty() ? text : text + " (" + missing + ")";
}

/// Prints the stages of one layer, with the same names as in reports and in the window.
void print_stages(const StageTree& stages) {
  std::vector<std::vector<std::string>> rows{{"stage", "median ms", "IQR ms", "min ms", "n"}};
  for (const Percentile& one : percentiles({}))
    rows.front().push_back(std::string(one.name) + " ms");
  rows.front().emplace_back("");
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const auto& samples_ms = stages.nodes[static_cast<std::size_t>(node)].samples_ms;
    const Statistics s = statistics(samples_ms);
    rows.push_back({stages.key(node).text(), fixed(s.median, 3), fixed(s.iqr(), 3), fixed(s.min, 3),
                    std::to_string(s.n)});
    for (const Percentile& one : percentiles(samples_ms))
      rows.back().push_back(one.ms ? fixed(*one.ms, 3) : "-");
    rows.back().emplace_back(near_timer_resolution(s.median) ? "near timer resolution" : "");
  }
  std::cout << table_text(rows);
}

/// Returns the layer whose output differs most from the output with t = max. Returns `nullptr` if no output
/// was checked.
const LayerMeasurement* farthest_output(const Measurement& measurement) {
  const LayerMeasurement* worst = nullptr;
  for (const LayerMeasurement& layer : measurement.layers) {
    if (!layer.check) continue;
    const auto rank = [](const OutputDifference& one) {
      return std::tuple(!one.ok, one.max_rel, one.non_finite);
    };
    if (worst == nullptr || rank(*layer.check) > rank(*worst->check)) worst = &layer;
  }
  return worst;
}

/// Returns the warnings about NaN and infinite values, one line each. Returns an empty list if there are no
/// such values.
std::vector<std::string> value_warnings(const Report& report) {
  std::vector<std::string> lines;
  for (const TrustReason& reason : trust_of(report).reasons) {
    if (reason.code == "input_not_finite" || reason.code == "input_replaced" ||
        reason.code == "output_not_finite")
      lines.push_back(reason.text);
  }
  return lines;
}

/// Returns the line about the output check. Returns an empty string if no output was checked.
std::string check_text(const Measurement& measurement) {
  const LayerMeasurement* worst = farthest_output(measurement);
  if (worst == nullptr) return {};
  if (worst->check->non_finite > 0)
    return "output check  FAILED: the output of " + worst->name + " has " +
           counted_text(worst->check->non_finite, "NaN or infinite value", "NaN or infinite values") +
           " and cannot be compared with t = max\n";
  return "output check  " + std::string(worst->check->ok ? "PASSED" : "FAILED") +
         ": the largest difference from the output with t = max is " + shortest(worst->check->max_abs) +
         ", " + shortest(worst->check->max_rel) +
         " of the largest value (limit: " + shortest(output_tolerance(measurement.plan.precision)) +
         "), in layer " + worst->name + "\n";
}

/// Returns the line about the rates of the device. Returns an empty string if they were not measured.
std::string rates_text(const Measurement& measurement) {
  if (!measurement.rates) return {};
  const auto text = [](const DeviceRate& rate, const char* unit) {
    return rate.per_second ? scaled_text(*rate.per_second, unit) + ", " + rate.how : rate.how;
  };
  return "device rates  " + text(measurement.rates->bytes, "B/s") + "; " +
         text(measurement.rates->flops, "FLOP/s") + "\n";
}

/// Returns the line about the searches. Returns an empty string if the searches were not counted.
std::string searches_text(const Measurement& measurement) {
  if (!measurement.searches) return {};
  const CountedSearches all = measurement.searches->whole();
  std::string text = "searches      ";
  for (const MapAlgorithm algorithm :
       {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash}) {
    const auto at = static_cast<std::size_t>(algorithm);
    text += std::string(text_of(algorithm)) + " " + fixed(all.comparisons.at(at).value, 2) + "/" +
            fixed(all.sectors.at(at).value, 2) + (algorithm == MapAlgorithm::hash ? "" : ", ");
  }
  return text + " (comparisons/sectors per query, counted for " + count_text(all.sampled_queries) + " of " +
         count_text(all.queries) + " queries)\n";
}

/// Returns the line about the neighbourhoods of native layers, such as "neighbours ball, cell 2: 17 of 21
/// layers". Returns an empty string if there are no native layers.
std::string neighbours_text(const Network& network) {
  std::vector<std::pair<std::string, std::int64_t>> counts;  // In the order of the layers.
  for (const Layer& layer : network.layers) {
    if (!layer.neighbourhood.native()) continue;
    const std::string text = text_of(layer.neighbourhood);
    const auto same =
        std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == text; });
    if (same == counts.end()) {
      counts.emplace_back(text, 1);
    } else {
      ++same->second;
    }
  }
  if (counts.empty()) return {};
  std::string line = "neighbours    ";
  for (const auto& [text, layers] : counts)
    line += text + ": " + count_text(layers) + (&layers == &counts.back().second ? " of " : ", ");
  return line + counted_text(std::ssize(network.layers), "layer", "layers") + "\n";
}

void print_run_text(const Session& session, const Report& report, int only) {
  const Measurement& measurement = report.measurement;
  std::cout << table_text(layer_rows(session, measurement, only));
  constexpr std::size_t most_skipped = 10;
  if (const std::string partial = partial_text(session.network()); !partial.empty())
    std::cout << partial << ". All times below are for the layers that run\n"
              << skipped_text(session.network(), most_skipped);
  if (only >= 0) print_stages(measurement.layers[static_cast<std::size_t>(only)].stages);
  for (int node = 0; node < static_cast<int>(measurement.indexing.nodes.size()); ++node) {
    const auto& here = measurement.indexing.nodes[static_cast<std::size_t>(node)];
    if (here.parent < 0)
      std::cout << here.name << " " << ms_text(measurement.indexing.median_ms(node)) << "\n";
  }
  const Statistics wall = measurement.wall.stats();
  const int batch = report.scene.batch;
  if (batch > 1)
    std::cout << "batch         " << batch << " frames in one run, packing " << report.scene.pack.batch_text()
              << "\n";
  std::cout << neighbours_text(session.network());
  if (report.scene.positions)
    std::cout << "positions     " << text_of(*report.scene.positions, report.scene.unit) << "\n";
  if (has_neighbours(measurement))
    std::cout
        << "fan-in        triplets per group. Pairs and GFLOP/s count all triplets; fewer operations are "
           "needed if the inputs of a group are summed first\n";
  std::cout << "sum of stages " << sum_of_stages_text(measurement) << " (medians of "
            << counted_text(wall.n, "sample", "samples") << ", isolated pass)\n"
            << "wall time     " << stats_text(wall) << per_frame_text(measurement.wall, batch)
            << ", measured without timers\n"
            << "  percentiles " << percentiles_text(measurement.wall.ms) << "\n"
            << compiled_text(measurement, batch) << timeline_text(measurement.timeline) << "peak memory   "
            << bytes_text(measurement.peak_bytes)
            << " for the buffers of one run (forecast: " << bytes_text(measurement.forecast_peak_bytes)
            << ")\n"
            << "device        " << device_text(measurement.device) << "\n"
            << rates_text(measurement) << searches_text(measurement) << check_text(measurement)
            << "trust         " << trust_of(report).text() << "\n";
}

/// Returns the table of a training step and the line with its time. `only` has the same meaning as for
/// layer_rows().
std::string training_text(const Session& session, const Measurement& measurement, int only) {
  std::vector<std::vector<std::string>> rows{{"layer", "forward ms", "dgrad ms", "wgrad ms", "forward",
                                              "dgrad", "wgrad", "kernel of forward", "kernel of dgrad",
                                              "kernel of wgrad"}};
  for (std::size_t at = 0; at < measurement.layers.size(); ++at) {
    if (only >= 0 && static_cast<std::size_t>(only) != at) continue;
    const LayerMeasurement& row = measurement.layers[at];
    const StageTree& steps = measurement.training->stages;
    const int forward = steps.find({"features", row.name});
    const auto time_of = [](const PassMeasurement& pass) {
      return pass.stages.nodes.empty() ? std::string("-") : fixed(pass.stages.sum_of_tops_ms(), 3);
    };
    const auto name_of = [](const PassMeasurement& pass) {
      return pass.dataflow.empty() ? std::string("-") : pass.dataflow;
    };
    rows.push_back({row.name, fixed(forward < 0 ? 0 : steps.median_ms(forward), 3),
                    time_of(row.backward->dgrad), time_of(row.backward->wgrad),
                    dataflow_text(session.network().layers[at], measurement.plan.layers[at]),
                    name_of(row.backward->dgrad), name_of(row.backward->wgrad), steps.kernels(forward),
                    kernel_text(row.backward->dgrad, LayerPass::dgrad, row.name),
                    kernel_text(row.backward->wgrad, LayerPass::wgrad, row.name)});
  }
  return table_text(rows) + step_text(measurement) + "\npeak memory " +
         bytes_text(measurement.training->peak_bytes) + " for the buffers of one step\n";
}

void add_sweeps(const Loaded& loaded, const RunOptions& run, Report& report, Job& job) {
  Session& session = *loaded.session;
  report.threshold_sweep = std::make_shared<const Sweep>(
      sweep_thresholds(session, -1, loaded.plan, all_thresholds(session.network()), run.protocol(), job));
  report.pack_sweep = std::make_shared<const Sweep>(sweep_packings(
      loaded.backend, loaded.network, loaded.weights, loaded.cloud, session.scene()->grid, loaded.plan,
      packings_to_compare(*session.scene(), session.network()), run.protocol(), job));
}

void add_counters(const Context& context, const Loaded& loaded, Report& report, Job& job) {
  if (has_native_layers(*loaded.network))
    context.say("--counters: searches for native neighbours are not counted");
  const SearchCounters counters = count_searches(*loaded.session->scene(), *loaded.network, job);
  if (!counters.maps.empty()) report.measurement.searches = counters;
}

void add_checks(const Loaded& loaded, Report& report, Job& job) {
  const auto found = check_outputs(*loaded.session, loaded.plan, job);
  for (std::size_t at = 0; at < found.size(); ++at)
    report.measurement.layers.at(at).check = found[at];
}

/// Throws Error(failed_check) if an output is wrong. Must be called last, after the results are printed and
/// written.
void require_right_output(const Measurement& measurement) {
  const LayerMeasurement* worst = farthest_output(measurement);
  if (worst == nullptr || worst->check->ok) return;
  if (worst->check->non_finite > 0)
    throw Error(ErrorKind::failed_check,
                "output check: the output of " + worst->name + " has NaN or infinite values");
  throw Error(ErrorKind::failed_check, "output check: the output of " + worst->name +
                                           " differs from the output with t = max by " +
                                           shortest(worst->check->max_rel) + " of the largest value");
}

}  // namespace

void TrainingOptions::add(CLI::App& command) {
  auto* training = command.add_flag(
      "--training", wanted,
      "Also measure training steps: the features and the gradients of all layers, without the optimizer");
  command
      .add_option("--loss-scale", loss_scale,
                  "With --training: the loss scale, a power of two that multiplies the first gradient "
                  "(default: 1024 for fp16, 1 for fp32)")
      ->type_name("N")
      ->needs(training);
  command
      .add_option("--gradient", gradient,
                  "With --training: an .npy file with the gradient of the loss with respect to the output, "
                  "one row per output voxel (default: random numbers, N(0, 1) * 0.001)")
      ->type_name(file_value)
      ->needs(training);
}

void TrainingOptions::check(const Network& network) const {
  if (!wanted) return;
  const auto number = parse_int(loss_scale);
  if (!loss_scale.empty() && !(number && is_loss_scale(*number)))
    throw Error(ErrorKind::usage, "--loss-scale " + shortened(loss_scale) +
                                      ": expected a power of two from 1 to " +
                                      std::to_string(max_loss_scale));
  require_trainable(network);
  if (const auto outputs = output_layers(network).size(); !gradient.empty() && outputs != 1)
    throw Error(ErrorKind::usage, "--gradient: the network has " + std::to_string(outputs) +
                                      " outputs, but a gradient file can only be used with one output");
}

std::optional<TrainingRequest> TrainingOptions::request(const Loaded& loaded) const {
  if (!wanted) return std::nullopt;
  require_training(*loaded.backend, *loaded.network);
  TrainingRequest request;
  const bool scaled = loaded.plan.precision == Precision::fp16;
  request.loss_scale = static_cast<int>(parse_int(loss_scale).value_or(scaled ? usual_loss_scale : 1));
  if (!gradient.empty()) {
    const auto at = static_cast<std::size_t>(output_layers(*loaded.network).front());
    const int level = levels_of(*loaded.network).layers[at].stride_out;
    request.first_gradient =
        read_npy_matrix(gradient, size_of(loaded.session->scene()->level(level)),
                        loaded.network->layers[at].out_channels, "the gradient of this output");
  }
  return request;
}

void RunView::add(CLI::App& command, RunOptions& run) {
  command.add_flag("--check", check,
                   "Also compare the output of each layer with its output for t = max, and add the result to "
                   "the report; exit code 1 if an output is wrong");
  command.add_flag("--counters", counters,
                   "Also count the comparisons and the memory reads of each search algorithm that can build "
                   "the kernel maps, and add the counts to the report");
  command.add_flag("--rates", rates,
                   "Also measure the memory rate and the arithmetic rate of the device (about 1 s); the time "
                   "of each layer is then compared with the minimum time at these rates");
  training.add(command);
  run.layers.add_backward(command);
  outputs.add(command);
}

void measure_and_print(const Context& context, const SceneOptions& scene, const RunOptions& run,
                       const OutputOptions& output, Network network, const RunView& view) {
  Job job = context.job();
  const int only = view.layer.empty() ? -1 : layer_named(network, view.layer);
  std::vector<std::string> inputs{scene.scene, run.weights, run.plan, run.output};
  inputs.insert(inputs.end(), scene.batch.begin(), scene.batch.end());
  const auto written = view.outputs.chosen(network, inputs);
  view.training.check(network);
  const Loaded loaded = load_session(context, scene, run, std::move(network), job);
  // Faults of the gradient are found before the measurement, which can take long.
  const auto training = view.training.request(loaded);
  const auto measurement = loaded.session->measure(loaded.plan, run.protocol(), job);
  if (run.duration_s > 0 && std::ssize(measurement->wall.ms) == max_repetitions)
    context.say("--duration ended early, because a report contains at most " + count_text(max_repetitions) +
                " repetitions");
  Report report = make_report(*loaded.session, *measurement, context.command_line);
  report.tool_version = SPIRA_VERSION;
  if (training) measure_training(*loaded.session, *training, run.protocol(), report.measurement, job);
  if (view.rates) report.measurement.rates = loaded.backend->measure_rates(loaded.plan.precision, job);
  if (view.counters) add_counters(context, loaded, report, job);
  if (view.check) add_checks(loaded, report, job);
  if (view.sweeps) say_only_threshold(context, *loaded.network, -1);
  if (view.sweeps) add_sweeps(loaded, run, report, job);
  for (const std::string& line : value_warnings(report))
    context.say("warning: " + line);
  if (!run.output.empty()) {
    write_file(run.output, report_json(report), context.stop);
    context.say("report: " + run.output);
  }
  view.outputs.write(context, loaded, written, job);
  if (output.json) {
    std::cout << report_json(report);
  } else if (output.csv) {
    std::cout << measurements_csv(report);
  } else {
    print_run_text(*loaded.session, report, only);
    if (report.measurement.training)
      std::cout << "\n" << training_text(*loaded.session, report.measurement, only);
    for (const auto& sweep : {report.threshold_sweep, report.pack_sweep}) {
      if (sweep) std::cout << "\n" << sweep_text(*sweep);
    }
    constexpr std::size_t max_advice = 5;
    const std::string advice = advice_text(advise(facts_of(report)), max_advice);
    if (!advice.empty()) std::cout << "\nadvice (largest gain first)\n" << advice;
  }
  require_right_output(report.measurement);
  if (const std::string overflow = overflow_text(report.measurement); !overflow.empty())
    throw Error(ErrorKind::failed_check, overflow);
}

std::string skipped_text(const Network& network, std::size_t most) {
  std::string text;
  for (std::size_t at = 0; at < network.skipped.size() && at < most; ++at) {
    const SkippedLayer& skipped = network.skipped[at];
    text += "  not run: " + printable(skipped.layer.name) + " " + printable(skipped.why) + "\n";
  }
  if (network.skipped.size() > most)
    text += "  not run: " + count_text(std::ssize(network.skipped) - static_cast<std::int64_t>(most)) +
            " more; spira network lists them\n";
  return text;
}

namespace {

/// Returns the row of a layer that ran from its captured input.
std::vector<std::string> captured_row(const Loaded& loaded, const Measurement& measurement) {
  const int last = static_cast<int>(loaded.network->layers.size()) - 1;
  auto row = layer_rows(*loaded.session, measurement, last).at(1);
  row.at(1) = "captured";
  const auto inputs = measurement.layers.back().inputs;
  row.insert(row.begin() + 4, count_text(inputs));
  return row;
}

/// Returns how the result of a layer that ran from its captured input compares with its captured output, such
/// as "differs from the capture by 5.2e-8 of the largest value (24 of 1,204 rows)".
std::string difference_text(const CapturedInput& input, Session& session) {
  if (!input.output) return "not compared: " + input.why_not_compared;
  const int last = static_cast<int>(input.network->layers.size()) - 1;
  const CaptureRow row = compare_with_output(*session.result(last), input);
  if (row.compared == 0 && !row.fault.empty()) return "not compared: " + row.fault;
  return "differs from the capture by " + scientific(row.max_rel) + " of the largest value (" +
         count_text(row.compared) + " of " + count_text(row.rows) + " rows)" +
         (row.fault.empty() ? "" : "; this exceeds the limit");
}

/// Returns the text for the network of a report.
OriginFact difference_fact(const CapturedInput& input, Session& session) {
  return {"captured output", difference_text(input, session)};
}

/// Measures all layers one after another and prints a table, or a JSON array of their reports. Returns how
/// the result of each layer compares with the capture.
std::vector<std::string> measure_each(
    const Context& context, const std::vector<CapturedInput>& inputs, const RunOptions& run,
    const OutputOptions& output,
    const std::function<void(SceneOptions&, RunOptions&, const CapturedInput&)>& select,
    const SceneOptions& scene, Job& job) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> differences;
  std::string reports;
  for (const CapturedInput& input : inputs) {
    SceneOptions own_scene = scene;
    RunOptions own_run = run;
    select(own_scene, own_run, input);
    const Loaded loaded = load_session(context, own_scene, own_run, *input.network, job);
    const auto measurement = loaded.session->measure(loaded.plan, own_run.protocol(), job);
    Report report = make_report(*loaded.session, *measurement, context.command_line);
    report.tool_version = SPIRA_VERSION;
    if (!run.weights.empty()) {
      report.network.origin.push_back(difference_fact(input, *loaded.session));
      differences.push_back(input.network->layers.back().name + " " + report.network.origin.back().text);
    }
    if (output.json) {
      reports += (reports.empty() ? "[" : ",") + report_json(report);
      continue;
    }
    if (rows.empty()) {
      rows.push_back(layer_rows(*loaded.session, *measurement, 0).front());
      rows.front().at(1) = "input";
      rows.front().insert(rows.front().begin() + 4, "inputs");
    }
    rows.push_back(captured_row(loaded, *measurement));
  }
  std::cout << (output.json ? reports + "]\n" : table_text(rows));
  return differences;
}

}  // namespace

void measure_captured(const Context& context, const std::string& file, const SceneOptions& scene,
                      const RunOptions& run, const OutputOptions& output, const Network& network,
                      const RunView& view) {
  Job job = context.job();
  if (network.skipped.empty())
    throw Error(ErrorKind::usage, "--capture: all layers of network " + network.name +
                                      " run without a captured input; use --voxels " + file);
  const auto named = std::find_if(network.skipped.begin(), network.skipped.end(),
                                  [&](const SkippedLayer& one) { return one.layer.name == view.layer; });
  if (!view.layer.empty() && named == network.skipped.end())
    throw Error(ErrorKind::usage, "--layer " + view.layer + ": network " + network.name +
                                      " has no layer with this name that needs a captured input");
  const std::string why_not = named == network.skipped.end() ? std::string() : why_not_captured(*named);
  if (!why_not.empty()) throw Error(ErrorKind::usage, "--layer " + view.layer + ": " + why_not);
  const auto inputs = captured_inputs(file, network, view.layer, !run.weights.empty(), job);
  if (inputs.empty())
    throw Error(ErrorKind::input, file + ": contains no inputs of " +
                                      (view.layer.empty() ? "layers behind opaque parts" : view.layer) +
                                      "; export the capture again");
  const auto select = [&](SceneOptions& own_scene, RunOptions& own_run, const CapturedInput& input) {
    own_scene.scene = file;
    own_scene.opened = input.cloud;
    if (run.weights.empty()) return;
    own_run.loaded_weights = std::make_shared<const NetworkWeights>(captured_weights(run.weights, input));
  };
  if (view.layer.empty()) {
    const auto differences = measure_each(context, inputs, run, output, select, scene, job);
    if (output.json) return;
    std::cout << "Each layer ran from its captured input.\n";
    for (const std::string& difference : differences)
      std::cout << "  " << printable(difference) << "\n";
    for (const CapturedInput& input : inputs) {
      if (input.without_residual)
        std::cout << "  " << printable(input.network->layers.back().name) << " ran without its residual\n";
    }
    std::cout << partial_text(network) << "\n";
    for (const SkippedLayer& skipped : network.skipped) {
      const bool ran = std::any_of(inputs.begin(), inputs.end(), [&](const CapturedInput& input) {
        return input.network->layers.back().name == skipped.layer.name;
      });
      if (ran) continue;
      const std::string why = why_not_captured(skipped);
      std::cout << "  not run: " << printable(skipped.layer.name) << " "
                << (why.empty() ? "has no input in the capture" : printable(why)) << "\n";
    }
    return;
  }
  SceneOptions own_scene = scene;
  RunOptions own_run = run;
  select(own_scene, own_run, inputs.front());
  Network one = *inputs.front().network;
  if (!run.weights.empty()) {
    const Loaded loaded = load_session(context, own_scene, own_run, one, job);
    loaded.session->run_all(loaded.plan, job, {});
    one.origin.push_back(difference_fact(inputs.front(), *loaded.session));
    context.say(view.layer + " " + one.origin.back().text);
  }
  if (inputs.front().without_residual) context.say(view.layer + " runs without its residual");
  measure_and_print(context, own_scene, own_run, output, std::move(one), view);
}

namespace {

/// Adds the layers that `text` names to `chosen`. `text` is "all", one name, or several names separated by
/// commas. A name can contain a comma, so the function first searches for a layer with the whole text as its
/// name.
void add_named(const Network& network, const std::string& text, std::set<int>& chosen) {
  if (const int layer = network.index_of(text); layer >= 0) {
    chosen.insert(layer);
    return;
  }
  if (text == "all") {
    for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer)
      chosen.insert(layer);
    return;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const int layer = network.index_of(name);
    if (layer < 0)
      throw Error(ErrorKind::usage,
                  "--output-layers: network " + network.name + " has no layer '" + name + "'");
    chosen.insert(layer);
    begin = end + 1;
  }
}

std::filesystem::path whole_path(const std::string& name) {
  return std::filesystem::weakly_canonical(std::filesystem::absolute(name));
}

/// Throws Error(usage) if the extension of the file is not supported, or if the file is one of `inputs`.
void require_new_file(const std::string& option, const std::string& file,
                      const std::vector<std::string>& inputs) {
  require_outputs_format(file);
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    std::error_code not_there;
    // equivalent() fails if a file does not exist yet. Therefore the paths are compared as well.
    if (std::filesystem::equivalent(file, input, not_there) || whole_path(file) == whole_path(input))
      throw Error(ErrorKind::usage,
                  option + " " + file + " would overwrite the file " + input + ", which the run uses");
  }
}

}  // namespace

void RunOutputs::add(CLI::App& command) {
  auto* output =
      command
          .add_option("--outputs", file,
                      "Write the outputs of layers and their coordinates to this .safetensors or .npz file")
          ->type_name(file_value);
  add_layers(command, "Layers whose outputs --outputs writes")->needs(output);
  command
      .add_option("--save-voxels", voxels,
                  "Write the input of the network to this .safetensors or .npz file, which --voxels can read")
      ->type_name(file_value);
}

CLI::Option* RunOutputs::add_layers(CLI::App& command, const std::string& what) {
  return command
      .add_option(
          "--output-layers", layers,
          what +
              ": all, or names separated by commas; may be repeated (default: the outputs listed in the "
              "network file, or the last layer)")
      ->type_name("all|LIST")
      ->allow_extra_args(false);
}

std::vector<int> RunOutputs::chosen(const Network& network, const std::vector<std::string>& inputs) const {
  if (!voxels.empty()) {
    std::vector<std::string> others = inputs;
    others.push_back(file);
    require_new_file("--save-voxels", voxels, others);
    require_writable(voxels);
  }
  if (file.empty()) return {};
  require_new_file("--outputs", file, inputs);
  require_writable(file);
  return named_layers(network);
}

std::vector<int> RunOutputs::named_layers(const Network& network) const {
  std::set<int> layers_of_file;
  for (const std::string& text : layers)
    add_named(network, text, layers_of_file);
  if (layers.empty()) {
    for (const std::string& output : network.outputs)
      layers_of_file.insert(network.index_of(output));
  }
  if (layers_of_file.empty()) layers_of_file.insert(static_cast<int>(network.layers.size()) - 1);
  return {layers_of_file.begin(), layers_of_file.end()};
}

void RunOutputs::write(const Context& context, const Loaded& loaded, const std::vector<int>& chosen,
                       Job& job) const {
  if (!voxels.empty()) {
    write_voxel_file(voxels, *loaded.backend, *loaded.session->scene(), *loaded.network, job);
    context.say("voxels: " + voxels);
  }
  if (chosen.empty()) return;
  std::vector<std::shared_ptr<const LayerResult>> results;
  for (const int layer : chosen) {
    auto result = loaded.session->result(layer);
    const bool current = result && result->plan == loaded.plan.layers.at(static_cast<std::size_t>(layer));
    results.push_back(current ? std::move(result) : loaded.session->run_layer(layer, loaded.plan, job));
  }
  write_outputs(file, *loaded.network, results, loaded.weights->source, job);
  context.say("outputs of " + counted_text(std::ssize(results), "layer", "layers") + ": " + file);
}

}  // namespace spira::app
