#include "engine/backend/host_read.hpp"
#include "kernels/reference/reference_backend.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace spira::reference {
namespace {

using Matrix = std::vector<std::vector<std::int32_t>>;  // Shape: [outputs][K^3].

Matrix search(const CoordSet& in, const CoordSet& out, const KernelOffsets& offsets, Job& job) {
  std::map<Voxel, std::int32_t> row_of;
  const auto inputs = all_voxels(in);
  for (std::size_t j = 0; j < inputs.size(); ++j)
    row_of[inputs[j]] = static_cast<std::int32_t>(j);
  Matrix matrix;
  constexpr std::size_t rows_between_checks = 256;
  for (const Voxel& q : all_voxels(out)) {
    if (matrix.size() % rows_between_checks == 0) job.checkpoint({"reference map", 0, 0});
    auto& row = matrix.emplace_back();
    for (int k = 0; k < offsets.columns(); ++k) {
      const Voxel d = offsets.offset(k);
      const auto found = row_of.find({q[0] + d[0], q[1] + d[1], q[2] + d[2]});
      row.push_back(found == row_of.end() ? -1 : found->second);
    }
  }
  return matrix;
}

template <class Value>
Buffer filled(const std::shared_ptr<MemoryPool>& pool, const std::vector<Value>& values) {
  Buffer buffer(pool, values.size() * sizeof(Value));
  std::copy(values.begin(), values.end(), buffer.host_span<Value>().begin());
  return buffer;
}

void write_dense(const std::shared_ptr<MemoryPool>& pool, const Matrix& matrix, KernelMap::Part& part) {
  std::vector<std::int32_t> entries;
  if (part.layout == MapLayout::output_major) {
    for (const auto& row : matrix) {
      for (const int column : part.columns)
        entries.push_back(row[static_cast<std::size_t>(column)]);
    }
  } else {
    for (const int column : part.columns) {
      for (const auto& row : matrix)
        entries.push_back(row[static_cast<std::size_t>(column)]);
    }
  }
  part.entries = filled(pool, entries);
}

void write_pair_lists(const std::shared_ptr<MemoryPool>& pool, const Matrix& matrix, KernelMap::Part& part) {
  std::vector<std::array<std::int32_t, 2>> pairs;
  std::vector<std::int32_t> counts;
  for (const int column : part.columns) {
    const std::size_t before = pairs.size();
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      const std::int32_t input = matrix[i][static_cast<std::size_t>(column)];
      if (input >= 0) pairs.push_back({static_cast<std::int32_t>(i), input});
    }
    counts.push_back(static_cast<std::int32_t>(pairs.size() - before));
  }
  part.entries = filled(pool, pairs);
  part.counts = filled(pool, counts);
}

void write_z_runs(const std::shared_ptr<MemoryPool>& pool, const Matrix& matrix, int kernel_size,
                  KernelMap::Part& part) {
  part.word_bits = 32;  // The reference is never used with 2^25 voxels or more, so 32 bits suffice.
  std::vector<std::uint32_t> words;
  for (const auto& row : matrix) {
    for (std::size_t group = 0; group < row.size(); group += static_cast<std::size_t>(kernel_size)) {
      std::uint32_t mask = 0, first = 0;
      for (int iz = kernel_size - 1; iz >= 0; --iz) {
        const std::int32_t input = row[group + static_cast<std::size_t>(iz)];
        if (input < 0) continue;
        mask |= 1U << iz;
        first = static_cast<std::uint32_t>(input);
      }
      words.push_back(mask == 0 ? 0 : (first << kernel_size) | mask);
    }
  }
  part.entries = filled(pool, words);
}

}  // namespace

KernelMap build_map(const std::shared_ptr<MemoryPool>& pool, const CoordSet& in, const CoordSet& out,
                    const MapRequest& request, Job& job) {
  const Matrix matrix = search(in, out, *request.offsets, job);
  KernelMap map;
  map.offsets = request.offsets;
  map.outputs = size_of(out);
  map.inputs = size_of(in);
  map.half = request.half;
  map.submanifold = in.stride == out.stride;
  map.algorithm = request.algorithm;
  for (const MapPartRequest& wanted : request.parts) {
    KernelMap::Part part;
    part.layout = wanted.layout;
    part.columns = wanted.columns;
    std::sort(part.columns.begin(), part.columns.end());
    if (wanted.layout == MapLayout::pair_lists) {
      if (request.half) std::erase_if(part.columns, [&](int k) { return k > request.offsets->partner(k); });
      write_pair_lists(pool, matrix, part);
    } else if (wanted.layout == MapLayout::z_runs) {
      write_z_runs(pool, matrix, request.offsets->kernel_size(), part);
    } else {
      write_dense(pool, matrix, part);
    }
    map.parts.push_back(std::move(part));
  }
  return map;
}

}  // namespace spira::reference
