#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/survey_table.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/network/network.hpp"
#include "engine/run/session.hpp"
#include "engine/survey/frame_neighbours_json.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace spira::app {
namespace {

struct NeighbourTableOptions {
  SceneOptions scene;
  std::string shape = "ball", positions = "nearest";
  int kernel = 3, cell = 1, stride = 1, out_stride = 0;
  double radius = 0;
  std::string shard;
  OutputOptions output;
  [[nodiscard]] PositionKind position_kind() const {
    return positions == text_of(PositionKind::grid) ? PositionKind::grid : PositionKind::nearest;
  }
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

/// The neighbours of a single scene.
struct SceneRow {
  FrameRow row;
  Grid grid;
  LengthUnit unit;
};

SceneRow count_scene(const Context& context, const NeighbourTableOptions& options, const MapKey& key) {
  Job job = context.job();
  const auto cloud = options.scene.open(context, job);
  options.scene.require_one_frame(*cloud, "neighbours");
  Grid grid = options.scene.grid_for(context, *cloud);
  grid.positions = options.position_kind();
  const PackNeeds needs = needs_of(key);
  const PackSpec pack = options.scene.pack_for(context, *cloud, grid, needs, job);
  const auto backend = context.registry.make("cpu", context.backend_options());
  const auto scene = voxelize_scene(*backend, cloud, grid, pack, needs, job, {}, key.stride_out);
  FrameRow row;
  row.name = cloud->name;
  row.neighbours = frame_neighbours(*backend, *scene, key, job);
  return {std::move(row), grid, cloud->unit()};
}

std::string scene_neighbours_json(const SceneRow& scene, const MapKey& key) {
  nlohmann::ordered_json document{{"unit", text_of(scene.unit)}, {"grid_m", scene.grid.voxel_m}};
  add_map_key(document, key);
  document["explicit_channels"] = explicit_channels;
  document["frame"] = scene.row.name;
  document.update(frame_neighbours_json(*scene.row.neighbours));
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string scene_neighbours_text(const FrameNeighbours& row, const MapKey& key, LengthUnit unit) {
  const NeighbourFacts& facts = row.facts;
  const NeighbourCounts& counts = facts.counts;
  const auto bytes = [](std::int64_t size) { return bytes_text(static_cast<std::uint64_t>(size)); };
  const std::int64_t stored = facts.list_bytes() + facts.position_bytes();
  return "K = " + text_of(key.kernel) + ", stride " + std::to_string(key.stride_in) +
         (key.submanifold() ? "" : ">" + std::to_string(key.stride_out)) + "\n" +
         table_text(
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

void print_folder_neighbours(const Context& context, const NeighbourTableOptions& options,
                             const MapKey& key) {
  SurveyRequest request;
  request.format = options.scene.format;
  if (!options.scene.crop.empty()) request.crop_m = parse_crop(options.scene.crop);
  if (!options.scene.pack.empty()) request.pack = parse_pack_spec(options.scene.pack);
  request.judged_kernel_size = options.kernel;
  request.judged_max_stride = key.stride_out;
  request.neighbours_of = key;
  request.positions = options.position_kind();
  print_survey(context, {options.scene.scene}, options.scene.grid, options.shard, std::move(request),
               {.json = options.output.json, .csv = options.output.csv});
}

void print_neighbours(const Context& context, const NeighbourTableOptions& options) {
  options.scene.check();
  require_folder_and_grid(options.shard, {options.scene.scene}, options.scene.grid);
  const MapKey key = options.key();
  if (is_survey({options.scene.scene}, false, options.scene.every)) {
    print_folder_neighbours(context, options, key);
    return;
  }
  const SceneRow scene = count_scene(context, options, key);
  if (options.output.json) {
    std::cout << scene_neighbours_json(scene, key);
  } else if (options.output.csv) {
    std::cout << neighbours_csv({scene.row});
  } else {
    std::cout << scene_neighbours_text(*scene.row.neighbours, key, scene.unit);
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
  add_shard(*command, options->shard);
  options->output.add(*command, true);
  command->callback([options, &context] { print_neighbours(context, *options); });
}

}  // namespace spira::app
