#include "ui/features/export/exports.hpp"

#include "engine/base/file.hpp"
#include "engine/report/report_file.hpp"
#include "ui/charts/survey_chart.hpp"
#include "ui/features/export/picture_dialog.hpp"
#include "ui/features/export/reproduce_dialog.hpp"
#include "ui/features/session/unsaved_results.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/jobs/file_writer.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/paper/report_pdf.hpp"
#include "ui/theme/busy_cursor.hpp"
#include "ui/window/main_window.hpp"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QProgressDialog>
#include <QStatusBar>
#include <QTabWidget>
#include <QTimer>

#include <algorithm>
#include <memory>
#include <utility>

namespace spira::ui {

Exports::Exports(MainWindow* window)
    : QObject(window),
      window_(window),
      run_(new OpenRun(&window->workspace(), this)),
      files_(new FileWriter(this)) {
  connect(files_, &FileWriter::started, this, [this](const QString& file) {
    window_->statusBar()->showMessage(tr("Writing %1...").arg(QFileInfo(file).fileName()));
  });
  connect(files_, &FileWriter::finished, this, [this] {
    if (!files_->busy()) window_->statusBar()->clearMessage();
  });
  connect(files_, &FileWriter::written, this, [this](const QString& file) {
    constexpr int long_enough_ms = 4000;
    window_->workspace().addLog(tr("written: %1").arg(file));
    window_->statusBar()->showMessage(tr("Written: %1").arg(QDir::toNativeSeparators(file)), long_enough_ms);
    if (const auto report = reports_on_their_way_.extract(file); !report.empty())
      window_->unsavedResults().setSaved(report.mapped());
  });
  connect(files_, &FileWriter::failed, this,
          [this](const Error& error) { window_->notices().showError(error); });
  bind();
  bindFiles();
  bindOutputs();
  bindTables();
  connect(&window_->summaryPanel(), &SummaryPanel::menuRequested, this, &Exports::showLineMenu);
  bindPanels();
  bindSurvey();
  for (Chart* chart : window_->findChildren<Chart*>()) {
    // A survey chart belongs to a folder, not to a run.
    if (qobject_cast<SurveyChart*>(chart) != nullptr) continue;
    connect(chart, &Chart::menuRequested, this,
            [this, chart](const QPoint& global, const MeasuredSubject& subject) {
              showMenu(global, chart, subject);
            });
  }
}

std::vector<const Chart*> Exports::charts() const {
  std::vector<const Chart*> all;
  for (const Chart* chart : window_->findChildren<Chart*>()) {
    if (chart->hasContent()) all.push_back(chart);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Chart* a, const Chart* b) { return a->name() < b->name(); });
  return all;
}

/// Command updates call this function often, and the window has thousands of children. Therefore the chart of
/// the last call is checked first.
bool Exports::anyChart() {
  if (shown_ == nullptr || !shown_->hasContent()) {
    const auto all = charts();
    shown_ = all.empty() ? nullptr : all.front();
  }
  return shown_ != nullptr;
}

const Chart* Exports::chartNamed(const QString& name) const {
  for (const Chart* chart : charts()) {
    if (chart->name() == name) return chart;
  }
  return nullptr;
}

QString Exports::whyNoRun() const {
  const Workspace& open = window_->workspace();
  if (open.report() && !open.report()->lost.empty())
    return tr("the open report is cut off and cannot be exported");
  const bool any = open.report() || (open.measurement() && open.voxels() && open.network());
  return any ? QString() : tr("measure a network first (Ctrl+M), or open a report");
}

void Exports::bind() {
  CommandSet& commands = window_->commands();
  commands.bind(
      "export.chart", [this] { exportChart(nullptr); },
      [this] { return anyChart() ? QString() : tr("no chart has data yet"); });
  commands.bind(
      "export.pdf",
      [this] {
        const QString file = askFile(tr("Save PDF report"), fileName("report.pdf"), tr("PDF (*.pdf)"));
        if (!file.isEmpty()) writePdf(file);
      },
      [this] { return whyNoRun(); });
  commands.bind(
      "export.report",
      [this] {
        const QString file =
            askFile(tr("Save report"), fileName("spira.json"), tr("Reports (*.spira.json *.json)"));
        if (file.isEmpty()) return;
        reports_on_their_way_[file] = window_->profileTools().comparing()->current();
        files_->write(file, [report = run_->report()] { return report_json(*report); });
      },
      [this] { return whyNoRun(); });
  const auto has_scene = [this] {
    return window_->workspace().sceneFacts() ? QString() : tr("open a scene or a report first");
  };
  commands.bind(
      "reproduce.copy", [this] { copyCommand(chosenSubject()); }, has_scene);
  commands.bind(
      "reproduce.show", [this] { showCommand(chosenSubject()); }, has_scene);
  for (void (Workspace::*changed)() :
       {&Workspace::sceneMapChanged, &Workspace::measurementChanged, &Workspace::sweepsChanged})
    connect(&window_->workspace(), changed, &commands, &CommandSet::refreshSoon);
}

/// Returns the selected layer, or the whole run if no layer is selected. Returns the scene if nothing ran
/// yet.
MeasuredSubject Exports::chosenSubject() const {
  MeasuredSubject subject;
  subject.layer = window_->selection().layer();
  const bool run = window_->workspace().wasRun(subject.layer);
  if (subject.layer >= 0) subject.kind = MeasuredSubject::Kind::layer;
  const bool nothing_ran = window_->workspace().layersRun() == 0 && !run;
  if (nothing_ran) {
    subject.kind = MeasuredSubject::Kind::scene;
    subject.layer = -1;
  }
  return subject;
}

QString Exports::commandOf(const MeasuredSubject& subject) const {
  const auto how = measured_with(window_->workspace());
  return how ? QString::fromStdString(shell_text(command_of(*how, subject))) : QString();
}

void Exports::copyCommand(const MeasuredSubject& subject) {
  const QString command = commandOf(subject);
  QApplication::clipboard()->setText(command);
  window_->workspace().addLog(tr("copied: %1").arg(command));
}

void Exports::showCommand(const MeasuredSubject& subject) {
  const auto how = measured_with(window_->workspace());
  if (!how) return;
  ReproduceDialog dialog(*how, subject, window_->workspace().report() != nullptr, window_);
  connect(&dialog, &ReproduceDialog::networkFileRequested, this, [this, how] {
    saveAs(tr("Save network"), QString::fromStdString(how->network), tr("Networks (*.json)"),
           [layers = how->layers] { return network_json(layers); });
  });
  dialog.exec();
}

void Exports::addCommands(QMenu& menu, const MeasuredSubject& subject) {
  QAction* line =
      menu.addAction(tr("Copy measuring command"), this, [this, subject] { copyCommand(subject); });
  QAction* words =
      menu.addAction(tr("Show measuring command..."), this, [this, subject] { showCommand(subject); });
  for (QAction* action : {line, words})
    action->setEnabled(window_->workspace().sceneFacts().has_value());
}

void Exports::showLineMenu(const QPoint& global, const SummaryLine& line) {
  QMenu menu(window_);
  menu.setObjectName("summary_menu");
  const auto copy = [](const QString& text) { QApplication::clipboard()->setText(text); };
  if (!line.number.isEmpty())
    menu.addAction(tr("Copy %1").arg(line.number), this, [copy, line] { copy(line.number); });
  menu.addAction(tr("Copy line"), this, [copy, line] { copy(QString("%1: %2").arg(line.name, line.value)); });
  menu.addSeparator();
  addCommands(menu, line.subject);
  menu.exec(global);
}

void Exports::exportChart(const Chart* chosen) {
  const auto all = charts();
  if (all.empty()) return;
  if (chosen == nullptr) {  // Use the visible chart, preferably the one with the focus.
    for (const Chart* chart : all) {
      if (chart->isVisible() && (chosen == nullptr || chart->hasFocus())) chosen = chart;
    }
  }
  PictureDialog dialog(all, chosen, run_, window_);
  dialog.setRequest(last_);
  connect(&dialog, &PictureDialog::saveRequested, this, [this, &dialog] {
    last_ = dialog.request();
    const QString suffix = suffix_of(last_.format);
    saveAs(tr("Save chart"), fileName(dialog.chart().name() + "." + suffix),
           tr("Pictures (*.%1)").arg(suffix),
           [bytes = painted_chart(dialog.chart(), picture_facts(dialog.chart(), *run_), last_)] {
             return bytes().toStdString();
           });
  });
  connect(&dialog, &PictureDialog::copyRequested, this, [this, &dialog] {
    const BusyCursor busy;
    last_ = dialog.request();
    QApplication::clipboard()->setImage(
        chart_image(dialog.chart(), picture_facts(dialog.chart(), *run_), last_));
  });
  dialog.exec();
}

void Exports::saveChart(const Chart& chart, const PictureRequest& how, const QString& file) const {
  write_file(file.toStdString(), chart_file(chart, picture_facts(chart, *run_), how).toStdString());
}

void Exports::savePdf(const QString& file) const {
  if (const QString why = whyNoRun(); !why.isEmpty()) throw Error(ErrorKind::input, why.toStdString());
  const auto& compared = window_->profileTools().comparing()->comparison();
  write_file(file.toStdString(), report_pdf(run_->report(), run_->tags(), compared).toStdString());
}

void Exports::writePdf(const QString& file) {
  auto pdf = std::make_shared<ReportPdf>(run_->report(), run_->tags(),
                                         window_->profileTools().comparing()->comparison());
  auto* bar = new QProgressDialog(tr("Painting the pages of %1").arg(QFileInfo(file).fileName()),
                                  tr("Cancel"), 0, pdf->steps(), window_);
  bar->setWindowTitle(tr("Save PDF report"));
  bar->setWindowModality(Qt::WindowModal);
  auto* next = new QTimer(bar);
  next->setSingleShot(true);
  connect(next, &QTimer::timeout, bar, [this, file, pdf, bar, next] {
    if (bar->wasCanceled()) return bar->deleteLater();
    if (pdf->step()) {
      bar->setValue(pdf->done());
      return next->start(0);
    }
    files_->write(file, [bytes = pdf->bytes()] { return bytes.toStdString(); });
    bar->deleteLater();
  });
  next->start(0);
}

QString Exports::askFile(const QString& title, const QString& name, const QString& filter) {
  return window_->fileDialogs().saveFile(QApplication::activeWindow(), title, name, filter);
}

void Exports::saveAs(const QString& title, const QString& name, const QString& filter,
                     std::function<std::string()> bytes) {
  const QString file = askFile(title, name, filter);
  if (!file.isEmpty()) files_->write(file, std::move(bytes));
}

/// Returns a name such as "scan-resn21.report.pdf".
QString Exports::fileName(const QString& what) const {
  QString name;
  if (const auto& scene = window_->workspace().sceneFacts())
    name = QFileInfo(QString::fromStdString(scene->name)).completeBaseName();
  if (window_->workspace().network())
    name += "-" + QString::fromStdString(window_->workspace().network()->name);
  return name + "." + what;
}

void Exports::addTo(QMenu* menu) const {
  for (QAction* action : window_->commands().all()) {
    const QString id = action->objectName();
    // Separates the groups: tables, and files of a comparison.
    if (id == "export.csv" || id == "export.compare_json") menu->addSeparator();
    if (id.startsWith("export.")) menu->addAction(action);
  }
}

}  // namespace spira::ui
