// Writes the pictures, charts and the PDF that the command line requests. It starts when the scene or report
// is open and all commands have run. Afterwards, the program ends.
#pragma once

#include "app/spirascope/arguments.hpp"
#include "app/spirascope/scripted.hpp"
#include "ui/charts/chart_picture.hpp"
#include "ui/features/export/screenshot_dialog.hpp"
#include "ui/window/application.hpp"

#include <QObject>

namespace spira::app {

class GivenCommands;

class WrittenFiles : public QObject {
  Q_OBJECT
 public:
  /// The files are written after the last command in `commands`. Throws Error(usage) if a chart or a format
  /// is not known, and Error(input) if a file cannot be written.
  WrittenFiles(ui::Application* app, const Arguments& arguments, const GivenCommands* commands,
               QObject* parent);
  /// Starts waiting for the scene. At the end, quits the application with exit code 0 or with the exit code
  /// of the error.
  void start();

 private:
  struct WantedChart {
    QString name, file;
    ui::PictureRequest how;
  };
  void poll();
  /// Selects the layer of --layer and returns true. Returns false if the layer is already selected or --layer
  /// is missing. Throws Error(usage) if the network has no such layer.
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
  int nothing_for_ = 0;  // Number of consecutive polls in which nothing was open.
  bool failed_ = false;
};

/// Returns true if the arguments name output files. The program ends after it has written these files.
[[nodiscard]] bool writes_files(const Arguments& arguments);

}  // namespace spira::app
