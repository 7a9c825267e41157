// Fills the dense layouts of a kernel map (stage "transpose").
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/map/map_layouts.cuh"

namespace spira::cuda {
namespace {

template <class Word> struct DenseEntry {
  Runs<Word> runs;
  std::int32_t* entries;
  const std::int32_t* columns;
  std::int64_t outputs, stored;
  bool output_major;

  __device__ void operator()(std::int64_t at) const {
    const std::int64_t output = output_major ? at / stored : at % outputs;
    const std::int64_t slot = output_major ? at % stored : at / outputs;
    entries[at] = runs.input(output, columns[slot]);
  }
};

}  // namespace

void fill_dense(const Device& device, const RunWordsOnDevice& runs, const KernelMap& map,
                KernelMap::Part& part) {
  const auto stored = static_cast<std::int64_t>(part.columns.size());
  part.entries = Buffer(device.pool, static_cast<std::size_t>(map.outputs * stored) * sizeof(std::int32_t));
  const Buffer columns = table_copy(device, std::span<const int>(part.columns));
  const auto* column = values<std::int32_t>(columns);
  auto* entries = values<std::int32_t>(part.entries);
  const std::int64_t outputs = map.outputs;
  const bool output_major = part.layout == MapLayout::output_major;
  visit_runs(runs, map, [&](const auto& words) {
    for_each(device, outputs * stored, DenseEntry{words, entries, column, outputs, stored, output_major});
  });
}

}  // namespace spira::cuda
