// Pictures, charts and a PDF that the command line requests. They are written when the scene or report is
// open and all commands have run. Then the program ends.
#pragma once

#include "app/spirascope/arguments.hpp"
#include "app/spirascope/scripted.hpp"
#include "ui/charts/chart_picture.hpp"
#include "ui/features/export/screen_picture.hpp"
#include "ui/window/application.hpp"

#include <QObject>

namespace spira::app {

class GivenCommands;

class WrittenFiles : public QObject {
  Q_OBJECT
 public:
  /// Throws Error(usage) for an unknown chart or format, and Error(input) if a file cannot be written. Files
  /// are written after the last of `commands`.
  WrittenFiles(ui::Application* app, const Arguments& arguments, const GivenCommands* commands,
               QObject* parent);
  /// Ends the application with exit code 0, or with the exit code of the error.
  void start();

 private:
  struct WantedChart {
    QString name, file;
    ui::PictureRequest how;
  };
  void poll();
  /// Selects the layer of --layer. Returns false if there is nothing left to select.
  [[nodiscard]] bool chooseLayer();
  void write();
  void fail(const Error& error);
  void giveUpIfNothingOpens();

  ui::Application* app_;
  const GivenCommands* commands_;
  std::vector<WantedChart> charts_;
  std::string layer_;
  QString picture_, pdf_;
  ui::ScreenPicture screen_;
  Rest rest_;
  int nothing_for_ = 0;  // number of consecutive polls in which nothing is open
  bool failed_ = false;
};

/// Returns true if the arguments request files. The program then ends after it has written them.
[[nodiscard]] bool writes_files(const Arguments& arguments);

}  // namespace spira::app
