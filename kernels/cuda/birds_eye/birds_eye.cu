// Runs units of a bird's-eye view (SBNet paper, section 3): dense on the whole image, gathered or fused on
// the active blocks. Each layer is one launch of the same kernel (unit_layer.cuh).
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "kernels/cuda/birds_eye/birds_eye.hpp"
#include "kernels/cuda/birds_eye/unit_layer.hpp"
#include "kernels/cuda/conv/conv.hpp"
#include "kernels/cuda/device/handles.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace spira::cuda {
namespace {

/// Where the cells of a unit are, for each layer.
class UnitStores {
 public:
  explicit UnitStores(const UnitRequest& request) : request_(request), out_(output_cells(request)) {
    if (request.blocks == nullptr) return;
    const BlockList& list = *request.blocks;
    core_ = list.shape.core;
    blocks_ = {values<std::int32_t>(list.numbers), values<std::int64_t>(list.count), list.grid[1],
               list.size.value_or(list.grid[0] * list.grid[1])};
  }

  [[nodiscard]] const BlocksOnDevice& blocks() const { return blocks_; }
  /// Returns the expected number of blocks. A list whose size is not known counts as a quarter of its grid.
  [[nodiscard]] std::int64_t likely_blocks() const {
    const bool known = request_.blocks == nullptr || request_.blocks->size.has_value();
    return known ? blocks_.max : std::max<std::int64_t>(1, blocks_.max / 4);
  }
  [[nodiscard]] CellStore input_image() const { return image_store(request_.cells[0], request_.cells[1]); }
  [[nodiscard]] CellStore output_image() const { return image_store(out_[0], out_[1]); }
  /// Returns the store of the gathered inputs of the blocks, with their halos.
  [[nodiscard]] CellStore gathered_input() const {
    const int halo = reach(0) + (request_.step * halo_after(0));
    return block_store((request_.step * (core_ - 1)) + 1 + (2 * halo), request_.step * core_, halo);
  }
  /// Returns the store of the outputs of a layer on the blocks. The last layer computes the cores.
  [[nodiscard]] CellStore block_output(std::size_t layer) const {
    const int halo = halo_after(layer);
    return block_store(core_ + (2 * halo), core_, halo);
  }
  /// Returns the store of the outputs of an inner layer.
  [[nodiscard]] CellStore inner_output(std::size_t layer) const {
    return request_.blocks == nullptr ? output_image() : block_output(layer);
  }
  /// Returns the number of cells for which a store needs memory.
  [[nodiscard]] std::int64_t cells_in_memory(const CellStore& store) const {
    return store.region.cells() * (request_.blocks == nullptr ? 1 : blocks_.max);
  }
  [[nodiscard]] std::size_t bytes_of_output(const CellStore& store, std::size_t layer,
                                            Precision precision) const {
    return static_cast<std::size_t>(cells_in_memory(store)) *
           static_cast<std::size_t>(request_.layers[layer].weights->out_channels) * bytes_of(precision);
  }
  [[nodiscard]] std::size_t gathered_bytes(Precision precision) const {
    return static_cast<std::size_t>(cells_in_memory(gathered_input())) *
           static_cast<std::size_t>(request_.layers.front().weights->in_channels) * bytes_of(precision);
  }

 private:
  [[nodiscard]] int reach(std::size_t layer) const { return (request_.layers[layer].kernel_size - 1) / 2; }
  /// Returns how many cells beyond the core the layers after `layer` read.
  [[nodiscard]] int halo_after(std::size_t layer) const {
    int halo = 0;
    for (std::size_t at = layer + 1; at < request_.layers.size(); ++at)
      halo += reach(at);
    return halo;
  }

  const UnitRequest& request_;
  std::array<std::int64_t, 2> out_;
  int core_ = 0;
  BlocksOnDevice blocks_;
};

/// Runs a unit. The constructor allocates all memory, so a call that throws does not change the image.
class UnitRun {
 public:
  UnitRun(const Device& device, Features& image, const UnitRequest& request)
      : device_(device),
        image_(image),
        request_(request),
        stores_(request),
        gathers_(request.method == UnitMethod::gathered),
        // A single layer that reads the image cannot write to it, because other tiles read the same cells.
        in_place_(request.residual && !request.keep_input && (gathers_ || request.layers.size() > 1)) {
    const auto out = output_cells(request);
    result_.rows = out[0] * out[1];
    result_.channels = request.layers.back().weights->out_channels;
    result_.precision = image.precision;
    const std::size_t bytes = static_cast<std::size_t>(result_.rows) *
                              static_cast<std::size_t>(result_.channels) * bytes_of(image.precision);
    if (!in_place_) result_.data = Buffer(device.pool, bytes);
    for (std::size_t layer = 0; layer + 1 < request.layers.size(); ++layer)
      inner_.emplace_back(device.pool,
                          stores_.bytes_of_output(stores_.inner_output(layer), layer, image.precision));
    if (!gathers_) return;
    const std::size_t last = request.layers.size() - 1;
    gathered_ = Buffer(device.pool, stores_.gathered_bytes(image.precision));
    cores_ = Buffer(device.pool, stores_.bytes_of_output(stores_.block_output(last), last, image.precision));
  }

  Features run(Job& job) {
    if (gathers_) {
      const auto stage = job.stage("gather");
      const CellStore blocks = stores_.gathered_input();
      copy_cells(device_, stores_.blocks(), blocks.region, {stores_.input_image(), image_.data.data()},
                 {blocks, gathered_.data()}, bytes_of_cell(image_));
    }
    {
      const auto stage = job.stage("dense");
      job.kernel(image_.precision == Precision::fp16 ? "fp16 tiles of cells" : "fp32 tiles of cells");
      if (!gathers_) begin_result();
      for (std::size_t layer = 0; layer < request_.layers.size(); ++layer)
        run_layer(layer);
    }
    if (gathers_) {
      const auto stage = job.stage("scatter");
      begin_result();
      const CellStore cores = stores_.block_output(request_.layers.size() - 1);
      copy_cells(device_, stores_.blocks(), cores.region, {cores, cores_.data()},
                 {stores_.output_image(), result_memory()}, bytes_of_cell(result_));
    }
    if (in_place_) result_.data = std::move(image_.data);
    if (!request_.keep_input) image_ = {};
    return std::move(result_);
  }

 private:
  [[nodiscard]] static std::size_t bytes_of_cell(const Features& features) {
    return static_cast<std::size_t>(features.channels) * bytes_of(features.precision);
  }
  [[nodiscard]] void* result_memory() { return in_place_ ? image_.data.data() : result_.data.data(); }
  /// Writes the values of all cells outside the active blocks (E2).
  void begin_result() {
    if (in_place_ || request_.blocks == nullptr) return;
    if (request_.residual) {
      SPIRA_CUDA(cudaMemcpyAsync(result_.data.data(), image_.data.data(), result_.data.bytes(),
                                 cudaMemcpyDeviceToDevice, device_.stream));
    } else {
      SPIRA_CUDA(cudaMemsetAsync(result_.data.data(), 0, result_.data.bytes(), device_.stream));
    }
  }
  /// Returns the input of the unit for its first layer and for the residual.
  [[nodiscard]] CellFeatures input() {
    return gathers_ ? CellFeatures{stores_.gathered_input(), gathered_.data()}
                    : CellFeatures{stores_.input_image(), image_.data.data()};
  }
  [[nodiscard]] CellFeatures last_output() {
    return gathers_ ? CellFeatures{stores_.block_output(request_.layers.size() - 1), cores_.data()}
                    : CellFeatures{stores_.output_image(), result_memory()};
  }

  void run_layer(std::size_t at) {
    const UnitLayer& layer = request_.layers[at];
    const bool first = at == 0, last = at + 1 == request_.layers.size();
    const auto out = output_cells(request_);
    LayerTask task;
    task.blocks = stores_.blocks();
    task.tiles.region =
        request_.blocks == nullptr ? stores_.output_image().region : stores_.block_output(at).region;
    task.tiles.out_rows = out[0];
    task.tiles.out_columns = out[1];
    task.tiles.in_rows = first ? request_.cells[0] : out[0];
    task.tiles.in_columns = first ? request_.cells[1] : out[1];
    task.tiles.kernel_size = layer.kernel_size;
    task.tiles.step = first ? request_.step : 1;
    task.in = first ? input() : CellFeatures{stores_.inner_output(at - 1), inner_[at - 1].data()};
    task.out = last ? last_output() : CellFeatures{stores_.inner_output(at), inner_[at].data()};
    if (last && request_.residual) task.residual = input();
    task.weight = layer.weights->weight.data();
    task.bias = values<float>(layer.weights->bias);
    task.in_channels = layer.weights->in_channels;
    task.out_channels = layer.weights->out_channels;
    task.relu = layer.relu;
    run_unit_layer(device_, task, stores_.likely_blocks(), image_.precision);
  }

  const Device& device_;
  Features& image_;
  const UnitRequest& request_;
  UnitStores stores_;
  bool gathers_, in_place_;
  Features result_;
  std::vector<Buffer> inner_;
  Buffer gathered_, cores_;
};

/// Returns the weights as [K^2][padded C_in][padded C_out], with zeros as padding.
template <class Value, class Convert>
std::vector<Value> packed_unit_weights(const LayerWeights& weights, const Convert& convert) {
  const auto in = static_cast<std::size_t>(padded_in_channels(weights.in_channels)),
             out = static_cast<std::size_t>(padded_out_channels(weights.out_channels));
  std::vector<Value> packed(static_cast<std::size_t>(weights.columns) * in * out, Value{});
  auto from = weights.weight.begin();
  for (std::size_t column = 0; column < static_cast<std::size_t>(weights.columns); ++column) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(weights.in_channels); ++a) {
      const auto to = packed.begin() + static_cast<std::ptrdiff_t>(((column * in) + a) * out);
      std::transform(from, from + weights.out_channels, to, convert);
      from += weights.out_channels;
    }
  }
  return packed;
}

}  // namespace

Features CudaBirdsEye::run_unit(Features& image, const UnitRequest& request, Job& job) {
  require_sound(image, request);
  return UnitRun(device_, image, request).run(job);
}

UploadedWeights CudaBirdsEye::upload_weights(const LayerWeights& weights, Precision precision) {
  require_finite(weights, precision);
  UploadedWeights uploaded;
  uploaded.columns = weights.columns;
  uploaded.in_channels = weights.in_channels;
  uploaded.out_channels = weights.out_channels;
  uploaded.precision = precision;
  uploaded.bias = device_copy(device_, std::span<const float>(weights.bias));
  const auto upload = [&](const auto& packed) {
    uploaded.weight = device_copy(device_, std::span(packed));
    // Wait for the copies, because the host memory is freed after this call.
    SPIRA_CUDA(cudaStreamSynchronize(device_.stream));
  };
  precision == Precision::fp16
      ? upload(packed_unit_weights<Fp16>(weights, [](float w) { return float_to_fp16(w); }))
      : upload(packed_unit_weights<float>(weights, [](float w) { return w; }));
  return uploaded;
}

std::size_t CudaBirdsEye::scratch_bytes(const UnitRequest& request, Precision precision) const {
  const UnitStores stores(request);
  std::size_t bytes = 0;
  for (std::size_t layer = 0; layer + 1 < request.layers.size(); ++layer)
    bytes += stores.bytes_of_output(stores.inner_output(layer), layer, precision);
  if (request.method != UnitMethod::gathered) return bytes;
  const std::size_t last = request.layers.size() - 1;
  return bytes + stores.gathered_bytes(precision) +
         stores.bytes_of_output(stores.block_output(last), last, precision);
}

}  // namespace spira::cuda
