// Measures the time from the cancellation of a run to its end, on the CPU back end. The cancellations are
// spread evenly over the duration of a run.
//   spira_bench_cancel SCENE GRID NETWORK [ROUNDS]
#include "app/common/backends.hpp"
#include "app/common/scene_argument.hpp"
#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/session.hpp"
#include "engine/voxel/fit.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

namespace spira {
namespace {

using Moment = std::chrono::steady_clock::time_point;

double ms_between(Moment from, Moment to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

/// Runs `work` and cancels it after `wait_ms`. Returns the time from the cancellation to the end of `work`,
/// in milliseconds. The result is negative if `work` ended before the cancellation.
double cancel_after(double wait_ms, const std::function<void(Job&)>& work) {
  std::stop_source stop;
  Moment end;
  bool cancelled = false;
  std::jthread worker([&] {
    Job job(stop.get_token());
    try {
      work(job);
    } catch (const Error& error) {
      cancelled = error.kind() == ErrorKind::cancelled;
    }
    end = std::chrono::steady_clock::now();
  });
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(wait_ms));
  const Moment asked = std::chrono::steady_clock::now();
  stop.request_stop();
  worker.join();
  return cancelled ? ms_between(asked, end) : -1.0;
}

void bench(const char* name, int rounds, const std::function<void(Job&)>& work) {
  Job whole;
  const Moment begin = std::chrono::steady_clock::now();
  work(whole);
  const double run_ms = ms_between(begin, std::chrono::steady_clock::now());
  std::vector<double> ms;
  for (int round = 0; round < rounds; ++round) {
    const double took = cancel_after(run_ms * (round + 0.5) / rounds, work);
    if (took >= 0) ms.push_back(took);
  }
  const Statistics s = statistics(ms);
  std::printf("%s (%.1f ms): n = %lld, median %.2f ms, q3 %.2f ms, max %.2f ms\n", name, run_ms,
              static_cast<long long>(s.n), s.median, s.q3, s.max);
}

}  // namespace
}  // namespace spira

int main(int argc, char** argv) {
  using namespace spira;
  if (argc < 4) {
    std::fprintf(stderr, "usage: spira_bench_cancel SCENE GRID NETWORK [ROUNDS]\n");
    return 2;
  }
  try {
    Job job;
    const int rounds = argc > 4 ? static_cast<int>(parse_int(argv[4]).value_or(40)) : 40;
    const auto network = std::make_shared<const Network>(network_preset(argv[3]));
    const auto cloud = app::open_scene(argv[1], "", 1, job);
    const Grid grid = parse_grid(argv[2]);
    const auto packs = packings_that_fit(voxel_range(*cloud, grid, job).extent(16), {7, 16});
    const auto backend = app::make_registry().make("cpu");
    Session session(backend, network, std::make_shared<const NetworkWeights>(seeded_weights(*network, 1)));
    const auto load = [&](Job& of) {
      static_cast<void>(session.load(cloud, grid, packs.at(0), Precision::fp32, of));
    };
    load(job);
    const Plan plan = default_plan(*network);
    bench("voxelise and load", rounds, load);
    bench("run the network", rounds, [&](Job& of) { session.run_all(plan, of, [](const auto&) {}); });
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return facts(error.kind()).exit_code;
  }
  return 0;
}
