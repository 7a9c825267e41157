// Suite of `spira bench` for blocks of bird's-eye views. Repeats tables 1 to 4 and figure 6 of the SBNet
// paper
// ("SBNet: Sparse Blocks Network for Fast Inference", CVPR 2018), and measures the same units on a scene.
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"
#include "engine/backend/birds_eye.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/run/bev_run.hpp"
#include "engine/tune/bev_sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace spira::app {
namespace {

constexpr std::uint64_t blocks_seed = 1;
constexpr const char* their_device = "GTX 1080 Ti, fp32, dense by cuDNN 6";
/// Below this share of the floor, dense units are too slow to compare blocks with them.
constexpr double least_floor_share = 0.6;

/// A stage of the network of the paper, with its speed-ups over dense units.
struct PaperStage {
  const char* name;
  std::int64_t rows, columns;
  int stride;          ///< In an area of 800 x 1408 cells.
  int layer_channels;  ///< Channels of the layers of table 1.
  int unit_channels;   ///< Channels of the residual units of the other tables.
  double table_1, table_1_rows, table_2, table_2_rows, table_3, table_4;
};
constexpr std::array<PaperStage, 4> paper_stages{
    {{"conv-2", 400, 704, 2, 24, 96, 3.39, 0.40, 8.22, 0.52, 3.05, 5.21},
     {"conv-3", 200, 352, 4, 48, 192, 2.47, 0.75, 6.27, 1.65, 2.15, 3.25},
     {"conv-4", 100, 176, 8, 64, 256, 1.34, 0.28, 3.73, 0.85, 1.65, 2.26},
     {"conv-5", 50, 88, 16, 96, 384, 0.88, 0.13, 1.64, 0.58, 1.14, 1.32}}};
constexpr std::array<std::int64_t, 2> paper_area{800, 1408};

/// One unit on an image, with a mask.
struct BlockCase {
  Network network;
  BevUnit unit;
  Mask mask;  ///< Its area contains the image at the stride of the unit.
  std::shared_ptr<const NetworkWeights> weights;
  std::vector<UploadedWeights> uploaded;
  Buffer device_mask;
  Features image;
  [[nodiscard]] const Area& area() const { return mask.area; }
  [[nodiscard]] int channels() const { return network.in_channels; }
};

/// Returns a network with a layer that does nothing useful, followed by one 3 x 3 layer or, if
/// `residual_unit` is true, by one residual unit.
Network unit_network(int channels, bool residual_unit) {
  Network network;
  network.name = network.title = "unit";
  network.space = NetworkSpace::bev;
  network.in_channels = channels;
  const auto add = [&](const char* name, int kernel_size, int out_channels) -> Layer& {
    Layer layer;
    layer.name = name;
    layer.inputs = {network.layers.empty() ? "input" : network.layers.back().name};
    layer.kernel_size = {kernel_size, kernel_size, 1};
    layer.stride = {1, 1, 1};
    layer.in_channels = network.layers.empty() ? channels : network.layers.back().out_channels;
    layer.out_channels = out_channels;
    network.layers.push_back(std::move(layer));
    return network.layers.back();
  };
  add("stem", 1, channels);
  if (!residual_unit) {
    add("conv", 3, channels);
    return network;
  }
  constexpr int narrowing = 4;
  add("in", 1, channels / narrowing).unit = "unit";
  add("mid", 3, channels / narrowing).unit = "unit";
  Layer& last = add("out", 1, channels);
  last.unit = "unit";
  last.residual = "stem";
  return network;
}

/// Prepares a unit on an image whose cells are the cells of the mask at `stride`.
std::shared_ptr<BlockCase> made_case(Bench& bench, Mask mask, int stride, int channels, bool residual_unit) {
  auto made = std::make_shared<BlockCase>();
  made->network = unit_network(channels, residual_unit);
  made->unit = units_of(made->network).back();
  made->unit.stride_in = made->unit.stride_out = stride;
  // The unit writes its result over its input, as in a network. Other results would double the memory
  // traffic.
  made->unit.keeps_input = !residual_unit;
  made->mask = std::move(mask);
  NetworkWeights weights = seeded_weights(made->network, blocks_seed, bench.job().stop_token());
  if (residual_unit) {
    // The unit runs many times on its own result. Small summands keep the values in the range of normal
    // numbers.
    constexpr float small = 1e-3F;
    for (auto* values : {&weights.layers.back().weight, &weights.layers.back().bias}) {
      for (float& value : *values)
        value *= small;
    }
  }
  Backend& backend = bench.backend();
  BirdsEye& views = require_birds_eye(backend);
  for (const LayerWeights& layer : weights.layers)
    made->uploaded.push_back(views.upload_weights(layer, bench.precision()));
  made->weights = std::make_shared<const NetworkWeights>(std::move(weights));
  made->image = backend.upload(random_features(made->area().size(stride), channels, bench.precision()));
  Buffer cells(make_host_pool(), made->mask.cells.size());
  std::copy(made->mask.cells.begin(), made->mask.cells.end(), cells.host_span<std::uint8_t>().begin());
  made->device_mask = backend.to_device(cells);
  return made;
}

/// Returns the minimum work of a unit that reads and computes the given shares of its image.
Work work_of_unit(const BlockCase& made, const BlockShares& shares, double flops, Precision precision) {
  const auto cells = static_cast<double>(made.area().size(made.unit.stride_out));
  const double cell_bytes = bytes_of_features(1, made.channels(), precision);
  double weights = 0;
  for (int at = made.unit.first; at <= made.unit.last; ++at) {
    const LayerWeights& layer = made.weights->layers[static_cast<std::size_t>(at)];
    weights +=
        bytes_of_features(std::int64_t{layer.columns} * layer.in_channels, layer.out_channels, precision);
  }
  return {cells * cell_bytes * (std::min(1.0, shares.read) + shares.computed) + weights, flops};
}

BenchSubject unit_subject(Bench& bench, const std::shared_ptr<BlockCase>& made, const UnitPlan& plan) {
  BirdsEye& views = require_birds_eye(bench.backend());
  UnitRequest request = unit_request(made->network, made->unit, made->area(), made->uploaded);
  request.method = plan.method;
  const auto cells = made->area().size(made->unit.stride_out);
  BlockShares shares{0, 0, 1, 1, 1};
  double flops = 2.0 * static_cast<double>(multiply_adds_per_cell(made->network, made->unit) * cells);
  std::shared_ptr<const BlockList> blocks;
  if (in_blocks(plan)) {
    const BlockShape shape{made->unit.stride_out, plan.core, made->unit.reach()};
    blocks = std::make_shared<const BlockList>(
        views.active_blocks(made->device_mask, made->area(), shape, bench.job()));
    shares = shares_of(made->mask, shape, active_blocks(made->mask, shape),
                       made->unit.gathered_edge(plan.core), made->unit.step());
    flops = 2.0 * static_cast<double>(multiply_adds_per_block(made->network, made->unit, plan.core) *
                                      shares.blocks);
    request.blocks = blocks.get();
  }
  const auto run = [&bench, &views, made, blocks, request](Job& job) {
    {
      const auto stage = job.stage("features[unit]");
      Features result = views.run_unit(made->image, request, job);
      if (!request.keep_input) made->image = std::move(result);
    }
    bench.backend().wait();
  };
  return {short_text(plan), run, work_of_unit(*made, shares, flops, bench.precision())};
}

/// Returns a subject that runs the layers as submanifold layers on the cells of the mask, with their maps.
BenchSubject rows_subject(Bench& bench, const std::shared_ptr<BlockCase>& made) {
  PointCloud name;
  name.name = "cells";
  const std::shared_ptr<Session> session =
      load_rows(bench.shared_backend(), made->network, made->weights,
                cells_as_voxels(made->mask, bench.backend().download(made->image), name), bench.precision(),
                bench.job());
  Plan plan = default_plan(session->network());
  plan.precision = bench.precision();
  session->run_all(plan, bench.job(), {});
  const auto run = [made, session, plan](Job& job) {
    for (int at = made->unit.first; at <= made->unit.last; ++at)
      session->execute_layer(at, plan.layers[static_cast<std::size_t>(at)], job);
  };
  const auto cells = count_cells(made->mask.cells);
  return {
      "rows", run, {0, 2.0 * static_cast<double>(multiply_adds_per_cell(made->network, made->unit) * cells)}};
}

/// Explains why speed-ups are missing in a list of results.
std::string no_speed_up_reason() {
  return "; there is no speed-up where dense reaches less than " + percent_text(least_floor_share, 0) +
         " of the rates, because a slow dense unit would flatter blocks";
}

/// The result of one group.
struct BlockOutcome {
  double dense_ms = 0, floor_share = 0;  ///< The floor over the time of the dense unit.
  std::string fastest;                   ///< The fastest subject on blocks.
  double fastest_ms = 0;
  Verdict verdict = Verdict::undecided;  ///< Of the fastest subject in comparison with dense.
  std::optional<double> rows_ms;
  bool comparable = true;  ///< False if the dense unit is too slow.
};

std::optional<BlockOutcome> outcome_of(const Bench& bench, const std::string& group) {
  BlockOutcome found;
  const BenchRow* dense = nullptr;
  const BenchRow* best = nullptr;
  for (const BenchRow& row : bench.rows()) {
    if (row.group != group) continue;
    if (row.subject == "dense") {
      dense = &row;
    } else if (row.subject == "rows") {
      found.rows_ms = row.ratio_ms();
    } else if (best == nullptr || row.ratio_ms() < best->ratio_ms()) {
      best = &row;
    }
  }
  if (dense == nullptr || best == nullptr) return {};
  found.dense_ms = dense->ratio_ms();
  found.fastest = best->subject;
  found.fastest_ms = best->ratio_ms();
  found.verdict = verdict(dense->ratio_samples(), best->ratio_samples());
  const auto floor = floors_of(dense->work, bench.rates()).larger_ms();
  found.floor_share = floor && found.dense_ms > 0 ? *floor / found.dense_ms : 0;
  found.comparable = dense->first_ms > 0;
  return found;
}

/// Returns for example "7.31 x (fused 16; dense 41.2 ms, 74 % of the rates)".
std::string text_of(const BlockOutcome& found) {
  const std::string dense =
      "dense " + ms_text(found.dense_ms) +
      (found.floor_share > 0 ? ", " + percent_text(found.floor_share, 0) + " of the rates" : std::string());
  if (!found.comparable) return "no speed-up (" + dense + ")";
  const std::string speed_up =
      fixed(found.dense_ms / found.fastest_ms, 2) + " x (" + found.fastest + "; " + dense;
  const std::string rows =
      found.rows_ms ? "; rows " + fixed(found.dense_ms / *found.rows_ms, 2) + " x" : std::string();
  switch (found.verdict) {
    case Verdict::faster:
      return speed_up + rows + ")";
    case Verdict::slower:
      return "dense is faster: blocks " + speed_up + rows + ")";
    case Verdict::same:
      return "dense is as fast: blocks " + speed_up + rows + ")";
    case Verdict::undecided:
      break;
  }
  return "undecided: " + speed_up + rows + ")";
}

/// Measures a unit dense and on blocks with both methods. With `rows`, also as submanifold layers.
void measure_blocks(Bench& bench, const std::string& group, const std::shared_ptr<BlockCase>& made,
                    std::span<const int> cores, bool rows = false) {
  std::vector<BenchSubject> subjects{unit_subject(bench, made, {})};
  for (const UnitMethod method : {UnitMethod::fused, UnitMethod::gathered}) {
    for (const int core : cores) {
      const UnitPlan plan{method, core};
      if (why_not_unit_plan(made->unit, made->area(), plan).empty())
        subjects.push_back(unit_subject(bench, made, plan));
    }
  }
  if (rows && count_cells(made->mask.cells) > 0) subjects.push_back(rows_subject(bench, made));
  bench.measure(group, RatioOf::stages, std::move(subjects),
                bench.backend().results_are_host_memory() ? least_floor_share : 0);
}

/// Returns the mask that a specification makes without points.
Mask made_mask(Bench& bench, const std::array<std::int64_t, 2>& cells, const std::string& spec) {
  Area area;
  area.cells = cells;
  return make_mask(PointCloud(), area, parse_mask(spec), bench.job());
}

std::vector<int> cores_for(const Bench& bench) {
  if (bench.blocks().quick) return {16};
  return {block_cores.begin(), block_cores.end()};
}

/// A table of the paper, with the results of this run.
class BlockTable {
 public:
  BlockTable(Bench& bench, std::string claim, std::string where)
      : bench_(bench), claim_(std::move(claim)), where_(std::move(where)) {}

  void add(const std::string& group, const PaperStage& stage, double theirs,
           std::optional<double> their_rows) {
    const auto found = outcome_of(bench_, group);
    if (!found) return;
    const std::string separator = ours_.empty() ? "" : "; ";
    theirs_ += separator + stage.name + " " + fixed(theirs, 2) + " x" +
               (their_rows ? " (Sub-M " + fixed(*their_rows, 2) + " x)" : std::string());
    ours_ += separator + stage.name + " " + text_of(*found);
    verdicts_.push_back(found->comparable ? found->verdict : Verdict::undecided);
    comparable_ = comparable_ && found->comparable;
  }
  void finish() {
    if (ours_.empty()) return;
    bench_.add_claim({claim_, where_ + ", " + their_device + ": " + theirs_,
                      ours_ + (comparable_ ? std::string() : no_speed_up_reason()),
                      agreement(verdicts_, Verdict::faster)});
  }

 private:
  Bench& bench_;
  std::string claim_, where_, theirs_, ours_;
  std::vector<Verdict> verdicts_;
  bool comparable_ = true;  // True if all groups have a speed-up.
};

/// Repeats tables 1 and 2: a rectangle of 10 % of the cells.
void top_left_tables(Bench& bench) {
  const std::vector<int> cores = cores_for(bench);
  for (const bool residual_unit : {false, true}) {
    if (bench.blocks().quick && !residual_unit) continue;
    const std::string table = residual_unit ? "table 2" : "table 1";
    BlockTable results(bench,
                       residual_unit
                           ? "Residual units run faster on blocks (top-left mask, 90 % sparse)."
                           : "Single 3 x 3 layers run faster on blocks (top-left mask, 90 % sparse).",
                       table);
    for (const PaperStage& stage : paper_stages) {
      const int channels = residual_unit ? stage.unit_channels : stage.layer_channels;
      const std::string group = table + " " + stage.name;
      if (!bench.wants(group)) continue;
      const auto made = made_case(bench, made_mask(bench, {stage.rows, stage.columns}, "top-left:0.1"), 1,
                                  channels, residual_unit);
      measure_blocks(bench, group, made, cores, true);
      results.add(group, stage, residual_unit ? stage.table_2 : stage.table_1,
                  residual_unit ? stage.table_2_rows : stage.table_1_rows);
    }
    results.finish();
  }
}

/// Measures residual units at all strides with one mask.
void units_with_mask(Bench& bench, const std::string& name, const Mask& mask, BlockTable& results,
                     double PaperStage::*theirs) {
  const std::vector<int> cores = cores_for(bench);
  for (const PaperStage& stage : paper_stages) {
    const std::string group = name + " " + stage.name;
    if (!bench.wants(group)) continue;
    measure_blocks(bench, group, made_case(bench, mask, stage.stride, stage.unit_channels, true), cores);
    results.add(group, stage, stage.*theirs, {});
  }
}

/// Repeats tables 3 and 4 with disks instead of the road maps and the predicted masks of the paper.
void blob_tables(Bench& bench) {
  struct Blobs {
    const char *name, *spec, *claim;
    double PaperStage::*theirs;
  };
  constexpr std::array<Blobs, 2> tables{
      {{"table 3, blobs", "blobs:0.25:8",
        "Residual units run faster on blocks (road maps, 75 % sparse; here disks with the same density).",
        &PaperStage::table_3},
       {"table 4, blobs", "blobs:0.1:8",
        "Residual units run faster on blocks (predicted masks, 90 % sparse; here disks with the same "
        "density).",
        &PaperStage::table_4}}};
  for (const Blobs& table : tables) {
    if (bench.blocks().quick && table.theirs == &PaperStage::table_3) continue;
    BlockTable results(bench, table.claim, std::string(table.name).substr(0, 7));
    units_with_mask(bench, table.name, made_mask(bench, paper_area, table.spec), results, table.theirs);
    results.finish();
  }
}

/// Repeats figure 6: a unit of conv-2 with masks of several densities.
void figure_6(Bench& bench) {
  const PaperStage& stage = paper_stages.front();
  std::vector<SpeedUpAt> points;
  std::string ours;
  bool comparable = true;
  for (const double density : bench.blocks().densities) {
    const std::string group = "figure 6, density " + percent_text(density, 0);
    if (!bench.wants(group)) continue;
    const auto made =
        made_case(bench, made_mask(bench, {stage.rows, stage.columns}, "top-left:" + shortest(density)), 1,
                  stage.unit_channels, true);
    measure_blocks(bench, group, made, std::array{16});
    const auto found = outcome_of(bench, group);
    if (!found) continue;
    ours += (ours.empty() ? "" : "; ") + percent_text(density, 0) + ": " + text_of(*found);
    const BlockShape shape{1, 16, made->unit.reach()};
    const auto shares = shares_of(made->mask, shape, active_blocks(made->mask, shape),
                                  made->unit.gathered_edge(shape.core), 1);
    comparable = comparable && found->comparable;
    if (found->comparable) points.push_back({shares.computed, found->dense_ms / found->fastest_ms});
  }
  if (ours.empty()) return;
  if (const auto even = break_even(points)) {
    ours += "; break-even at a computed share of " + percent_text(*even, 0);
  } else if (points.size() > 1) {
    ours += "; no break-even within these densities";
  }
  if (!comparable) ours += no_speed_up_reason();
  bench.add_claim({"Units of conv-2 on blocks are not slower than dense units at 50 to 60 % sparsity.",
                   std::string("figure 6, ") + their_device + ": a curve over sparsity 50 to 95 %", ours,
                   Agreement::undecided});
}

/// Measures the same residual units on the area and with masks of a scene.
void scene_units(Bench& bench, const std::shared_ptr<const PointCloud>& cloud, const Area& area) {
  for (const char* const spec : {"occupied", "label:40,48", "height:0.3,3"}) {
    if (bench.blocks().quick && std::string_view(spec) != "occupied") continue;
    const std::string name = std::string("scene ") + spec;
    std::optional<Mask> mask;
    try {
      mask = make_mask(*cloud, area, parse_mask(spec), bench.job());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      bench.note(name + " is skipped: " + error.what());
      continue;
    }
    const bool road = std::string_view(spec).starts_with("label");
    BlockTable results(
        bench,
        "Residual units run faster on blocks (" + cloud->name + ", mask " + spec + ": " +
            percent_text(static_cast<double>(count_cells(mask->cells)) / static_cast<double>(area.size())) +
            " of " + text_of(area) + ").",
        road ? "table 3, road maps, 75 % sparse" : "table 4, predicted masks, 90 % sparse");
    units_with_mask(bench, name, *mask, results, road ? &PaperStage::table_3 : &PaperStage::table_4);
    results.finish();
  }
}

/// Measures what precedes the units of a network: the input image, the mask and the lists of active blocks.
void scene_indexing(Bench& bench, const std::shared_ptr<const PointCloud>& cloud, const Area& area) {
  const std::string group = "project, mask, blocks";
  if (!bench.wants(group)) return;
  Backend& backend = bench.backend();
  BirdsEye& views = require_birds_eye(backend);
  const auto points = std::make_shared<const UploadedPoints>(backend.upload_points(cloud, bench.job()));
  constexpr int channels = 23, core = 16;
  const MaskSpec spec = parse_mask("occupied");
  const auto image = [&backend, &views, points, area, precision = bench.precision()](Job& job) {
    {
      const auto stage = job.stage("project");
      static_cast<void>(views.project(*points, area, channels, precision, job));
    }
    backend.wait();
  };
  const auto mask = std::make_shared<const Buffer>(views.make_mask(*points, area, spec, bench.job()));
  const auto lists = [&backend, &views, area](const Buffer& cells, Job& job) {
    for (const PaperStage& one : paper_stages) {
      const BlockShape shape{one.stride, core, 1};
      const auto stage = job.stage("blocks[stride " + std::to_string(one.stride) + "]");
      static_cast<void>(views.active_blocks(cells, area, shape, job));
    }
    backend.wait();
  };
  const auto find_mask = [&views, points, area, spec](Job& job) {
    const auto stage = job.stage("mask");
    return views.make_mask(*points, area, spec, job);
  };
  std::vector<BenchSubject> subjects;
  subjects.push_back({"all",
                      [=](Job& job) {
                        image(job);
                        lists(find_mask(job), job);
                      },
                      {}});
  subjects.push_back({"project", image, {}});
  subjects.push_back({"mask occupied",
                      [=, &backend](Job& job) {
                        static_cast<void>(find_mask(job));
                        backend.wait();
                      },
                      {}});
  subjects.push_back({"block lists, core 16", [=](Job& job) { lists(*mask, job); }, {}});
  bench.measure(group, RatioOf::wall, std::move(subjects));
}

}  // namespace

void bench_blocks(Bench& bench) {
  static_cast<void>(require_birds_eye(bench.backend()));
  bench.note("not repeated: tables 5 to 7 of the paper, which need a trained detector");
  if (!bench.file().empty()) {
    const auto [cloud, area] = bench.open_area();
    scene_indexing(bench, cloud, area);
    scene_units(bench, cloud, area);
  }
  top_left_tables(bench);
  blob_tables(bench);
  figure_6(bench);
  for (const BenchRow& row : bench.rows()) {
    const auto floor = floors_of(row.work, bench.rates()).larger_ms();
    if (row.subject != "dense" || !floor) continue;
    const double share = *floor / row.ratio_ms();
    bench.note(row.group + ": floor of the dense unit " + ms_text(*floor) + "; measured " +
               ms_text(row.ratio_ms()) + ", " + percent_text(share, 0) + " of the rates" +
               (share > 1 ? "; other programs slowed down the measurement of the rates" : ""));
  }
}

}  // namespace spira::app
