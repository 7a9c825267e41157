// The files opened last, kept in the state folder of the user.
#pragma once

#include <QString>
#include <QStringList>

namespace spira::ui {

class RecentFiles {
 public:
  explicit RecentFiles(const QString& state_folder);  ///< empty: nothing is kept
  [[nodiscard]] const QStringList& files() const noexcept { return files_; }
  void add(const QString& file);  ///< newest first, 15 at the most; written at once

 private:
  QString path_;
  QStringList files_;
};

}  // namespace spira::ui
