#include "engine/bev/blocks.hpp"

#include "app/common/scene_argument.hpp"
#include "app/common/value_names.hpp"
#include "app/spira/bev.hpp"
#include "app/spira/survey_table.hpp"
#include "app/spira/table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/bev/cost_model.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/scene/sequence.hpp"
#include "engine/voxel/grid.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace spira::app {
namespace {

/// The blocks are those of a residual unit with a 3 x 3 layer and stride 1.
constexpr int unit_halo = 1;

struct BlockTableOptions {
  SceneOptions scene;
  BevOptions view;
  double cell_m = default_cell_m;
  std::vector<int> cores{block_cores.begin(), block_cores.end()}, strides{1, 2, 4, 8, 16};
  std::string mask_file;
  OutputOptions output;
  [[nodiscard]] AreaRequest area_request() const;
};

AreaRequest BlockTableOptions::area_request() const {
  AreaRequest request;
  request.cell_m = cell_m;
  if (!scene.crop.empty()) request.crop_m = parse_crop(scene.crop);
  request.z_m = parse_z_range(view.z);
  request.coarsest_stride = *std::max_element(strides.begin(), strides.end());
  return request;
}

struct CoreRow {
  int stride = 1, core = 4;
  BlockShares shares{};
};

/// The numbers of one scene, or the reason why there are none.
struct FrameBlocks {
  std::string name, fault{};
  Area area{};
  std::vector<CoreRow> rows{};
};

/// The model of a residual unit on blocks, if memory limits its time. See docs/command-line.md.
struct UnitModel {
  UnitCost dense, gathered, fused;  ///< With all blocks.
  explicit UnitModel(int core) {
    const CostUnit unit = bottleneck(4, 1);  // Only the ratio of the channels matters.
    dense = dense_cost(unit);
    gathered = gathered_cost(unit, core, 1);
    fused = fused_cost(unit, core, 1);
  }
};

/// Returns "pays off (2.1 x)", or "dense" if the dense unit is faster.
std::string model_text(const UnitCost& dense, const UnitCost& blocks, double computed) {
  if (computed >= break_even(dense, blocks)) return "dense";
  if (computed == 0) return "pays off";
  return "pays off (" + fixed(break_even(dense, blocks) / computed, 1) + " x)";
}

FrameBlocks blocks_of(const BlockTableOptions& options, const Mask& mask, const std::string& name) {
  FrameBlocks found{name, {}, mask.area};
  for (const int stride : options.strides) {
    for (const int core : options.cores) {
      const BlockShape shape{stride, core, unit_halo, options.view.min_cells};
      found.rows.push_back(
          {stride, core, shares_of(mask, shape, active_blocks(mask, shape), core + 2 * unit_halo, 1)});
    }
  }
  return found;
}

/// Prints a note if many points of the area do not count, because they are outside the range of z.
void say_outside_z(const Context& context, const PointCloud& cloud, const Area& area, const MaskSpec& spec) {
  if (spec.source != MaskSource::occupied && spec.source != MaskSource::label) return;
  constexpr double worth_saying = 0.01;
  std::int64_t all = 0, outside = 0;
  for (const Point& p : cloud.positions) {
    if (area.row_of(p) < 0) continue;
    ++all;
    outside += area.has_height(p) ? 0 : 1;
  }
  if (all == 0 || static_cast<double>(outside) < worth_saying * static_cast<double>(all)) return;
  context.say(cloud.name + ": " + percent_text(static_cast<double>(outside) / static_cast<double>(all)) +
              " of the points in the area are outside z = " + shortest(area.z_m[0]) + " to " +
              shortest(area.z_m[1]) + " m and do not count; set the range with --z");
}

/// Makes the mask of one scene, writes it if the user wants it, and counts its blocks.
FrameBlocks frame_blocks(const Context& context, const BlockTableOptions& options, const std::string& name,
                         Job& job) {
  SceneOptions scene = options.scene;
  scene.scene = name;
  const auto cloud = scene.open(context, job);
  scene.require_one_frame(*cloud, "blocks");
  const AreaRequest request = options.area_request();
  const MaskSpec spec = parse_mask(options.view.mask);
  const Area area = area_of(*cloud, request);
  if (const std::string note = enlargement_note(*cloud, request); !note.empty())
    context.say(cloud->name + ": area " + note);
  say_outside_z(context, *cloud, area, spec);
  const Mask mask = make_mask(*cloud, area, spec, job);
  if (!options.mask_file.empty()) {
    write_mask(mask, options.mask_file);
    context.say("mask: " + options.mask_file);
  }
  return blocks_of(options, mask, cloud->name);
}

/// Reads all scenes. A frame of a folder that cannot be read has a fault.
std::vector<FrameBlocks> all_blocks(const Context& context, const BlockTableOptions& options, Job& job) {
  if (!names_folder(options.scene.scene)) return {frame_blocks(context, options, options.scene.scene, job)};
  std::vector<FrameBlocks> frames;
  for (const auto& file : list_frames(options.scene.scene)) {
    try {
      frames.push_back(frame_blocks(context, options, file.string(), job));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      frames.push_back({file.filename().string(), error.what()});
    }
  }
  if (std::none_of(frames.begin(), frames.end(), [](const auto& frame) { return frame.fault.empty(); }))
    throw Error(ErrorKind::input, options.scene.scene + ": no frame could be read" +
                                      (frames.empty() ? std::string() : ": " + frames.front().fault));
  return frames;
}

nlohmann::ordered_json core_row_json(const CoreRow& row) {
  const UnitModel model(row.core);
  return {{"stride", row.stride},
          {"core", row.core},
          {"mask", row.shares.mask},
          {"blocks", row.shares.blocks},
          {"computed", row.shares.computed},
          {"read", row.shares.read},
          {"covered", row.shares.covered},
          {"break_even_gathered", break_even(model.dense, model.gathered)},
          {"break_even_fused", break_even(model.dense, model.fused)}};
}

std::string blocks_json(const BlockTableOptions& options, const std::vector<FrameBlocks>& frames) {
  nlohmann::ordered_json document{{"mask", text_of(parse_mask(options.view.mask))},
                                  {"cell_m", options.cell_m},
                                  {"z_m", parse_z_range(options.view.z)},
                                  {"halo", unit_halo},
                                  {"min_cells", options.view.min_cells},
                                  {"frames", nlohmann::ordered_json::array()}};
  for (const FrameBlocks& frame : frames) {
    nlohmann::ordered_json one{{"frame", frame.name}};
    if (frame.fault.empty()) {
      one["first_cell"] = frame.area.first;
      one["cells"] = frame.area.cells;
      one["rows"] = nlohmann::ordered_json::array();
      for (const CoreRow& row : frame.rows)
        one["rows"].push_back(core_row_json(row));
    } else {
      one["fault"] = frame.fault;
    }
    document["frames"].push_back(one);
  }
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Returns one row for each frame, stride and core. A frame with a fault has one row with empty cells.
std::string blocks_csv(const std::vector<FrameBlocks>& frames) {
  std::vector<std::vector<std::string>> table{{"frame"}};
  const auto heading = core_row_json({});
  for (const auto& [key, value] : heading.items())
    table.front().push_back(key);
  table.front().emplace_back("fault");
  for (const FrameBlocks& frame : frames) {
    for (const CoreRow& row : frame.rows) {
      std::vector<std::string> cells{frame.name};
      const auto members = core_row_json(row);
      for (const auto& [key, value] : members.items())
        cells.push_back(value.is_number_float() ? shortest(value.get<double>()) : value.dump());
      cells.emplace_back();
      table.push_back(std::move(cells));
    }
    if (frame.fault.empty()) continue;
    std::vector<std::string> cells(table.front().size());
    cells.front() = frame.name;
    cells.back() = frame.fault;
    table.push_back(std::move(cells));
  }
  return csv_text(table);
}

std::string scene_blocks_text(const FrameBlocks& frame, std::int64_t min_cells) {
  std::vector<std::vector<std::string>> table{
      {"stride", "mask", "core", "blocks", "computed", "read", "gathered", "fused"}};
  if (min_cells > 1) table.front().emplace_back("covered");
  double covered = 1;
  for (const CoreRow& row : frame.rows) {
    const UnitModel model(row.core);
    const BlockShares& shares = row.shares;
    covered = std::min(covered, shares.covered);
    table.push_back({std::to_string(row.stride), percent_text(shares.mask), std::to_string(row.core),
                     count_text(shares.blocks), percent_text(shares.computed), percent_text(shares.read),
                     model_text(model.dense, model.gathered, shares.computed),
                     model_text(model.dense, model.fused, shares.computed)});
    if (min_cells > 1) table.back().push_back(percent_text(shares.covered));
  }
  std::string note;
  if (covered < 1)
    note = "With at least " + counted_text(min_cells, "cell", "cells") +
           " in a block, the blocks contain only " + percent_text(covered) +
           " of the mask or more; --min-cells 1 contains all of it\n";
  return table_text(table) + note;
}

/// Returns the median of a share and its smallest and largest value.
std::string spread_text(const std::vector<double>& shares) {
  const Statistics found = statistics(shares);
  return percent_text(found.median) + " (" + percent_text(found.min) + " to " + percent_text(found.max) + ")";
}

std::string frame_blocks_text(const BlockTableOptions& options, const std::vector<FrameBlocks>& frames) {
  std::vector<std::vector<std::string>> table{{"frame", "cells"}};
  for (const int stride : options.strides)
    table.front().push_back("mask at " + std::to_string(stride));
  std::vector<std::vector<std::string>> summary{
      {"stride", "core", "mask", "computed", "read", "gathered", "fused"}};
  std::string faults;
  std::vector<const FrameBlocks*> read;
  for (const FrameBlocks& frame : frames) {
    if (!frame.fault.empty()) {
      faults += frame.name + ": " + frame.fault + "\n";
      continue;
    }
    read.push_back(&frame);
    table.push_back({frame.name, count_text(frame.area.rows()) + " x " + count_text(frame.area.columns())});
    for (std::size_t at = 0; at < frame.rows.size(); at += options.cores.size())
      table.back().push_back(percent_text(frame.rows[at].shares.mask));
  }
  for (std::size_t at = 0; at < read.front()->rows.size(); ++at) {
    const CoreRow& row = read.front()->rows[at];
    const auto values = [&](double BlockShares::*share) {
      std::vector<double> all;
      for (const FrameBlocks* frame : read)
        all.push_back(frame->rows[at].shares.*share);
      return all;
    };
    const auto computed = values(&BlockShares::computed);
    const UnitModel model(row.core);
    const double median = statistics(computed).median;
    summary.push_back(
        {std::to_string(row.stride), std::to_string(row.core), spread_text(values(&BlockShares::mask)),
         spread_text(computed), spread_text(values(&BlockShares::read)),
         model_text(model.dense, model.gathered, median), model_text(model.dense, model.fused, median)});
  }
  return table_text(table) + "\nmedian of " + counted_text(std::ssize(read), "frame", "frames") +
         " (smallest to largest)\n" + table_text(summary) + faults;
}

void print_blocks(const Context& context, const CLI::App& command, const BlockTableOptions& options) {
  options.scene.check();
  static_cast<void>(parse_mask(options.view.mask));
  static_cast<void>(options.area_request());
  if (!options.mask_file.empty()) {
    if (names_folder(options.scene.scene))
      throw Error(ErrorKind::usage,
                  "-o " + options.mask_file + ": each frame of a folder has its own mask; name one scene");
    if (is_standard_output(options.mask_file))
      throw Error(ErrorKind::usage, "-o " + options.mask_file + ": a mask is a binary file; name a file");
    require_result_file(command, options.mask_file);
  }
  Job job = context.job();
  const auto frames = all_blocks(context, options, job);
  if (options.output.json) {
    std::cout << blocks_json(options, frames);
  } else if (options.output.csv) {
    std::cout << blocks_csv(frames);
  } else if (names_folder(options.scene.scene)) {
    std::cout << "mask " << text_of(parse_mask(options.view.mask)) << "\n"
              << frame_blocks_text(options, frames);
  } else {
    std::cout << "mask " << text_of(parse_mask(options.view.mask)) << ", " << text_of(frames.front().area)
              << "\n"
              << scene_blocks_text(frames.front(), options.view.min_cells);
  }
}

}  // namespace

void add_blocks(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "blocks", "Show how many cells a mask of a bird's-eye view and its blocks contain, without a network");
  command->footer("Example: spira blocks scan.bin --crop 0,-40,-3,70.4,40,1 --mask occupied+1");
  auto options = std::make_shared<BlockTableOptions>();
  command
      ->add_option("scene", options->scene.scene,
                   "A scene file, - for standard input, a generated scene (street, room or random; "
                   "street:SEED sets the seed), or a folder of frames")
      ->required()
      ->type_name(scene_value());
  command
      ->add_option("--crop", options->scene.crop,
                   "Corners of the area in metres: x,y,z of the lower corner, then of the upper corner; z is "
                   "not used (default: all points in the range of --z, without outliers)")
      ->type_name("X,Y,Z,X,Y,Z");
  add_every(*command, options->scene.every);
  add_format(*command, options->scene.format);
  command->add_option("--cell", options->cell_m, "Edge of a cell in metres")
      ->check(CLI::Range(1e-6, 1e6))
      ->type_name("METRES")
      ->capture_default_str();
  options->view.add_mask(*command);
  command->add_option("--cores", options->cores, "Edges of the cores, in cells: 4, 8, 16 or 32")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<int>(block_cores.begin(), block_cores.end())));
  command->add_option("--strides", options->strides, "Strides of the image: 1, 2, 4, 8 or 16")
      ->delimiter(',')
      ->check(CLI::IsMember({1, 2, 4, 8, 16}));
  command
      ->add_option("--min-cells", options->view.min_cells,
                   "A block is active if it has at least this number of cells of the mask")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command
      ->add_option("-o,--output", options->mask_file,
                   "Write the mask as an NPY file for --mask file:MASK.npy")
      ->check(not_empty())
      ->type_name(file_value);
  options->output.add(*command, true);
  command->callback([options, command, &context] { print_blocks(context, *command, *options); });
}

}  // namespace spira::app
