// Compares the FLOP rate of feature computation with the rate of a single dense matrix product that has the
// same number of useful FLOPs and runs on the same cores.
//   spira_bench_features SCENE GRID [REPETITIONS]
#include "app/common/backends.hpp"
#include "app/common/scene_argument.hpp"
#include "engine/backend/backend.hpp"
#include "engine/base/text.hpp"
#include "engine/base/thread_pool.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/run/session.hpp"
#include "kernels/cpu/panel.hpp"

#include <algorithm>
#include <cstdio>

namespace spira {
namespace {

/// Computes C = A * B, where A has `rows` rows. Each thread multiplies one contiguous block of rows, because
/// this is the fastest way to use Eigen.
class DenseProduct {
 public:
  DenseProduct(std::int64_t rows, int channels)
      : rows_(rows),
        channels_(channels),
        a_(size(rows, channels), 1.0F),
        b_(size(channels, channels), 0.5F),
        c_(size(rows, channels)) {}
  void run(ThreadPool& threads) {
    const std::int64_t piece = (rows_ + threads.threads() - 1) / threads.threads();
    threads.for_blocks(rows_, piece, [&](std::int64_t begin, std::int64_t end, int) {
      cpu::panel_kernels().multiply(a_.data() + (begin * channels_), end - begin, channels_, b_.data(),
                                    channels_, c_.data() + (begin * channels_));
    });
  }

 private:
  static std::size_t size(std::int64_t rows, int channels) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(channels);
  }
  std::int64_t rows_;
  int channels_;
  std::vector<float> a_, b_, c_;
};

struct Case {
  int kernel_size, channels;
  Precision precision;
};

void bench(const Case& how, Backend& backend, ThreadPool& threads, const VoxelScene& scene,
           const SamplingProtocol& protocol) {
  Job job;
  const auto offsets = std::make_shared<const KernelOffsets>(how.kernel_size, 1);
  const Network network = single_layer_network(how.kernel_size, 1, how.channels, how.channels);
  const auto weights = backend.upload_weights(seeded_weights(network, 1).layers.back(), how.precision);
  Features in;
  in.rows = scene.level(1).size.value();
  in.channels = how.channels;
  in.precision = how.precision;
  in.data = Buffer(make_host_pool(), static_cast<std::size_t>(in.rows) *
                                         static_cast<std::size_t>(how.channels) * bytes_of(how.precision));
  std::fill_n(static_cast<unsigned char*>(in.data.data()), in.data.bytes(), static_cast<unsigned char>(0x2E));
  const int all = offsets->max_threshold();
  std::vector<KernelMap> maps;
  for (const int t : {all, 0, all / 2}) {
    maps.push_back(backend.build_map(scene.level(1), scene.level(1),
                                     request_for_threshold(offsets, MapAlgorithm::z_delta, t, true), job));
  }
  const std::int64_t pairs = densities(maps.front()).pairs;
  DenseProduct dense(pairs, how.channels);
  std::vector<Contender> contenders{{"dense", [&] { dense.run(threads); }}};
  const char* names[] = {"os", "ws", "hybrid"};
  for (std::size_t at = 0; at < maps.size(); ++at) {
    contenders.push_back(
        {names[at], [&, at] {
           static_cast<void>(backend.convolve(maps[at], in, weights, {false, true, nullptr}, job));
         }});
  }
  const auto samples = sample_interleaved(contenders, protocol, job);
  const double flops = 2.0 * static_cast<double>(pairs) * how.channels * how.channels;
  const double dense_ms = samples[0].stats().median;
  std::printf("K=%d C=%3d %s  pairs %8lld  dense %8.2f ms %6.1f GFLOP/s", how.kernel_size, how.channels,
              std::string(text_of(how.precision)).c_str(), static_cast<long long>(pairs), dense_ms,
              flops / dense_ms / 1e6);
  for (std::size_t at = 1; at < samples.size(); ++at) {
    const Statistics s = samples[at].stats();
    std::printf("  %s %8.2f ms (IQR %.2f) %3.0f %%", contenders[at].name.c_str(), s.median, s.iqr(),
                100.0 * dense_ms / s.median);
  }
  std::printf("\n");
}

}  // namespace
}  // namespace spira

int main(int argc, char** argv) {
  using namespace spira;
  if (argc < 3) {
    std::fprintf(stderr, "usage: spira_bench_features SCENE GRID [REPETITIONS]\n");
    return 2;
  }
  try {
    Job job;
    const auto backend = app::make_registry().make("cpu");
    ThreadPool threads(backend->facts().threads);
    const auto cloud = app::open_scene(argv[1], "", 1, job);
    const Grid grid = parse_grid(argv[2]);
    const auto packs = packings_that_fit(voxel_range(*cloud, grid, job).extent(16), {7, 16});
    const auto scene = voxelize_scene(*backend, cloud, grid, packs.at(0), {7, 16}, job);
    SamplingProtocol protocol;
    protocol.min_samples = protocol.max_samples =
        argc > 3 ? static_cast<int>(parse_int(argv[3]).value_or(9)) : 9;
    protocol.max_time_ms = 1e9;
    std::printf("%s, %lld voxels; share: rate of useful FLOPs over the dense product's; %s\n",
                cloud->name.c_str(), static_cast<long long>(scene->level(1).size.value()),
                cpu::panel_kernels().instructions);
    for (const Case& how : {Case{3, 16, Precision::fp32},
                            {3, 32, Precision::fp32},
                            {3, 64, Precision::fp32},
                            {3, 64, Precision::fp16},
                            {3, 96, Precision::fp32},
                            {3, 128, Precision::fp32},
                            {5, 16, Precision::fp32},
                            {5, 64, Precision::fp32}}) {
      bench(how, *backend, threads, *scene, protocol);
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return facts(error.kind()).exit_code;
  }
  return 0;
}
