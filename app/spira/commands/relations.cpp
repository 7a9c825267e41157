#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/setting_lists.hpp"
#include "app/spira/table.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/run/relation_run.hpp"
#include "engine/scene/formats/npy_header.hpp"
#include "engine/tune/choice_text.hpp"

#include <algorithm>
#include <iostream>

namespace spira::app {
namespace {

struct RelationsCommand {
  std::string file, nodes, features, layers = "16,64,16", normalise = "mean", dataflow = "ws";
  std::string backend = "auto", precision = "fp32", report;
  std::uint64_t seed = 1;
  int repeat = 5, warmup = SamplingProtocol{}.warmup;
  bool inverse = false, check = false;
  OutputOptions output;

  void add(CLI::App& command);
  [[nodiscard]] RelationSettings settings() const;
  [[nodiscard]] std::shared_ptr<const Triples> triples(Job& job) const;
};

void RelationsCommand::add(CLI::App& command) {
  command
      .add_option("file", file,
                  "Triples: .tsv, .csv or .nt (N-Triples), or a folder with the data files of WordNet")
      ->type_name(file_value)
      ->required();
  command
      .add_option("--nodes", nodes,
                  "A file with the names of all nodes, one per line (default: the nodes in the triples)")
      ->type_name(file_value)
      ->check(not_empty());
  command
      .add_option("--features", features,
                  "An .npy file with one row of features for each node (default: random numbers, N(0, 1))")
      ->type_name(file_value)
      ->check(not_empty());
  command
      .add_option("--layers", layers,
                  "Channels of the input, then the output channels of each layer, such as 16,64,16")
      ->type_name("LIST")
      ->capture_default_str();
  command
      .add_option("--normalise", normalise,
                  "How the features of all sources of a node and a relation are combined: mean or sum")
      ->check(CLI::IsMember({"mean", "sum"}))
      ->capture_default_str();
  command.add_flag("--inverse", inverse, "Also add the inverse of each relation to the graph");
  command
      .add_option(
          "--dataflow", dataflow,
          "ws: compute the means of a small block of nodes, multiply them by the weights, and go on with "
          "the next block; gather: first store the means of all nodes of a relation, then multiply "
          "them")
      ->check(CLI::IsMember({"ws", "gather"}))
      ->capture_default_str();
  command.add_option("--backend", backend, "Back end that runs the layers")
      ->type_name(backend_value)
      ->capture_default_str();
  command.add_option("--precision", precision, "Number format in which features and weights are stored")
      ->check(CLI::IsMember({"fp16", "fp32"}))
      ->capture_default_str();
  command.add_option("--seed", seed, "Seed of the random weights and features")->capture_default_str();
  command.add_option("--repeat,--iterations", repeat, "Number of measured repetitions")
      ->check(CLI::Range(1, max_repetitions))
      ->capture_default_str();
  add_warmup(command, warmup, "Number of warm-up runs, which are not measured");
  command.add_flag("--check", check,
                   "Also compare the output of each layer with a simple reference in double precision (slow "
                   "for large graphs); exit code 1 if an output is wrong");
  command.add_option("-o,--output", report, "Write the report (JSON) to this file; - is standard output")
      ->type_name(file_value);
  output.add(command, true);
}

RelationSettings RelationsCommand::settings() const {
  RelationSettings settings;
  settings.channels = parse_channels(layers, "--layers");
  settings.precision = precision == "fp16" ? Precision::fp16 : Precision::fp32;
  settings.method = dataflow == "ws" ? FeatureMethod::by_layout : FeatureMethod::gather_gemm_scatter;
  settings.normalise = normalise == "sum" ? Normalise::sum : Normalise::mean;
  settings.seed = seed;
  return settings;
}

std::shared_ptr<const Triples> RelationsCommand::triples(Job& job) const {
  Triples read = read_triples(file, nodes, job);
  if (inverse) read = with_inverses(std::move(read));
  return std::make_shared<const Triples>(std::move(read));
}

double stage_ms(const LayerMeasurement& layer, const char* phase) {
  const int node = layer.stages.find({phase, layer.name});
  return node < 0 ? 0 : layer.stages.median_ms(node);
}

std::string relation_rows(const Report& report) {
  std::vector<std::vector<std::string>> rows{{"layer", "channels", "outputs", "products", "dataflow",
                                              "map ms", "features ms", "peak MB", "GFLOP/s"}};
  const Measurement& m = report.measurement;
  for (std::size_t at = 0; at < m.layers.size(); ++at) {
    const LayerMeasurement& row = m.layers[at];
    const Layer& layer = report.network.layers[at];
    const double ms = stage_ms(row, "features");
    const auto peak = row.stages.peak_bytes();
    rows.push_back({row.name, std::to_string(layer.in_channels) + ">" + std::to_string(layer.out_channels),
                    count_text(row.outputs), count_text(row.pairs), dataflow_text(layer, m.plan.layers[at]),
                    row.map_shared ? "shared" : fixed(stage_ms(row, "map"), 3), fixed(ms, 3),
                    peak ? fixed(static_cast<double>(*peak) / 1e6, 1) : "",
                    ms > 0 ? fixed(static_cast<double>(row.useful_flops) / ms / 1e6, 1) : ""});
  }
  return table_text(rows);
}

std::string graph_text(const TripleFacts& graph) {
  return "graph         " + graph.text() + "\n" + "triples       " +
         counted_text(graph.duplicates, "duplicate", "duplicates") + " merged, " +
         counted_text(graph.self_loops, "self-loop", "self-loops") + " in addition to W_0\n" +
         "rows          " + count_text(graph.rows) +
         " pairs (node, relation) with at least one source; at most " +
         counted_text(graph.most_sources, "source", "sources") + " each\n";
}

/// Returns the layer whose output differs most from the reference. Returns `nullptr` if no output was
/// checked.
const LayerMeasurement* worst_layer(const Measurement& measurement) {
  const LayerMeasurement* worst = nullptr;
  for (const LayerMeasurement& layer : measurement.layers) {
    const auto rank = [](const OutputDifference& one) { return std::pair(!one.ok, one.max_rel); };
    if (layer.check && (worst == nullptr || rank(*layer.check) > rank(*worst->check))) worst = &layer;
  }
  return worst;
}

std::string difference_text(const LayerMeasurement& worst) {
  if (worst.check->non_finite > 0)
    return "the output of " + worst.name + " has " +
           counted_text(worst.check->non_finite, "NaN or infinite value", "NaN or infinite values");
  return "the output of " + worst.name + " differs from the reference by " +
         scientific(worst.check->max_rel) + " of the largest value";
}

void print_relations(const Report& report) {
  const Measurement& m = report.measurement;
  double features_ms = 0;
  for (const LayerMeasurement& layer : m.layers)
    features_ms += stage_ms(layer, "features");
  std::cout << relation_rows(report) << graph_text(*report.scene.triples) << "sum of stages "
            << sum_of_stages_text(m) << " (medians of "
            << counted_text(std::ssize(m.wall.ms), "sample", "samples") << ", isolated pass)\n"
            << "features      " << ms_text(features_ms) << " for all layers, without building the map\n"
            << "wall time     " << stats_text(m.wall.stats()) << ", measured without timers\n"
            << "peak memory   " << bytes_text(m.peak_bytes)
            << " for the buffers of one run (forecast: " << bytes_text(m.forecast_peak_bytes) << ")\n"
            << "device        " << device_text(m.device) << "\n";
  if (const LayerMeasurement* const worst = worst_layer(m))
    std::cout << "output check  " << (worst->check->ok ? "PASSED: " : "FAILED: ") << difference_text(*worst)
              << " (limit: " << shortest(output_tolerance(m.plan.precision)) << ")\n";
  std::cout << "trust         " << trust_of(report).text() << "\n";
}

void run_relations(const Context& context, const RelationsCommand& options) {
  Job job = context.job();
  RelationSettings settings = options.settings();
  auto backend = context.registry.make(options.backend, context.backend_options());
  if (options.backend == "auto" && backend->extensions().relations == nullptr)
    backend = context.registry.make("cpu", context.backend_options());
  static_cast<void>(require_relations(*backend));
  if (options.check && backend->facts().kind == BackendKind::reference)
    throw Error(ErrorKind::usage,
                "--check compares a back end with the back end reference; choose another --backend");
  const auto triples = options.triples(job);
  context.say(triples->name + ": read as " + triples->format);
  if (!options.features.empty())
    settings.features = read_npy_matrix(options.features, std::ssize(triples->nodes),
                                        settings.channels.front(), "the table of features");
  const RelationRun run(backend, triples, std::move(settings), job);
  SamplingProtocol how;
  how.warmup = options.warmup;
  how.min_samples = how.max_samples = options.repeat;
  how.max_time_ms = 1e9;  // The time is not limited, because the user set the number of repetitions.
  Measurement measurement = run.measure(how, job);
  if (options.check) {
    const auto found = run.compare_with(*context.registry.make("reference"), job);
    for (std::size_t at = 0; at < found.size(); ++at)
      measurement.layers.at(at).check = found[at];
  }
  Report report = make_report(run, measurement, context.command_line);
  report.tool_version = SPIRA_VERSION;
  if (!options.report.empty()) {
    write_file(options.report, report_json(report), context.stop);
    context.say("report: " + options.report);
  }
  if (options.output.json) {
    std::cout << report_json(report);
  } else if (options.output.csv) {
    std::cout << measurements_csv(report);
  } else {
    print_relations(report);
  }
  const LayerMeasurement* const worst = worst_layer(report.measurement);
  if (worst != nullptr && !worst->check->ok)
    throw Error(ErrorKind::failed_check, "output check: " + difference_text(*worst));
}

}  // namespace

void add_relations(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "relations", "Run relational graph convolutions (R-GCN) on triples and measure them");
  command->footer(
      "Example: spira relations graph.tsv --layers 16,64,16 --inverse -o graph.spira.json\n"
      "         spira relations /usr/share/wordnet --precision fp16 --check");
  auto options = std::make_shared<RelationsCommand>();
  options->add(*command);
  command->callback([command, options, &context] {
    prepare_result_file(*command, options->report, options->output);
    run_relations(context, *options);
  });
}

}  // namespace spira::app
