#include "app/spirascope/arguments.hpp"

#include "app/common/reader_list.hpp"
#include "app/common/scene_argument.hpp"
#include "app/common/value_names.hpp"

#include <CLI/CLI.hpp>

namespace spira::app {
namespace {

void add_written_files(CLI::App& program, Arguments& arguments) {
  program
      .add_option(
          "--chart", arguments.charts,
          "Write a chart as .png, .svg or .pdf, and end: breakdown, densities, thresholds, packings or "
          "timeline; may be given again")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  program
      .add_option("--picture", arguments.picture,
                  "Write what the window shows as .png, and end: the same pixels as its own screenshots")
      ->type_name(file_value);
  program.add_flag("--view-only", arguments.view_only, "Of --picture: the 3D view alone");
  program.add_flag("--transparent", arguments.transparent,
                   "Of --picture: the 3D view without its background");
  program.add_option("--pdf", arguments.pdf, "Write the run as a PDF report, and end")->type_name(file_value);
  program.add_option("--layer", arguments.layer, "Of charts of a layer: this one")->type_name("NAME");
  program.add_option("--width", arguments.width, "Of charts: column (3.25 in) or page (6.75 in)")
      ->check(CLI::IsMember({"column", "page"}))
      ->capture_default_str();
  program
      .add_option("--scale", arguments.scale,
                  "Of PNG files: 1, 2 or 4 pixels for one; charts have 96 dots an inch at 1")
      ->check(CLI::IsMember({1, 2, 4}))
      ->capture_default_str();
  program.add_flag("--no-caption", arguments.no_caption,
                   "Charts without unit, statistic, device and date below");
}

}  // namespace

std::vector<std::string> written_files(const Arguments& arguments) {
  std::vector<std::string> files;
  for (const std::string& chart : arguments.charts) {
    if (const auto equals = chart.find('='); equals != std::string::npos)
      files.push_back(chart.substr(equals + 1));
  }
  for (const std::string& file : {arguments.picture, arguments.pdf}) {
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

void declare(CLI::App& program, Arguments& arguments) {
  program.name("spirascope");
  program.description("spirascope: see, run and measure sparse convolution on point clouds");
  program.set_version_flag("--version", "spirascope " SPIRA_VERSION);
  add_list_readers(program);
  program.add_flag("--list-bindings", arguments.list_bindings,
                   "List all commands by id, with the keys that they have here, and end");
  program.add_flag("--no-config", arguments.no_config,
                   "Settings, window, recent files and recovery copies are neither read nor written");
  program
      .add_option(
          "scene", arguments.scenes,
          "A scene file, - for standard input, a folder of frames, or street, room, random; several files "
          "are a "
          "sequence. A report "
          "(spira run -o) opens as a recorded run, several are compared; a tuning profile opens in Tune, a "
          ".spirasession file as it was saved")
      ->type_name(scene_value());
  add_format(program, arguments.format);
  program
      .add_option("--every", arguments.every,
                  "Read only every N-th point of a file; the view, reports and sessions say so")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  program
      .add_option("--memory-limit", arguments.memory_limit,
                  "Open no scene that needs more than this; without it, than the system has left")
      ->transform(CLI::AsSizeValue(true))
      ->type_name("BYTES");
  program.add_option("--network", arguments.network, "resn21, minkunet42, resnl20 or a JSON file")
      ->type_name(network_value());
  program.add_option("--grid", arguments.grid, "Voxel size in metres")->type_name("METRES");
  program.add_option("--pack", arguments.pack, "Packing: 32, 64 or X,Y,Z bits")->type_name("BITS");
  program.add_option("--threshold", arguments.threshold, "Threshold t of all layers")
      ->check(CLI::Range(0, 10));
  program
      .add_option("--screenshots", arguments.screenshots,
                  "Write a picture of each view to this folder, and end")
      ->type_name(folder_value);
  program.add_option("--size", arguments.size, "Size of the window; without it, as it was left")
      ->type_name("WIDTHxHEIGHT");
  program
      .add_option("--theme", arguments.theme,
                  "light, dark, contrast or system, for this start; without it, as in the settings")
      ->check(CLI::IsMember({"light", "dark", "contrast", "system"}));
  program
      .add_option("--command", arguments.commands,
                  "Run this command once the scene is open, by id (run.run); may be given again")
      ->type_name("ID")
      ->allow_extra_args(false);
  program
      .add_option("--lesson", arguments.lesson,
                  "Begin this lesson once the scene is open (search), or at a step of it, by number or id "
                  "(search:8, search:hash)")
      ->type_name("LESSON[:STEP]");
  add_written_files(program, arguments);
  program.footer("Example: spirascope scan.bin --grid 0.05 --network minkunet42");
}

}  // namespace spira::app
