// Compares the speed of z-delta search with the other mapping algorithms on the CPU. Runs are interleaved, so
// that a busy machine slows all of them equally. Prints medians and their ratios.
//   spira_bench_mapping [rounds] [voxel size in m] [scene files...]
#include "app/common/backends.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/extents.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/fit.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>

namespace spira {
namespace {

constexpr std::array algorithms{MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                MapAlgorithm::sorted_query};

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples.empty() ? 0.0 : samples[samples.size() / 2];
}

/// Returns the layout that the publication of the algorithm uses. This is z-runs for z-delta, and the dense
/// map in search order for the others.
MapLayout natural_layout(MapAlgorithm algorithm) {
  if (algorithm == MapAlgorithm::z_delta) return MapLayout::z_runs;
  return algorithm == MapAlgorithm::sorted_query ? MapLayout::offset_major : MapLayout::output_major;
}

struct Timing {
  /// `search_ms` includes pre-processing and excludes the time to write the layouts.
  std::vector<double> wall_ms, search_ms;
};

Timing& operator+=(Timing& sum, const Timing& one) {
  sum.wall_ms.insert(sum.wall_ms.end(), one.wall_ms.begin(), one.wall_ms.end());
  sum.search_ms.insert(sum.search_ms.end(), one.search_ms.begin(), one.search_ms.end());
  return sum;
}

Timing time_once(Backend& backend, const CoordSet& level, const MapRequest& request) {
  Job plain;
  const auto start = std::chrono::steady_clock::now();
  const KernelMap map = backend.build_map(level, level, request, plain);
  Timing timing{{ms_since(start)}, {}};
  // Searches are timed in a separate run, because timing marks cost time.
  Recorder recorder(backend.stages());
  Job recorded({}, &recorder);
  const KernelMap again = backend.build_map(level, level, request, recorded);
  const StageTree stages = recorder.take();
  double sum = 0.0;
  for (const char* path : {"preprocess", "search"}) {
    if (const int node = stages.find(path); node >= 0) sum += stages.median_ms(node);
  }
  timing.search_ms.push_back(sum);
  return timing;
}

void print_row(const char* text, const std::array<double, algorithms.size()>& ms) {
  std::printf("    %-22s", text);
  for (std::size_t at = 0; at < ms.size(); ++at) {
    std::printf("  %-8s%8.2f ms %6.2fx", std::string(text_of(algorithms.at(at))).c_str(), ms.at(at),
                ms.at(at) / ms[0]);
  }
  std::printf("\n");
}

void compare(Backend& backend, const CoordSet& level, int kernel_size, int rounds) {
  const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, level.stride);
  std::vector<int> columns(static_cast<std::size_t>(offsets->columns()));
  std::iota(columns.begin(), columns.end(), 0);
  std::printf("  K = %d\n", kernel_size);
  const auto run_layout = [&](const char* text, auto layout_of) {
    std::array<Timing, algorithms.size()> timings;
    // Round -1 is the warm-up.
    for (int round = -1; round < rounds; ++round) {
      for (std::size_t at = 0; at < algorithms.size(); ++at) {
        const MapRequest request{
            offsets, algorithms.at(at), {{layout_of(algorithms.at(at)), columns}}, false};
        const Timing one = time_once(backend, level, request);
        if (round >= 0) timings.at(at) += one;
      }
    }
    std::array<double, algorithms.size()> wall{}, search{};
    for (std::size_t at = 0; at < algorithms.size(); ++at) {
      wall.at(at) = median(timings.at(at).wall_ms);
      search.at(at) = median(timings.at(at).search_ms);
    }
    print_row((std::string(text) + ", map").c_str(), wall);
    print_row((std::string(text) + ", search").c_str(), search);
  };
  run_layout("z-runs", [](MapAlgorithm) { return MapLayout::z_runs; });
  run_layout("output-major", [](MapAlgorithm) { return MapLayout::output_major; });
  run_layout("natural layout", natural_layout);
}

void bench_scene(Backend& backend, const std::string& file, double voxel_m, int rounds) {
  Job job;
  const auto cloud = load_scene(file, {}, job);
  const Grid grid{{voxel_m, voxel_m, voxel_m}, {}};
  const auto packs = packings_that_fit(voxel_range(*cloud, grid, job).extent(16), {5, 16});
  if (packs.empty()) throw Error(ErrorKind::does_not_fit, file + ": no packing fits; take larger voxels");
  const VoxelizeRequest request{
      packs.front(), 16, Precision::fp32, voxel_range(*cloud, grid, job), false, display_origin(*cloud, {})};
  const UploadedPoints points = backend.upload_points(cloud, job);
  std::vector<double> voxelize_ms, downsample_ms;
  Voxelized level0;
  for (int round = 0; round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    level0 = backend.voxelize(points, grid, request, job);
    voxelize_ms.push_back(ms_since(start));
    start = std::chrono::steady_clock::now();
    const CoordSet coarse = backend.downsample(level0.coords, 2, job);
    downsample_ms.push_back(ms_since(start));
  }
  std::printf("%s: %s points, %s voxels at %s m, packing %s; voxelize %.2f ms, downsample[2] %.2f ms\n",
              cloud->name.c_str(), count_text(cloud->size()).c_str(),
              count_text(size_of(level0.coords)).c_str(), shortest(voxel_m).c_str(),
              packs.front().text().c_str(), median(voxelize_ms), median(downsample_ms));
  for (const int kernel_size : {3, 5})
    compare(backend, level0.coords, kernel_size, rounds);
}

}  // namespace
}  // namespace spira

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto rounds = words.empty() ? 15 : spira::parse_int(words[0]).value_or(15);
    const auto voxel_m = words.size() < 2 ? 0.05 : spira::parse_double(words[1]).value_or(0.05);
    std::vector<std::string> files(words.begin() + std::min<std::ptrdiff_t>(2, argc - 1), words.end());
    if (files.empty()) {
      const std::string folder = SPIRA_TEST_DATA;
      files = {folder + "/kitti/semantickitti_00_000000.bin", folder + "/kitti/object_000001.bin"};
    }
    const auto backend = spira::app::make_registry().make("cpu");
    std::printf("%s, %d threads, medians of %d interleaved runs; factors are relative to zdelta\n",
                backend->facts().name.c_str(), backend->facts().threads, static_cast<int>(rounds));
    for (const auto& file : files)
      spira::bench_scene(*backend, file, voxel_m, static_cast<int>(rounds));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
