#include "app/common/scene_argument.hpp"
#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/survey_table.hpp"
#include "app/spira/table.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/network/network.hpp"
#include "engine/scene/extents.hpp"
#include "engine/scene/reader.hpp"
#include "engine/survey/survey.hpp"
#include "engine/tune/tuning_profile.hpp"
#include "engine/voxel/grid.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace spira::app {
namespace {

/// The largest kernel size and stride that a packing must support. The defaults are sufficient for all
/// built-in networks.
struct Judged {
  int kernel_size = 5, stride = 16;
  std::string network;  ///< As the user entered it. Empty if --kernel and --stride are used.
  PackNeeds needs{5, 16};
};

struct InfoOptions {
  std::vector<std::string> scenes;
  std::string grid, crop, format, network, shard;
  NeighbourOptions neighbours;
  Judged judged;
  std::int64_t every = 1;
  bool frames = false;
  OutputOptions output;
};

struct Info {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  bool grid_suggested = false;
  Point origin{};
  std::vector<std::string> notes;  ///< Notes about the file, then notes about the grid.
  Judged judged;
  FrameExtent extent;
  std::vector<PackSpec> packs;
  Fit fit;
  std::int64_t kept = 0, voxels = 0, duplicates = 0;
};

Judged judged_for(const InfoOptions& options) {
  const Judged& judged = options.judged;
  if (options.network.empty())
    return {judged.kernel_size, judged.stride, {}, {judged.kernel_size, judged.stride}};
  const Levels levels = levels_of(options.neighbours.network(options.network));
  return {levels.max_kernel_size, levels.max_stride, options.network, levels.needs};
}

/// Checks the options before the first scene is read. Throws if an option is not valid.
void check_info(const InfoOptions& options) {
  require_folder_and_grid(options.shard, options.scenes, options.grid);
  if (!options.grid.empty()) static_cast<void>(parse_grid(options.grid));
  if (!options.crop.empty()) static_cast<void>(parse_crop(options.crop));
}

void count_voxels(Info& info, Backend& backend, Job& job) {
  const Judged& judged = info.judged;
  const VoxelRange range = voxel_range(*info.cloud, info.grid, job);
  if (range.points == 0 && info.grid.crop_m)
    throw Error(ErrorKind::input, info.cloud->name + ": no point lies inside the crop; the points span " +
                                      text_of(bounds(*info.cloud), info.cloud->unit()));
  info.kept = range.points;
  info.extent = extent_of(range, judged.needs.levels);
  const auto& cells = info.extent.fit_cells;
  const int batch = info.cloud->batch();
  const PackNeeds needs = judged.needs.with_batch(batch);
  for (const PackSpec& pack : packings_to_try(cells, needs)) {
    if (fit(cells, pack, needs).fits()) info.packs.push_back(pack);
  }
  info.fit = fit(info.extent.fit_cells, PackSpec::bits32().with_batch(batch), needs);
  if (info.packs.empty()) require_fit(info.extent.fit_cells, PackSpec::bits64().with_batch(batch), needs);
  const auto voxels = voxelize_scene(backend, info.cloud, info.grid, info.packs.front(), needs, job);
  info.voxels = size_of(voxels->level(1));
  info.duplicates = info.kept - info.voxels;
}

Info look_at(const std::string& scene, const InfoOptions& options, const Judged& judged, Backend& backend,
             Job& job) {
  Info info;
  info.judged = judged;
  info.cloud = open_scene(scene, options.format, options.every, job);
  info.grid_suggested = options.grid.empty();
  std::optional<Bounds> crop;
  if (!options.crop.empty()) crop = parse_crop(options.crop);
  info.grid = options.grid.empty() ? suggest_grid(*info.cloud, crop) : parse_grid(options.grid);
  info.grid.crop_m = crop;
  const Extents extents = extents_of(*info.cloud, crop);
  info.origin = display_origin(extents);
  info.notes = info.cloud->notes;
  for (auto& note : grid_notes(*info.cloud, info.grid, extents))
    info.notes.push_back(std::move(note));
  try {
    count_voxels(info, backend, job);
  } catch (const Error& error) {  // The scene may not fit because of distant points (outliers).
    if (error.kind() != ErrorKind::does_not_fit || extents.outliers == 0) throw;
    throw Error(error.kind(), std::string(error.what()) + "; " + outlier_note(extents));
  }
  return info;
}

/// Returns the attributes of the points in the file, each with the range of its values.
nlohmann::ordered_json attributes_json(const PointCloud& cloud) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const AttributeFacts& attribute : cloud.attributes) {
    rows.push_back({{"name", attribute.name},
                    {"column", attribute.column},
                    {"low", attribute.low},
                    {"high", attribute.high},
                    {"non_finite", attribute.non_finite},
                    {"kept", attribute.kept}});
  }
  return rows;
}

nlohmann::ordered_json as_json(const Info& info) {
  const Bounds box = bounds(*info.cloud);
  nlohmann::ordered_json fits = nlohmann::ordered_json::array();
  for (const auto& pack : info.packs)
    fits.push_back(pack.text());
  nlohmann::ordered_json document{{"scene", info.cloud->source},
                                  {"format", info.cloud->format},
                                  {"reading", info.cloud->reading},
                                  {"attributes", attributes_json(*info.cloud)},
                                  {"skipped_columns", info.cloud->skipped},
                                  {"notes", info.notes},
                                  {"points", info.cloud->size()},
                                  {"dropped_nonfinite", info.cloud->dropped_non_finite},
                                  {"unit", text_of(info.cloud->unit())},
                                  {"low_m", box.low},
                                  {"high_m", box.high},
                                  {"display_origin_m", info.origin},
                                  {"grid_m", info.grid.voxel_m},
                                  {"voxels", info.voxels},
                                  {"duplicates", info.duplicates},
                                  {"bits", info.extent.bits},
                                  {"extent_cells", info.extent.span},
                                  {"fit_cells", info.extent.fit_cells},
                                  {"kernel_size", info.judged.kernel_size},
                                  {"max_stride", info.judged.stride},
                                  {"packings_that_fit", fits}};
  if (!info.judged.network.empty()) document["network"] = info.judged.network;
  if (info.cloud->batch() > 1) {
    document["batch"] = info.cloud->batch();
    document["batch_bits"] = info.packs.front().batch_bits;
  }
  if (const auto& crop = info.grid.crop_m)
    document["crop"] = {{"low_m", crop->low}, {"high_m", crop->high}, {"points_kept", info.kept}};
  return document;
}

std::string as_text(const Info& info) {
  const Bounds box = bounds(*info.cloud);
  const auto& voxel_m = info.grid.voxel_m;
  const LengthUnit unit = info.cloud->unit();
  const auto triple = [&](const Point& position) {
    std::string text;
    for (std::size_t axis = 0; axis < 3; ++axis)
      text += (axis == 0 ? "" : ", ") + fixed(position.at(axis), metre_decimals(voxel_m.at(axis)));
    return text;
  };
  const bool piped = is_standard_input(info.cloud->source);
  std::string text =
      printable(piped ? info.cloud->name : info.cloud->source) + "\n  " + info.cloud->reading + "\n";
  for (const auto& note : info.notes)
    text += "  " + printable(note) + "\n";
  const Point size{box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]};
  text += "  extent      " + with_unit(triple(size), unit) + ", from (" + triple(box.low) + ")\n";
  const Point& origin = info.origin;
  if (origin != Point{0, 0, 0})
    text +=
        "  view origin " +
        with_unit("(" + fixed(origin[0], 0) + ", " + fixed(origin[1], 0) + ", " + fixed(origin[2], 0) + ")",
                  unit) +
        ", because the coordinates are far from zero\n";
  const std::string grid = shortest(voxel_m[0]) + ", " + shortest(voxel_m[1]) + ", " + shortest(voxel_m[2]);
  const std::string_view grid_origin = !info.grid_suggested        ? ""
                                       : unit == LengthUnit::cells ? " (the voxels of the file)"
                                                                   : " (automatic; set it with --grid)";
  text += "  grid        " + with_unit(grid, unit) + std::string(grid_origin) + "\n";
  if (info.grid.crop_m)
    text += "  crop        kept " + count_text(info.kept) + " of " + count_text(info.cloud->size()) +
            " points: " + text_of(*info.grid.crop_m, unit) + "\n";
  text += "  voxels      " + count_text(info.voxels) + "; " + count_text(info.duplicates) +
          " points are in the same voxel as an earlier point\n";
  text += "  cells       " + count_text(info.extent.span[0]) + " x " + count_text(info.extent.span[1]) +
          " x " + count_text(info.extent.span[2]) + "\n";
  text += "  bits        " + std::to_string(info.extent.bits[0]) + " + " +
          std::to_string(info.extent.bits[1]) + " + " + std::to_string(info.extent.bits[2]) + " = " +
          std::to_string(info.extent.bits[0] + info.extent.bits[1] + info.extent.bits[2]) +
          " (excluding guard cells)\n";
  const int batch = info.cloud->batch();
  if (batch > 1) {
    text += "  batch       " + std::to_string(batch) + " frames, " +
            counted_text(info.packs.front().batch_bits, "bit", "bits") + " above x in each packed word\n";
  }
  std::string packs;
  for (const auto& pack : info.packs)
    packs += (packs.empty() ? "" : ", ") + pack.text();
  text += "  packings    " + packs + " fit (K up to " + std::to_string(info.judged.kernel_size) +
          ", strides up to " + std::to_string(info.judged.stride) +
          (info.judged.network.empty() ? "" : ", network " + printable(info.judged.network)) + ")\n";
  std::vector<std::vector<std::string>> rows{
      {"  12/12/8", "cells needed", "capacity", "bits given", "bits needed", ""}};
  for (const AxisFit& axis : info.fit.axes) {
    rows.push_back({std::string("  ") + axis.axis, count_text(axis.extent), count_text(axis.limit),
                    std::to_string(axis.bits_given), std::to_string(axis.bits_needed),
                    axis.fits() ? "fits" : "does not fit"});
  }
  return text + table_text(rows);
}

void print_folder_info(const Context& context, const InfoOptions& options) {
  if (options.neighbours.given())
    throw Error(ErrorKind::usage,
                "--neighbours cannot be used with a folder of frames; set the neighbours in a network file");
  const Judged judged = judged_for(options);
  SurveyRequest request;
  request.format = options.format;
  request.judged_kernel_size = judged.kernel_size;
  request.judged_max_stride = judged.stride;
  if (!judged.network.empty()) {
    request.network = judged.network;
    request.network_needs = judged.needs;
    request.network_fingerprint = fingerprint_of(network_by_name_or_file(judged.network));
  }
  if (!options.crop.empty()) request.crop_m = parse_crop(options.crop);
  print_survey(context, options.scenes, options.grid, options.shard, std::move(request),
               {.json = options.output.json, .frames = options.frames});
}

void print_info(const Context& context, const InfoOptions& options) {
  check_info(options);
  if (is_survey(options.scenes, options.frames, options.every)) {
    print_folder_info(context, options);
    return;
  }
  const auto backend = context.registry.make("cpu", context.backend_options());
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::optional<Error> worst;
  const Judged judged = judged_for(options);
  for (const auto& scene : options.scenes) {
    Job job = context.job();
    try {
      const Info info = look_at(scene, options, judged, *backend, job);
      if (options.output.json) {
        all.push_back(as_json(info));
      } else {
        std::cout << as_text(info);
      }
    } catch (const Error& error) {
      if (options.scenes.size() == 1 || error.kind() == ErrorKind::cancelled) throw;
      std::cerr << "spira: " << printable(error_text(error)) << "\n";  // Continue with the next scene.
      if (!worst || facts(error.kind()).exit_code > facts(worst->kind()).exit_code) worst = error;
    }
  }
  if (options.output.json)
    std::cout << all.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
  if (worst) throw Error(worst->kind(), "not all scenes could be read");
}

}  // namespace

void add_info(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "info",
      "Show the format, points, extent and voxels of a scene, the bits per axis, and the packings that fit");
  command->footer("Example: spira info scan.bin --grid 0.05");
  auto options = std::make_shared<InfoOptions>();
  command
      ->add_option("scene", options->scenes,
                   "Scene files, - for standard input, generated scenes (street, room or random), or one "
                   "folder of frames")
      ->type_name(scene_value())
      ->required();
  command->add_option("--grid", options->grid, "Voxel size in metres (default: automatic, from the points)");
  add_crop(*command, options->crop);
  add_every(*command, options->every);
  add_format(*command, options->format);
  add_shard(*command, options->shard);
  auto* network =
      command
          ->add_option(
              "--network", options->network,
              "Show which packings fit for this network: resn21, minkunet42, resnl20, fcgf or a JSON file")
          ->type_name(network_value());
  options->neighbours.add_shape(*command);
  command->get_option("--neighbours")->needs(network);
  command
      ->add_option("--kernel", options->judged.kernel_size,
                   "Show which packings fit for kernels up to this size")
      ->check(CLI::IsMember({1, 2, 3, 5, 7}))
      ->excludes(network)
      ->capture_default_str();
  command
      ->add_option("--stride", options->judged.stride, "Show which packings fit for levels up to this stride")
      ->check(CLI::IsMember({1, 2, 4, 8, 16}))
      ->excludes(network)
      ->capture_default_str();
  command->add_flag("--frames", options->frames,
                    "Also list each frame of a folder, or survey several files together");
  options->output.add(*command, false);
  command->callback([options, &context] { print_info(context, *options); });
}

}  // namespace spira::app
