// Declares `Backend`, the interface through which the engine calls all kernels. The reference, CPU and CUDA
// back ends implement it.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/backend/layer_memory.hpp"
#include "engine/backend/network_run.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/network/weights.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/features.hpp"
#include "engine/voxel/grid.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace spira {

/// The points of a scene, in the memory from which voxelize() reads them. They are uploaded once per scene,
/// even if the scene is voxelised several times.
struct UploadedPoints {
  std::shared_ptr<const PointCloud> cloud;
  Buffer positions;  ///< Shape: [points][3], double. Empty if the back end reads `cloud` directly.
  Buffer intensity;  ///< Shape: [points], float. Also empty if the cloud has no intensity.
};

struct VoxelizeRequest {
  PackSpec pack;
  int coarsest_stride = 16;  ///< The shift is a multiple of this stride.
  Precision precision = Precision::fp32;
  /// Result of voxel_range() for the points inside the crop. It must be set. The caller computes it before
  /// the request, because require_fit() needs it too.
  std::optional<VoxelRange> range{};
  bool point_lists = true;  ///< If false, points_per_voxel and voxel_of_point of the result stay empty.
  /// Result of display_origin() for the points inside the crop. It is subtracted from the coordinates in the
  /// input features.
  Point origin{};
};
/// Throws Error(internal) if the request has no range or if there are more than 2^31 points.
void require_sound(const UploadedPoints& points, const VoxelizeRequest& request);

/// Level 0 of a scene and its input features. The input features have 4 channels: x, y, z in metres relative
/// to the origin of the request, and intensity (1 if the cloud has none). Each channel is the mean over the
/// points of the voxel.
struct Voxelized {
  CoordSet coords;                             ///< The coordinates at stride 1.
  Features features;                           ///< Shape: [voxels][4].
  std::array<std::int64_t, 3> shift{};         ///< Voxel index in the scene = unpack(key) + shift.
  std::vector<std::int32_t> points_per_voxel;  ///< Shape: [voxels], in host memory (trap 3).
  /// Shape: [points], in host memory; -1 if the point is outside the crop.
  std::vector<std::int32_t> voxel_of_point;
};

/// Weights of one layer in the layout and memory of a back end. They are uploaded once per network.
struct UploadedWeights {
  int columns = 0, in_channels = 0, out_channels = 0;
  Precision precision = Precision::fp32;
  Buffer weight;  ///< Shape on host back ends: [K^3][C_in][C_out]. The CUDA back end uses its own layout.
  Buffer bias;    ///< Shape: [C_out], fp32.
  /// A copy of the weights as [K^3][C_in][C_out] for a back end that stores `weight` in another layout. The
  /// buffer stays empty until a layer needs it.
  std::shared_ptr<Buffer> plain{};
};

enum class FeatureMethod : std::uint8_t {
  by_layout,  ///< The layout of each part of the map selects the dataflow.
  /// A baseline: gathers the input rows of all pairs, computes one matrix product per column with the general
  /// library (cuBLAS, Eigen), then adds all products to their outputs. The centre column of a submanifold
  /// layer is not gathered. The map must consist of pair_lists only.
  gather_gemm_scatter,
  /// The same baseline, but products are rounded to fp16 before they are summed. This halves the memory
  /// traffic and adds a relative error of up to 2^-11 per product. For fp32 features and on host back ends,
  /// it equals gather_gemm_scatter.
  gather_gemm_scatter_fp16
};
/// Returns "gather-GEMM-scatter", for example.
[[nodiscard]] std::string_view text_of(FeatureMethod method) noexcept;

struct ConvRequest {
  /// True if the layer is transposed: rows of `in` are the OUTPUTS of the map and rows of the result are its
  /// INPUTS. The map must then consist of pair_lists only (weight-stationary).
  bool transposed = false;
  bool relu = false;
  /// Has the shape and precision of the result and is added before the ReLU. May be `nullptr`.
  const Features* residual = nullptr;
  FeatureMethod method = FeatureMethod::by_layout;
};

/// A device that voxelises, builds kernel maps and computes features. All calls must come from one thread. A
/// call returns as soon as its result can be passed to the next call.
/// Errors: Error(device) for driver faults, Error(device_memory) if its memory pool is exhausted,
/// Error(cancelled) at checkpoints, Error(internal) for a buffer of another memory space or for shapes that
/// disagree. Arguments are unchanged if a call throws. Each call records its inner stages. upload_points:
/// transfer, if points are copied; voxelize: pack, sort, input; build_map: preprocess, search, transpose,
/// filter; convolve: os, ws, gather, gemm, scatter, epilogue. The caller opens the outer stages "voxelize",
/// "downsample[s]", "map[..]" and "features[..]".
class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] virtual const DeviceFacts& facts() const noexcept = 0;
  [[nodiscard]] virtual StageSource& stages() noexcept = 0;
  [[nodiscard]] virtual MemoryPool& memory() noexcept = 0;

  /// Copies the points to the memory of the back end, and returns when the copy is complete. A back end that
  /// reads host memory copies nothing and keeps `cloud`.
  virtual UploadedPoints upload_points(std::shared_ptr<const PointCloud> cloud, Job& job);
  /// Voxelises a scene (section 5.3). The cloud must fit the packing: call require_fit() first. Points
  /// outside the crop of the grid are skipped. `points` must come from upload_points() of this back end.
  virtual Voxelized voxelize(const UploadedPoints& points, const Grid& grid, const VoxelizeRequest& request,
                             Job& job) = 0;
  /// Uploads the cloud and measures its range first. Use this overload if the cloud is voxelised only once.
  [[nodiscard]] Voxelized voxelize(const PointCloud& cloud, const Grid& grid, VoxelizeRequest request,
                                   Job& job);
  /// Computes unique(level0 AND mask), the closed form of eq. 1 (section 5.5). `stride` must be in 1..16 and
  /// a multiple of level0.stride.
  virtual CoordSet downsample(const CoordSet& level0, int stride, Job& job) = 0;
  /// Builds a kernel map (section 5.2). Requires offsets->stride() == in.stride.
  virtual KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request,
                              Job& job) = 0;
  /// Computes eq. 2 and adds bias, residual and ReLU. The result has the precision of `in`.
  virtual Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                            const ConvRequest& request, Job& job) = 0;
  /// Concatenates the channels of all `parts`, in their order. Every part must have the same number of rows.
  virtual Features concat(const std::vector<const Features*>& parts, Job& job) = 0;
  /// Compiles the whole network into one piece of work for the device. If the back end cannot compile
  /// networks, or cannot compile this plan, the result contains the reason instead of a run. Throws
  /// Error(device).
  virtual CompiledNetwork compile(const NetworkRunRequest& request, Job& job);
  /// Stores the weights in the layout that convolve() of this back end reads.
  virtual UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) = 0;

  /// Returns the memory that convolve() needs for a layer in addition to the map, the input and the result.
  [[nodiscard]] virtual LayerMemory layer_memory(const MemoryShape& layer) const;
  /// Returns an upper bound, in bytes, of the memory that build_map() allocates for the entries of a part.
  [[nodiscard]] virtual std::size_t pair_list_bytes(const PairListShape& lists) const;
  /// Measures the highest rates that the device reaches, in at most one second. The matrix product runs in
  /// `precision` if the back end has hardware for it. A back end that cannot measure returns rates without a
  /// value.
  virtual DeviceRates measure_rates(Precision precision, Job& job);
  [[nodiscard]] virtual DeviceState state();  ///< Returns the current state of the device.
  /// Returns only the current clock and the throttle reasons; other fields stay empty. It is cheap enough to
  /// be called between two samples.
  [[nodiscard]] virtual DeviceState quick_state();

  /// to_host() and to_device() copy a buffer between host memory and the memory of the back end, after all
  /// submitted work has finished. On host back ends these are plain copies.
  virtual Buffer to_host(const Buffer& buffer) = 0;
  virtual Buffer to_device(const Buffer& buffer) = 0;
  /// Returns when all submitted work has finished. Throws Error(device) if it failed.
  virtual void wait() {}
  /// Returns true if results are in host memory, so that they need no download.
  [[nodiscard]] virtual bool results_are_host_memory() const noexcept = 0;

  [[nodiscard]] CoordSet download(const CoordSet& coords);
  [[nodiscard]] KernelMap download(const KernelMap& map);
  [[nodiscard]] Features download(const Features& features);
  [[nodiscard]] CoordSet upload(const CoordSet& coords);
  [[nodiscard]] KernelMap upload(const KernelMap& map);
  [[nodiscard]] Features upload(const Features& features);
};

/// Returns a back end that forwards all calls to `device` and downloads the results to host memory. `device`
/// must outlive the adapter. Uploaded weights and points stay in the memory of `device`.
[[nodiscard]] std::unique_ptr<Backend> make_host_adapter(Backend& device);

}  // namespace spira
