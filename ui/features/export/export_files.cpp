#include "ui/features/export/export_files.hpp"

#include "ui/features/file_dialogs.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/workspace.hpp"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QMainWindow>
#include <QStatusBar>

#include <utility>

namespace spira::ui {

ExportFiles::ExportFiles(const FeatureContext& context) : QObject(&context.window), context_(context) {
  connect(&writer_, &FileWriter::started, this, [this](const QString& file) {
    context_.window.statusBar()->showMessage(tr("Writing %1...").arg(QFileInfo(file).fileName()));
  });
  connect(&writer_, &FileWriter::finished, this, [this] {
    if (!writer_.busy()) context_.window.statusBar()->clearMessage();
  });
  connect(&writer_, &FileWriter::written, this, [this](const QString& file) {
    constexpr int long_enough_ms = 4000;
    context_.workspace.addLog(tr("written: %1").arg(file));
    context_.window.statusBar()->showMessage(tr("Written: %1").arg(QDir::toNativeSeparators(file)),
                                             long_enough_ms);
  });
  connect(&writer_, &FileWriter::failed, this,
          [this](const Error& error) { context_.notices.showError(error); });
}

QString ExportFiles::nameFor(const QString& content) const {
  QString name;
  if (const auto& scene = context_.workspace.sceneFacts())
    name = QFileInfo(QString::fromStdString(scene->name)).completeBaseName();
  if (const auto& network = context_.workspace.network()) name += "-" + QString::fromStdString(network->name);
  return name + "." + content;
}

QString ExportFiles::ask(const QString& title, const QString& name, const QString& filter) {
  return context_.dialogs.saveFile(QApplication::activeWindow(), title, name, filter);
}

void ExportFiles::saveAs(const QString& title, const QString& name, const QString& filter,
                         std::function<std::string()> bytes) {
  const QString file = ask(title, name, filter);
  if (!file.isEmpty()) writer_.write(file, std::move(bytes));
}

}  // namespace spira::ui
