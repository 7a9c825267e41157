#include "kernels/cpu/gather_gemm.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

namespace spira::cpu {
namespace {

using Pair = std::array<std::int32_t, 2>;  // {output row, input row} of the map.

/// Number of rows that a thread processes at once. conv.cpp uses the same number for the other dataflows.
constexpr std::int64_t rows_per_block = 512;

struct Column {
  int column;
  std::span<const Pair> pairs;
  std::size_t result, source;  ///< Positions of the result row and the source row in a Pair: 0 or 1.
};

/// Returns all columns of the map with their pairs. A column that a half map does not store uses the pairs of
/// its partner column, with inputs and outputs exchanged.
std::vector<Column> columns_of(const KernelMap& map, bool transposed) {
  const KernelMap::Part& part = map.parts.front();
  const auto counts = part.counts.host_span<std::int32_t>();
  auto left = part.entries.host_span<Pair>();
  const std::size_t result = transposed ? 1 : 0;
  std::vector<Column> columns;
  for (std::size_t slot = 0; slot < part.columns.size(); ++slot) {
    const int column = part.columns[slot], partner = map.offsets->partner(column);
    const auto pairs = left.first(static_cast<std::size_t>(counts[slot]));
    left = left.subspan(pairs.size());
    columns.push_back({column, pairs, result, 1 - result});
    if (map.half && partner != column) columns.push_back({partner, pairs, 1 - result, result});
  }
  return columns;
}

class Product {
 public:
  /// `shared_rows` is true if a column can have several pairs with the same result row.
  Product(ThreadPool& threads, const GatherGemm& work, bool shared_rows, std::int64_t result_rows, Job& job)
      : threads_(threads), work_(work), shared_rows_(shared_rows), result_rows_(result_rows), job_(job) {}

  void add(const Column& column) {
    const auto rows = std::ssize(column.pairs);
    job_.checkpoint({"gather-GEMM-scatter features", column.column, 0});
    gathered_.resize(static_cast<std::size_t>(rows * work_.in->channels));
    product_.resize(static_cast<std::size_t>(rows * work_.out_channels));
    in_blocks("gather", rows, [&](std::int64_t begin, std::span<std::int32_t> index) {
      for (std::size_t at = 0; at < index.size(); ++at)
        index[at] = column.pairs[static_cast<std::size_t>(begin) + at][column.source];
      gather(begin, index);
    });
    multiply(column.column, gathered_.data(), rows, product_.data());
    if (shared_rows_) return scatter_by_rows(column);
    in_blocks("scatter", rows, [&](std::int64_t begin, std::span<std::int32_t> index) {
      for (std::size_t at = 0; at < index.size(); ++at)
        index[at] = column.pairs[static_cast<std::size_t>(begin) + at][column.result];
      work_.kernels->scatter_add(product_.data() + (begin * work_.out_channels), work_.out_channels,
                                 index.data(), std::ssize(index), work_.sums);
    });
  }

  /// Computes the products of the centre column, in which output row i has input row i. Rows in fp32 need no
  /// gather, and rows in fp16 are only converted. The products are stored and not added, because this column
  /// is computed first.
  void set_centre(int column) {
    const float* rows = nullptr;
    if (work_.in->precision == Precision::fp32) {
      rows = work_.in->data.host_span<float>().data();
    } else {
      gathered_.resize(static_cast<std::size_t>(work_.in->rows * work_.in->channels));
      in_blocks("gather", work_.in->rows, [&](std::int64_t begin, std::span<std::int32_t> index) {
        std::iota(index.begin(), index.end(), static_cast<std::int32_t>(begin));
        gather(begin, index);
      });
      rows = gathered_.data();
    }
    multiply(column, rows, work_.in->rows, work_.sums);
  }

 private:
  /// Adds the products of a column. Each range of result rows belongs to one thread.
  void scatter_by_rows(const Column& column) {
    const auto stage = job_.stage("scatter");
    const std::int64_t range =
        std::max<std::int64_t>(1, (result_rows_ + threads_.threads() - 1) / threads_.threads());
    threads_.for_blocks(
        result_rows_, range,
        [&](std::int64_t begin, std::int64_t end, int) {
          for (std::size_t at = 0; at < column.pairs.size(); ++at) {
            const std::int32_t row = column.pairs[at][column.result];
            if (row < begin || row >= end) continue;
            const float* const product =
                product_.data() + (static_cast<std::int64_t>(at) * work_.out_channels);
            work_.kernels->scatter_add(product, work_.out_channels, &row, 1, work_.sums);
          }
        },
        job_.stop_token());
  }

  template <class Body> void in_blocks(const char* name, std::int64_t rows, const Body& body) {
    const auto stage = job_.stage(name);
    threads_.for_blocks(
        rows, rows_per_block,
        [&](std::int64_t begin, std::int64_t end, int) {
          std::array<std::int32_t, rows_per_block> index;  // NOLINT(*-member-init): written by the body
          body(begin, std::span(index).first(static_cast<std::size_t>(end - begin)));
        },
        job_.stop_token());
  }

  void gather(std::int64_t begin, std::span<const std::int32_t> index) {
    const int channels = work_.in->channels;
    float* to = gathered_.data() + (begin * channels);
    if (work_.in->precision == Precision::fp32) {
      work_.kernels->gather_fp32(work_.in->data.host_span<float>().data(), channels, index.data(),
                                 std::ssize(index), to);
    } else {
      work_.kernels->gather_fp16(work_.in->data.host_span<std::uint16_t>().data(), channels, index.data(),
                                 std::ssize(index), to);
    }
  }

  void multiply(int column, const float* rows, std::int64_t count, float* to) {
    const auto stage = job_.stage("gemm");
    job_.kernel(std::string(work_.kernels->instructions) + " gather-GEMM-scatter");
    const int in_channels = work_.in->channels, out_channels = work_.out_channels;
    const float* weight = work_.weight + (static_cast<std::int64_t>(column) * in_channels * out_channels);
    threads_.for_blocks(
        count, rows_per_block,
        [&](std::int64_t begin, std::int64_t end, int) {
          work_.kernels->multiply(rows + (begin * in_channels), end - begin, in_channels, weight,
                                  out_channels, to + (begin * out_channels));
        },
        job_.stop_token());
  }

  ThreadPool& threads_;
  const GatherGemm& work_;
  bool shared_rows_;
  std::int64_t result_rows_;
  Job& job_;
  std::vector<float> gathered_, product_;
};

}  // namespace

void gather_gemm_scatter(ThreadPool& threads, const KernelMap& map, bool transposed, const GatherGemm& work,
                         Job& job) {
  SPIRA_ASSERT(map.parts.size() == 1 && map.parts.front().layout == MapLayout::pair_lists,
               "gather-GEMM-scatter requires pair lists");
  Product product(threads, work, map.many(), transposed ? map.inputs : map.outputs, job);
  const int centre = map.submanifold && map.offsets->centred() ? map.offsets->centre() : -1;
  if (centre >= 0) product.set_centre(centre);
  for (const Column& column : columns_of(map, transposed)) {
    if (column.column != centre && !column.pairs.empty()) product.add(column);
  }
}

}  // namespace spira::cpu
