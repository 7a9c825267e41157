#include "engine/backend/host_read.hpp"

#include "engine/backend/birds_eye.hpp"
#include "engine/backend/gradients.hpp"
#include "engine/backend/relations.hpp"
#include "engine/base/fp16.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

namespace spira {

std::int64_t size_of(const CoordSet& coords) {
  SPIRA_ASSERT(coords.size.has_value(), "the size of a coordinate set is not known on the host");
  return *coords.size;
}

std::size_t key_bytes(const CoordSet& coords) {
  return static_cast<std::size_t>(size_of(coords) * coords.pack.word_bits() / 8);
}

std::uint64_t key_at(const CoordSet& coords, std::int64_t row) {
  SPIRA_ASSERT(row >= 0 && row < size_of(coords), "no such row");
  const auto index = static_cast<std::size_t>(row);
  return coords.pack.word_bits() == 32 ? coords.keys.host_span<std::uint32_t>()[index]
                                       : coords.keys.host_span<std::uint64_t>()[index];
}

Voxel voxel_at(const CoordSet& coords, std::int64_t row) {
  return coords.pack.unpack(key_at(coords, row));
}

int frame_at(const CoordSet& coords, std::int64_t row) {
  return coords.pack.frame(key_at(coords, row));
}

std::optional<std::int64_t> row_of_voxel(const CoordSet& coords, Voxel voxel, int frame) {
  if (coords.pack.unpack(coords.pack.pack(voxel)) != voxel)
    return std::nullopt;  // A component does not fit its bit field.
  const std::uint64_t wanted = coords.pack.pack(voxel, frame);
  std::int64_t low = 0, high = size_of(coords);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (key_at(coords, middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == size_of(coords) || key_at(coords, low) != wanted) return std::nullopt;
  return low;
}

std::vector<Voxel> all_voxels(const CoordSet& coords) {
  std::vector<Voxel> voxels;
  voxels.reserve(static_cast<std::size_t>(size_of(coords)));
  for (std::int64_t row = 0; row < size_of(coords); ++row)
    voxels.push_back(voxel_at(coords, row));
  return voxels;
}

std::vector<BatchVoxel> all_batch_voxels(const CoordSet& coords) {
  std::vector<BatchVoxel> voxels;
  voxels.reserve(static_cast<std::size_t>(size_of(coords)));
  for (std::int64_t row = 0; row < size_of(coords); ++row) {
    const Voxel voxel = voxel_at(coords, row);
    voxels.push_back({frame_at(coords, row), voxel[0], voxel[1], voxel[2]});
  }
  return voxels;
}

float feature_at(const Features& features, std::int64_t row, int channel) {
  const auto index = static_cast<std::size_t>(row * features.channels + channel);
  return features.precision == Precision::fp32 ? features.data.host_span<float>()[index]
                                               : fp16_to_float(features.data.host_span<Fp16>()[index]);
}

std::int64_t count_non_finite(const Features& features) {
  // A value is NaN or infinite if all bits of its exponent are set. An output can have 10^8 values, so the
  // loop tests integers, which the compiler can vectorise.
  const auto values = static_cast<std::size_t>(features.rows * features.channels);
  const auto count = [values](const auto all, const auto exponent) {
    std::int64_t found = 0;
    for (const auto bits : all.first(values))
      found += (bits & exponent) == exponent ? 1 : 0;
    return found;
  };
  return features.precision == Precision::fp16
             ? count(features.data.host_span<Fp16>(), Fp16{0x7C00})
             : count(features.data.host_span<std::uint32_t>(), std::uint32_t{0x7F800000});
}

std::int64_t count_non_finite_rows(const Features& features) {
  std::int64_t rows = 0;
  for (std::int64_t row = 0; row < features.rows; ++row) {
    bool finite = true;
    for (int channel = 0; channel < features.channels; ++channel)
      finite = finite && std::isfinite(feature_at(features, row, channel));
    rows += finite ? 0 : 1;
  }
  return rows;
}

std::vector<float> feature_norms(const Features& features) {
  std::vector<float> norms;
  norms.reserve(static_cast<std::size_t>(features.rows));
  for (std::int64_t row = 0; row < features.rows; ++row) {
    double sum = 0;
    for (int channel = 0; channel < features.channels; ++channel) {
      const double value = feature_at(features, row, channel);
      sum += value * value;
    }
    norms.push_back(static_cast<float>(std::sqrt(sum)));
  }
  return norms;
}

namespace {

/// A compiled network that downloads its levels and outputs to host memory.
class HostRun final : public NetworkRun {
 public:
  HostRun(Backend& device, std::unique_ptr<NetworkRun> run) : device_(device), run_(std::move(run)) {}

  [[nodiscard]] const NetworkRunFacts& facts() const noexcept override { return run_->facts(); }
  void set_points(const PointCloud& cloud) override { run_->set_points(cloud); }
  void run() override { run_->run(); }
  [[nodiscard]] Timeline timeline(int repetitions, Job& job) override {
    return run_->timeline(repetitions, job);
  }
  [[nodiscard]] CoordSet level(int index) override { return device_.download(run_->level(index)); }
  [[nodiscard]] Features output(int layer) override { return device_.download(run_->output(layer)); }

 private:
  Backend& device_;
  std::unique_ptr<NetworkRun> run_;
};

/// Gradients whose arguments and results are in host memory, except converted weights.
class HostGradients final : public Gradients {
 public:
  HostGradients(Backend& device, Gradients& gradients) : device_(device), gradients_(gradients) {}

  MasterWeights wgrad(const KernelMap& map, const Features& in, const Features& out_gradient,
                      const WgradRequest& request, Job& job) override {
    MasterWeights result =
        gradients_.wgrad(device_.upload(map), device_.upload(in), device_.upload(out_gradient), request, job);
    result.weight = device_.to_host(result.weight);
    result.bias = device_.to_host(result.bias);
    return result;
  }
  Features accumulate(const std::vector<ChannelSlice>& parts, const Features* gate, Job& job) override {
    std::deque<Features> uploaded;  // Keeps the addresses of its elements.
    std::vector<ChannelSlice> there;
    for (const ChannelSlice& part : parts)
      there.push_back({&uploaded.emplace_back(device_.upload(*part.of)), part.first, part.channels});
    const Features* const gate_there =
        gate == nullptr ? nullptr : &uploaded.emplace_back(device_.upload(*gate));
    return device_.download(gradients_.accumulate(there, gate_there, job));
  }
  UploadedWeights repack(const MasterWeights& weights, WeightForm form, Precision precision,
                         Job& job) override {
    return gradients_.repack({weights.columns, weights.in_channels, weights.out_channels,
                              device_.to_device(weights.weight), device_.to_device(weights.bias)},
                             form, precision, job);
  }
  [[nodiscard]] std::size_t wgrad_memory(const MemoryShape& layer) const override {
    return gradients_.wgrad_memory(layer);
  }
  [[nodiscard]] std::size_t packed_bytes(const MemoryShape& layer) const override {
    return gradients_.packed_bytes(layer);
  }

 private:
  Backend& device_;
  Gradients& gradients_;
};

/// Relational convolutions whose arguments and results are in host memory, except the weights.
class HostRelations final : public Relations {
 public:
  HostRelations(Backend& device, Relations& relations) : device_(device), relations_(relations) {}

  Features convolve(const RelationMap& map, const Features& in, const UploadedWeights& weights,
                    const RelationRequest& request, Job& job) override {
    return device_.download(
        relations_.convolve(upload(device_, map), device_.upload(in), weights, request, job));
  }
  [[nodiscard]] std::size_t scratch_bytes(const RelationMap& map, int in_channels, int out_channels,
                                          Precision precision,
                                          const RelationRequest& request) const override {
    return relations_.scratch_bytes(map, in_channels, out_channels, precision, request);
  }

 private:
  Backend& device_;
  Relations& relations_;
};

/// Bird's-eye views whose arguments and results are in host memory, except the weights and the points.
class HostBirdsEye final : public BirdsEye {
 public:
  HostBirdsEye(Backend& device, BirdsEye& views) : device_(device), views_(views) {}

  Features project(const UploadedPoints& points, const Area& area, int channels, Precision precision,
                   Job& job) override {
    return device_.download(views_.project(points, area, channels, precision, job));
  }
  Buffer make_mask(const UploadedPoints& points, const Area& area, const MaskSpec& spec, Job& job) override {
    return device_.to_host(views_.make_mask(points, area, spec, job));
  }
  BlockList active_blocks(const Buffer& mask, const Area& area, const BlockShape& shape, Job& job) override {
    BlockList blocks = views_.active_blocks(device_.to_device(mask), area, shape, job);
    blocks.numbers = device_.to_host(blocks.numbers);
    blocks.count = device_.to_host(blocks.count);
    blocks.size = blocks.count.host_span<std::int64_t>().front();
    return blocks;
  }
  Features run_unit(Features& image, const UnitRequest& request, Job& job) override {
    UnitRequest there = request;
    std::optional<BlockList> blocks;
    if (request.blocks != nullptr) {
      blocks.emplace(BlockList{request.blocks->shape, request.blocks->grid,
                               device_.to_device(request.blocks->numbers),
                               device_.to_device(request.blocks->count), request.blocks->size});
      there.blocks = &*blocks;
    }
    Features uploaded = device_.upload(image);
    return device_.download(views_.run_unit(uploaded, there, job));
  }
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    return views_.upload_weights(weights, precision);
  }
  [[nodiscard]] std::size_t scratch_bytes(const UnitRequest& request, Precision precision) const override {
    return views_.scratch_bytes(request, precision);
  }

 private:
  Backend& device_;
  BirdsEye& views_;
};

class HostAdapter final : public Backend {
 public:
  explicit HostAdapter(Backend& device) : device_(device) {
    const BackendExtensions there = device.extensions();
    if (there.gradients != nullptr) gradients_.emplace(device, *there.gradients);
    if (there.relations != nullptr) relations_.emplace(device, *there.relations);
    if (there.birds_eye != nullptr) birds_eye_.emplace(device, *there.birds_eye);
  }

  [[nodiscard]] const DeviceFacts& facts() const noexcept override { return device_.facts(); }
  [[nodiscard]] StageSource& stages() noexcept override { return device_.stages(); }
  [[nodiscard]] MemoryPool& memory() noexcept override { return *pool_; }
  [[nodiscard]] bool results_are_host_memory() const noexcept override { return true; }
  void wait() override { device_.wait(); }
  DeviceRates measure_rates(Precision precision, Job& job) override {
    return device_.measure_rates(precision, job);
  }
  [[nodiscard]] DeviceState state(StateDetail detail) override { return device_.state(detail); }

  UploadedPoints upload_points(std::shared_ptr<const PointCloud> cloud, Job& job) override {
    return device_.upload_points(std::move(cloud), job);
  }
  Voxelized voxelize(const UploadedPoints& points, const Grid& grid, const VoxelizeRequest& request,
                     Job& job) override {
    Voxelized result = device_.voxelize(points, grid, request, job);
    result.coords = device_.download(result.coords);
    result.features = device_.download(result.features);
    if (result.positions) result.positions = spira::download(device_, *result.positions);
    return result;
  }
  Positions downsample(const CoordSet& fine, const Positions& of_fine, const CoordSet& coarse,
                       Job& job) override {
    return spira::download(device_, device_.downsample(device_.upload(fine), spira::upload(device_, of_fine),
                                                       device_.upload(coarse), job));
  }
  using Backend::downsample;
  CoordSet downsample(const CoordSet& level0, const SceneLevel& level,
                      const std::array<std::int64_t, 3>& shift, Job& job) override {
    return device_.download(device_.downsample(device_.upload(level0), level, shift, job));
  }
  KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request, Job& job) override {
    MapRequest there = request;
    std::deque<Positions> uploaded;
    for (const Positions** positions : {&there.in_positions, &there.out_positions}) {
      if (*positions != nullptr) *positions = &uploaded.emplace_back(spira::upload(device_, **positions));
    }
    return device_.download(device_.build_map(device_.upload(in), device_.upload(out), there, job));
  }
  Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                    const ConvRequest& request, Job& job) override {
    ConvRequest there = request;
    std::optional<Features> residual;
    if (request.residual != nullptr) {
      residual = device_.upload(*request.residual);
      there.residual = &*residual;
    }
    return device_.download(device_.convolve(device_.upload(map), device_.upload(in), weights, there, job));
  }
  CoordSet unite(const std::vector<const CoordSet*>& parts, const SceneLevel& level, Job& job) override {
    std::deque<CoordSet> uploaded;  // Keeps the addresses of its elements.
    std::vector<const CoordSet*> there;
    for (const CoordSet* part : parts)
      there.push_back(&uploaded.emplace_back(device_.upload(*part)));
    return device_.download(device_.unite(there, level, job));
  }
  Features add_sets(const SetSumRequest& request, Job& job) override {
    std::deque<CoordSet> levels;
    std::deque<Features> inputs;
    SetSumRequest there = request;
    for (const CoordSet*& level : there.levels)
      level = &levels.emplace_back(device_.upload(*level));
    for (const Features*& input : there.inputs)
      input = &inputs.emplace_back(device_.upload(*input));
    there.out = &levels.emplace_back(device_.upload(*request.out));
    return device_.download(device_.add_sets(there, job));
  }
  Features compute_rows(const PointRequest& request, Job& job) override {
    const CoordSet level = device_.upload(*request.level);
    const Features in = device_.upload(*request.in);
    PointRequest there = request;
    there.level = &level;
    there.in = &in;
    return device_.download(device_.compute_rows(there, job));
  }
  Features pool(const KernelMap& map, const Features& in, PoolReduction reduction, Job& job) override {
    return device_.download(device_.pool(device_.upload(map), device_.upload(in), reduction, job));
  }
  Features compute_rows(const RowRequest& request, Job& job) override {
    std::deque<Features> uploaded;  // A deque never moves its elements, so pointers to them stay valid.
    const auto there = [&](const Features* features) {
      return features == nullptr ? nullptr : &uploaded.emplace_back(device_.upload(*features));
    };
    RowRequest request_there = request;
    for (const Features*& input : request_there.inputs)
      input = there(input);
    for (RowStep& step : request_there.steps)
      step.residual = there(step.residual);
    return device_.download(device_.compute_rows(request_there, job));
  }
  CompiledNetwork compile(const NetworkRunRequest& request, Job& job) override {
    CompiledNetwork there = device_.compile(request, job);
    if (there.run) there.run = std::make_unique<HostRun>(device_, std::move(there.run));
    return there;
  }
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    return device_.upload_weights(weights, precision);
  }
  [[nodiscard]] BackendExtensions extensions() noexcept override {
    return {gradients_ ? &*gradients_ : nullptr, relations_ ? &*relations_ : nullptr,
            birds_eye_ ? &*birds_eye_ : nullptr};
  }
  Buffer to_host(const Buffer& buffer) override { return copy_of(buffer); }
  Buffer to_device(const Buffer& buffer) override { return copy_of(buffer); }

 private:
  Buffer copy_of(const Buffer& from) const {
    Buffer copy(pool_, from.bytes());
    if (from.bytes() != 0) std::memcpy(copy.data(), from.data(), from.bytes());
    return copy;
  }

  Backend& device_;
  std::optional<HostGradients> gradients_;
  std::optional<HostRelations> relations_;
  std::optional<HostBirdsEye> birds_eye_;
  std::shared_ptr<MemoryPool> pool_ = make_host_pool();
};

}  // namespace

std::unique_ptr<Backend> make_host_adapter(Backend& device) {
  return std::make_unique<HostAdapter>(device);
}

}  // namespace spira
