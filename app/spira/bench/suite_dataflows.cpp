// Suite of `spira bench` for the dataflows of TorchSparse++. Compares claims of its paper ("TorchSparse++:
// Efficient Training and Inference Framework for Sparse Convolution on GPUs", MICRO 2023) with measurements:
// when it is worth sorting the outputs by their masks, and how many splits are best.
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/map/redundancy.hpp"

#include <algorithm>
#include <array>

namespace spira::app {
namespace {

constexpr int kernel_size = 3, channels = 64;
constexpr std::array layer_counts{1, 2, 4, 8};
constexpr std::array with_and_without_sorting{"unsorted", "mask-sorted:1", "mask-sorted:2"};
constexpr const char* shape = "K=3 64>64";

// Figures of the paper. The times of table 5 have ascending numbers of splits.
constexpr const char* paper_kernels =
    "tables 3 and 4, CenterPoint on an RTX 3090, one Waymo frame: 4.60 ms unsorted, 4.33 ms 1 split, 4.49 ms "
    "2 splits";
constexpr const char* paper_network =
    "tables 3 and 4, CenterPoint on an RTX 3090, one Waymo frame: 8.15 ms unsorted, 8.91 ms 1 split, 9.48 ms "
    "2 splits";
constexpr const char* paper_splits_fp16 =
    "table 5, fp16: 16.01, 15.23, 14.48 ms with increasing numbers of splits";
constexpr const char* paper_splits_fp32 =
    "table 5, fp32: 35.47, 29.92, 25.75 ms with increasing numbers of splits";

std::string group_with_map(int layers) {
  return "map and " + counted_text(layers, "layer", "layers") + " " + shape;
}

/// Adds a note with the smallest measured number of layers for which sorting is worth the time of the map.
void note_crossing(Bench& bench, const char* sorted) {
  const std::array subjects{with_and_without_sorting.front(), sorted};
  std::string text;
  for (const int layers : layer_counts) {
    const auto series = series_of(bench, group_with_map(layers), subjects);
    if (series.size() < 2) continue;
    const Verdict found = verdict(series[0].ms, series[1].ms);
    const std::string users = counted_text(layers, "layer uses the map", "layers use the same map");
    if (found == Verdict::faster) {
      text = layers == layer_counts.front() ? "is faster than unsorted, even if only one layer uses the map"
                                            : "is faster than unsorted if at least " + users;
      break;
    }
    text = found == Verdict::undecided ? "is not distinguishable from unsorted if " + users
                                       : "is not faster than unsorted, even if " + users;
  }
  if (!text.empty()) bench.note(std::string(shape) + ": " + sorted + ", including its map, " + text);
}

/// Measures the features alone, and with the map for groups of layers that share it.
void shared_maps(Bench& bench, const CoordSet& level) {
  const std::string alone = std::string("features ") + shape;
  if (!bench.wants(alone) && std::none_of(layer_counts.begin(), layer_counts.end(),
                                          [&](int layers) { return bench.wants(group_with_map(layers)); }))
    return;
  const auto offsets = std::make_shared<const KernelOffsets>(kernel_size, 1);
  auto requests = dense_requests(offsets, MapAlgorithm::z_delta);
  requests.erase(requests.begin() + std::ssize(with_and_without_sorting), requests.end());
  requests.emplace_back(
      "os", request_for_threshold(offsets, MapAlgorithm::z_delta, offsets->max_threshold(), true));
  const auto operands = layer_operands(bench, kernel_size, channels, channels);
  std::vector<BenchSubject> subjects;
  for (const auto& [name, request] : requests) {
    const auto map =
        std::make_shared<const KernelMap>(bench.backend().build_map(level, level, request, bench.job()));
    const std::int64_t pairs = redundancy(bench.backend().download(*map), std::array{RowSorting{}})[0].pairs;
    subjects.push_back(layer_subject(bench, name, map, operands, pairs));
  }
  std::vector<Work> works;
  for (const BenchSubject& subject : subjects)
    works.push_back(subject.work);
  bench.measure(alone, RatioOf::stages, std::move(subjects));
  for (const int layers : layer_counts) {
    subjects.clear();
    for (std::size_t at = 0; at < requests.size(); ++at)
      subjects.push_back(layers_with_map(bench, requests[at].first, level, requests[at].second, operands,
                                         {layers * works[at].bytes, layers * works[at].flops}, layers));
    bench.measure(group_with_map(layers), RatioOf::stages, std::move(subjects));
  }
  for (const char* sorted : {"mask-sorted:1", "mask-sorted:2"})
    note_crossing(bench, sorted);
  if (!bench.wants(alone)) return;
  const auto series = series_of(bench, alone, with_and_without_sorting);
  bench.add_claim({"Kernels are faster with sorted outputs (one layer, without the time of its map).",
                   paper_kernels, std::string(shape) + ", features alone: " + medians_text(series),
                   agreement(series, ComparedWith::first, Verdict::faster)});
}

/// Counts the redundancy of all numbers of splits. The counts are exact.
void redundancies(Bench& bench, const CoordSet& level) {
  constexpr std::array tiles{16, 128};
  for (const int size : {3, 5}) {
    const std::string kernel = "K=" + std::to_string(size);
    if (!bench.wants("redundancy " + kernel)) continue;
    const auto offsets = std::make_shared<const KernelOffsets>(size, 1);
    const KernelMap map = bench.backend().download(bench.backend().build_map(
        level, level, request_for_threshold(offsets, MapAlgorithm::z_delta, offsets->max_threshold(), true),
        bench.job()));
    std::string ours;
    bool falls = true;
    for (const int tile : tiles) {
      ours +=
          (ours.empty() ? kernel + "," : std::string(";")) + " tiles of " + std::to_string(tile) + " rows:";
      std::int64_t last = 0;
      for (const Redundancy& one : redundancy(map, shown_row_orders(offsets->columns(), std::array{tile}))) {
        ours +=
            (last > 0 ? ", " : " ") + fixed(one.slots_per_pair(), 2) + " " + sorting_text(one.sorting.splits);
        falls = falls && (last == 0 || one.active < last);
        last = one.active;
      }
    }
    bench.add_claim({"The redundancy falls with each further split.",
                     "figure 11: each further split reduces the number of multiplied slots",
                     ours + " (slots per pair)", falls ? Agreement::agrees : Agreement::disagrees});
  }
}

/// Returns the plan in which all layers that can run a dataflow have it.
Plan plan_with(const Network& network, const char* dataflow, Precision precision) {
  Plan plan = default_plan(network);
  plan.precision = precision;
  plan.source = std::string("dataflow ") + dataflow;
  for (std::size_t at = 0; at < network.layers.size(); ++at) {
    if (can_run_dataflow(network.layers[at], dataflow))
      plan.layers[at] = with_dataflow(network.layers[at], plan.layers[at], dataflow);
  }
  return plan;
}

/// Measures a network from the points to the last output with each of these dataflows.
void measure_network(Bench& bench, const std::string& group, const Network& network, Precision precision,
                     std::span<const char* const> dataflows) {
  const LoadedNetwork loaded = bench.load(network, plan_with(network, dataflows.front(), precision));
  Session& session = *loaded.session;
  session.run_all(loaded.plan, bench.job(), {});
  Work work = work_of_network(session, loaded.plan);
  if (precision != bench.precision()) work.flops = 0;  // The rate was measured with the other precision.
  std::vector<BenchSubject> subjects;
  for (const char* dataflow : dataflows) {
    subjects.push_back({dataflow,
                        [&session, plan = plan_with(network, dataflow, precision)](Job& job) {
                          session.execute_network(plan, job);
                        },
                        work});
  }
  bench.measure(group, RatioOf::wall, std::move(subjects));
}

void sorting_in_a_network(Bench& bench) {
  const std::string group = "resn21";
  if (!bench.wants(group)) return;
  constexpr std::array dataflows{"unsorted", "mask-sorted:1", "mask-sorted:2", "os"};
  measure_network(bench, group, network_preset(group), bench.precision(), dataflows);
  const auto kernels = series_of(bench, group, with_and_without_sorting, "features");
  bench.add_claim({"Kernels are faster with sorted outputs (features of all layers of a network).",
                   paper_kernels, group + ", features: " + medians_text(kernels),
                   agreement(kernels, ComparedWith::first, Verdict::faster)});
  const auto whole = series_of(bench, group, with_and_without_sorting);
  bench.add_claim({"Networks are slower with sorted outputs, because their maps take longer.", paper_network,
                   group + ", points to outputs: " + medians_text(whole),
                   agreement(whole, ComparedWith::first, Verdict::slower)});
}

void splits_in_segmentation(Bench& bench) {
  constexpr std::array dataflows{"mask-sorted:1", "mask-sorted:2", "mask-sorted:3"};
  const Network network = network_preset("minkunet42");
  std::array<std::optional<MedianRatio>, 2> gains;
  for (const Precision precision : {Precision::fp16, Precision::fp32}) {
    const std::string group = network.name + " " + std::string(text_of(precision));
    if (!bench.wants(group)) continue;
    measure_network(bench, group, network, precision, dataflows);
    const auto series = series_of(bench, group, dataflows);
    bench.add_claim(
        {"Segmentation is faster with each further split (" + std::string(text_of(precision)) + ").",
         precision == Precision::fp16 ? paper_splits_fp16 : paper_splits_fp32,
         group + ", points to outputs: " + medians_text(series),
         agreement(series, ComparedWith::previous, Verdict::faster)});
    if (series.size() == dataflows.size())
      gains.at(precision == Precision::fp32 ? 1 : 0) = median_ratio(series.front().ms, series.back().ms);
  }
  const auto& [fp16, fp32] = gains;
  if (!fp16 || !fp32) return;
  bench.add_claim(
      {"More splits help fp32 more than fp16.",
       "table 5: the largest number of splits takes 0.90 x the time of the smallest in fp16, 0.73 x in fp32",
       network.name + ", 3 splits: " + fixed(fp16->ratio(), 2) + " x the time of 1 split in fp16, " +
           fixed(fp32->ratio(), 2) + " x in fp32",
       fp32->high < fp16->low   ? Agreement::agrees
       : fp32->low > fp16->high ? Agreement::disagrees
                                : Agreement::undecided});
}

}  // namespace

void bench_dataflows(Bench& bench) {
  bench.note(
      "not repeated: the figures of the paper for Jetson, Pascal and Turing GPUs and for ASICs; also figures "
      "19 to 21, because they require code variants that this program does not have");
  const CoordSet level = bench.backend().upload(bench.scene().level(1));
  shared_maps(bench, level);
  redundancies(bench, level);
  sorting_in_a_network(bench);
  splits_in_segmentation(bench);
}

}  // namespace spira::app
