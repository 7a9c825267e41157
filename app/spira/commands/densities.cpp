#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/survey_table.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/map/kernel_map.hpp"
#include "engine/map/redundancy.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/network/network.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace spira::app {
namespace {

struct DensityOptions {
  SceneOptions scene;
  std::string network, layer, shard;
  int kernel = 3, stride = 1;
  std::vector<std::string> more;  // Scene files after scene.scene.
  bool per_offset = false, frames = false, redundancy = false;
  std::vector<int> tiles{16, 128};
  [[nodiscard]] std::vector<std::string> scenes() const {
    std::vector<std::string> all{scene.scene};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  OutputOptions output;
};

/// The requested kernel map. It is given by --kernel and --stride, or by a layer of a network.
struct Wanted {
  MapKey map;
  PackNeeds needs;
  std::vector<SceneLevel> levels{};
  int native_stride = 0;
};

Wanted wanted_of(const DensityOptions& options) {
  if (options.layer.empty() != options.network.empty())
    throw Error(ErrorKind::usage, "densities: --network and --layer must be used together");
  const NeighbourOptions& neighbours = options.scene.neighbours;
  if (options.layer.empty()) {
    MapKey map{options.kernel, options.stride, options.stride};
    map.kernel.neighbourhood = neighbours.neighbourhood();
    if (!neighbours.positions.empty() && !map.kernel.native())
      throw Error(ErrorKind::usage, "--positions " + neighbours.positions +
                                        ": the neighbours are voxels, so no positions are read; add "
                                        "--neighbours cube or ball");
    static_cast<void>(KernelOffsets(map.kernel, options.stride));  // Throws if this kernel is not possible.
    return {map, needs_of(map), {}, map.kernel.native() ? options.stride : 0};
  }
  const Network network = neighbours.network(options.network);
  const Levels levels = levels_of(network);
  const auto layer = static_cast<std::size_t>(convolution_named(network, options.layer));
  const MapKey map = levels.layers.at(layer).map;
  if (levels.set(map.stride_out).rule.is_points())
    throw Error(
        ErrorKind::usage,
        "--layer " + options.layer +
            ": this layer runs on points, which have no neighbours; choose a layer that runs on voxels");
  return {map, levels.needs, levels.sets, levels.native_stride};
}

/// Returns the redundancy for each possible number of splits and each height of a tile.
std::vector<Redundancy> redundancies_of(const KernelMap& map, const std::vector<int>& tiles) {
  return redundancy(map, shown_row_orders(map.offsets->columns(), tiles));
}

void add_redundancy(nlohmann::ordered_json& document, const std::vector<Redundancy>& found) {
  for (const Redundancy& one : found)
    document["redundancy"].push_back({{"dataflow", sorting_text(one.sorting.splits)},
                                      {"splits", one.sorting.splits},
                                      {"tile_rows", one.sorting.tile_rows},
                                      {"active", one.active},
                                      {"slots_per_pair", one.slots_per_pair()}});
}

void print_redundancy(const KernelMap& map, const DensityOptions& options) {
  std::vector<std::vector<std::string>> rows{{"dataflow", "tile_rows", "active", "slots_per_pair"}};
  for (const Redundancy& one : redundancies_of(map, options.tiles))
    rows.push_back({sorting_text(one.sorting.splits), std::to_string(one.sorting.tile_rows),
                    options.output.csv ? std::to_string(one.active) : count_text(one.active),
                    options.output.csv ? shortest(one.slots_per_pair()) : fixed(one.slots_per_pair(), 2)});
  if (options.output.csv) {
    std::cout << csv_text(rows);
    return;
  }
  std::cout << "\nslots that implicit GEMM multiplies per pair (minimum: 1), for each order of the outputs\n"
            << table_text(rows);
  for (const int splits : shown_splits) {
    if (const std::string why = splits == 0 ? "" : why_not_splits(map.offsets->columns(), splits);
        !why.empty())
      std::cout << sorting_text(splits) << ": not possible: " << why << "\n";
  }
}

void print_densities_json(const Densities& found, const VoxelScene& scene, bool per_offset,
                          const std::vector<Redundancy>& redundancies) {
  nlohmann::ordered_json document{{"unit", text_of(scene.cloud->unit())}, {"grid_m", scene.grid.voxel_m}};
  add_kernel(document, found.kernel);
  document["stride"] = found.stride.equal() ? nlohmann::ordered_json(found.stride[0])
                                            : nlohmann::ordered_json(found.stride.values);
  document["voxels"] = found.outputs;
  document["map_entries"] = found.triplets;
  if (found.kernel.native()) document["groups"] = found.pairs;
  document["by_l1"] = nlohmann::ordered_json::array();
  for (const auto& group : found.groups) {
    document["by_l1"].push_back({{"l1", group.l1},
                                 {"offsets", group.offsets},
                                 {"mean", group.mean},
                                 {"min", group.min},
                                 {"max", group.max}});
  }
  for (const auto& column : found.columns) {
    if (!per_offset) break;
    document["by_offset"].push_back({{"offset", column.offset},
                                     {"l1", column.l1},
                                     {"matches", column.matches},
                                     {"density", column.density}});
    if (found.kernel.native()) document["by_offset"].back()["triplets"] = column.triplets;
  }
  add_redundancy(document, redundancies);
  std::cout << document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

void print_rows(const Densities& found, const DensityOptions& options) {
  std::vector<std::vector<std::string>> rows;
  const auto number = [&](double value) { return options.output.csv ? shortest(value) : fixed(value, 4); };
  if (options.per_offset) {
    rows.push_back({"dx", "dy", "dz", "l1", "matches", "density"});
    for (const auto& c : found.columns) {
      rows.push_back({std::to_string(c.offset[0]), std::to_string(c.offset[1]), std::to_string(c.offset[2]),
                      std::to_string(c.l1), std::to_string(c.matches), number(c.density)});
      if (found.kernel.native()) rows.back().push_back(std::to_string(c.triplets));
    }
    if (found.kernel.native()) rows.front().emplace_back("triplets");
  } else {
    rows.push_back({"l1", "offsets", "mean", "min", "max"});
    for (const auto& g : found.groups) {
      rows.push_back(
          {std::to_string(g.l1), std::to_string(g.offsets), number(g.mean), number(g.min), number(g.max)});
    }
  }
  if (options.output.csv) {
    std::cout << csv_text(rows);
    return;
  }
  std::cout << count_text(found.outputs) << " voxels at stride " << text_of(found.stride)
            << ", K = " << text_of(found.kernel) << ", " << count_text(found.triplets) << " map entries"
            << (found.kernel.native() ? " in " + count_text(found.pairs) + " groups" : "") << "\n"
            << table_text(rows);
}

void print_folder_densities(const Context& context, const DensityOptions& options) {
  if (!options.layer.empty())
    throw Error(ErrorKind::usage, "--layer cannot be used with a folder of frames; give one scene");
  if (options.redundancy)
    throw Error(ErrorKind::usage, "--redundancy cannot be used with a folder of frames; give one scene");
  if (options.per_offset)
    throw Error(ErrorKind::usage, "--per-offset cannot be used with a folder of frames; give one scene");
  if (options.scene.neighbours.given())
    throw Error(ErrorKind::usage, "--neighbours cannot be used with a folder of frames; give one scene");
  SurveyRequest request;
  request.format = options.scene.format;
  if (!options.scene.crop.empty()) request.crop_m = parse_crop(options.scene.crop);
  if (!options.scene.pack.empty()) request.pack = parse_pack_spec(options.scene.pack);
  request.judged_kernel_size = request.density_kernel_size = options.kernel;
  request.judged_max_stride = request.density_stride = options.stride;
  print_survey(
      context, options.scenes(), options.scene.grid, options.shard, std::move(request),
      {.json = options.output.json, .csv = options.output.csv, .frames = options.frames, .densities = true});
}

void print_densities(const Context& context, const DensityOptions& options) {
  options.scene.check();
  require_folder_and_grid(options.shard, options.scenes(), options.scene.grid);
  const Wanted wanted = wanted_of(options);
  if (options.redundancy && wanted.map.kernel.native())
    throw Error(
        ErrorKind::usage,
        "--redundancy: native layers do not run implicit GEMM; remove --redundancy, or choose voxels");
  if (is_survey(options.scenes(), options.frames, options.scene.every)) {
    print_folder_densities(context, options);
    return;
  }
  if (!options.more.empty())
    throw Error(ErrorKind::usage, options.more.front() + ": to survey several files together, add --frames");
  Job job = context.job();
  const auto backend = context.registry.make("cpu", context.backend_options());
  const auto cloud = options.scene.open(context, job);
  const Grid grid = options.scene.grid_for(context, *cloud);
  const PackSpec pack = options.scene.pack_for(context, *cloud, grid, wanted.needs, job);
  const auto scene =
      voxelize_scene(*backend, cloud, grid, pack, wanted.needs, job, wanted.levels, wanted.native_stride);
  const auto map = map_of_scene(*backend, *scene, wanted.map, job);
  const Densities found = densities(*map);
  if (options.output.json)
    return print_densities_json(
        found, *scene, options.per_offset,
        options.redundancy ? redundancies_of(*map, options.tiles) : std::vector<Redundancy>{});
  // CSV is one table, so it contains either the densities or the redundancy.
  if (!options.redundancy || !options.output.csv) print_rows(found, options);
  if (options.redundancy) print_redundancy(*map, options);
}

}  // namespace

void add_densities(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "densities",
      "Show the density of the kernel map (share of entries with an input) for each L1 norm of the offsets");
  command->footer("Example: spira densities scan.bin --grid 0.05 --kernel 5");
  auto options = std::make_shared<DensityOptions>();
  options->scene.add(*command);
  options->scene.add_batch(*command);
  command->get_option("scene")->description(
      "A scene file, - for standard input, a generated scene (street, room or random; street:SEED sets the "
      "seed), or a folder of frames");
  command->add_option("more", options->more, "More files to survey; requires --frames")
      ->type_name(scene_value());
  options->scene.neighbours.add(*command);
  command->add_option("--kernel", options->kernel, "Kernel size, from 1 to 7")->capture_default_str();
  command->add_option("--stride", options->stride, "Stride of the level: 1, 2, 4, 8 or 16")
      ->capture_default_str();
  command
      ->add_option(
          "--network", options->network,
          "Use the kernel map of a layer of this network (see --layer): resn21, minkunet42, resnl20, fcgf "
          "or a JSON file")
      ->type_name(network_value());
  command->add_option("--layer", options->layer, "Name of the layer of --network")->type_name("NAME");
  command->add_flag("--per-offset", options->per_offset,
                    "Print one row per offset instead of one row per L1 norm");
  command->add_flag("--redundancy", options->redundancy,
                    "Also show how many slots implicit GEMM multiplies per pair, for unsorted outputs and "
                    "for outputs sorted by mask; --csv then prints only this table");
  command
      ->add_option("--tile", options->tiles,
                   "With --redundancy: number of rows of a tile (16, 64 or 128); may be repeated")
      ->check(CLI::IsMember({16, 64, 128}))
      ->capture_default_str();
  command->add_flag("--frames", options->frames,
                    "Also list each frame of a folder (--csv then prints only this list), or survey several "
                    "files together");
  add_shard(*command, options->shard);
  options->output.add(*command, true);
  command->callback([options, &context] { print_densities(context, *options); });
}

}  // namespace spira::app
