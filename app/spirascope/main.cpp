// spirascope: parses arguments, makes the window, starts.
#include "app/common/backends.hpp"
#include "app/spirascope/screenshots.hpp"
#include "engine/base/error.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/main_window.hpp"

#include <QApplication>
#include <QStandardPaths>
#include <QTimer>

#include <CLI/CLI.hpp>
#include <iostream>

namespace {

struct Arguments {
  std::vector<std::string> scenes, commands;
  std::string network, grid, pack, screenshots, size = "1440x900", theme = "system";
  int threshold = -1;
};

/// Exit code, or -1 to go on.
int parse(int argc, char** argv, Arguments& arguments) {
  CLI::App program("spirascope: see, run and measure sparse convolution on point clouds", "spirascope");
  program.set_version_flag("--version", "spirascope " SPIRA_VERSION);
  program.add_option("scene", arguments.scenes, "A scene file, a folder of frames, or street, room, random");
  program.add_option("--network", arguments.network, "resn21, minkunet42, resnl20 or a JSON file");
  program.add_option("--grid", arguments.grid, "Voxel size in metres");
  program.add_option("--pack", arguments.pack, "Packing: 32, 64 or X,Y,Z bits");
  program.add_option("--threshold", arguments.threshold, "Threshold t of all layers")
      ->check(CLI::Range(0, 10));
  program.add_option("--screenshots", arguments.screenshots,
                     "Write a picture of each view to this folder, and end");
  program.add_option("--size", arguments.size, "Size of the window")->capture_default_str();
  program.add_option("--theme", arguments.theme, "light, dark or system")
      ->check(CLI::IsMember({"light", "dark", "system"}));
  program.add_option("--command", arguments.commands,
                     "Run these commands once the scene is open, by id (run.run)");
  program.footer("Example: spirascope scan.bin --grid 0.05 --network minkunet42");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : spira::facts(spira::ErrorKind::usage).exit_code;
  }
  return -1;
}

void apply(const Arguments& arguments, spira::ui::MainWindow& window) {
  using namespace spira;
  const QStringList size = QString::fromStdString(arguments.size).split('x');
  if (size.size() != 2 || size[0].toInt() < 200 || size[1].toInt() < 200)
    throw Error(ErrorKind::usage, "--size " + arguments.size + ": expected WIDTHxHEIGHT");
  window.resize(size[0].toInt(), size[1].toInt());
  window.commands().trigger("layout.profile");  // the docks take their share of this size
  window.commands().trigger("theme." + QString::fromStdString(arguments.theme));
  if (!arguments.grid.empty()) {
    window.workspace().setGrid(parse_grid(arguments.grid));
    window.jobs().keepGrid(true);
  }
  if (!arguments.pack.empty()) {
    window.workspace().setPack(parse_pack_spec(arguments.pack));
    window.jobs().keepPack(true);
  }
  if (!arguments.network.empty()) window.jobs().chooseNetwork(QString::fromStdString(arguments.network));
  if (arguments.threshold >= 0 && window.workspace().network()) {
    Plan plan = window.workspace().plan();
    set_threshold(plan, *window.workspace().network(), arguments.threshold);
    window.workspace().setPlan(plan);
  }
  for (const auto& id : arguments.commands) {
    if (window.commands().action(QString::fromStdString(id)) == nullptr)
      throw Error(ErrorKind::usage, "--command " + id + ": there is no such command");
  }
}

int run(int argc, char** argv) {
  using namespace spira;
  Arguments arguments;
  if (const int code = parse(argc, argv, arguments); code >= 0) return code;
  ui::setSurfaceFormat();
  QApplication application(argc, argv);
  QApplication::setApplicationName("spirascope");
  QApplication::setApplicationVersion(SPIRA_VERSION);
  QApplication::setStyle("Fusion");
  const bool scripted = !arguments.screenshots.empty();
  const QString state =
      scripted ? QString()
               : QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + "/spirascope";
  ui::MainWindow window(std::make_shared<const Registry>(app::make_registry()), state);
  apply(arguments, window);
  window.show();
  if (!arguments.scenes.empty()) {
    window.open(QString::fromStdString(arguments.scenes.front()));
  } else if (scripted) {
    window.open("street");
  }
  QObject::connect(
      &window.jobs(), &ui::EngineJobs::opened, &window, [&window, left = arguments.commands]() mutable {
        for (const auto& id : std::exchange(left, {}))
          QTimer::singleShot(0, &window,
                             [&window, id] { window.commands().trigger(QString::fromStdString(id)); });
      });
  if (scripted) {
    auto* script = new app::Screenshots(&window, QString::fromStdString(arguments.screenshots), &window);
    script->start();
  }
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const spira::Error& error) {
    std::cerr << "spirascope: " << error.what() << "\n";
    return spira::facts(error.kind()).exit_code;
  } catch (const std::exception& error) {
    std::cerr << "spirascope: " << error.what() << "\n";
    return 1;
  }
}
