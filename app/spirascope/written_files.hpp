// Pictures, charts and a PDF that the command line asks for: written once the scene or report is open and all
// commands have run, and then the program ends.
#pragma once

#include "app/spirascope/arguments.hpp"
#include "app/spirascope/scripted.hpp"
#include "ui/charts/chart_picture.hpp"
#include "ui/window/main_window.hpp"
#include "ui/window/screen_picture.hpp"

#include <QObject>

namespace spira::app {

class GivenCommands;

class WrittenFiles : public QObject {
  Q_OBJECT
 public:
  /// Throws Error(usage) for what names no chart or no format, Error(input) for files that cannot be written.
  /// `commands`: files wait for the last of them.
  WrittenFiles(ui::MainWindow* window, const Arguments& arguments, const GivenCommands* commands,
               QObject* parent);
  /// Ends the application with 0, or with the exit code of what went wrong.
  void start();

 private:
  struct WantedChart {
    QString name, file;
    ui::PictureRequest how;
  };
  void poll();
  [[nodiscard]] bool chooseLayer();  ///< false: none is to be chosen, or it is
  void write();
  void fail(const Error& error);
  void giveUpIfNothingOpens();

  ui::MainWindow* window_;
  const GivenCommands* commands_;
  std::vector<WantedChart> charts_;
  std::string layer_;
  QString picture_, pdf_;
  ui::ScreenPicture screen_;
  Rest rest_;
  int nothing_for_ = 0;  // polls in a row
  bool failed_ = false;
};

/// True where the arguments ask for files, so that the program ends by itself.
[[nodiscard]] bool writes_files(const Arguments& arguments);

}  // namespace spira::app
