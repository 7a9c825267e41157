// The only door to kernels. reference, cpu and cuda implement it.
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

/// The points of a cloud where voxelize() reads them: made once a scene, however often it is voxelised.
struct UploadedPoints {
  std::shared_ptr<const PointCloud> cloud;
  Buffer positions;  ///< [points][3], double; empty where the back end reads the cloud itself
  Buffer intensity;  ///< [points], float; empty as well where the cloud has none
};

struct VoxelizeRequest {
  PackSpec pack;
  int coarsest_stride = 16;  ///< the shift is a multiple of it
  Precision precision = Precision::fp32;
  /// voxel_range() of the points on the grid, which the caller needs first, for require_fit().
  std::optional<VoxelRange> range{};
  bool point_lists = true;  ///< points_per_voxel and voxel_of_point are wanted; else they stay empty
  Point origin{};           ///< display_origin() of the points on the grid; subtracted from feature values
};
/// Throws Error(internal) for a request without a range and for more than 2^31 points.
void require_sound(const UploadedPoints& points, const VoxelizeRequest& request);

/// Level 0 of a scene. Input features are 4 channels, means over the points of a voxel: x, y, z in metres
/// relative to the origin of the request, then intensity (1 where the cloud has none).
struct Voxelized {
  CoordSet coords;                             ///< stride 1
  Features features;                           ///< [voxels][4]
  std::array<std::int64_t, 3> shift{};         ///< voxel index of the scene = unpack(key) + shift
  std::vector<std::int32_t> points_per_voxel;  ///< [voxels], host (trap 3)
  std::vector<std::int32_t> voxel_of_point;    ///< [points], -1 = outside the crop, host
};

/// Weights as a back end keeps them, made once per network.
struct UploadedWeights {
  int columns = 0, in_channels = 0, out_channels = 0;
  Precision precision = Precision::fp32;
  Buffer weight;  ///< [K^3][C_in][C_out] on host back ends; the CUDA back end has an order of its own
  Buffer bias;    ///< [C_out], fp32
  /// [K^3][C_in][C_out] of the back end whose `weight` has another order; empty until a layer needs it.
  std::shared_ptr<Buffer> plain{};
};

enum class FeatureMethod : std::uint8_t {
  by_layout,  ///< the layout of each part of the map decides
  /// A baseline: the input rows of all pairs side by side, one matrix product a column by the general library
  /// (cuBLAS, Eigen), then all products added up by output. The centre of a submanifold layer is not
  /// gathered. The map must be pair_lists only.
  gather_gemm_scatter,
  /// The same with products rounded to fp16 between the library and their sum: half the traffic, and errors
  /// of 2^-11 of each product. Where features are fp32, and on host back ends, the same as above.
  gather_gemm_scatter_fp16
};
[[nodiscard]] std::string_view text_of(FeatureMethod method) noexcept;  ///< "gather-GEMM-scatter"

struct ConvRequest {
  /// The layer is transposed: rows of `in` are the map's OUTPUTS and rows of the result its INPUTS. The map
  /// must then be pair_lists only (weight-stationary).
  bool transposed = false;
  bool relu = false;
  const Features* residual = nullptr;  ///< same shape and precision as the result; added before the ReLU
  FeatureMethod method = FeatureMethod::by_layout;
};

/// One device. Every call is made from one thread and returns when its result may be handed on to the next
/// call. Throws Error(device) for memory and driver faults, Error(cancelled) at checkpoints, Error(internal)
/// for a buffer of another space or shapes that disagree. Arguments are unchanged when it throws. Stages
/// recorded inside: upload_points: transfer, where points are copied; voxelize: pack, sort, input; build_map:
/// preprocess, search, transpose, filter; convolve: os, ws, gather, gemm, scatter, epilogue. The caller opens
/// "voxelize", "downsample[s]", "map[..]", "features[..]" around the call.
class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] virtual const DeviceFacts& facts() const noexcept = 0;
  [[nodiscard]] virtual StageSource& stages() noexcept = 0;
  [[nodiscard]] virtual MemoryPool& memory() noexcept = 0;

  /// Waits until the points are there. Back ends that read host memory only keep the cloud.
  virtual UploadedPoints upload_points(std::shared_ptr<const PointCloud> cloud, Job& job);
  /// Section 5.3. The cloud must fit: call require_fit() first. Points outside the grid's crop are left out.
  /// `points` are of this back end.
  virtual Voxelized voxelize(const UploadedPoints& points, const Grid& grid, const VoxelizeRequest& request,
                             Job& job) = 0;
  /// Of a cloud that is voxelised once: uploads it and measures its range first.
  [[nodiscard]] Voxelized voxelize(const PointCloud& cloud, const Grid& grid, VoxelizeRequest request,
                                   Job& job);
  /// Section 5.5, eq. 1 in its closed form: unique(level0 AND mask). `stride` in 1..16, a multiple of
  /// level0.stride.
  virtual CoordSet downsample(const CoordSet& level0, int stride, Job& job) = 0;
  /// Section 5.2. offsets->stride() == in.stride.
  virtual KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request,
                              Job& job) = 0;
  /// Eq. 2 with bias, residual and ReLU. The result has the precision of `in`.
  virtual Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                            const ConvRequest& request, Job& job) = 0;
  /// Rows of the inputs side by side, in their order.
  virtual Features concat(const std::vector<const Features*>& parts, Job& job) = 0;
  /// The whole network as one piece of work for the device; no run where the back end has no such thing, or
  /// not for this plan. Throws Error(device).
  virtual CompiledNetwork compile(const NetworkRunRequest& request, Job& job);
  /// In the layout that the back end's own convolve() reads.
  virtual UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) = 0;

  /// What convolve() takes for a layer beside its map, inputs and result.
  [[nodiscard]] virtual LayerMemory layer_memory(const MemoryShape& layer) const;
  /// What build_map() takes for the entries of a part, at the most.
  [[nodiscard]] virtual std::size_t pair_list_bytes(const PairListShape& lists) const;
  /// Measures what the device can do at the most: takes a second at the most. The matrix product is of
  /// `precision` where the back end has units for it. Nothing is measured on a back end without the means.
  virtual DeviceRates measure_rates(Precision precision, Job& job);
  [[nodiscard]] virtual DeviceState state();  ///< of this moment
  /// Its clock and what holds it back, cheap enough to be asked between two samples; the rest stays empty.
  [[nodiscard]] virtual DeviceState quick_state();

  /// Copies between host memory and the back end's; waits for work handed over before. On host back ends
  /// plain copies.
  virtual Buffer to_host(const Buffer& buffer) = 0;
  virtual Buffer to_device(const Buffer& buffer) = 0;
  virtual void wait() {}  ///< returns when all work handed over is done; throws Error(device) if it failed
  [[nodiscard]] virtual bool results_are_host_memory() const noexcept = 0;  ///< then downloads are not needed

  [[nodiscard]] CoordSet download(const CoordSet& coords);
  [[nodiscard]] KernelMap download(const KernelMap& map);
  [[nodiscard]] Features download(const Features& features);
  [[nodiscard]] CoordSet upload(const CoordSet& coords);
  [[nodiscard]] KernelMap upload(const KernelMap& map);
  [[nodiscard]] Features upload(const Features& features);
};

}  // namespace spira
