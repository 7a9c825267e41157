#include "ui/features/file_dialogs.hpp"

#include "engine/scene/reader.hpp"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace spira::ui {
namespace {

/// Returns the first file extension of a filter, such as "spira.json" for "Reports (*.spira.json *.json)".
QString first_ending(const QString& filter) {
  static const QRegularExpression pattern("\\*\\.([\\w.]+)");
  return pattern.match(filter).captured(1);
}

/// Returns the patterns for a list of extensions in lower and upper case, such as "*.pcd *.PCD" for ".pcd".
QStringList patterns_of(const QStringList& extensions) {
  QStringList patterns;
  for (const QString& extension : extensions)
    patterns += {"*" + extension, "*" + extension.toUpper()};
  patterns.removeDuplicates();
  return patterns;
}

}  // namespace

QString sceneFilters() {
  QStringList all;
  for (const FormatFacts& format : formats())
    all += QString::fromLatin1(format.extensions.data(), static_cast<qsizetype>(format.extensions.size()))
               .split(' ', Qt::SkipEmptyParts);
  const QStringList reports{".json"}, sessions{".spirasession"}, triples{".tsv", ".nt"};
  const auto text = [](const QStringList& extensions) { return patterns_of(extensions).join(' '); };
  return QCoreApplication::translate(
             "spira::ui::FileDialogs",
             "Scenes, reports, sessions (%1);;Reports (%2);;Sessions (%3);;All files (*)")
      .arg(text(all + reports + sessions + triples), text(reports), text(sessions));
}

void FileDialogs::setFolder(const QString& folder) {
  if (QFileInfo(folder).isDir()) folder_ = QFileInfo(folder).absoluteFilePath();
}

QString FileDialogs::saveFolder() const {
  if (!save_folder_.isEmpty()) return save_folder_;
  return QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
}

void FileDialogs::setSaveFolder(const QString& folder) {
  if (QFileInfo(folder).isDir()) save_folder_ = QFileInfo(folder).absoluteFilePath();
}

void FileDialogs::used(const QString& file) {
  if (!file.isEmpty()) setFolder(QFileInfo(file).absolutePath());
}

QString FileDialogs::openFile(QWidget* parent, const QString& title, const QString& filter) {
  QString file = QFileDialog::getOpenFileName(parent, title, folder_, filter);
  used(file);
  return file;
}

QStringList FileDialogs::openFiles(QWidget* parent, const QString& title, const QString& filter) {
  QStringList files = QFileDialog::getOpenFileNames(parent, title, folder_, filter);
  used(files.value(0));
  return files;
}

QString FileDialogs::openFolder(QWidget* parent, const QString& title) {
  QString folder = QFileDialog::getExistingDirectory(parent, title, folder_);
  setFolder(folder);
  return folder;
}

QString FileDialogs::saveFile(QWidget* parent, const QString& title, const QString& name,
                              const QString& filter) {
  QFileDialog dialog(parent, title, saveFolder(), filter);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  // The suffix must be set now, so that the dialog checks whether a file with the complete name exists.
  dialog.setDefaultSuffix(first_ending(filter));
  QObject::connect(&dialog, &QFileDialog::filterSelected,
                   [&dialog](const QString& chosen) { dialog.setDefaultSuffix(first_ending(chosen)); });
  if (QFileInfo(name).isAbsolute()) dialog.setDirectory(QFileInfo(name).absolutePath());
  dialog.selectFile(name);
  if (dialog.exec() != QDialog::Accepted) return {};
  QString file = dialog.selectedFiles().value(0);
  setSaveFolder(QFileInfo(file).absolutePath());
  return file;
}

}  // namespace spira::ui
