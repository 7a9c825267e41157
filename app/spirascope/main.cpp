// Main function of the program `spirascope`: parses the arguments, creates the window and starts the event
// loop.
#include "app/common/backends.hpp"
#include "app/common/faults.hpp"
#include "app/common/scene_argument.hpp"
#include "app/spirascope/arguments.hpp"
#include "app/spirascope/screenshots.hpp"
#include "app/spirascope/scripted.hpp"
#include "app/spirascope/startup.hpp"
#include "app/spirascope/written_files.hpp"
#include "engine/base/error.hpp"
#include "engine/scene/reader.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/session/closing.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/application.hpp"
#include "ui/window/qt_application.hpp"

#include <QApplication>
#include <QDir>
#include <QTimer>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <functional>
#include <iostream>
#include <memory>
#include <utility>

namespace {

using spira::app::Arguments;

/// Parses the arguments. Returns an exit code if the program must end, or -1 if it must continue.
int parse(int argc, char** argv, Arguments& arguments) {
  using namespace spira::app;
  CLI::App program;
  declare(program, arguments);
  try {
    program.parse(argc, argv);
    refuse_overwriting_inputs(program, {"--chart", "--picture", "--pdf"}, written_files(arguments));
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : spira::facts(spira::ErrorKind::usage).exit_code;
  }
  return -1;
}

void apply(const Arguments& arguments, spira::ui::Application& app) {
  using namespace spira;
  if (!arguments.size.empty()) {
    const QStringList size = QString::fromStdString(arguments.size).split('x');
    constexpr int least = 200;
    if (size.size() != 2 || size[0].toInt() < least || size[1].toInt() < least)
      throw Error(ErrorKind::usage, "--size " + arguments.size +
                                        ": expected WIDTHxHEIGHT, where both numbers are " +
                                        std::to_string(least) + " or more");
    app.window().resize(size[0].toInt(), size[1].toInt());
    app.commands().trigger("layout.profile");  // Sets the proportions of the docks for the new size.
  }
  if (arguments.scenes.size() > 1 &&
      std::count(arguments.scenes.begin(), arguments.scenes.end(), standard_input))
    throw Error(
        ErrorKind::usage,
        "-: standard input is a single scene and cannot be part of a sequence; use - as the only argument");
  if (!arguments.theme.empty()) app.theme().choose(ui::theme_choice(QString::fromStdString(arguments.theme)));
  if (!arguments.grid.empty()) {
    app.workspace().requested().setGrid(parse_grid(arguments.grid));
    app.jobs().scenes().options().keep_grid = true;
  }
  if (!arguments.pack.empty()) {
    app.workspace().requested().setPack(parse_pack_spec(arguments.pack));
    app.jobs().scenes().options().keep_pack = true;
  }
  app.jobs().scenes().options().every = arguments.every;
  app.jobs().scenes().limitMemory(arguments.memory_limit);
  if (!arguments.network.empty())
    app.jobs().runs().useNetwork(std::make_shared<const Network>(network_by_name_or_file(arguments.network)));
  if (arguments.threshold >= 0 && app.workspace().network()) {
    Plan plan = app.workspace().requested().plan();
    set_threshold(plan, *app.workspace().network(), arguments.threshold);
    app.workspace().setPlan(plan);
  }
  if (!arguments.lesson.empty())
    app.window().findChild<ui::LessonFiles*>()->check(QString::fromStdString(arguments.lesson));
}

/// Calls `begin` as soon as no file is being opened. A lesson that began earlier would wait for a scene.
void begin_when_open(spira::ui::Application& app, const std::function<void()>& begin) {
  constexpr int again_ms = 20;
  if (!app.jobs().lane().opening()) return begin();
  QTimer::singleShot(again_ms, &app, [&app, begin] { begin_when_open(app, begin); });
}

/// Starts the lesson of --lesson. If a scene or a report is given, waits until it is open. When the user
/// leaves the lesson, the window then shows this scene or report again. If none is given, starts the lesson
/// immediately, because the lesson opens its own scene.
void followLink(spira::ui::Application& app, const Arguments& arguments) {
  if (arguments.lesson.empty()) return;
  const auto begin = [&app, link = QString::fromStdString(arguments.lesson)] {
    app.window().findChild<spira::ui::LessonFiles*>()->follow(link);
  };
  if (arguments.scenes.empty()) return QTimer::singleShot(0, &app, begin);
  // Begin the lesson only once. If a report is open, the first picture comes from the scene that the lesson
  // opens, and it must not start the lesson again.
  const auto once = [&app, begin, begun = std::make_shared<bool>(false)] {
    if (!std::exchange(*begun, true)) begin_when_open(app, begin);
  };
  QObject::connect(&app.sceneView(), &spira::ui::SceneView::pictureReady, &app, once, Qt::QueuedConnection);
  QObject::connect(&app.workspace().results(), &spira::ui::RunResults::reportChanged, &app, once,
                   Qt::QueuedConnection);
}

/// Returns the recorded sample reports. They are next to the installed program, or in the source tree if the
/// program is not installed.
QStringList sampleReports() {
  QStringList folders{"../share/spirascope/reports"};
  QString up = "samples/reports";
  for (int level = 0; level < 6; ++level, up.prepend("../"))
    folders.append(up);
  for (const QString& folder : folders) {
    const QDir here(QApplication::applicationDirPath() + "/" + folder);
    QStringList files;
    for (const QFileInfo& file : here.entryInfoList({"*.spira.json"}, QDir::Files, QDir::Name))
      files.append(file.canonicalFilePath());
    if (!files.isEmpty()) return files;
  }
  return {};
}

/// Prints one line for each command: its id, its keyboard shortcut and its text. Shortcuts that the user
/// changed replace the default shortcuts.
void print_bindings(const QString& config_folder) {
  const auto own = spira::ui::Settings(config_folder).keys();
  for (const auto& command : spira::ui::Application::commandFacts()) {
    const auto changed = own.find(QString::fromLatin1(command.id));
    const QString keys = changed == own.end() ? QString::fromLatin1(command.shortcut) : changed->second;
    constexpr int id_width = 26, keys_width = 26;
    std::cout << QString::fromLatin1(command.id).leftJustified(id_width).toStdString()
              << keys.leftJustified(keys_width).toStdString() << command.text << "\n";
  }
}

int run(int argc, char** argv) {
  using namespace spira;
  Arguments arguments;
  if (const int code = parse(argc, argv, arguments); code >= 0) return code;
  const bool scripted = !arguments.screenshots.empty() || app::writes_files(arguments);
  const bool keeps = !scripted && !arguments.no_config;
  const QString config = keeps ? ui::config_folder() : QString();
  if (arguments.list_bindings) {
    print_bindings(config);
    return 0;
  }
  app::require_display();
  ui::setSurfaceFormat();
  app::handle_display_faults();
  ui::QtApplication application(argc, argv);
  app::display_is_open();
  QApplication::setApplicationName("spirascope");
  QApplication::setApplicationVersion(SPIRA_VERSION);
  // Wayland uses this name to find the icon and the desktop entry.
  QApplication::setDesktopFileName("spirascope");
  QApplication::setStyle("Fusion");
  ui::Application spirascope(std::make_shared<const Registry>(app::make_registry()),
                             keeps ? ui::state_folder() : QString(), config);
  app::close_on_signals(spirascope);
  apply(arguments, spirascope);
  spirascope.pages().empty().setReports(sampleReports());
  spirascope.window().show();
  if (scripted) {
    spirascope.unsavedResults().setAsks(false);
    QObject::connect(&application, &ui::QtApplication::failed, &spirascope, &app::end_with);
    QObject::connect(&spirascope.commands(), &ui::CommandSet::failed, &spirascope, &app::end_with);
  }
  auto* commands = new app::GivenCommands(&spirascope, arguments.commands, &spirascope);
  QObject::connect(commands, &app::GivenCommands::refused, &spirascope,
                   [&spirascope, scripted](const Error& error) {
                     spirascope.workspace().addLog(QString::fromStdString(error.what()));
                     if (scripted) app::end_with(error);
                   });
  commands->start();
  if (app::writes_files(arguments))
    (new app::WrittenFiles(&spirascope, arguments, commands, &spirascope))->start();
  if (!arguments.screenshots.empty()) {
    auto* script = new app::Screenshots(&spirascope, QString::fromStdString(arguments.screenshots),
                                        arguments.all_screenshots, &spirascope);
    script->start();
  }
  if (scripted && arguments.scenes.empty()) arguments.scenes.emplace_back("street");
  QStringList scenes;
  for (const auto& scene : arguments.scenes)
    scenes.append(QString::fromStdString(scene));
  followLink(spirascope, arguments);
  // Open the scenes from the event loop. If an error then occurs immediately, a scripted run ends with its
  // exit code.
  if (!scenes.isEmpty()) {
    QTimer::singleShot(0, &spirascope,
                       [&spirascope, scenes, format = QString::fromStdString(arguments.format)] {
                         spirascope.opening().openAll(scenes, format);
                       });
  }
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  spira::app::prepare_for_faults("spirascope");
  // If SIGPIPE is ignored, writing to a closed pipe returns an error instead of ending the program.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (...) {
    return spira::app::report_fault("spirascope");
  }
}
