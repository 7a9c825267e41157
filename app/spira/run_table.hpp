// Measures a network on a scene and prints the results, for `run` and `layer`.
#pragma once

#include "app/spira/options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace spira::app {

struct RunOutputs {
  std::string file, voxels;  ///< The files of --outputs and --save-voxels.
  std::vector<std::string> layers;

  void add(CLI::App& command);
  /// Adds --output-layers and returns it. `what` is the beginning of its description.
  CLI::Option* add_layers(CLI::App& command, const std::string& what);
  /// Returns the layers of --output-layers, in network order. If the user named no layer, returns the outputs
  /// that the network file names. If the file names no outputs, returns the last layer. Throws Error(usage)
  /// if a layer is not known.
  [[nodiscard]] std::vector<int> named_layers(const Network& network) const;
  /// Returns named_layers(), or an empty list if --outputs is not given. Throws Error(usage) if the extension
  /// of `file` is not known, or if a written file is one of `inputs`. Throws Error(input) if a file cannot be
  /// written.
  [[nodiscard]] std::vector<int> chosen(const Network& network, const std::vector<std::string>& inputs) const;
  /// Runs the `chosen` layers and the layers that they depend on, and writes the outputs of the `chosen`
  /// layers to `file`. Writes the input of the network to `voxels`.
  void write(const Context& context, const Loaded& loaded, const std::vector<int>& chosen, Job& job) const;
};

/// Options for training steps (engine/run/backward.hpp).
struct TrainingOptions {
  bool wanted = false;
  std::string loss_scale;  ///< If it is empty, the usual loss scale is used for fp16, and 1 for fp32.
  std::string gradient;    ///< The file with the first gradient. Empty for a random gradient.
  void add(CLI::App& command);
  /// Throws Error(usage) if training was requested and the loss scale is not valid, the network cannot be
  /// trained, or a file contains the gradient of a network with several outputs.
  void check(const Network& network) const;
  /// Returns the request, with the first gradient from its file. Returns `std::nullopt` if training was not
  /// requested.
  [[nodiscard]] std::optional<TrainingRequest> request(const Loaded& loaded) const;
};

struct RunView {
  /// If true, every t and every packing is measured after the run, and the sweeps are added to the report.
  bool sweeps = false;
  std::string layer;   ///< Name of the only layer to print. If it is empty, all layers are printed.
  bool check = false;  ///< If true, the output of each layer is compared with its output for t = max.
  /// If true, the searches of the kernel maps are replayed and their operations are counted.
  bool counters = false;
  bool rates = false;  ///< If true, the maximum rates of the device are measured.
  TrainingOptions training;
  RunOutputs outputs;
  /// Adds the options of the view, and the options of `run` that only training steps need.
  void add(CLI::App& command, RunOptions& run);
};

/// Measures the network and prints the results. Then throws Error(failed_check) if an output differs from
/// the output with t = max.
void measure_and_print(const Context& context, const SceneOptions& scene, const RunOptions& run,
                       const OutputOptions& output, Network network, const RunView& view = {});

/// Runs layers behind opaque parts, each from the input that the capture `file` contains for it. `view.layer`
/// selects one layer, whose results are printed as by measure_and_print(). Otherwise prints one row for each
/// layer. Throws Error(usage) if no layer can run in this way.
void measure_captured(const Context& context, const std::string& file, const SceneOptions& scene,
                      const RunOptions& run, const OutputOptions& output, const Network& network,
                      const RunView& view);

/// Returns one line for each layer that does not run, with the reason, up to `most` lines.
[[nodiscard]] std::string skipped_text(const Network& network, std::size_t most);

}  // namespace spira::app
