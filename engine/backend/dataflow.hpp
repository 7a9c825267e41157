// Gives the settings of a layer one name: its dataflow. Plan files, reports and the command line use these
// names.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/map/redundancy.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

// The names are:
// - "os": output-stationary (section 5.4 of the Spira paper);
// - "ws": weight-stationary. TorchSparse++ calls it fetch-on-demand;
// - "hybrid:T": both, divided at the threshold t = T;
// - "unsorted": output-stationary with the dense map of an implicit GEMM;
// - "mask-sorted:S": like "unsorted", but with the outputs sorted by mask in S splits (section 4.1 of the
//   TorchSparse++ paper);
// - "gather", "gather-fp16": gather-GEMM-scatter with sums in fp32. The second one rounds products to fp16.

/// Returns the name of the dataflow with which a layer runs. Returns an empty string if the layer is not a
/// convolution.
[[nodiscard]] std::string dataflow_text(const Layer& layer, const LayerPlan& plan);
/// Returns the name of the dataflow of a convolution whose largest threshold is `max_threshold`.
[[nodiscard]] std::string dataflow_text(const LayerSetting& setting, int max_threshold);
/// Returns "t = 2" for a threshold, and the name of the dataflow for all other settings.
[[nodiscard]] std::string setting_text(const LayerSetting& setting, int max_threshold);
/// Returns the setting with this name, or an empty value if no layer whose largest threshold is
/// `max_threshold` has it. The layer must still be checked with why_not_plan().
[[nodiscard]] std::optional<LayerSetting> setting_of(std::string_view dataflow, int max_threshold);
/// Returns the dataflow of a layer. Members that do not change the dataflow have their default value. For
/// example, the layout offset_major is replaced by z_runs.
[[nodiscard]] LayerSetting setting_of(const Layer& layer, const LayerPlan& plan);
/// Returns `plan` with another dataflow. Throws `Error(usage)` with the possible names if the name is
/// unknown or if the layer cannot run it.
[[nodiscard]] LayerPlan with_dataflow(const Layer& layer, LayerPlan plan, std::string_view name);
/// Returns the reason why a layer cannot run with these settings. Returns an empty string if it can.
[[nodiscard]] std::string why_not_plan(const Layer& layer, const LayerPlan& plan);
/// Returns true if the threshold t alone describes the dataflow: "os", "ws" and "hybrid:T".
[[nodiscard]] bool divides_at_threshold(const Layer& layer, const LayerPlan& plan);
/// Returns true if a layer can run the dataflow with this name, with any number of splits.
[[nodiscard]] bool can_run_dataflow(const Layer& layer, std::string_view name);
/// Returns the names of all dataflows that a layer can run, with 1 to 8 splits. Empty if the layer is not a
/// convolution.
[[nodiscard]] std::vector<std::string> dataflows_of(const Layer& layer);
/// Returns the layouts of the parts of a map that was built, such as "z-runs + pair lists" or
/// "mask-sorted:3".
[[nodiscard]] std::string layout_text(const KernelMap& map);
/// Counts the slots that a layer multiplies per pair. Returns an empty optional if its dataflow does not
/// multiply tiles of rows. `map` is the map of the layer in host memory.
[[nodiscard]] std::optional<Redundancy> redundancy_of(const KernelMap& map, const LayerPlan& plan);
/// Return a built-in plan that runs a network as another engine does, and whether a plan has such a name:
/// - "torchsparse": the default of TorchSparse++, hash maps and the dataflow unsorted;
/// - "torchsparse:S": hash maps and mask-sorted:S. Layers that cannot run with S splits run unsorted;
/// - "minuet": sorted queries and gather-fp16.
/// Layers with one offset, and layers that cannot run the dataflow, have the dataflow of default_plan().
/// Throws `Error(usage)` if the number of splits is not valid.
[[nodiscard]] bool is_named_plan(std::string_view name) noexcept;
[[nodiscard]] std::optional<Plan> named_plan(std::string_view name, const Network& network);
struct DataflowChoice {
  std::string name;
  std::string why_not;  ///< The reason why the layer cannot run it. Empty if it can.
};
/// Returns all dataflows that exist for the kernel of the layer, in the order of dataflows_of(). For each
/// dataflow that the layer cannot run, `why_not` contains the reason.
[[nodiscard]] std::vector<DataflowChoice> dataflow_choices(const Layer& layer);

}  // namespace spira
