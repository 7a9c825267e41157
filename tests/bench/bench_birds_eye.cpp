// Measures units of bird's-eye view networks: the dense unit beside the rate of a dense matrix product on the
// same cores, and blocks beside the dense unit for masks of several densities. With a scene, also measures
// the input image, the mask and the block lists.
//   spira_bench_birds_eye [REPETITIONS [SCENE]]
#include "app/common/backends.hpp"
#include "app/common/scene_argument.hpp"
#include "engine/backend/birds_eye.hpp"
#include "engine/base/text.hpp"
#include "engine/bev/unit.hpp"
#include "engine/measure/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace spira {
namespace {

/// A residual unit 1x1 C -> m, 3x3 m -> m, 1x1 m -> C, or one 3x3 layer C -> C if m is 0.
struct UnitCase {
  const char* name;
  std::array<std::int64_t, 2> cells;
  int channels, middle;
};

class Bench {
 public:
  Bench(const UnitCase& of, Precision precision, Backend& backend)
      : of_(of), precision_(precision), views_(require_birds_eye(backend)) {
    image_ = {of.cells[0] * of.cells[1], of.channels, precision,
              Buffer(make_host_pool(), static_cast<std::size_t>(of.cells[0] * of.cells[1] * of.channels) *
                                           bytes_of(precision))};
    std::fill_n(static_cast<unsigned char*>(image_.data.data()), image_.data.bytes(),
                static_cast<unsigned char>(0x2E));
    request_.cells = of.cells;
    request_.residual = of.middle > 0;
    if (of.middle > 0) {
      add_layer(1, of.channels, of.middle);
      add_layer(3, of.middle, of.middle);
      add_layer(1, of.middle, of.channels);
    } else {
      add_layer(3, of.channels, of.channels);
    }
    for (std::size_t at = 0; at < weights_.size(); ++at)
      request_.layers[at].weights = &weights_[at];
  }

  [[nodiscard]] double flops() const {
    double sum = 0;
    for (const UploadedWeights& layer : weights_)
      sum += 2.0 * static_cast<double>(of_.cells[0] * of_.cells[1]) * layer.columns * layer.in_channels *
             layer.out_channels;
    return sum;
  }
  /// Returns a call that replaces the image by the output of a unit, or only computes the output.
  [[nodiscard]] Contender contender(UnitMethod method, const BlockList* blocks) {
    return {std::string(text_of(method)), [this, method, blocks] {
              UnitRequest request = request_;
              request.method = method;
              request.blocks = blocks;
              request.keep_input = !request.residual;
              Features result = views_.run_unit(image_, request, job_);
              if (request.residual) image_ = std::move(result);
            }};
  }
  [[nodiscard]] BlockList blocks(double density, int core) {
    Area area;
    area.cells = of_.cells;
    const Mask mask = make_mask({}, area, parse_mask("top-left:" + shortest(density)), job_);
    Buffer cells(make_host_pool(), mask.cells.size());
    std::copy(mask.cells.begin(), mask.cells.end(), cells.host_span<std::uint8_t>().begin());
    return views_.active_blocks(cells, area, {1, core, 0, 1}, job_);
  }

 private:
  void add_layer(int kernel_size, int in, int out) {
    weights_.push_back(views_.upload_weights(
        seeded_layer("layer", kernel_size * kernel_size, in, out, kernel_size * kernel_size, 1), precision_));
    request_.layers.push_back({kernel_size, true, nullptr});
  }

  const UnitCase& of_;
  Precision precision_;
  BirdsEye& views_;
  Features image_;
  std::vector<UploadedWeights> weights_;
  UnitRequest request_;
  Job job_;
};

void bench(const UnitCase& of, Precision precision, Backend& backend, double product_rate,
           const SamplingProtocol& protocol) {
  Job job;
  Bench bench(of, precision, backend);
  for (const int core : {8, 16, 32}) {
    std::vector<BlockList> lists;
    for (const double density : {0.1, 0.25, 0.5, 0.9})
      lists.push_back(bench.blocks(density, core));
    std::vector<Contender> contenders{bench.contender(UnitMethod::dense, nullptr)};
    for (const UnitMethod method : {UnitMethod::fused, UnitMethod::gathered}) {
      for (const BlockList& list : lists)
        contenders.push_back(bench.contender(method, &list));
    }
    const auto samples = sample_interleaved(contenders, protocol, job);
    const double dense_ms = samples[0].stats().median, rate = bench.flops() / dense_ms / 1e6;
    std::printf("%s %s core %2d  dense %7.2f ms %6.1f GFLOP/s, %3.0f %% of the product;", of.name,
                std::string(text_of(precision)).c_str(), core, dense_ms, rate, 100.0 * rate / product_rate);
    for (std::size_t at = 1; at < samples.size(); ++at) {
      const BlockList& list = lists[(at - 1) % lists.size()];
      const double share =
          static_cast<double>(*list.size * core * core) / static_cast<double>(of.cells[0] * of.cells[1]);
      if ((at - 1) % lists.size() == 0) std::printf("  %s", contenders[at].name.c_str());
      std::printf(" %.2f: %.2fx", share, dense_ms / samples[at].stats().median);
    }
    std::printf("\n");
  }
}

/// Measures everything that a frame needs before its first unit.
void bench_scene(const std::string& scene, Backend& backend, const SamplingProtocol& protocol) {
  Job job;
  BirdsEye& views = require_birds_eye(backend);
  const auto cloud = app::open_scene(scene, "", 1, job);
  AreaRequest request;
  request.crop_m = Bounds{{0, -40, -3}, {70.4, 40, 1}};
  const Area area = area_of(*cloud, request);
  const UploadedPoints points = backend.upload_points(cloud, job);
  Buffer mask = views.make_mask(points, area, {}, job);
  std::vector<Contender> contenders{
      {"project", [&] { static_cast<void>(views.project(points, area, 23, Precision::fp32, job)); }},
      {"mask", [&] { mask = views.make_mask(points, area, {}, job); }},
      {"blocks", [&] {
         for (const int stride : {1, 2, 4, 8, 16})
           static_cast<void>(views.active_blocks(mask, area, {stride, 8, 1, 1}, job));
       }}};
  const auto samples = sample_interleaved(contenders, protocol, job);
  std::printf("%s, %s:", cloud->name.c_str(), text_of(area).c_str());
  for (std::size_t at = 0; at < samples.size(); ++at)
    std::printf("  %s %.2f ms", contenders[at].name.c_str(), samples[at].stats().median);
  std::printf("\n");
}

}  // namespace
}  // namespace spira

int main(int argc, char** argv) {
  using namespace spira;
  try {
    Job job;
    const auto backend = app::make_registry().make("cpu");
    SamplingProtocol protocol;
    protocol.min_samples = protocol.max_samples =
        argc > 1 ? static_cast<int>(parse_int(argv[1]).value_or(9)) : 9;
    protocol.max_time_ms = 1e9;
    if (argc > 2) bench_scene(argv[2], *backend, protocol);
    const DeviceRates rates = backend->measure_rates(Precision::fp32, job);
    const double product_rate = rates.flops.per_second.value_or(NAN) / 1e9;
    std::printf("product %.1f GFLOP/s, %d threads\n", product_rate, backend->facts().threads);
    for (const UnitCase& one : {UnitCase{"conv-2", {400, 704}, 96, 24},
                                {"conv-3", {200, 352}, 192, 48},
                                {"conv-4", {100, 176}, 256, 64},
                                {"conv-5", {50, 88}, 384, 96},
                                {"3x3 64", {100, 176}, 64, 0}})
      bench(one, Precision::fp32, *backend, product_rate, protocol);
    bench({"conv-2", {400, 704}, 96, 24}, Precision::fp16, *backend, product_rate, protocol);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return facts(error.kind()).exit_code;
  }
  return 0;
}
