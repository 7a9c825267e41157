#include "kernels/reference/reference_backend.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/fp16.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

namespace spira {
namespace {

CoordSet packed(const std::shared_ptr<MemoryPool>& pool, const PackSpec& pack, int stride,
                const std::set<Voxel>& voxels) {
  std::vector<std::uint64_t> keys;
  for (const Voxel& voxel : voxels)
    keys.push_back(pack.pack(voxel));
  CoordSet coords;
  coords.pack = pack;
  coords.stride = stride;
  coords.capacity = static_cast<std::int64_t>(keys.size());
  coords.size = coords.capacity;
  const bool narrow = pack.word_bits() == 32;
  coords.keys = Buffer(pool, keys.size() * (narrow ? 4 : 8));
  for (std::size_t at = 0; at < keys.size(); ++at) {
    if (narrow) {
      coords.keys.host_span<std::uint32_t>()[at] = static_cast<std::uint32_t>(keys[at]);
    } else {
      coords.keys.host_span<std::uint64_t>()[at] = keys[at];
    }
  }
  coords.count = Buffer(pool, sizeof(std::int64_t));
  coords.count.host_span<std::int64_t>()[0] = coords.capacity;
  return coords;
}

Buffer copy_of(const std::shared_ptr<MemoryPool>& pool, const Buffer& from) {
  Buffer copy(pool, from.bytes());
  if (from.bytes() != 0) std::memcpy(copy.data(), from.data(), from.bytes());
  return copy;
}

DeviceFacts reference_facts() {
  DeviceFacts facts;
  facts.kind = BackendKind::reference;
  facts.name = "naive reference in double precision";
  facts.instructions = "baseline";
  facts.threads = 1;
  return facts;
}

class ReferenceBackend final : public Backend {
 public:
  ReferenceBackend() = default;

  [[nodiscard]] const DeviceFacts& facts() const noexcept override { return facts_; }
  [[nodiscard]] StageSource& stages() noexcept override { return *stages_; }
  [[nodiscard]] MemoryPool& memory() noexcept override { return *pool_; }
  [[nodiscard]] bool results_are_host_memory() const noexcept override { return true; }

  Voxelized voxelize(const UploadedPoints& points_of_scene, const Grid& grid, const VoxelizeRequest& request,
                     Job&) override {
    require_sound(points_of_scene, request);
    const PointCloud& cloud = *points_of_scene.cloud;
    Voxelized result;
    result.shift = request.range->shift(request.coarsest_stride);
    std::map<Voxel, std::vector<std::size_t>> points_of;
    for (std::size_t at = 0; at < cloud.positions.size(); ++at) {
      const Point& p = cloud.positions[at];
      if (!grid.keeps(p)) continue;
      Voxel voxel{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        voxel[axis] = static_cast<std::int32_t>(
            static_cast<std::int64_t>(std::floor(p[axis] / grid.voxel_m[axis])) - result.shift[axis]);
      }
      points_of[voxel].push_back(at);
    }
    std::set<Voxel> voxels;
    result.voxel_of_point.assign(cloud.positions.size(), -1);
    std::vector<float> means;
    const Point& origin = request.origin;
    for (const auto& [voxel, points] : points_of) {
      double sums[4] = {0, 0, 0, 0};
      for (const std::size_t at : points) {
        result.voxel_of_point[at] = static_cast<std::int32_t>(voxels.size());
        for (std::size_t axis = 0; axis < 3; ++axis)
          sums[axis] += cloud.positions[at][axis] - origin[axis];
        sums[3] += cloud.intensity.empty() ? 1.0 : static_cast<double>(cloud.intensity[at]);
      }
      for (const double sum : sums)
        means.push_back(static_cast<float>(sum / static_cast<double>(points.size())));
      result.points_per_voxel.push_back(static_cast<std::int32_t>(points.size()));
      voxels.insert(voxel);
    }
    result.coords = packed(pool_, request.pack, 1, voxels);
    result.coords.extent = request.range->extent(request.coarsest_stride);
    result.features = {static_cast<std::int64_t>(voxels.size()), 4, request.precision,
                       Buffer(pool_, means.size() * bytes_of(request.precision))};
    for (std::size_t at = 0; at < means.size(); ++at) {
      if (request.precision == Precision::fp32) {
        result.features.data.host_span<float>()[at] = means[at];
      } else {
        result.features.data.host_span<Fp16>()[at] = float_to_fp16(means[at]);
      }
    }
    if (!request.point_lists) result.points_per_voxel = result.voxel_of_point = {};
    return result;
  }

  CoordSet downsample(const CoordSet& level0, int stride, Job&) override {
    std::set<Voxel> voxels;
    for (const Voxel& v : all_voxels(level0)) {
      voxels.insert({v[0] / stride * stride, v[1] / stride * stride, v[2] / stride * stride});
    }
    CoordSet coarse = packed(pool_, level0.pack, stride, voxels);
    coarse.extent = level0.extent;
    return coarse;
  }
  KernelMap build_map(const CoordSet& in, const CoordSet& out, const MapRequest& request, Job& job) override {
    return reference::build_map(pool_, in, out, request, job);
  }
  Features convolve(const KernelMap& map, const Features& in, const UploadedWeights& weights,
                    const ConvRequest& request, Job& job) override {
    return reference::convolve(pool_, map, in, weights, request, job);
  }
  Features concat(const std::vector<const Features*>& parts, Job&) override {
    Features result{parts.front()->rows, 0, parts.front()->precision, {}};
    for (const Features* part : parts)
      result.channels += part->channels;
    const std::size_t value = bytes_of(result.precision);
    result.data = Buffer(
        pool_, static_cast<std::size_t>(result.rows) * static_cast<std::size_t>(result.channels) * value);
    auto* to = static_cast<std::byte*>(result.data.data());
    for (std::int64_t row = 0; row < result.rows; ++row) {
      for (const Features* part : parts) {
        const std::size_t bytes = static_cast<std::size_t>(part->channels) * value;
        std::memcpy(
            to, static_cast<const std::byte*>(part->data.data()) + (static_cast<std::size_t>(row) * bytes),
            bytes);
        to += bytes;
      }
    }
    return result;
  }
  UploadedWeights upload_weights(const LayerWeights& weights, Precision precision) override {
    UploadedWeights up{weights.columns,
                       weights.in_channels,
                       weights.out_channels,
                       precision,
                       Buffer(pool_, weights.weight.size() * bytes_of(precision)),
                       Buffer(pool_, weights.bias.size() * sizeof(float))};
    for (std::size_t at = 0; at < weights.weight.size(); ++at) {
      if (precision == Precision::fp32) {
        up.weight.host_span<float>()[at] = weights.weight[at];
      } else {
        up.weight.host_span<Fp16>()[at] = float_to_fp16(weights.weight[at]);
      }
    }
    std::copy(weights.bias.begin(), weights.bias.end(), up.bias.host_span<float>().begin());
    return up;
  }

  Buffer to_host(const Buffer& buffer) override { return copy_of(pool_, buffer); }
  Buffer to_device(const Buffer& buffer) override { return copy_of(pool_, buffer); }

 private:
  DeviceFacts facts_ = reference_facts();
  std::unique_ptr<StageSource> stages_ = make_steady_stages();
  std::shared_ptr<MemoryPool> pool_ = make_host_pool();
};

}  // namespace

Registry::Entry reference_backend() {
  return {BackendKind::reference,
          [] {
            return std::vector<DeviceListing>{{reference_facts(), true, ""}};
          },
          [](const BackendOptions&) { return std::make_shared<ReferenceBackend>(); }};
}

}  // namespace spira
