#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/epilogue.hpp"
#include "kernels/cpu/panel.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace spira::cpu {
namespace {

/// Maximum number of rows (means of source features) in one matrix product, and of source rows in one gather.
/// conv.cpp uses the same number.
constexpr std::int64_t rows_per_panel = 512;
constexpr std::int64_t rows_per_epilogue = 4096;

/// Scratch memory of one worker.
struct Scratch {
  std::vector<float> sources, means, product;
  std::vector<std::int32_t> index, rows;
};

/// One layer. All pointers refer to host memory.
class Layer {
 public:
  /// `sums` has the shape [nodes][out_channels], and `weight` the shape [relations + 1][in][out].
  Layer(const RelationMap& map, const Features& in, int out_channels, const float* weight, float* sums)
      : map_(map),
        in_(in),
        weight_(weight),
        sums_(sums),
        in_channels_(in.channels),
        out_channels_(out_channels),
        outputs_(map.outputs.host_span<std::int32_t>()),
        first_(map.first.host_span<std::int32_t>()),
        sources_(map.sources.host_span<std::int32_t>()) {}

  [[nodiscard]] int relations() const { return map_.relations(); }
  [[nodiscard]] std::int64_t begin_of(int relation) const {
    return map_.begins[static_cast<std::size_t>(relation)];
  }

  /// Computes the means of the rows [first, last) of the map. Copies the first source of each row, and adds
  /// the others, because most rows have only one source.
  void compute_means(std::int64_t first, std::int64_t last, Scratch& scratch, float* means) const {
    scratch.index.clear();
    for (std::int64_t row = first; row < last; ++row)
      scratch.index.push_back(sources_[static_cast<std::size_t>(first_[static_cast<std::size_t>(row)])]);
    gather(scratch.index.data(), last - first, means);
    scratch.sources.resize(static_cast<std::size_t>(rows_per_panel * in_channels_));
    scratch.index.clear();
    scratch.rows.clear();
    const auto add = [&] {
      const auto count = std::ssize(scratch.index);
      gather(scratch.index.data(), count, scratch.sources.data());
      kernels_.scatter_add(scratch.sources.data(), in_channels_, scratch.rows.data(), count, means);
      scratch.index.clear();
      scratch.rows.clear();
    };
    for (std::int64_t row = first; row < last; ++row) {
      const std::int32_t end = first_[static_cast<std::size_t>(row) + 1];
      for (std::int32_t at = first_[static_cast<std::size_t>(row)] + 1; at < end; ++at) {
        scratch.index.push_back(sources_[static_cast<std::size_t>(at)]);
        scratch.rows.push_back(static_cast<std::int32_t>(row - first));
        if (std::ssize(scratch.index) == rows_per_panel) add();
      }
    }
    add();
    if (map_.normalise == Normalise::mean) divide(first, last, means);
  }

  /// Copies rows of the inputs as fp32.
  void gather(const std::int32_t* index, std::int64_t count, float* to) const {
    if (in_.precision == Precision::fp32) {
      kernels_.gather_fp32(in_.data.host_span<float>().data(), in_channels_, index, count, to);
    } else {
      kernels_.gather_fp16(in_.data.host_span<std::uint16_t>().data(), in_channels_, index, count, to);
    }
  }

  /// Computes product[rows] = means[rows] W_column. `means` and `product` must have room for padded rows.
  void multiply(int column, const float* means, std::int64_t rows, float* product) const {
    const float* const weight = weight_ + (static_cast<std::int64_t>(column) * in_channels_ * out_channels_);
    kernels_.multiply(means, padded_rows(rows, in_channels_, out_channels_), in_channels_, weight,
                      out_channels_, product);
  }

  /// Adds the products of the rows [first, first + count) of the map to the sums of their outputs.
  void add(std::int64_t first, std::int64_t count, const float* product) const {
    kernels_.scatter_add(product, out_channels_, outputs_.data() + first, count, sums_);
  }

  /// Sets the sums of the nodes [begin, end) to x W_0.
  void start(std::int64_t begin, std::int64_t end, Scratch& scratch) const {
    scratch.index.resize(static_cast<std::size_t>(rows_per_panel));
    for (std::int64_t at = begin; at < end; at += rows_per_panel) {
      const std::int64_t rows = std::min(rows_per_panel, end - at);
      std::iota(scratch.index.begin(), scratch.index.end(), static_cast<std::int32_t>(at));
      make_room(scratch);
      gather(scratch.index.data(), rows, scratch.means.data());
      multiply(0, scratch.means.data(), rows, scratch.product.data());
      std::copy_n(scratch.product.data(), rows * out_channels_, sums_ + (at * out_channels_));
    }
  }

  /// Adds the products of one relation to the sums of the nodes [begin, end).
  void add_relation(int relation, std::int64_t begin, std::int64_t end, Scratch& scratch) const {
    const auto rows = outputs_.begin() + begin_of(relation),
               rows_end = outputs_.begin() + begin_of(relation + 1);
    const auto first = std::lower_bound(rows, rows_end, begin), last = std::lower_bound(first, rows_end, end);
    for (std::int64_t at = first - outputs_.begin(); at < last - outputs_.begin(); at += rows_per_panel) {
      const std::int64_t count = std::min<std::int64_t>(rows_per_panel, (last - outputs_.begin()) - at);
      make_room(scratch);
      compute_means(at, at + count, scratch, scratch.means.data());
      multiply(relation + 1, scratch.means.data(), count, scratch.product.data());
      add(at, count, scratch.product.data());
    }
  }

  /// Returns the number of rows that a block of at most rows_per_panel rows needs, including padding.
  [[nodiscard]] std::size_t panel_rows() const {
    return static_cast<std::size_t>(padded_rows(rows_per_panel, in_channels_, out_channels_));
  }

 private:
  void make_room(Scratch& scratch) const {
    scratch.means.resize(panel_rows() * static_cast<std::size_t>(in_channels_));
    scratch.product.resize(panel_rows() * static_cast<std::size_t>(out_channels_));
  }

  void divide(std::int64_t first, std::int64_t last, float* means) const {
    for (std::int64_t row = first; row < last; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const auto count = static_cast<float>(first_[at + 1] - first_[at]);
      if (count == 1.0F) continue;
      float* const mean = means + ((row - first) * in_channels_);
      for (int c = 0; c < in_channels_; ++c)
        mean[c] /= count;
    }
  }

  const RelationMap& map_;
  const Features& in_;
  const float* weight_;
  float* sums_;
  int in_channels_, out_channels_;
  std::span<const std::int32_t> outputs_, first_, sources_;
  const PanelKernels& kernels_ = panel_kernels();
};

/// Computes the sums of a range of outputs after the other: first x W_0, then the relations in order. Applies
/// the epilogue while the sums are in the cache.
void weight_stationary(ThreadPool& threads, const Layer& layer, const Epilogue& epilogue, Features& result,
                       Job& job) {
  const auto stage = job.stage("ws");
  job.kernel(panels_name(panel_kernels()));
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads.threads()));
  // Create more ranges than workers, to balance the load.
  const std::int64_t ranges = std::int64_t{threads.threads()} * 8;
  const std::int64_t range = std::max<std::int64_t>(1024, (result.rows + ranges - 1) / ranges);
  threads.for_blocks(
      result.rows, range,
      [&](std::int64_t begin, std::int64_t end, int worker) {
        Scratch& mine = scratch[static_cast<std::size_t>(worker)];
        layer.start(begin, end, mine);
        for (int relation = 0; relation < layer.relations(); ++relation) {
          if (job.stop_token().stop_requested()) return;
          layer.add_relation(relation, begin, end, mine);
        }
        apply(epilogue, begin, end, result);
      },
      job.stop_token());
  job.checkpoint({"weight-stationary features", 0, 0});
}

/// Computes one relation after another: stores the means of all its rows, multiplies them, and adds the
/// products. Each output occurs once in a relation, so threads never add to the same output.
class Gather {
 public:
  Gather(ThreadPool& threads, const Layer& layer, Buffer& means, Buffer& product, Job& job)
      : threads_(threads),
        layer_(layer),
        means_(means.host_span<float>().data()),
        product_(product.host_span<float>().data()),
        job_(job),
        scratch_(static_cast<std::size_t>(threads.threads())) {}

  void start(std::int64_t nodes) {
    const auto stage = job_.stage("gemm");
    job_.kernel(std::string(panel_kernels().instructions) + " gather-GEMM-scatter");
    in_blocks(nodes,
              [&](std::int64_t begin, std::int64_t end, Scratch& mine) { layer_.start(begin, end, mine); });
  }

  /// `means` and `product` have one panel for each block of rows.
  void add_relation(int relation, int in_channels, int out_channels) {
    const std::int64_t first = layer_.begin_of(relation), rows = layer_.begin_of(relation + 1) - first;
    const auto panel = static_cast<std::int64_t>(layer_.panel_rows());
    const auto means_of = [&](std::int64_t begin) {
      return means_ + (begin / rows_per_panel * panel * in_channels);
    };
    const auto product_of = [&](std::int64_t begin) {
      return product_ + (begin / rows_per_panel * panel * out_channels);
    };
    job_.checkpoint({"gather-GEMM-scatter features", relation, layer_.relations()});
    {
      const auto stage = job_.stage("gather");
      in_blocks(rows, [&](std::int64_t begin, std::int64_t end, Scratch& mine) {
        layer_.compute_means(first + begin, first + end, mine, means_of(begin));
      });
    }
    {
      const auto stage = job_.stage("gemm");
      in_blocks(rows, [&](std::int64_t begin, std::int64_t end, Scratch&) {
        layer_.multiply(relation + 1, means_of(begin), end - begin, product_of(begin));
      });
    }
    const auto stage = job_.stage("scatter");
    in_blocks(rows, [&](std::int64_t begin, std::int64_t end, Scratch&) {
      layer_.add(first + begin, end - begin, product_of(begin));
    });
  }

 private:
  template <class Body> void in_blocks(std::int64_t rows, const Body& body) {
    threads_.for_blocks(
        rows, rows_per_panel,
        [&](std::int64_t begin, std::int64_t end, int worker) {
          body(begin, end, scratch_[static_cast<std::size_t>(worker)]);
        },
        job_.stop_token());
  }

  ThreadPool& threads_;
  const Layer& layer_;
  float *means_, *product_;
  Job& job_;
  std::vector<Scratch> scratch_;
};

/// Returns the number of rows of the buffers of Gather, including the padding of each panel.
std::size_t gathered_rows(const RelationMap& map, int in_channels, int out_channels) {
  std::int64_t most = 0;
  for (int relation = 0; relation < map.relations(); ++relation) {
    const auto at = static_cast<std::size_t>(relation);
    most = std::max(most, map.begins[at + 1] - map.begins[at]);
  }
  return static_cast<std::size_t>((most + rows_per_panel - 1) / rows_per_panel *
                                  padded_rows(rows_per_panel, in_channels, out_channels));
}

}  // namespace

Features CpuRelations::convolve(const RelationMap& map, const Features& in, const UploadedWeights& weights,
                                const RelationRequest& request, Job& job) {
  require_sound(map, in, weights);
  const int out_channels = weights.out_channels;
  const std::size_t values = static_cast<std::size_t>(map.nodes) * static_cast<std::size_t>(out_channels);
  Features result{map.nodes, out_channels, in.precision, Buffer(pool_, values * bytes_of(in.precision))};
  const bool narrow = in.precision == Precision::fp16;
  Buffer wide_sums(pool_, narrow ? values * sizeof(float) : 0);
  float* const sums = (narrow ? wide_sums : result.data).host_span<float>().data();
  const std::vector<float> wide_weight = narrow ? widened(weights) : std::vector<float>{};
  const Layer layer(map, in, out_channels,
                    narrow ? wide_weight.data() : weights.weight.host_span<float>().data(), sums);
  const Epilogue epilogue{sums, weights.bias.host_span<float>(), nullptr, request.relu};
  if (request.method == FeatureMethod::by_layout) {
    weight_stationary(threads_, layer, epilogue, result, job);
    return result;
  }
  const std::size_t rows = gathered_rows(map, in.channels, out_channels);
  Buffer means(pool_, rows * static_cast<std::size_t>(in.channels) * sizeof(float));
  Buffer product(pool_, rows * static_cast<std::size_t>(out_channels) * sizeof(float));
  Gather gather(threads_, layer, means, product, job);
  gather.start(map.nodes);
  for (int relation = 0; relation < map.relations(); ++relation)
    gather.add_relation(relation, in.channels, out_channels);
  const auto stage = job.stage("epilogue");
  threads_.for_blocks(
      map.nodes, rows_per_epilogue,
      [&](std::int64_t begin, std::int64_t end, int) { apply(epilogue, begin, end, result); },
      job.stop_token());
  job.checkpoint({"features", 0, 0});
  return result;
}

std::size_t CpuRelations::scratch_bytes(const RelationMap& map, int in_channels, int out_channels,
                                        Precision precision, const RelationRequest& request) const {
  const auto floats = [](std::size_t rows, int channels) {
    return rows * static_cast<std::size_t>(channels) * sizeof(float);
  };
  const std::size_t sums =
      precision == Precision::fp16 ? floats(static_cast<std::size_t>(map.nodes), out_channels) : 0;
  if (request.method == FeatureMethod::by_layout) return sums;
  const std::size_t rows = gathered_rows(map, in_channels, out_channels);
  return sums + floats(rows, in_channels) + floats(rows, out_channels);
}

}  // namespace spira::cpu
