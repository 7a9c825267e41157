#include "app/spirascope/arguments.hpp"

#include "app/common/scene_argument.hpp"
#include "app/common/value_names.hpp"

#include <CLI/CLI.hpp>

namespace spira::app {
namespace {

void add_written_files(CLI::App& program, Arguments& arguments) {
  program
      .add_option(
          "--chart", arguments.charts,
          "Write a chart as .png, .svg or .pdf, and exit: breakdown, roofline, densities, thresholds, "
          "packings, timeline or graph; may be repeated")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  program.add_option("--picture", arguments.picture, "Write the content of the window as .png, and exit")
      ->type_name(file_value);
  program.add_flag("--view-only", arguments.view_only, "With --picture: only the 3D view");
  program.add_flag("--transparent", arguments.transparent,
                   "With --picture: the 3D view with a transparent background");
  program.add_option("--pdf", arguments.pdf, "Write the run as a PDF report, and exit")
      ->type_name(file_value);
  program.add_option("--layer", arguments.layer, "Layer of the charts that show a single layer")
      ->type_name("NAME");
  program.add_option("--width", arguments.width, "Width of charts: column (3.25 in) or page (6.75 in)")
      ->check(CLI::IsMember({"column", "page"}))
      ->capture_default_str();
  program
      .add_option("--scale", arguments.scale,
                  "Scale of PNG files: 1, 2 or 4. At scale 1, a picture has as many pixels as the window, "
                  "and a chart has 96 dots per inch")
      ->check(CLI::IsMember({1, 2, 4}))
      ->capture_default_str();
  program.add_flag("--no-caption", arguments.no_caption,
                   "Write charts without the caption that contains unit, statistic, device and date");
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
  program.description("spirascope: view point clouds, and run and measure sparse convolution on them");
  program.set_version_flag("--version", "spirascope " SPIRA_VERSION);
  add_list_readers(program);
  program.add_flag("--list-bindings", arguments.list_bindings,
                   "List all commands by id, with their keyboard shortcuts, and exit");
  program.add_flag("--no-config", arguments.no_config,
                   "Do not read or write settings, window state, recent files and recovery copies");
  program
      .add_option(
          "scene", arguments.scenes,
          "A scene file, - for standard input, a folder of frames, or street, room, random; several files "
          "open as a sequence. A report (spira run -o) opens as a recorded run, and several reports are "
          "compared. A tuning profile opens in Tune; together with a scene, it is applied to the scene. A "
          "survey (spira info FOLDER --json) opens in Survey. A .spirasession file restores a session")
      ->type_name(scene_value());
  add_format(program, arguments.format);
  program
      .add_option("--every", arguments.every,
                  "Read only every N-th point of a file; the view, reports and sessions record N")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  program
      .add_option(
          "--memory-limit", arguments.memory_limit,
          "Do not open scenes that need more memory than this (default: the free memory of the system)")
      ->transform(CLI::AsSizeValue(true))
      ->type_name("BYTES");
  program.add_option("--network", arguments.network, "resn21, minkunet42, resnl20, fcgf or a JSON file")
      ->type_name(network_value());
  program.add_option("--grid", arguments.grid, "Voxel size in metres")->type_name("METRES");
  program.add_option("--pack", arguments.pack, "Packing: 32, 64 or X,Y,Z bits")->type_name("BITS");
  program.add_option("--threshold", arguments.threshold, "Threshold t of all layers")
      ->check(CLI::Range(0, 10));
  program
      .add_option("--screenshots", arguments.screenshots,
                  "Write pictures of the main views to this folder, and exit")
      ->type_name(folder_value);
  program
      .add_flag("--all", arguments.all_screenshots, "With --screenshots: every view, layout and lesson page")
      ->needs("--screenshots");
  program.add_option("--size", arguments.size, "Size of the window (default: the last size)")
      ->type_name("WIDTHxHEIGHT");
  program
      .add_option("--theme", arguments.theme,
                  "Theme for this start only: light, dark, contrast or system (default: from the settings)")
      ->check(CLI::IsMember({"light", "dark", "contrast", "system"}));
  program
      .add_option("--command", arguments.commands,
                  "Run the command with this id, such as run.run, after the scene is open; may be repeated")
      ->type_name("ID")
      ->allow_extra_args(false);
  program
      .add_option("--lesson", arguments.lesson,
                  "Start this lesson (search), or one of its steps by number or id (search:8, search:hash)")
      ->type_name("LESSON[:STEP]");
  add_written_files(program, arguments);
  program.footer("Example: spirascope scan.bin --grid 0.05 --network minkunet42");
}

}  // namespace spira::app
