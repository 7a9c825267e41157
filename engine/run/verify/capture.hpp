// Compares a network with a capture: the inputs and outputs that another library recorded for it.
#pragma once

#include "engine/job/job.hpp"
#include "engine/network/network.hpp"
#include "engine/voxel/coord_set.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira {

class Session;
struct LayerResult;
struct NetworkWeights;
struct Plan;
struct PointCloud;

/// The batch index, x, y and z of a recorded voxel. For a point: 0, its number, 0 and 0.
using CapturedVoxel = std::array<std::int64_t, 4>;

/// The recorded output of one layer. Coordinates are in voxels of the input, so they are multiples of the
/// stride of the layer.
struct CapturedLayer {
  int layer = 0;          ///< Index in Network::layers.
  std::int64_t rows = 0;  ///< Number of output voxels or points.
  bool points = false;    ///< True if the rows are points.
  /// The voxels of the recorded rows. A capture may contain all rows or a sample of them.
  std::vector<CapturedVoxel> coords;
  std::vector<float> output;  ///< Shape: [coords][out_channels].
  /// The whole output of a dense layer, in its shape, instead of rows. A batch has one grid per frame.
  std::vector<float> dense;
  /// All output voxels in ascending order. Empty if the capture does not contain them.
  std::vector<CapturedVoxel> cells;
};

struct Capture {
  std::map<std::string, std::string> facts;  ///< Metadata, such as the versions of the library.
  std::vector<CapturedLayer> layers;         ///< In network order.
};

/// Reads a capture (docs/network-files.md). The same file is also a voxel file, which contains the inputs.
/// Throws `Error(input)` if a tensor is missing, has the wrong shape or type, or belongs to no layer.
[[nodiscard]] Capture read_capture(const std::filesystem::path& file, const Network& network);

/// Compares one layer with its capture.
struct CaptureRow {
  std::string layer;
  /// `rows` is the number of output voxels. `compared` is the number of rows whose features were compared.
  std::int64_t rows = 0, compared = 0;
  double max_abs = 0;
  double max_rel = 0;     ///< `max_abs` divided by the largest value of the captured output.
  CapturedVoxel worst{};  ///< The voxel with the largest difference.
  std::string fault;      ///< Empty if the layer passed.
  bool points = false;    ///< True if the rows are points.
};
/// Returns the largest `max_rel` that passes. It allows for errors that add up, because the layers run one
/// after another.
[[nodiscard]] double capture_tolerance(Precision precision) noexcept;

/// Runs the network with `plan` and compares each captured layer. The scene of the session must be the voxel
/// file of the capture. Throws the same errors as Session::run_all().
[[nodiscard]] std::vector<CaptureRow> compare_with_capture(Session& session, const Plan& plan,
                                                           const Capture& capture, Job& job);

/// A convolution that does not run in its network, with the input that a capture contains for it.
struct CapturedInput {
  /// A network whose last layer is the convolution. If its residual is added, two layers before it copy the
  /// input and the residual out of the features of `cloud`, which contain both.
  std::shared_ptr<const Network> network;
  std::shared_ptr<const PointCloud> cloud;
  bool without_residual = false;  ///< True if the layer has a residual that the capture does not contain.
  /// The recorded output of the layer. Its coordinates are in cells of the input of the layer.
  std::optional<CapturedLayer> output{};
  std::string why_not_compared{};  ///< Why `output` is empty.
};
/// Returns why a layer cannot run from its captured input, such as "is transposed: ...". Returns an empty
/// text if it can, provided that the capture contains its input.
[[nodiscard]] std::string why_not_captured(const SkippedLayer& layer);
/// Reads the inputs of the skipped layers of a network, in network order. Layers without a captured input are
/// omitted. If `only` is not empty, reads only the input of this layer. If `with_outputs` is true, also reads
/// the residuals and the recorded outputs, which are of use only with the weights of the network. Throws
/// `Error(input)` if a tensor is invalid.
[[nodiscard]] std::vector<CapturedInput> captured_inputs(const std::filesystem::path& file,
                                                         const Network& network, const std::string& only,
                                                         bool with_outputs, Job& job);
/// Reads the weights of CapturedInput::network from the weights of the whole network.
[[nodiscard]] NetworkWeights captured_weights(const std::filesystem::path& file, const CapturedInput& input);
/// Compares the result of the last layer of CapturedInput::network with the recorded output. `input` must
/// have an output.
[[nodiscard]] CaptureRow compare_with_output(const LayerResult& result, const CapturedInput& input);

}  // namespace spira
