#include "ui/window/recent_files.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace spira::ui {

RecentFiles::RecentFiles(const QString& state_folder) {
  if (state_folder.isEmpty()) return;
  path_ = state_folder + "/recent.txt";
  QFile file(path_);
  if (!file.open(QIODevice::ReadOnly)) return;  // the first start
  for (const QByteArray& line : file.read(1 << 16).split('\n')) {
    if (!line.isEmpty()) files_.append(QString::fromUtf8(line));
  }
}

void RecentFiles::add(const QString& file) {
  constexpr int most = 15;
  const QString whole = QFileInfo(file).absoluteFilePath();
  if (whole.contains('\n')) return;
  files_.removeAll(whole);
  files_.prepend(whole);
  while (files_.size() > most)
    files_.removeLast();
  if (path_.isEmpty()) return;
  QDir().mkpath(QFileInfo(path_).path());
  QSaveFile out(path_);
  if (out.open(QIODevice::WriteOnly)) {
    out.write(files_.join('\n').toUtf8());
    out.commit();
  }
}

}  // namespace spira::ui
