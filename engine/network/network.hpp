// Defines Network, a sparse convolution network: its layers and their connections.
#pragma once

#include "engine/map/kernel_offsets.hpp"
#include "engine/voxel/fit.hpp"
#include "engine/voxel/input_features.hpp"
#include "engine/voxel/level_rule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

constexpr float default_norm_epsilon = 1e-5F;

/// What a layer computes from its inputs. `convolution` and `pool` read a kernel map. `union_add` and
/// `drop_axis` make another coordinate set. `to_points` and `to_voxels` move between voxels and points. All
/// other operations compute each row from the same rows of their inputs.
enum class LayerOp : std::uint8_t {
  convolution,  ///< A sparse convolution of the concatenated inputs.
  concat,       ///< The concatenated channels of the inputs.
  add,          ///< The sum of the inputs.
  multiply,     ///< The product of the inputs.
  affine,       ///< x * scale + shift, with one scale and one shift per channel.
  activation,   ///< Only the activation.
  /// Output channel c is the sum of the input channels c * g to c * g + g - 1, with g = C_in / C_out.
  group_sum,
  dense,  ///< Returns its input. write_outputs() writes it as a dense grid.
  pool,   ///< Reduces the matches of each output to one row, without weights. See PoolReduction.
  /// (x - mean) / sqrt(variance + epsilon) * scale + shift, with the mean and the variance of each row.
  layer_norm,
  /// The same with the mean and the variance of each channel over all rows, so the result depends on the
  /// whole scene.
  instance_norm,
  /// The union of the voxels of inputs on several levels. Each voxel is the sum of the inputs that contain
  /// it.
  union_add,
  drop_axis,  ///< The voxels without z. Each one is the sum of the input voxels with the same x and y.
  to_points,  ///< The voxels around each point, combined as PointMode defines.
  to_voxels   ///< The mean of the points in each voxel of the level of Layer::voxels_of.
};
/// Returns the name in network files, such as "group_sum"; "conv" for a convolution.
[[nodiscard]] std::string_view text_of(LayerOp op) noexcept;

/// How a pool combines the inputs of an output. An output without inputs is 0.
enum class PoolReduction : std::uint8_t {
  max,
  sum,
  mean,          ///< The sum divided by the number of inputs.
  mean_of_cells  ///< The sum divided by the number of cells of the kernel, so that empty cells count as 0.
};
/// Returns the name in network files, such as "mean_of_cells".
[[nodiscard]] std::string_view text_of(PoolReduction reduction) noexcept;

/// How a layer moves features between voxels and points. A voxel of a level with stride s contains the points
/// p with floor(p / s) equal to its cell.
enum class PointMode : std::uint8_t {
  /// For to_points: the weighted sum of the 8 cells from floor(p / s) on. The weight of a cell is the product
  /// of 1 - |p / s - cell| on each axis, divided by the sum of the weights of all cells that exist + 1e-8, as
  /// in calc_ti_weights of torchsparse. Cells that do not exist have the weight 0.
  trilinear,
  nearest,  ///< For to_points: the cell that contains the point, or zeros if it does not exist.
  mean      ///< For to_voxels: zeros for voxels without points. Points outside all voxels have no effect.
};
/// Returns the name in network files, such as "trilinear".
[[nodiscard]] std::string_view text_of(PointMode mode) noexcept;
/// The name by which layers read the features of the points of the scene, if no layer has this name.
constexpr std::string_view points_source = "points";

enum class Activation : std::uint8_t { none, relu, leaky_relu, sigmoid, tanh, silu, elu, gelu };
/// Returns the name in network files, such as "leaky_relu".
[[nodiscard]] std::string_view text_of(Activation activation) noexcept;

/// The steps that follow the operation of a layer. A layer without norm, residual or activation omits them.
enum class LayerStep : std::uint8_t { norm, add, activation };
[[nodiscard]] std::string_view text_of(LayerStep step) noexcept;
constexpr std::array usual_order{LayerStep::norm, LayerStep::add, LayerStep::activation};

/// A layer computes y = activation(BN(op(inputs)) + residual), with the steps in the order of `order`. BN,
/// residual and activation are optional. A convolution with kernel_size 1 is linear. A transposed layer
/// (up-sampling) needs no search: it uses the kernel map of the matching down-sampling layer with input and
/// output exchanged. A pool has the kernel, the stride and the map of a convolution.
struct Layer {
  std::string name;
  /// Names of earlier layers, or "input" for the input of the network. The channels of several inputs are
  /// concatenated.
  std::vector<std::string> inputs;
  PerAxis kernel_size = 3;  ///< From 1 to 7 on each axis.
  /// The down-sampling factor, or the up-sampling factor of a transposed layer. A layer with stride 1 and the
  /// floor rule is submanifold.
  PerAxis stride = 1;
  bool transposed = false;
  int in_channels = 0, out_channels = 0;  ///< `in_channels` is the sum over all `inputs`.
  bool batch_norm = true, bias = false;
  Activation activation = Activation::relu;
  float norm_epsilon = default_norm_epsilon;  ///< Added to the variance by every kind of norm.
  std::string residual;  ///< Name of the layer whose output is added before the ReLU. Empty if there is none.
  std::optional<PerAxis> padding{};  ///< KernelShape::padding. Empty means the usual padding.
  OutputRule rule = OutputRule::floor;
  /// For a layer with the reached rule, the limits of its outputs in cells. For a dense output, its size in
  /// cells. Zeros for other layers and if no limit exists.
  std::array<std::int64_t, 3> cells{};
  /// Name of an earlier layer whose kernel map this layer uses. If it is empty, the properties of the layer
  /// determine the map; a transposed layer then uses the only earlier map that fits.
  std::string map_of{};
  LayerOp op = LayerOp::convolution;
  float slope = 0.01F;                           ///< The slope of leaky_relu for negative values.
  PoolReduction reduction = PoolReduction::max;  ///< Only for a pool.
  PointMode mode = PointMode::trilinear;         ///< Only for to_points. to_voxels computes means.
  /// For to_voxels: the name of the earlier layer whose voxels the result has, or "input".
  std::string voxels_of{};
  /// Only for a convolution. A transposed layer has the neighbourhood of the layer whose map it reads.
  Neighbourhood neighbourhood{};
  std::array<LayerStep, 3> order = usual_order;
  /// Size of the kernel in the weight file, if it has more cells than the map of `map_of`. Only the first
  /// matrices are used, as in spconv 1.x.
  std::optional<PerAxis> stored_kernel_size{};
  bool dense_zyx = true;  ///< The order of the axes of a dense output: z, y, x if true, otherwise x, y, z.
  std::vector<std::int64_t>
      dense_shape{};  ///< Shape of a dense output, such as [C * cells_z, cells_y, cells_x].
  /// Name of the unit of a layer of a bird's-eye view. Consecutive layers with the same unit share one gather
  /// and one scatter (engine/bev/unit.hpp). Empty if the layer is a unit alone.
  std::string unit{};
  /// Number of multiply-adds on the frame of the export, from the network file. Negative if not known.
  std::int64_t multiply_adds = -1;

  [[nodiscard]] bool convolution() const noexcept { return op == LayerOp::convolution; }
  /// Returns true if the layer reads a kernel map.
  [[nodiscard]] bool has_map() const noexcept { return convolution() || op == LayerOp::pool; }
  /// Returns true if the layer moves features between voxels and points.
  [[nodiscard]] bool moves_points() const noexcept {
    return op == LayerOp::to_points || op == LayerOp::to_voxels;
  }
  /// Returns true if the rows of the result are those of another level, without a kernel.
  [[nodiscard]] bool changes_set() const noexcept {
    return op == LayerOp::union_add || op == LayerOp::drop_axis || moves_points();
  }
  /// Returns the steps that the layer has, in their order, without a norm that is folded into the weights.
  /// The scale and shift of an affine layer, a layer norm or an instance norm are a norm.
  [[nodiscard]] std::vector<LayerStep> steps() const;
  /// Returns true if the batch norm is folded into the weights of the convolution. This is possible if it is
  /// the first step.
  [[nodiscard]] bool folds_norm() const noexcept;
  /// Returns true if the layer multiplies each channel by a scale and adds a shift (LayerWeights::scale).
  [[nodiscard]] bool has_scale() const noexcept {
    return op == LayerOp::affine || op == LayerOp::layer_norm || op == LayerOp::instance_norm ||
           (batch_norm && convolution() && !folds_norm());
  }
  [[nodiscard]] KernelShape kernel() const {
    KernelShape shape{kernel_size, padding.value_or(KernelShape::usual_padding(kernel_size))};
    shape.neighbourhood = neighbourhood;
    return shape;
  }
  [[nodiscard]] bool submanifold() const noexcept {
    return stride == PerAxis(1) && rule == OutputRule::floor && !transposed;
  }
};

/// One fact about the origin of a network, such as {"library", "spconv 2.3.8"}. The key is empty if the
/// origin is a single text.
struct OriginFact {
  std::string key, text;
  bool operator==(const OriginFact&) const = default;
};

/// A layer of a network file that does not run: an opaque operation, or a layer that needs the output of one.
struct SkippedLayer {
  /// The layer as in the file. Its numbers are not checked. For an opaque operation, only the name, the
  /// inputs and the channels are set.
  Layer layer;
  std::string operation;     ///< The operation that the exporter recorded. Empty if the layer is not opaque.
  std::string why;           ///< Why it does not run, such as "it reads 'attention', which does not run".
  std::size_t position = 0;  ///< Index in the list of layers of the file.
  std::string json;          ///< The entry of the file.
  bool output = false;       ///< True if the file names the layer as an output of the network.
  bool opaque = false;       ///< True for an opaque operation.
};

/// What a network computes on.
enum class NetworkSpace : std::uint8_t {
  voxels,  ///< The voxels of a scene.
  /// The cells of a bird's-eye view (see engine/bev/area.hpp). Kernels have the size K x K x 1, and strides
  /// the size t x t x 1, so the layers can also run on the flat voxels of a mask.
  bev
};
/// Returns the name in network files, "voxels" or "bev".
[[nodiscard]] std::string_view text_of(NetworkSpace space) noexcept;

struct Network {
  std::string name, title;
  NetworkSpace space = NetworkSpace::voxels;
  int in_channels = 4;
  /// The input features. If they are empty, the features are x, y, z in metres and intensity, unless
  /// `features_from_file` is set or `space` is `bev` (see BirdsEye::project()).
  std::vector<InputFeature> features;
  bool features_from_file = false;   ///< True if only voxel files, which contain features, can be run.
  std::vector<Layer> layers;         ///< Layers in the order of execution.
  std::vector<OriginFact> origin{};  ///< The library and the exporter of the network. Empty if not known.
  /// Names of the layers that are results of the network. Empty if the file does not name them.
  std::vector<std::string> outputs{};
  std::optional<InputGrid> grid{};  ///< How the library voxelised scans. Empty if the file does not say it.
  std::vector<SkippedLayer> skipped{};  ///< The layers of the file that do not run, in the order of the file.
  /// Returns the index of the layer with this name, or -1 if there is none.
  [[nodiscard]] int index_of(std::string_view layer) const noexcept;
};

/// Sets the neighbourhood of every convolution with the kernel size 3, 5 or 7. All other layers keep theirs.
/// Throws `Error(usage)` if a layer cannot have the neighbourhood, or if no layer can be native.
void set_neighbourhood(Network& network, const Neighbourhood& neighbourhood);
/// Returns true if a layer has a native neighbourhood.
[[nodiscard]] bool has_native_layers(const Network& network) noexcept;

/// Returns true if a layer reads the features of the points of the scene (points_source).
[[nodiscard]] bool reads_point_features(const Network& network);

/// Returns all faults of a network, such as "layers[3].inputs[0]: no earlier layer is called 'conv9'".
/// Returns an empty list if the network is valid.
[[nodiscard]] std::vector<std::string> faults(const Network& network);

/// Reads a network from a JSON file (docs/network-files.md). Throws `Error(input)` with a message such as
/// "FILE: layers[2].kernel_size: 4 is not one of 1, 2, 3, 5, 7". Unknown keys are faults too.
[[nodiscard]] Network read_network(const std::filesystem::path& file);
[[nodiscard]] Network parse_network(std::string_view json, std::string_view file_name);
[[nodiscard]] std::string network_json(const Network& network);
/// Returns network_json() without the origin, the outputs and the layers that do not run. Equal texts mean
/// that two networks compute the same values.
[[nodiscard]] std::string network_identity(const Network& network);
/// Returns the origin in one line, such as "library spconv 2.3.8, exporter spira_export 0.1.0". Returns an
/// empty text if it is not known.
[[nodiscard]] std::string origin_text(const Network& network);

/// Returns "partial: 3 of 7 layers; no total of the network" if the network has layers that do not run.
/// Otherwise returns an empty text.
[[nodiscard]] std::string partial_text(const Network& network);

/// The multiply-adds that the file gives for the frame of the export.
struct KnownWork {
  std::int64_t run = 0, skipped = 0;  ///< Of the layers that run, and of the others.
  std::int64_t unknown = 0;           ///< Number of convolutions and opaque operations without a number.
  [[nodiscard]] double share(std::int64_t multiply_adds) const noexcept {
    return static_cast<double>(multiply_adds) / static_cast<double>(run + skipped);
  }
};
[[nodiscard]] KnownWork known_work(const Network& network);

/// One of the built-in networks. samples/networks/NAME.json contains the same network; a test compares
/// the two.
struct PresetFacts {
  std::string_view id, title;  ///< Such as "minkunet42" and "MinkUNet-42".
};
[[nodiscard]] std::span<const PresetFacts> network_presets() noexcept;
/// Throws `Error(usage)` with a list of the valid ids.
[[nodiscard]] Network network_preset(std::string_view id);
/// Returns the built-in network with the id `text`. If there is none, reads the network file at this path.
[[nodiscard]] Network network_by_name_or_file(const std::string& text);

/// Returns a network of one layer, for `spira layer` and sweeps of a single layer.
[[nodiscard]] Network single_layer_network(PerAxis kernel_size, int stride, int in_channels,
                                           int out_channels);

/// Returns for each layer the index of the last layer that reads its output as an input or as a residual.
/// Returns -1 for an output that must be kept: no layer reads it, or it is a result of the network.
[[nodiscard]] std::vector<int> last_readers(const Network& network);

// The declarations below determine which coordinate sets and kernel maps a network needs, and which layers
// share them (section 5.5 of the Spira paper).

/// Identifies a kernel map. Its inputs are the level with the number `stride_in`, its outputs the level with
/// the number `stride_out` (see SceneLevel).
struct MapKey {
  KernelShape kernel;
  int stride_in = 1, stride_out = 1;
  [[nodiscard]] bool submanifold() const noexcept { return stride_in == stride_out; }
  auto operator<=>(const MapKey&) const = default;
};

/// Returns the requirements of a map of levels with the floor rule, for a scene without a network.
[[nodiscard]] PackNeeds needs_of(const MapKey& map);

struct LayerLevels {
  int stride_in = 1, stride_out = 1;  ///< The numbers of the levels of the input and of the output.
  /// The map that the layer reads. A transposed layer reads the map of the down-sampling layer, so
  /// map.stride_in == stride_out.
  MapKey map;
  bool transposed = false;
  std::vector<int> inputs{};  ///< The levels of all inputs, in the order of Layer::inputs.
};

struct Levels {
  std::vector<LayerLevels> layers;
  /// All levels of the network. Levels whose number is their stride come first, in ascending order, and then
  /// the others.
  std::vector<SceneLevel> sets;
  /// All kernel maps of the network, in the order of their first use.
  std::vector<MapKey> maps;
  int max_stride = 1, max_kernel_size = 1;  ///< The largest values of all layers, on any axis.
  /// The largest stride of the levels whose positions the maps read. 0 if all neighbourhoods are voxels.
  int native_stride = 0;
  PackNeeds needs;  ///< The requirements that fit() checks.
  [[nodiscard]] const SceneLevel& set(int number) const;
  [[nodiscard]] std::size_t index_of(int number) const;  ///< Index in `sets`.
  /// Returns true if a layer reads or makes points. Then `sets` contains LevelRule::of_points().
  [[nodiscard]] bool has_points() const noexcept;
};
/// Returns the text of a level, such as "8" or "8x8x16 (reached)". Every level has a different text.
[[nodiscard]] std::string level_text(const Levels& levels, int number);
/// Returns the levels and maps that a network needs. Throws `Error(input)` if faults(network) is not empty or
/// if a stride exceeds 64.
[[nodiscard]] Levels levels_of(const Network& network);

}  // namespace spira
