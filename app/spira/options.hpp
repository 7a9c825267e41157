// Options that several commands share, and how they become engine values.
#pragma once

#include "app/spira/layer_settings.hpp"
#include "engine/backend/plan.hpp"
#include "engine/backend/registry.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/run/session.hpp"

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira::app {

/// What a command gets beside its own options.
struct Context {
  const Registry& registry;
  std::stop_token stop;
  std::vector<std::string> command_line;
  bool quiet = false;
  int threads = 0;
  std::size_t memory_limit_bytes = 0;  ///< 0: no limit

  [[nodiscard]] Job job() const;  ///< progress goes to stderr when that is a terminal
  [[nodiscard]] BackendOptions backend_options() const;
  void say(const std::string& line) const;  ///< to stderr, unless quiet
};

/// "500M", "2G" or a number of bytes. Throws Error(usage).
[[nodiscard]] std::size_t parse_memory_limit(const std::string& text);

struct OutputOptions {
  bool json = false, csv = false;
  void add(CLI::App& command, bool with_csv);
};

/// --crop, wherever a command reads points.
void add_crop(CLI::App& command, std::string& crop);
/// --every, wherever a command reads a file of points.
void add_every(CLI::App& command, std::int64_t& every);
/// --warmup, wherever a command takes samples.
void add_warmup(CLI::App& command, int& warmup, const std::string& what);

struct SceneOptions {
  std::string scene, grid, pack, format, crop;
  std::int64_t every = 1;
  void add(CLI::App& command);
  void add_reading(CLI::App& command);  ///< all but the scene
  /// Throws Error(usage) for a grid, crop or packing that cannot be parsed.
  void check() const;
  /// Checks the options first, so that a mistyped one is reported before a long read.
  [[nodiscard]] std::shared_ptr<const PointCloud> open(const Context& context, Job& job) const;
  /// The grid asked for, else a suggestion that is said on stderr; with the crop.
  [[nodiscard]] Grid grid_for(const Context& context, const PointCloud& cloud) const;
  /// The packing asked for, else the first that fits.
  [[nodiscard]] PackSpec pack_for(const Context& context, const PointCloud& cloud, const Grid& grid,
                                  int kernel_size, int max_stride, Job& job) const;
};

/// What runs, and with which weights.
struct EngineOptions {
  std::string backend = "auto", precision = "fp32", weights;
  std::uint64_t seed = 1;
  void add(CLI::App& command);
  [[nodiscard]] Precision storage() const;
  [[nodiscard]] bool precision_given() const {
    return precision_option != nullptr && precision_option->count() > 0;
  }
  [[nodiscard]] std::shared_ptr<const NetworkWeights> weights_for(const Network& network,
                                                                  const Job& job) const;

  const CLI::Option* precision_option = nullptr;
};

/// Of one report, which grows with each: it must stay below what is read again.
constexpr int most_repetitions = 10'000;

struct RunOptions : EngineOptions {
  std::string map = "zdelta", plan, output;
  LayerSettings layers;
  int threshold = -1, repeat = 5, warmup = SamplingProtocol{}.warmup;
  double duration_s = 0;
  bool strict = false, ignore_devices = false;
  void add(CLI::App& command);
  /// Of --threshold, --map and --plan. Throws Error(usage) for a tuning profile: what it says depends on the
  /// scene, so load_session() alone takes one.
  [[nodiscard]] Plan plan_for(const Context& context, const Network& network) const;
  [[nodiscard]] Plan plan_without_file(const Network& network) const;
  /// Throws Error(usage) if set_threshold_of() would; says nothing else.
  void check_settings(const Context& context, const Network& network) const;
  /// --threshold, then what is set by layer. Throws Error(usage) naming what a layer does not take.
  void set_threshold_of(Plan& plan, const Context& context, const Network& network) const;
  [[nodiscard]] SamplingProtocol protocol() const;
};

/// A scene on a back end with a network, loaded and ready to run.
struct Loaded {
  std::shared_ptr<const PointCloud> cloud;
  std::shared_ptr<Backend> backend;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;
  std::unique_ptr<Session> session;
  Plan plan;
};
[[nodiscard]] Loaded load_session(const Context& context, const SceneOptions& scene, const RunOptions& run,
                                  Network network, Job& job);

/// Throws Error(usage) naming the network.
[[nodiscard]] int layer_named(const Network& network, const std::string& name);

/// "network wall time 41.2 ms (median of 5, IQR 0.3 ms), sum of stages 43.0 ms; steady clock, CPU name ..."
[[nodiscard]] std::string device_text(const DeviceFacts& facts);
[[nodiscard]] std::string stats_text(const Statistics& stats);
/// Each adds its sub-command to the program; the callback runs when it was chosen.
void add_devices(CLI::App& program, Context& context);
void add_info(CLI::App& program, Context& context);
void add_densities(CLI::App& program, Context& context);
void add_run(CLI::App& program, Context& context);
void add_layer(CLI::App& program, Context& context);
void add_sweep(CLI::App& program, Context& context);
void add_tune(CLI::App& program, Context& context);
void add_verify(CLI::App& program, Context& context);
void add_bench(CLI::App& program, Context& context);
void add_compare(CLI::App& program, Context& context);
void add_export(CLI::App& program, Context& context);
void add_validate(CLI::App& program, Context& context);
void add_generate(CLI::App& program, Context& context);

}  // namespace spira::app
