// Declares options that several commands of `spira` share, and converts them to values of the engine.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/backend/plan.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/session.hpp"

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spira::app {

/// Data that every command receives: the back ends of this build, the stop token, the command line, and the
/// values of the shared options.
struct Context {
  const Registry& registry;
  std::stop_token stop;
  std::vector<std::string> command_line;
  bool quiet = false;
  int threads = 0;
  std::size_t memory_limit_bytes = 0;  ///< 0 disables the limit.
  std::optional<int> gpu{};            ///< The value of --device.

  /// Returns a job that prints its progress to stderr if stderr is a terminal.
  [[nodiscard]] Job job() const;
  [[nodiscard]] BackendOptions backend_options() const;
  void say(const std::string& line) const;  ///< Prints `line` to stderr, unless `quiet` is set.
};

/// Returns the number of bytes for "500M", "2G" or a number. Throws Error(usage) if the text is not valid.
[[nodiscard]] std::size_t parse_memory_limit(const std::string& text);

struct OutputOptions {
  bool json = false, csv = false;
  void add(CLI::App& command, bool with_csv);
};

void add_crop(CLI::App& command, std::string& crop);
void add_every(CLI::App& command, std::int64_t& every);
void add_shard(CLI::App& command, std::string& shard);
/// Refuses an empty value of an option.
[[nodiscard]] CLI::Validator not_empty();
void add_warmup(CLI::App& command, int& warmup, const std::string& what);

struct LayerSettings {
  std::vector<std::string> thresholds, maps, layouts, dataflows;  ///< Each value has the form "NAME=VALUE".
  std::vector<std::string> dgrads, wgrads;  ///< Dataflows of the backward passes, in the same form.
  void add(CLI::App& command);
  /// Adds the options for the backward passes. The command must have the option --training.
  void add_backward(CLI::App& command);
  /// Applies the options to `plan`. The backward passes of layers whose settings differ from `before` follow
  /// their layers. Throws Error(usage) if a layer does not exist or does not support its setting.
  void set_in(Plan& plan, const std::vector<LayerPlan>& before, const Network& network) const;

 private:
  void set_forward_in(Plan& plan, const Network& network) const;
};

/// Options for the neighbourhoods of convolutions, and for the positions that native layers read.
struct NeighbourOptions {
  std::string neighbours, positions;  ///< Empty if the option was not given.
  int cell = 1;
  double radius = 0;
  void add(CLI::App& command);
  void add_shape(CLI::App& command);  ///< Adds all options except --positions.
  [[nodiscard]] bool given() const { return !neighbours.empty(); }
  /// Throws Error(usage) if the options contradict each other.
  [[nodiscard]] Neighbourhood neighbourhood() const;
  [[nodiscard]] PositionKind position_kind() const {
    return positions == text_of(PositionKind::grid) ? PositionKind::grid : PositionKind::nearest;
  }
  /// Returns the network with the requested neighbourhoods. Throws Error(usage) if a layer cannot have them,
  /// or if --positions has no effect.
  [[nodiscard]] Network applied_to(Network network) const;
  /// Like applied_to(), for the built-in network or the network file with this name.
  [[nodiscard]] Network network(const std::string& name) const;
};

struct SceneOptions {
  std::string scene, grid, pack, format, crop;
  NeighbourOptions neighbours;
  /// Further scenes. They run together with the scene as one batch.
  std::vector<std::string> batch;
  std::int64_t every = 1;
  bool voxels_only = false;                  ///< True if the scene must be a voxel file.
  std::shared_ptr<const PointCloud> opened;  ///< If it is set, open() returns it instead of reading `scene`.
  void add(CLI::App& command);
  void add_batch(CLI::App& command);
  void add_reading(CLI::App& command);  ///< Adds all options except the scene.
  /// Throws Error(usage) if the grid, the crop or the packing cannot be parsed.
  void check() const;
  /// Opens the scene. Checks all options first, because reading can take a long time.
  [[nodiscard]] std::shared_ptr<const PointCloud> open(const Context& context, Job& job) const;
  /// Throws Error(usage) if the cloud is a batch, for commands that read one frame.
  void require_one_frame(const PointCloud& cloud, const std::string& command) const;
  /// Opens the scene for a network. If the file of the network describes how scans are voxelised
  /// (`input.grid`), the cloud is the result of gridded_cloud(), and the grid has the voxel size of
  /// `input.grid`.
  [[nodiscard]] std::pair<std::shared_ptr<const PointCloud>, Grid> open_for(const Context& context,
                                                                            const Network& network,
                                                                            Job& job) const;
  /// Returns the requested grid with the crop. If no grid was requested, returns `automatic_grid`, or
  /// suggests a grid if `automatic_grid` is empty. In both cases, prints this grid to stderr.
  [[nodiscard]] Grid grid_for(const Context& context, const PointCloud& cloud,
                              const std::string& automatic_grid = {}) const;
  /// Returns the requested packing. If no packing was requested, returns the first packing that fits.
  [[nodiscard]] PackSpec pack_for(const Context& context, const PointCloud& cloud, const Grid& grid,
                                  const PackNeeds& needs, Job& job) const;
};

/// Options for the back end, the precision and the weights of a run.
struct EngineOptions {
  std::string backend = "auto", precision = "fp32", weights;
  std::uint64_t seed = 1;
  /// If it is set, weights_for() returns it instead of reading `weights`.
  std::shared_ptr<const NetworkWeights> loaded_weights;
  void add(CLI::App& command);
  [[nodiscard]] Precision storage() const;
  [[nodiscard]] bool precision_given() const {
    return precision_option != nullptr && precision_option->count() > 0;
  }
  [[nodiscard]] std::shared_ptr<const NetworkWeights> weights_for(const Network& network,
                                                                  const Job& job) const;

  const CLI::Option* precision_option = nullptr;
};

/// Maximum number of repetitions in one report. Each repetition adds samples to the report. With more
/// repetitions, the file could exceed the size limit for reading.
constexpr int max_repetitions = 10'000;

struct RunOptions : EngineOptions {
  std::string map = "zdelta", plan, dataflow, output;
  LayerSettings layers;
  int threshold = -1, repeat = 5, warmup = SamplingProtocol{}.warmup;
  double duration_s = 0;
  bool strict = false, ignore_devices = false;
  /// Adds add_settings(), the options for measuring, and -o.
  void add(CLI::App& command);
  /// Adds the options that determine the results of a run.
  void add_settings(CLI::App& command);
  /// Builds the plan from --threshold, --map and --plan. Throws Error(usage) if --plan is a tuning profile,
  /// because the settings of a profile depend on the scene. Only load_session() accepts tuning profiles.
  [[nodiscard]] Plan plan_for(const Context& context, const Network& network) const;
  [[nodiscard]] Plan plan_without_file(const Network& network) const;
  /// Throws Error(usage) in the same cases as set_dataflow_of(), but changes no plan and prints no notes.
  void check_settings(const Context& context, const Network& network) const;
  /// Applies --threshold or --dataflow, then the settings of single layers. Throws Error(usage) if a layer
  /// does not support its setting. Layers that do not support --dataflow keep their setting.
  void set_dataflow_of(Plan& plan, const Context& context, const Network& network) const;
  [[nodiscard]] SamplingProtocol protocol() const;
};

/// A scene and a network on a back end, ready to run.
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

/// Returns the index of the layer with this name. Throws Error(usage) if the network has no such layer.
[[nodiscard]] int layer_named(const Network& network, const std::string& name);
/// Like layer_named(), but also throws `Error(usage)` if the layer is not a convolution and therefore has no
/// kernel map.
[[nodiscard]] int convolution_named(const Network& network, const std::string& name);

/// Returns a text with the kind and the name of the device, its number of threads or SMs, its instruction
/// set, and the clock of the measurements.
[[nodiscard]] std::string device_text(const DeviceFacts& facts);
[[nodiscard]] std::string stats_text(const Statistics& stats);
/// Each of the functions below adds one sub-command to `program`. Parsing the arguments runs the sub-command.
void add_devices(CLI::App& program, Context& context);
void add_info(CLI::App& program, Context& context);
void add_densities(CLI::App& program, Context& context);
void add_neighbours(CLI::App& program, Context& context);
void add_blocks(CLI::App& program, Context& context);
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
void add_network(CLI::App& program, Context& context);
void add_relations(CLI::App& program, Context& context);
void add_infer(CLI::App& program, Context& context);
void add_merge(CLI::App& program, Context& context);

/// The value of -o that means standard output. A file with this name can be written as "./-".
inline constexpr std::string_view standard_output = "-";

/// Returns true for "-", /dev/stdout and other names of file descriptor 1.
[[nodiscard]] bool is_standard_output(const std::string& file);

/// Throws Error(usage) if `file` is an input of `command`, and Error(input) if it cannot be written.
void require_result_file(const CLI::App& command, const std::string& file);

/// Prepares the option -o of a command that writes its measurements as JSON. If -o is standard output, sets
/// --json and clears `file`. Throws the same errors as require_result_file(). Also throws Error(usage) if
/// --csv writes to standard output as well.
void prepare_result_file(const CLI::App& command, std::string& file, OutputOptions& output);

}  // namespace spira::app
