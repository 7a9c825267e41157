// Accessors for the features that still receive the window.
#include "ui/window/application.hpp"

namespace spira::ui {

Workspace& MainWindow::workspace() {
  return application_.workspace_;
}

Selection& MainWindow::selection() {
  return application_.selection_;
}

EngineJobs& MainWindow::jobs() {
  return application_.jobs_;
}

SelectionJobs& MainWindow::selectionJobs() {
  return application_.selecting_jobs_;
}

Theme& MainWindow::theme() {
  return application_.theme_;
}

SceneView& MainWindow::sceneView() {
  return application_.view_;
}

Lessons& MainWindow::lessons() {
  return application_.lessons_;
}

Surveys& MainWindow::surveys() {
  return application_.surveys_;
}

Exports& MainWindow::exports() {
  return application_.exports_;
}

Notices& MainWindow::notices() {
  return application_.notices_;
}

DockLayout& MainWindow::dockLayout() {
  return application_.docks_;
}

SweepPanel& MainWindow::sweepPanel() {
  return *application_.panels_.sweep;
}

TimelinePanel& MainWindow::timelinePanel() {
  return *application_.panels_.timeline;
}

SummaryPanel& MainWindow::summaryPanel() {
  return *application_.panels_.summary;
}

ProfileTools& MainWindow::profileTools() {
  return application_.profiles_;
}

Settings& MainWindow::settings() {
  return application_.settings_;
}

RecentFiles& MainWindow::recentFiles() {
  return application_.recent_files_;
}

FileDialogs& MainWindow::fileDialogs() {
  return application_.dialogs_;
}

UnsavedResults& MainWindow::unsavedResults() {
  return application_.unsaved_;
}

SessionState MainWindow::session() const {
  return application_.sessions_.state();
}

QString MainWindow::whyNoSession() const {
  return application_.sessions_.whyNone();
}

void MainWindow::open(const QString& scene) {
  application_.opening_.open(scene);
}

}  // namespace spira::ui
