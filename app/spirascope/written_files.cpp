#include "app/spirascope/written_files.hpp"

#include "app/spirascope/scripted.hpp"
#include "engine/base/file.hpp"
#include "ui/features/export/export_files.hpp"
#include "ui/features/export/report_exports.hpp"
#include "ui/features/export/screenshot_dialog.hpp"

#include <QApplication>
#include <QFileInfo>
#include <QTimer>

#include <cstdio>
#include <utility>

namespace spira::app {
namespace {

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

/// Throws Error(usage) if the name of an output file does not end in `ending`.
void require_ending(const char* option, const QString& file, const char* ending) {
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().compare(QLatin1String(ending), Qt::CaseInsensitive) != 0)
    throw Error(ErrorKind::usage,
                std::string(option) + " " + file.toStdString() + ": the file name must end in ." + ending);
  require_writable(file.toStdString());
}

}  // namespace

bool writes_files(const Arguments& arguments) {
  return !arguments.charts.empty() || !arguments.pdf.empty() || !arguments.picture.empty();
}

WrittenFiles::WrittenFiles(ui::Application* app, const Arguments& arguments, const GivenCommands* commands,
                           QObject* parent)
    : QObject(parent),
      app_(app),
      commands_(commands),
      layer_(arguments.layer),
      picture_(text(arguments.picture)),
      pdf_(text(arguments.pdf)),
      screen_{arguments.view_only || arguments.transparent, arguments.transparent, arguments.scale},
      rest_(app) {
  for (const auto& wanted : arguments.charts) {
    const auto equals = wanted.find('=');
    if (equals == std::string::npos)
      throw Error(ErrorKind::usage,
                  "--chart " + wanted + ": expected NAME=FILE, such as breakdown=layers.svg");
    WantedChart chart{text(wanted.substr(0, equals)), text(wanted.substr(equals + 1)), {}};
    if (!ui::picture_format_of(QFileInfo(chart.file).suffix(), chart.how.format))
      throw Error(ErrorKind::usage, "--chart " + wanted + ": the file name must end in .png, .svg or .pdf");
    chart.how.width_in = arguments.width == "column" ? ui::one_column_in : ui::two_columns_in;
    chart.how.scale = arguments.scale;
    chart.how.caption = !arguments.no_caption;
    require_writable(chart.file.toStdString());
    charts_.push_back(chart);
  }
  require_ending("--picture", picture_, "png");
  require_ending("--pdf", pdf_, "pdf");
  connect(&app_->jobs().lane(), &ui::EngineLane::failed, this, &WrittenFiles::fail);
  // All other errors appear in the banner. If a job fails, both signals are emitted, but the message of
  // EngineLane::failed has the wording of the command line. This connection is queued, so that
  // EngineLane::failed is handled first.
  connect(&app_->notices(), &ui::Notices::errorShown, this, &WrittenFiles::fail, Qt::QueuedConnection);
}

void WrittenFiles::start() {
  QTimer::singleShot(poll_ms, this, &WrittenFiles::poll);
}

void WrittenFiles::poll() {
  giveUpIfNothingOpens();
  if (failed_) return;
  if (!commands_->empty()) rest_.begin();
  if (!rest_.reached()) return start();
  try {
    if (chooseLayer()) return start();
    write();
    QApplication::exit(0);
  } catch (const Error& error) {
    fail(error);
  }
}

/// Ends the program if nothing is open for 10 s and no error was reported. This can happen if a dialog waits
/// for an answer.
void WrittenFiles::giveUpIfNothingOpens() {
  constexpr int most_polls = 10'000 / poll_ms;
  nothing_for_ = has_opened(*app_) || !at_rest(*app_) ? 0 : nothing_for_ + 1;
  if (nothing_for_ < most_polls) return;
  fail(Error(ErrorKind::input, "no scene or run is open, so nothing can be drawn"));
}

bool WrittenFiles::chooseLayer() {
  if (layer_.empty()) return false;
  const std::string name = std::exchange(layer_, {});
  const auto& network = app_->workspace().network();
  const int layer = network ? network->index_of(name) : -1;
  if (layer < 0)
    throw Error(ErrorKind::usage, "--layer " + name + ": the network has no layer with this name");
  app_->selection().setLayer(layer);
  rest_.begin();
  return true;
}

void WrittenFiles::write() {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);  // Sets the sizes of docks and charts.
  const QMainWindow& window = app_->window();
  const auto* charts = window.findChild<ui::ChartExports*>();
  for (const WantedChart& wanted : charts_) {
    const ui::Chart* chart = charts->chartNamed(wanted.name);
    if (chart == nullptr) {
      QStringList names;
      for (const ui::Chart* one : charts->charts())
        names += one->name();
      throw Error(ErrorKind::usage,
                  "--chart " + wanted.name.toStdString() +
                      ": this chart is not available; available: " + names.join(", ").toStdString());
    }
    charts->save(*chart, wanted.how, wanted.file);
    std::printf("%s\n", wanted.file.toLocal8Bit().constData());
  }
  if (!picture_.isEmpty()) {
    window.findChild<ui::Screenshots*>()->save(screen_, picture_);
    std::printf("%s\n", picture_.toLocal8Bit().constData());
  }
  if (pdf_.isEmpty()) return;
  if (!app_->openRun().report())
    throw Error(ErrorKind::usage, "--pdf: nothing was measured; open a report, or add --command run.measure");
  window.findChild<ui::ReportExports*>()->savePdf(pdf_);
  std::printf("%s\n", pdf_.toLocal8Bit().constData());
}

void WrittenFiles::fail(const Error& error) {
  if (failed_) return;
  failed_ = true;
  end_with(error);
}

}  // namespace spira::app
