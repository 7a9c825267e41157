#include "engine/backend/backend.hpp"

#include "engine/backend/device_facts.hpp"
#include "engine/backend/gradients.hpp"
#include "engine/scene/extents.hpp"

#include <limits>
#include <utility>

namespace spira {
namespace {

template <class Copy> CoordSet copied(const CoordSet& coords, const Copy& copy) {
  return {coords.pack,       coords.stride,      coords.rule, coords.capacity,
          copy(coords.keys), copy(coords.count), coords.size, coords.extent};
}

template <class Copy> Positions copied(const Positions& positions, const Copy& copy) {
  return {positions.kind, copy(positions.words), copy(positions.points)};
}

template <class Copy> KernelMap copied(const KernelMap& map, const Copy& copy) {
  KernelMap result{map.offsets, map.outputs, map.inputs, map.half, map.submanifold, map.algorithm, {}};
  for (const auto& part : map.parts)
    result.parts.push_back({part.layout, part.columns, copy(part.entries), copy(part.counts), part.word_bits,
                            nullptr, part.splits, copy(part.order)});
  return result;
}

template <class Copy> Features copied(const Features& features, const Copy& copy) {
  return {features.rows, features.channels, features.precision, copy(features.data)};
}

}  // namespace

void require_sound(const UploadedPoints& points, const VoxelizeRequest& request) {
  SPIRA_ASSERT(request.range.has_value(), "the range of the points was not measured");
  SPIRA_ASSERT(points.cloud->size() <= std::numeric_limits<std::int32_t>::max(), "more than 2^31 points");
  SPIRA_ASSERT(request.pack.batch_bits == PackSpec::bits_for_batch(points.cloud->batch()),
               "the packing belongs to another batch");
}

UploadedPoints Backend::upload_points(std::shared_ptr<const PointCloud> cloud, Job& /*job*/) {
  return {std::move(cloud), {}, {}};
}

Voxelized Backend::voxelize(const PointCloud& cloud, const Grid& grid, VoxelizeRequest request, Job& job) {
  request.range = voxel_range(cloud, grid, job);
  request.pack = request.pack.with_batch(cloud.batch());
  request.origin = display_origin(cloud, grid.crop_m);
  const std::shared_ptr<const PointCloud> callers(
      std::shared_ptr<void>(), &cloud);  // Points to the cloud of the caller without owning it.
  return voxelize(upload_points(callers, job), grid, request, job);
}

CompiledNetwork Backend::compile(const NetworkRunRequest& /*request*/, Job& /*job*/) {
  return {nullptr, "this back end runs networks layer by layer"};
}

void NetworkRun::enqueue(const PointsInMemory& /*points*/, void* /*stream*/) {
  throw Error(ErrorKind::internal, "the compiled network has no queue");
}

void NetworkRun::wait() {}

LayerMemory Backend::layer_memory(const MemoryShape& /*layer*/) const {
  return {};
}

std::size_t Backend::pair_list_bytes(const PairListShape& lists) const {
  return static_cast<std::size_t>(lists.pairs * bytes_of_pair);
}

DeviceRates Backend::measure_rates(Precision /*precision*/, Job& /*job*/) {
  const std::string why = "not supported by this back end";
  return {{{}, why, {}}, {{}, why, {}}};
}

DeviceState Backend::state(StateDetail /*detail*/) {
  return {};
}

std::size_t Gradients::packed_bytes(const MemoryShape& layer) const {
  return static_cast<std::size_t>(layer.kernel.columns()) * static_cast<std::size_t>(layer.in_channels) *
         static_cast<std::size_t>(layer.out_channels) * bytes_of(layer.precision);
}

void require_sound(const KernelMap& map, const Features& in, const Features& out_gradient,
                   const WgradRequest& request) {
  const std::int64_t in_rows = request.transposed ? map.outputs : map.inputs;
  const std::int64_t out_rows = request.transposed ? map.inputs : map.outputs;
  SPIRA_ASSERT(in.rows == in_rows && out_gradient.rows == out_rows,
               "the numbers of rows of the features, the gradient and the map do not match");
  SPIRA_ASSERT(in.precision == out_gradient.precision, "features and gradient have different precisions");
}

void require_sound(const std::vector<ChannelSlice>& parts, const Features* gate) {
  SPIRA_ASSERT(!parts.empty(), "a sum needs at least one part");
  const ChannelSlice& front = parts.front();
  const auto same_shape = [&](const ChannelSlice& one) {
    return one.of->rows == front.of->rows && one.channels == front.channels &&
           one.of->precision == front.of->precision;
  };
  SPIRA_ASSERT(gate == nullptr || same_shape(ChannelSlice::all_of(*gate)),
               "the gate and the parts have different shapes");
  for (const ChannelSlice& part : parts) {
    SPIRA_ASSERT(same_shape(part), "the parts of a sum have different shapes");
    SPIRA_ASSERT(part.first >= 0 && part.first + part.channels <= part.of->channels,
                 "a slice reaches beyond the channels of the features");
  }
}

CoordSet Backend::download(const CoordSet& coords) {
  return copied(coords, [this](const Buffer& buffer) { return to_host(buffer); });
}
KernelMap Backend::download(const KernelMap& map) {
  return copied(map, [this](const Buffer& buffer) { return to_host(buffer); });
}
Features Backend::download(const Features& features) {
  return copied(features, [this](const Buffer& buffer) { return to_host(buffer); });
}
CoordSet Backend::upload(const CoordSet& coords) {
  return copied(coords, [this](const Buffer& buffer) { return to_device(buffer); });
}
KernelMap Backend::upload(const KernelMap& map) {
  return copied(map, [this](const Buffer& buffer) { return to_device(buffer); });
}
Features Backend::upload(const Features& features) {
  return copied(features, [this](const Buffer& buffer) { return to_device(buffer); });
}

Positions download(Backend& backend, const Positions& positions) {
  return copied(positions, [&](const Buffer& buffer) { return backend.to_host(buffer); });
}
Positions upload(Backend& backend, const Positions& positions) {
  return copied(positions, [&](const Buffer& buffer) { return backend.to_device(buffer); });
}

std::string_view text_of(BackendKind kind) noexcept {
  if (kind == BackendKind::reference) return "reference";
  return kind == BackendKind::cuda ? "cuda" : "cpu";
}

std::vector<DeviceListing> Registry::devices() const {
  std::vector<DeviceListing> all;
  for (const Entry& entry : entries_) {
    for (auto& row : entry.list())
      all.push_back(std::move(row));
  }
  return all;
}

std::shared_ptr<Backend> Registry::make(std::string_view name, const BackendOptions& options) const {
  std::string choices = "auto";
  for (const Entry& entry : entries_) {
    choices += ", " + std::string(text_of(entry.kind));
    if (name != text_of(entry.kind)) continue;
    for (const auto& row : entry.list()) {
      if (row.usable) return entry.make(options);
    }
    const auto rows = entry.list();
    throw Error(ErrorKind::device, "back end " + std::string(name) + " cannot run here: " +
                                       (rows.empty() ? std::string("no device") : rows.front().why_not));
  }
  if (name == "auto") {
    for (const Entry& entry : entries_) {
      if (entry.kind == BackendKind::reference) continue;
      for (const auto& row : entry.list()) {
        if (row.usable) return entry.make(options);
      }
    }
    throw Error(ErrorKind::device, "no back end can run on this machine");
  }
  if (name == "cuda") throw Error(ErrorKind::device, "this build has no cuda back end; use the cpu back end");
  throw Error(ErrorKind::usage, "back end '" + std::string(name) + "': expected " + choices);
}

}  // namespace spira
