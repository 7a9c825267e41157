// Computes gather-GEMM-scatter on pair lists. Records the "gather", "gemm" and "scatter" stages. The first
// call for a map and a shape also records the "order" stage.
#include "engine/job/recorder.hpp"
#include "kernels/cuda/baseline/baseline.hpp"
#include "kernels/cuda/baseline/gather_index.hpp"
#include "kernels/cuda/conv/conv_kernels.hpp"
#include "kernels/cuda/device/cublas.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/launch.cuh"

#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace spira::cuda {
namespace {

constexpr int rows_per_thread = 4;  ///< Number of loads that each thread has in flight at once.

/// Arrays of matrix pointers for one cuBLAS call that multiplies a group of columns. Each array has one
/// pointer per column. The gather kernel fills the arrays.
struct PointerTable {
  const GatherColumn* columns;
  int count;
  const char *in, *weight;
  char* product;
  std::int64_t in_bytes, weight_bytes, product_bytes;
  const void **in_of, **weight_of;
  void** product_of;
};

/// Arguments of the kernel that copies input rows to adjacent rows. In each step, a thread copies one word.
template <class Word> struct GatherTask {
  const Word* from;
  const std::int32_t* inputs;
  Word* to;
  std::int64_t rows;
  int words;
};

template <class Word>
__global__ void __launch_bounds__(threads_per_block)
    gather_kernel(const __grid_constant__ GatherTask<Word> task, const __grid_constant__ PointerTable table) {
  const int thread = static_cast<int>((threadIdx.y * blockDim.x) + threadIdx.x);
  for (int at = thread; blockIdx.x == 0 && at < table.count;
       at += static_cast<int>(blockDim.x * blockDim.y)) {
    const GatherColumn column = table.columns[at];
    table.in_of[at] = table.in + (column.first_row * table.in_bytes);
    table.weight_of[at] = table.weight + (column.column * table.weight_bytes);
    table.product_of[at] = table.product + (column.first_row * table.product_bytes);
  }
  const std::int64_t first =
      (static_cast<std::int64_t>(blockIdx.x) * blockDim.y * rows_per_thread) + threadIdx.y;
  std::int32_t input[rows_per_thread];
#pragma unroll
  for (int at = 0; at < rows_per_thread; ++at) {
    const std::int64_t row = first + (static_cast<std::int64_t>(at) * blockDim.y);
    input[at] = row < task.rows ? __ldg(task.inputs + row) : -1;
  }
  for (int word = static_cast<int>(threadIdx.x); word < task.words; word += static_cast<int>(blockDim.x)) {
    Word read[rows_per_thread];
#pragma unroll
    for (int at = 0; at < rows_per_thread; ++at) {
      if (input[at] >= 0)
        read[at] = __ldg(task.from + (static_cast<std::int64_t>(input[at]) * task.words) + word);
    }
#pragma unroll
    for (int at = 0; at < rows_per_thread; ++at) {
      const std::int64_t row = first + (static_cast<std::int64_t>(at) * blockDim.y);
      if (input[at] >= 0) task.to[(row * task.words) + word] = read[at];
    }
  }
}

/// A vector of `each` consecutive values of a row. A thread reads or writes it with one access.
template <class T, int each> struct alignas(sizeof(T) * each) Values { T of[each]; };
__device__ inline float widened(float value) {
  return value;
}
__device__ inline float widened(__half value) {
  return __half2float(value);
}
__device__ inline void store(float value, float& to) {
  to = value;
}
__device__ inline void store(float value, __half& to) {
  to = __float2half_rn(value);
}

struct ScatterTask {
  /// The product rows: first the products of the centre column, then the products of the gathered rows.
  /// Shape: [product rows][out_channels].
  const void* products;
  const std::int32_t* first;  ///< GatherIndex::first. Shape: [rows + 1].
  const std::int32_t* rows_of;
  bool centre;
  std::int64_t rows;
  LayerOnDevice layer;
};

/// Computes the outputs. Each thread computes `each` channels of one output: it adds the product of the
/// centre column, the products of the other columns, the bias and the residual, and then applies ReLU.
template <class Product, class Store, int each>
__global__ void __launch_bounds__(threads_per_block)
    scatter_kernel(const __grid_constant__ ScatterTask task) {
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.y) + threadIdx.y;
  if (row >= task.rows) return;
  const LayerOnDevice& layer = task.layer;
  const std::int32_t begin = task.first[row], end = task.first[row + 1];
  for (int channel = static_cast<int>(threadIdx.x) * each; channel < layer.out_channels;
       channel += static_cast<int>(blockDim.x) * each) {
    float sums[each] = {};
    const auto add = [&](std::int64_t product_row) {
      const auto* from = static_cast<const Product*>(task.products) + (product_row * layer.out_channels);
      const auto read = *reinterpret_cast<const Values<Product, each>*>(from + channel);
#pragma unroll
      for (int at = 0; at < each; ++at)
        sums[at] += widened(read.of[at]);
    };
    if (task.centre) add(row);
#pragma unroll 4
    for (std::int32_t at = begin; at < end; ++at)
      add(__ldg(task.rows_of + at));
    const std::int64_t place = (row * layer.out_channels) + channel;
    Values<Store, each> out;
    Values<Store, each> residual{};
    if (layer.residual != nullptr)
      residual =
          *reinterpret_cast<const Values<Store, each>*>(static_cast<const Store*>(layer.residual) + place);
#pragma unroll
    for (int at = 0; at < each; ++at) {
      float value = sums[at] + __ldg(layer.bias + channel + at);
      if (layer.residual != nullptr) value += widened(residual.of[at]);
      if (layer.relu) value = value < 0.0F ? 0.0F : value;
      store(value, out.of[at]);
    }
    *reinterpret_cast<Values<Store, each>*>(static_cast<Store*>(layer.out) + place) = out;
  }
}

/// Returns the dimensions of a thread block with at most threads_per_block threads. Along x, there is one
/// thread for each item of a row.
dim3 block_of(int items) {
  const int across = std::clamp(items, 1, threads_per_block);
  return {static_cast<unsigned>(across), static_cast<unsigned>(threads_per_block / across)};
}

/// Computes one layer with a GatherIndex. Owns the scratch memory and has one function for each of the three
/// steps: gather, multiply and scatter.
class GatherRun {
 public:
  GatherRun(const Device& device, const GatherIndex& index, const LayerOnDevice& layer, ProductShape shape)
      : device_(device), index_(index), layer_(layer), shape_(shape) {
    const auto rows = static_cast<std::size_t>(index.plan.rows);
    gathered_ = Buffer(device.pool, rows * in_bytes());
    products_ = Buffer(device.pool, (rows + static_cast<std::size_t>(index.centre_rows())) * product_bytes());
    pointers_ = Buffer(device.pool, 3 * index.plan.columns.size() * sizeof(void*));
  }

  void gather() {
    if (index_.plan.rows == 0) return;
    if (in_bytes() % sizeof(uint4) == 0) {
      gather_words<uint4>();
    } else if (in_bytes() % sizeof(std::uint32_t) == 0) {
      gather_words<std::uint32_t>();
    } else {
      gather_words<std::uint16_t>();
    }
  }

  void multiply() {
    if (index_.centre >= 0) {
      shape_.rows = index_.results;
      device_.cublas->multiply(shape_, layer_.in, weight_of(index_.centre), products_.data());
    }
    for (const GatherGroup& group : index_.plan.groups) {
      shape_.rows = group.rows;
      if (group.count == 1) {
        const GatherColumn& column = index_.plan.columns[static_cast<std::size_t>(group.first)];
        device_.cublas->multiply(shape_, values<char>(gathered_) + offset(column.first_row, in_bytes()),
                                 weight_of(column.column), product_of(column.first_row));
      } else {
        const PointerTable table = pointer_table();
        device_.cublas->multiply_all(shape_, group.count, table.in_of + group.first,
                                     table.weight_of + group.first, table.product_of + group.first);
      }
    }
  }

  void scatter(bool fp16_features) {
    if (index_.results == 0) return;
    const bool fp16_products = shape_.product == Precision::fp16;
    if (!fp16_features) {
      layer_.out_channels % 4 == 0 ? scatter_by<float, float, 4>() : scatter_by<float, float, 1>();
    } else if (fp16_products) {
      layer_.out_channels % 8 == 0 ? scatter_by<__half, __half, 8>() : scatter_by<__half, __half, 1>();
    } else {
      layer_.out_channels % 4 == 0 ? scatter_by<float, __half, 4>() : scatter_by<float, __half, 1>();
    }
  }

 private:
  [[nodiscard]] std::size_t in_bytes() const {
    return static_cast<std::size_t>(shape_.in_channels) * bytes_of(shape_.factors);
  }
  [[nodiscard]] std::size_t product_bytes() const {
    return static_cast<std::size_t>(shape_.out_channels) * bytes_of(shape_.product);
  }
  [[nodiscard]] static std::int64_t offset(std::int64_t rows, std::size_t bytes) {
    return rows * static_cast<std::int64_t>(bytes);
  }
  [[nodiscard]] std::int64_t weight_bytes() const { return offset(shape_.out_channels, in_bytes()); }
  [[nodiscard]] const char* weight_of(int column) const {
    return static_cast<const char*>(layer_.weight) + (column * weight_bytes());
  }
  [[nodiscard]] char* product_of(std::int64_t gathered_row) {
    return values<char>(products_) + offset(index_.centre_rows() + gathered_row, product_bytes());
  }
  [[nodiscard]] PointerTable pointer_table() {
    const auto count = index_.plan.columns.size();
    auto* pointers = values<void*>(pointers_);
    return {values<GatherColumn>(index_.columns),
            static_cast<int>(count),
            values<char>(gathered_),
            static_cast<const char*>(layer_.weight),
            product_of(0),
            offset(1, in_bytes()),
            weight_bytes(),
            offset(1, product_bytes()),
            const_cast<const void**>(pointers),
            const_cast<const void**>(pointers + count),
            pointers + (2 * count)};
  }

  template <class Word> void gather_words() {
    const GatherTask<Word> task{static_cast<const Word*>(layer_.in), values<std::int32_t>(index_.inputs),
                                values<Word>(gathered_), index_.plan.rows,
                                static_cast<int>(in_bytes() / sizeof(Word))};
    const dim3 block = block_of(task.words);
    gather_kernel<Word>
        <<<blocks_for(task.rows, std::int64_t{block.y} * rows_per_thread), block, 0, device_.stream>>>(
            task, pointer_table());
    SPIRA_CUDA(cudaGetLastError());
  }

  template <class Product, class Store, int each> void scatter_by() {
    const ScatterTask task{products_.data(),
                           values<std::int32_t>(index_.first),
                           values<std::int32_t>(index_.rows),
                           index_.centre >= 0,
                           index_.results,
                           layer_};
    const dim3 block = block_of((layer_.out_channels + each - 1) / each);
    scatter_kernel<Product, Store, each>
        <<<blocks_for(index_.results, block.y), block, 0, device_.stream>>>(task);
    SPIRA_CUDA(cudaGetLastError());
  }

  const Device& device_;
  const GatherIndex& index_;
  const LayerOnDevice& layer_;
  ProductShape shape_;
  Buffer gathered_, products_, pointers_;
};

/// Returns the median time of the matrix products without gather and scatter, in milliseconds.
double products_ms(const Device& device, const GatherIndex& index, const LayerOnDevice& layer,
                   const ProductShape& shape) {
  constexpr int warmup = 2, times = 5;
  GatherRun run(device, index, layer, shape);
  run.gather();
  for (int round = 0; round < warmup; ++round)
    run.multiply();
  const auto clock = make_event_stages(device.stream);
  Recorder recorder(*clock);
  for (int round = 0; round < times; ++round) {
    {
      const Recorder::Scope scope(&recorder, "gemm");
      run.multiply();
    }
    recorder.next_repetition();
  }
  return recorder.take().median_ms(0);
}

/// Returns true if cuBLAS can multiply several columns in one call. Calls with arrays of pointers require
/// rows whose number of channels is a multiple of 8.
bool may_be_grouped(const ProductShape& shape) {
  return shape.in_channels % 8 == 0 && shape.out_channels % 8 == 0;
}

/// Tries several groupings of the columns. Returns the index with the fastest matrix products on this device.
/// If the device is repeatable, returns one grouping without measuring, because products of another shape can
/// add in another order.
GatherIndex fastest_index(const Device& device, const KernelMap& map, bool transposed,
                          const LayerOnDevice& layer, const ProductShape& shape) {
  const auto columns = gather_columns_of(device, map, transposed);
  // A compromise between few products and few rows of padding.
  constexpr double usual_slack = 0.25;
  if (device.repeatable && may_be_grouped(shape))
    return gather_index(device, map, transposed, group_columns(columns, usual_slack));
  GatherIndex best = gather_index(device, map, transposed, group_columns(columns, alone));
  if (!may_be_grouped(shape) || best.plan.columns.size() < 2) return best;
  double best_ms = products_ms(device, best, layer, shape);
  for (const double slack : {0.0, 0.125, 0.25, 0.5, 1.0, 3.0}) {
    try {
      GatherIndex index = gather_index(device, map, transposed, group_columns(columns, slack));
      const double ms = products_ms(device, index, layer, shape);
      if (ms >= best_ms) continue;
      best_ms = ms;
      best = std::move(index);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::device_memory) throw;
      // Stop here, because larger groups would need even more memory.
      break;
    }
  }
  return best;
}

/// The indices that are stored with a map. Each index is built when a layer first needs it.
struct GatherOrders {
  using Key = std::tuple<bool, int, int, Precision, Precision>;
  std::map<Key, GatherIndex> kept;

  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const auto& [key, index] : kept)
      sum += index.bytes();
    return sum;
  }
};

}  // namespace

void gather_gemm_scatter(const Device& device, const KernelMap& map, const ConvRequest& request,
                         Precision precision, const LayerOnDevice& layer, Job& job) {
  SPIRA_ASSERT(map.parts.size() == 1 && map.parts.front().layout == MapLayout::pair_lists,
               "gather-GEMM-scatter requires pair lists");
  const bool fp16 = precision == Precision::fp16;
  const bool fp16_products = fp16 && request.method == FeatureMethod::gather_gemm_scatter_fp16;
  const ProductShape shape{0, layer.in_channels, layer.out_channels, precision,
                           fp16_products ? Precision::fp16 : Precision::fp32};
  const KernelMap::Part& part = map.parts.front();
  // A map from another back end has no row orders. In this case, the index is built for this call only.
  const auto orders = part.orders ? part.orders : std::make_shared<RowOrders>();
  auto& kept = orders->get<GatherOrders>().kept;
  const GatherOrders::Key key{request.transposed, shape.in_channels, shape.out_channels, shape.factors,
                              shape.product};
  auto found = kept.find(key);
  if (found == kept.end()) {
    const auto stage = job.stage("order");
    found = kept.emplace(key, fastest_index(device, map, request.transposed, layer, shape)).first;
  }
  GatherRun run(device, found->second, layer, shape);
  {
    const auto stage = job.stage("gather");
    run.gather();
  }
  {
    const auto stage = job.stage("gemm");
    job.kernel("cuBLAS");
    run.multiply();
  }
  const auto stage = job.stage("scatter");
  run.scatter(fp16);
}

}  // namespace spira::cuda
