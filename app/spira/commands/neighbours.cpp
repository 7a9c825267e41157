#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/survey_table.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/network/network.hpp"
#include "engine/run/neighbour_facts.hpp"
#include "engine/scene/sequence.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace spira::app {
namespace {

/// Explicit neighbourhoods are counted for features of this size.
constexpr int explicit_channels = 64;

struct NeighbourTableOptions {
  SceneOptions scene;
  std::string shape = "ball", positions = "nearest";
  int kernel = 3, cell = 1, stride = 1, out_stride = 0;
  double radius = 0;
  OutputOptions output;
  /// Throws Error(usage) if the options contradict each other.
  [[nodiscard]] MapKey key() const;
};

MapKey NeighbourTableOptions::key() const {
  MapKey key{kernel, stride, out_stride == 0 ? stride : out_stride};
  key.kernel.neighbourhood = {shape == "cube" ? NeighbourShape::cube : NeighbourShape::ball, cell, radius};
  if (const std::string why = why_not(key.kernel.neighbourhood, key.kernel.size); !why.empty())
    throw Error(ErrorKind::usage, "--" + why);
  if (key.stride_out < key.stride_in)
    throw Error(ErrorKind::usage, "--out-stride " + std::to_string(out_stride) +
                                      ": must not be less than --stride " + std::to_string(stride));
  return key;
}

/// The numbers of one scene, or the reason why there are none.
struct FrameNeighbours {
  std::string name, fault{};
  NeighbourFacts facts{};
  std::int64_t voxel_pairs = 0;  ///< Pairs of the voxel convolution with the same kernel size.
  PositionFacts positions{};

  [[nodiscard]] double per_output() const { return ratio(facts.counts.triplets, facts.outputs); }
  /// The share of the voxel pairs that are triplets, in any column or in the same column.
  [[nodiscard]] double stay() const { return ratio(facts.counts.in_voxel_map, voxel_pairs); }
  [[nodiscard]] double same_column() const { return ratio(facts.counts.same_column, voxel_pairs); }
  /// The share of the triplets that are not pairs of the voxel convolution.
  [[nodiscard]] double added() const {
    return ratio(facts.counts.triplets - facts.counts.in_voxel_map, facts.counts.triplets);
  }
  [[nodiscard]] std::int64_t explicit_bytes() const {
    return facts.explicit_bytes(explicit_channels, bytes_of(Precision::fp16));
  }
  [[nodiscard]] static double ratio(std::int64_t part, std::int64_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }
};

FrameNeighbours neighbours_of(const Context& context, const SceneOptions& options,
                              const std::shared_ptr<const PointCloud>& cloud, const Grid& grid,
                              const MapKey& key, Job& job) {
  const auto backend = context.registry.make("cpu", context.backend_options());
  const PackNeeds needs = needs_of(key);
  const PackSpec pack = options.pack_for(context, *cloud, grid, needs, job);
  const auto scene = voxelize_scene(*backend, cloud, grid, pack, needs, job, {}, key.stride_out);
  FrameNeighbours found{cloud->name};
  found.facts = neighbour_facts(*scene, key, *map_of_scene(*backend, *scene, key, job));
  const MapKey voxels{key.kernel.size, key.stride_in, key.stride_out};
  found.voxel_pairs = densities(*map_of_scene(*backend, *scene, voxels, job)).pairs;
  found.positions = position_facts(*scene);
  return found;
}

/// Reads all scenes with one grid. A scene that cannot be read has a fault.
std::vector<FrameNeighbours> all_neighbours(const Context& context, const NeighbourTableOptions& options,
                                            const MapKey& key, std::optional<Grid>& grid, LengthUnit& unit,
                                            Job& job) {
  const bool folder = names_folder(options.scene.scene);
  std::vector<std::string> scenes{options.scene.scene};
  if (folder) {
    scenes.clear();
    for (const auto& frame : list_frames(options.scene.scene))
      scenes.push_back(frame.string());
  }
  std::vector<FrameNeighbours> rows;
  ErrorKind worst = ErrorKind::input;
  for (const std::string& name : scenes) {
    try {
      SceneOptions scene = options.scene;
      scene.scene = name;
      const auto cloud = scene.open(context, job);
      scene.require_one_frame(*cloud, "neighbours");
      if (!grid) grid = scene.grid_for(context, *cloud);
      grid->positions = options.positions == "grid" ? PositionKind::grid : PositionKind::nearest;
      unit = cloud->unit();
      rows.push_back(neighbours_of(context, scene, cloud, *grid, key, job));
    } catch (const Error& error) {
      const bool of_frame = error.kind() == ErrorKind::input || error.kind() == ErrorKind::does_not_fit;
      if (!folder || !of_frame) throw;
      if (error.kind() == ErrorKind::does_not_fit) worst = error.kind();
      rows.push_back({std::filesystem::path(name).filename().string(), error.what()});
    }
  }
  if (std::none_of(rows.begin(), rows.end(), [](const auto& row) { return row.fault.empty(); }))
    throw Error(worst, options.scene.scene + ": no frame could be read: " + rows.front().fault);
  return rows;
}

nlohmann::ordered_json neighbours_row_json(const FrameNeighbours& row) {
  if (!row.fault.empty()) return {{"frame", row.name}, {"fault", row.fault}};
  const NeighbourFacts& facts = row.facts;
  const NeighbourCounts& counts = facts.counts;
  return {{"frame", row.name},
          {"outputs", facts.outputs},
          {"inputs", facts.inputs},
          {"voxel_pairs", row.voxel_pairs},
          {"triplets", counts.triplets},
          {"groups", counts.groups},
          {"folded", counts.folded},
          {"fan_in", counts.fan_in()},
          {"in_voxel_map", counts.in_voxel_map},
          {"same_column", counts.same_column},
          {"p50_neighbours", facts.percentiles[0]},
          {"p90_neighbours", facts.percentiles[1]},
          {"p99_neighbours", facts.percentiles[2]},
          {"most_neighbours", counts.most_neighbours},
          {"unread_inputs", facts.unread},
          {"list_bytes", facts.list_bytes()},
          {"position_bytes", facts.position_bytes()},
          {"explicit_bytes", row.explicit_bytes()},
          {"positions", text_of(row.positions.kind)},
          {"rms_m", row.positions.rms_m},
          {"p95_m", row.positions.p95_m},
          {"merged", row.positions.merged}};
}

std::string neighbours_json(const std::vector<FrameNeighbours>& rows, const MapKey& key, const Grid& grid,
                            LengthUnit unit) {
  nlohmann::ordered_json document{{"unit", text_of(unit)}, {"grid_m", grid.voxel_m}};
  add_map_key(document, key);
  document["explicit_channels"] = explicit_channels;
  document["frames"] = nlohmann::ordered_json::array();
  for (const FrameNeighbours& row : rows)
    document["frames"].push_back(neighbours_row_json(row));
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Returns the members of neighbours_row_json() as a table. A row with a fault has empty cells.
std::string neighbours_csv(const std::vector<FrameNeighbours>& rows) {
  std::vector<std::vector<std::string>> table(1);
  const auto heading = neighbours_row_json(FrameNeighbours{});
  for (const auto& [key, value] : heading.items())
    table.front().push_back(key);
  table.front().emplace_back("fault");
  for (const FrameNeighbours& row : rows) {
    std::vector<std::string> cells;
    const auto members = neighbours_row_json(row);
    for (const auto& [key, value] : members.items()) {
      if (key == "fault") cells.resize(table.front().size() - 1);
      cells.push_back(value.is_string()         ? value.get<std::string>()
                      : value.is_number_float() ? shortest(value.get<double>())
                                                : value.dump());
    }
    cells.resize(table.front().size());
    table.push_back(std::move(cells));
  }
  return csv_text(table);
}

std::string scene_neighbours_text(const FrameNeighbours& row, LengthUnit unit) {
  const NeighbourFacts& facts = row.facts;
  const NeighbourCounts& counts = facts.counts;
  const auto bytes = [](std::int64_t size) { return bytes_text(static_cast<std::uint64_t>(size)); };
  const std::int64_t stored = facts.list_bytes() + facts.position_bytes();
  return table_text(
             {{"outputs", count_text(facts.outputs)},
              {"inputs", count_text(facts.inputs) + ", " + count_text(facts.unread) + " unread"},
              {"voxel pairs", count_text(row.voxel_pairs) + ": " + percent_text(row.stay()) + " stay, " +
                                  percent_text(row.same_column()) + " keep their column"},
              {"triplets", count_text(counts.triplets) + ", " + fixed(row.per_output(), 2) + " per output; " +
                               percent_text(row.added()) + " are new"},
              {"groups", count_text(counts.groups) + ", fan-in " + fixed(counts.fan_in(), 2)},
              {"folded", count_text(counts.folded)},
              {"neighbours", "p50 " + count_text(facts.percentiles[0]) + ", p90 " +
                                 count_text(facts.percentiles[1]) + ", p99 " +
                                 count_text(facts.percentiles[2]) + ", most " +
                                 count_text(counts.most_neighbours)},
              {"bytes",
               "lists " + bytes(facts.list_bytes()) + ", positions " + bytes(facts.position_bytes())},
              {"explicit neighbourhoods", bytes(row.explicit_bytes()) + " for " +
                                              std::to_string(explicit_channels) + " channels of fp16, " +
                                              fixed(FrameNeighbours::ratio(row.explicit_bytes(), stored), 0) +
                                              " times the lists and positions"},
              {"positions", text_of(row.positions, unit)}}) +
         (voxels_would_do(counts) ? "Voxels would do: the voxel convolution has nearly the same triplets\n"
                                  : "");
}

std::string frame_neighbours_text(const std::vector<FrameNeighbours>& rows) {
  std::vector<std::vector<std::string>> table{{"frame", "outputs", "voxel pairs", "triplets", "per output",
                                               "fan-in", "folded", "stay", "same column", "new", "p99",
                                               "most"}};
  std::string faults;
  std::vector<double> per_output, fan_in;
  for (const FrameNeighbours& row : rows) {
    if (!row.fault.empty()) {
      faults += row.name + ": " + row.fault + "\n";
      continue;
    }
    const NeighbourCounts& counts = row.facts.counts;
    per_output.push_back(row.per_output());
    fan_in.push_back(counts.fan_in());
    table.push_back({row.name, count_text(row.facts.outputs), count_text(row.voxel_pairs),
                     count_text(counts.triplets), fixed(row.per_output(), 2), fixed(counts.fan_in(), 2),
                     count_text(counts.folded), percent_text(row.stay()), percent_text(row.same_column()),
                     percent_text(row.added()), count_text(row.facts.percentiles[2]),
                     count_text(counts.most_neighbours)});
  }
  return table_text(table) + "median of " + counted_text(std::ssize(per_output), "frame", "frames") + ": " +
         fixed(statistics(per_output).median, 2) + " triplets per output, fan-in " +
         fixed(statistics(fan_in).median, 2) + "\n" + faults;
}

void print_neighbours(const Context& context, const NeighbourTableOptions& options) {
  options.scene.check();
  const MapKey key = options.key();
  Job job = context.job();
  std::optional<Grid> grid;
  LengthUnit unit = LengthUnit::metres;
  const auto rows = all_neighbours(context, options, key, grid, unit, job);
  if (options.output.json) {
    std::cout << neighbours_json(rows, key, *grid, unit);
  } else if (options.output.csv) {
    std::cout << neighbours_csv(rows);
  } else {
    std::cout << "K = " << text_of(key.kernel) << ", stride " << key.stride_in
              << (key.submanifold() ? "" : ">" + std::to_string(key.stride_out)) << "\n"
              << (names_folder(options.scene.scene) ? frame_neighbours_text(rows)
                                                    : scene_neighbours_text(rows.front(), unit));
  }
}

}  // namespace

void add_neighbours(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "neighbours",
      "Count the neighbours that a native layer finds from exact positions, and compare them with voxels");
  command->footer("Example: spira neighbours scan.bin --grid 0.05 --neighbours ball");
  auto options = std::make_shared<NeighbourTableOptions>();
  options->scene.add(*command);
  command->get_option("scene")->description(
      "A scene file, - for standard input, a generated scene (street, room or random; street:SEED sets the "
      "seed), or a folder of frames");
  const CLI::IsMember strides({1, 2, 4, 8, 16});
  command->add_option("--kernel", options->kernel, "Kernel size: 3, 5 or 7")
      ->check(CLI::IsMember({3, 5, 7}))
      ->capture_default_str();
  command
      ->add_option("--neighbours", options->shape,
                   "Neighbours of an output: the points in a cube or in a ball around its position")
      ->check(CLI::IsMember({"cube", "ball"}))
      ->capture_default_str();
  command->add_option("--cell", options->cell, "Edge of a local cell, in cells of the inputs")
      ->check(CLI::Range(1, most_window_cells))
      ->capture_default_str();
  command
      ->add_option("--radius", options->radius,
                   "Radius of the ball in local cells (default: the ball has the volume of the kernel)")
      ->check(CLI::PositiveNumber);
  command->add_option("--stride", options->stride, "Stride of the inputs: 1, 2, 4, 8 or 16")
      ->check(strides)
      ->capture_default_str();
  command
      ->add_option("--out-stride", options->out_stride,
                   "Stride of the outputs, for a strided layer (default: as --stride)")
      ->check(strides);
  command
      ->add_option(
          "--positions", options->positions,
          "Position of a row: its point that is nearest to the centre of its voxel, or the low corner "
          "of the voxel (grid)")
      ->check(CLI::IsMember({"nearest", "grid"}))
      ->capture_default_str();
  options->output.add(*command, true);
  command->callback([options, &context] { print_neighbours(context, *options); });
}

}  // namespace spira::app
