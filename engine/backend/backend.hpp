// Declares `Backend`, the interface of all compute kernels, for the reference, CPU and CUDA back ends.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/backend/network_run.hpp"
#include "engine/job/job.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/network/weights.hpp"
#include "engine/scene/point_cloud.hpp"
#include "engine/voxel/coord_set.hpp"
#include "engine/voxel/grid.hpp"
#include "engine/voxel/positions.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

class BirdsEye;
class Gradients;
class Relations;

/// The points of a scene, in the memory that voxelize() reads. They are uploaded once per scene, even if the
/// scene is voxelised several times.
struct UploadedPoints {
  std::shared_ptr<const PointCloud> cloud;
  Buffer positions;  ///< Shape: [points][3], double. Empty if the back end reads `cloud` directly.
  /// The values of PointCloud::features as float, with the shape [points][feature_channels]. If the cloud has
  /// no features, the intensities with the shape [points]. Also empty if the cloud has neither.
  Buffer values;
  Buffer frames{};  ///< The frame of each point as uint8. Empty unless the cloud is a batch.
};

struct VoxelizeRequest {
  PackSpec pack;
  LevelReach levels = 16;  ///< Determines the shift and the size of the coordinates.
  Precision precision = Precision::fp32;
  /// The result of voxel_range() for the points inside the crop. Must be set. The caller computes it, because
  /// it also needs it for require_fit().
  std::optional<VoxelRange> range{};
  bool point_lists = true;  ///< If false, points_per_voxel and voxel_of_point of the result are empty.
  /// The result of display_origin() for the points inside the crop. It is subtracted from the coordinates
  /// that become input features.
  Point origin{};
  /// If set, the result contains the position of each row.
  std::optional<PositionKind> positions{};
};
/// Throws `Error(internal)` if the request has no range, if the packing has no room for the frames of the
/// cloud, or if there are more than 2^31 points.
void require_sound(const UploadedPoints& points, const VoxelizeRequest& request);

/// Level 0 of a scene and its input features. The features of a voxel are the means of PointCloud::features
/// over its points. If the cloud has no features, the means of x, y, z (in metres, relative to the origin of
/// the request) and of the intensity are used. The intensity is 1 if the cloud has none.
struct Voxelized {
  CoordSet coords;                      ///< The coordinates at stride 1.
  Features features;                    ///< Shape: [voxels][PointCloud::input_channels()].
  std::array<std::int64_t, 3> shift{};  ///< Voxel index in the scene = unpack(key) + shift.
  /// Shape: [voxels], in host memory (trap 3 in docs/architecture.md).
  std::vector<std::int32_t> points_per_voxel;
  /// The voxel of each point. -1 if the point is outside the crop. Shape: [points], in host memory.
  std::vector<std::int32_t> voxel_of_point;
  std::optional<Positions> positions{};  ///< Of the rows of `coords`. Set if the request asked for them.
};

/// The weights of one layer in the layout and the memory of a back end. They are uploaded once per network.
struct UploadedWeights {
  int columns = 0, in_channels = 0, out_channels = 0;
  Precision precision = Precision::fp32;
  Buffer weight;  ///< Shape on the host: [K^3][C_in][C_out]. The CUDA back end uses its own layout.
  Buffer bias;    ///< Shape: [C_out], fp32.
  /// LayerWeights::scale and LayerWeights::shift in fp32. The shape of each is [C_out], or it is empty.
  Buffer scale{}, shift{};
  /// The weights as [K^3][C_in][C_out], if the back end stores `weight` in another layout. Empty until a
  /// layer needs it.
  std::shared_ptr<Buffer> plain{};
};

struct ConvRequest {
  /// True if the layer is transposed. Then the rows of `in` are the OUTPUTS of the map, and the rows of the
  /// result are its INPUTS. All parts of the map must then have the layout pair_lists (weight-stationary).
  bool transposed = false;
  bool relu = false;
  /// Features that are added before the ReLU. They must have the shape and precision of the result. Can be
  /// `nullptr`.
  const Features* residual = nullptr;
  FeatureMethod method = FeatureMethod::by_layout;
  /// True if each row of the result is in at most one pair (see at_most_one_pair()). A back end may then
  /// write results without intermediate sums.
  bool one_pair_per_row = false;
};

/// A step of a row operation. `step` determines which one of the other members is used.
struct RowStep {
  LayerStep step = LayerStep::activation;
  /// Used by a norm, which computes x * scale + shift with the values in these weights.
  const UploadedWeights* scale = nullptr;
  /// Used by an addition. Must have the shape and precision of the result.
  const Features* residual = nullptr;
  Activation activation = Activation::none;
  float slope = 0;
};
/// An operation that computes each output row from the same rows of its inputs. An instance norm also reads
/// the mean and the variance of each channel over all rows.
struct RowRequest {
  LayerOp op = LayerOp::concat;         ///< Any operation without a kernel map.
  std::vector<const Features*> inputs;  ///< All have the same number of rows and the same precision.
  int out_channels = 0;
  std::vector<RowStep> steps{};  ///< Applied in this order.
  float epsilon = 0;             ///< Layer::norm_epsilon, for a layer norm or an instance norm.
};
/// Adds the rows of equal voxels of several levels. Output row o is the sum of all input rows with the same
/// voxel as o. If `flat` is true, z is ignored.
struct SetSumRequest {
  std::vector<const CoordSet*> levels;  ///< The levels of `inputs`.
  std::vector<const Features*> inputs;  ///< All have the same channels and the same precision.
  const CoordSet* out = nullptr;        ///< The level of the result, with the packing of `levels`.
  bool flat = false;
};
/// Throws `Error(internal)` if the levels, the inputs and the result do not match.
void require_sound(const SetSumRequest& request);

/// Moves features between the voxels of a level and points. Trilinear and nearest read voxels; mean reads
/// points.
struct PointRequest {
  PointMode mode = PointMode::trilinear;
  const CoordSet* level = nullptr;      ///< In the memory of the back end.
  const PointRows* points = nullptr;    ///< In host memory.
  std::array<std::int64_t, 3> shift{};  ///< The shift of the coordinates of `level`.
  const Features* in = nullptr;
};
/// Throws `Error(internal)` if the rows of the input do not match.
void require_sound(const PointRequest& request);

/// Throws `Error(internal)` if the inputs, the steps and `out_channels` do not match.
void require_sound(const RowRequest& request);
/// Throws `Error(internal)` if a pool cannot read the map or the features.
void require_sound(const KernelMap& map, const Features& in);

/// The interfaces that not every back end implements. A member is `nullptr` if the back end does not
/// implement the interface.
struct BackendExtensions {
  Gradients* gradients = nullptr;  ///< The kernels that only training needs.
  Relations* relations = nullptr;  ///< The kernels of relational convolutions.
  BirdsEye* birds_eye = nullptr;   ///< The kernels of bird's-eye view networks.
  /// Makes the device of the back end the current device of the calling thread until the result is destroyed.
  /// Programs whose threads also use other devices need it around their calls. Empty for devices that are
  /// never current.
  std::function<std::shared_ptr<void>()> make_current{};
};

/// A device that voxelises scenes, builds kernel maps and computes features. All calls must come from one
/// thread. A call returns as soon as its result can be passed to the next call. Throws `Error(device)` for
/// faults of the driver, `Error(device_memory)` if the memory pool is exhausted, `Error(cancelled)` at
/// checkpoints, and `Error(internal)` if a buffer is in another memory space or if shapes do not match. If a
/// call throws, its arguments are unchanged. Each call records these inner stages:
/// - upload_points: transfer, if points are copied;
/// - voxelize: pack, sort, input, and positions if they are requested;
/// - downsample, for positions: positions;
/// - build_map: preprocess, search, transpose, filter, and mask, argsort, reorder for sorted outputs;
/// - convolve: os, ws, gather, gemm, scatter, epilogue;
/// - pool: pool;
/// - add_sets: join;
/// - compute_rows: rows, or points if features move between voxels and points.
/// The caller opens the outer stages "voxelize", "downsample[s]", "map[..]" and "features[..]".
class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] virtual const DeviceFacts& facts() const noexcept = 0;
  [[nodiscard]] virtual StageSource& stages() noexcept = 0;
  [[nodiscard]] virtual MemoryPool& memory() noexcept = 0;

  /// Copies the points to the memory of the back end. Returns when the copy is complete. A back end that
  /// reads host memory only stores the pointer `cloud`.
  virtual UploadedPoints upload_points(std::shared_ptr<const PointCloud> cloud, Job& job);
  /// Voxelises a scene (section 5.3 of the Spira paper). Ignores points outside the crop of the grid. The
  /// cloud must fit the packing, so require_fit() must be called first. `points` must come from
  /// upload_points() of this back end.
  virtual Voxelized voxelize(const UploadedPoints& points, const Grid& grid, const VoxelizeRequest& request,
                             Job& job) = 0;
  /// Like the other overload, but first uploads the cloud and computes its range, and adds the batch index of
  /// the cloud to the packing. For clouds that are voxelised only once.
  [[nodiscard]] Voxelized voxelize(const PointCloud& cloud, const Grid& grid, VoxelizeRequest request,
                                   Job& job);
  /// Computes a level from level 0. For the floor rule, this is unique(level0 AND mask), the closed form of
  /// eq. 1 (section 5.5 of the Spira paper). For other rules, it is the union of the boxes that the voxels
  /// reach (see LevelRule). `shift` is the shift of the coordinates, and the result has the same shift.
  /// Levels whose base is a union (LevelRule::base()) are computed from this union instead of level 0.
  virtual CoordSet downsample(const CoordSet& level0, const SceneLevel& level,
                              const std::array<std::int64_t, 3>& shift, Job& job) = 0;
  /// Chooses the positions of a level from those of the level with half its stride (see PositionKind). Both
  /// have the floor rule and one stride on all axes, of at most most_native_stride for `coarse`.
  virtual Positions downsample(const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse,
                               Job& job) = 0;
  /// Computes the union of at least one level of a scene. All have the same packing.
  virtual CoordSet unite(const std::vector<const CoordSet*>& parts, const SceneLevel& level, Job& job) = 0;
  /// Like the other overload, for the floor rule, which does not depend on the shift.
  [[nodiscard]] CoordSet downsample(const CoordSet& level0, int stride, Job& job) {
    return downsample(level0, SceneLevel(stride), {}, job);
  }
  /// Builds the kernel map from the inputs `in` to the outputs `out` (section 5.2 of the Spira paper). The
  /// offsets in `request` must have the stride of `in`.
  virtual KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request,
                              Job& job) = 0;
  /// Computes the features of a layer (eq. 2 of the Spira paper), including bias, residual and ReLU. The
  /// result has the precision of `in`.
  virtual Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                            const ConvRequest& request, Job& job) = 0;
  /// Reduces the matches of each output of a map. All parts of the map must be dense. Sums are computed in
  /// fp32 (in double precision by the reference). The result has the precision of `in`.
  virtual Features pool(const KernelMap& map, const Features& in, PoolReduction reduction, Job& job) = 0;
  /// Adds the rows of equal voxels, in fp32 (in double precision by the reference), in the order of the
  /// inputs and of their rows. The result has the precision of the inputs.
  virtual Features add_sets(const SetSumRequest& request, Job& job) = 0;
  /// Computes a row operation. Sums are computed in fp32 (in double precision by the reference), in the order
  /// of the inputs. The mean and the variance of a norm are computed in double precision.
  virtual Features compute_rows(const RowRequest& request, Job& job) = 0;
  /// Moves features between voxels and points. Sums are computed in fp32 (in double precision by the
  /// reference). A voxel adds its points in their order. A point adds its cells in the order x, y, z, with z
  /// fastest. The result has the precision of the input.
  virtual Features compute_rows(const PointRequest& request, Job& job) = 0;
  /// Compiles the whole network, so that the device runs it without returning to the host. If the back end
  /// cannot do this for the network or its plan, the result contains the reason. Throws `Error(device)`.
  virtual CompiledNetwork compile(const NetworkRunRequest& request, Job& job);
  [[nodiscard]] virtual BackendExtensions extensions() noexcept { return {}; }
  /// Uploads the weights of a layer in the layout that convolve() reads.
  virtual UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) = 0;

  /// Returns how much memory convolve() needs for a layer, in addition to the map, the input and the result.
  [[nodiscard]] virtual LayerMemory layer_memory(const MemoryShape& layer) const;
  /// Returns an upper bound in bytes of the memory that build_map() allocates for the pair lists of a part.
  [[nodiscard]] virtual std::size_t pair_list_bytes(const PairListShape& lists) const;
  /// Measures the highest memory rate and the highest arithmetic rate of the device, in at most one second.
  /// The matrix product uses `precision` if the back end has hardware for it. A back end that cannot measure
  /// returns rates without a value.
  virtual DeviceRates measure_rates(Precision precision, Job& job);
  /// Returns the state of the device. Fields that are not requested are empty.
  [[nodiscard]] virtual DeviceState state(StateDetail detail);

  /// Copies a buffer from the memory of the back end to host memory, after all submitted work has finished.
  /// to_device() copies in the other direction. On host back ends, both functions copy from host memory to
  /// host memory.
  virtual Buffer to_host(const Buffer& buffer) = 0;
  virtual Buffer to_device(const Buffer& buffer) = 0;
  /// Waits until all submitted work has finished. Throws `Error(device)` if the work failed.
  virtual void wait() {}
  /// Returns true if results are in host memory and therefore need no download.
  [[nodiscard]] virtual bool results_are_host_memory() const noexcept = 0;

  [[nodiscard]] CoordSet download(const CoordSet& coords);
  [[nodiscard]] KernelMap download(const KernelMap& map);
  [[nodiscard]] Features download(const Features& features);
  [[nodiscard]] CoordSet upload(const CoordSet& coords);
  [[nodiscard]] KernelMap upload(const KernelMap& map);
  [[nodiscard]] Features upload(const Features& features);
};

/// Copy positions like Backend::download() and Backend::upload().
[[nodiscard]] Positions download(Backend& backend, const Positions& positions);
[[nodiscard]] Positions upload(Backend& backend, const Positions& positions);

/// Returns a back end that forwards all calls to `device` and downloads the results to host memory. `device`
/// must outlive it. Uploaded weights and points stay in the memory of `device`.
[[nodiscard]] std::unique_ptr<Backend> make_host_adapter(Backend& device);

struct BackendOptions {
  int threads = 0;                     ///< Number of CPU threads. 0 means one per core.
  std::size_t memory_limit_bytes = 0;  ///< 0 means no limit.
  /// If true, new memory is filled with poison_byte, which reveals reads of uninitialised memory.
  bool poison = false;
  /// If true, no choice depends on measured times, so that the same call always computes the same bits. The
  /// dataflows with an unspecified order of sums are still the choice of the caller.
  bool repeatable = false;
  /// The index of the GPU among the GPUs of Registry::devices(). Other back ends ignore it.
  int device = 0;
};

/// The back ends that are linked into the program. app/common/backends.cpp creates this object.
class Registry {
 public:
  struct Entry {
    BackendKind kind;
    /// Returns the devices of this back end. An unusable device has the reason in `why_not`. Never throws.
    std::function<std::vector<DeviceListing>()> list;
    std::function<std::shared_ptr<Backend>(const BackendOptions&)> make;
  };
  explicit Registry(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] std::vector<DeviceListing> devices() const;
  /// Creates the back end with this name: "cpu", "cuda", "reference", or "auto" for the first usable device
  /// (CUDA before CPU). Throws `Error(usage)` for other names, and `Error(device)` with the reason if the
  /// back end cannot run.
  [[nodiscard]] std::shared_ptr<Backend> make(std::string_view name,
                                              const BackendOptions& options = {}) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace spira
