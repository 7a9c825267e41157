// Suite of `spira bench` for kernel maps: each algorithm builds the same map in every layout (section 5.2 of
// the paper).
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"

namespace spira::app {

void bench_mapping(Bench& bench) {
  const CoordSet level = bench.backend().upload(bench.scene().level(1));
  for (const int kernel_size : {3, 5}) {
    const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
    for (const auto layout :
         {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major, MapLayout::pair_lists}) {
      const std::string group = "K=" + std::to_string(kernel_size) + " " + std::string(text_of(layout));
      if (!bench.wants(group)) continue;
      const bool pairs = layout == MapLayout::pair_lists;
      std::vector<BenchSubject> subjects;
      for (const auto algorithm : all_algorithms) {
        subjects.push_back(
            map_subject(bench, std::string(text_of(algorithm)), level,
                        request_for_threshold(offsets, algorithm, pairs ? 0 : offsets->max_threshold(), true,
                                              pairs ? MapLayout::z_runs : layout)));
      }
      bench.measure(group, RatioOf::stages, std::move(subjects));
    }
  }
}

}  // namespace spira::app
