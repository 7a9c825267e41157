// Asks for files. Each dialog begins in the folder of what was opened or saved last.
#pragma once

#include <QString>
#include <QStringList>

class QWidget;

namespace spira::ui {

/// Returns the filters of File > Open. The first one lists every extension of formats() and those of reports
/// and sessions, in lower and in upper case: some platforms compare the case of a file name.
[[nodiscard]] QString sceneFilters();

class FileDialogs {
 public:
  /// Empty: nothing was opened or saved yet.
  [[nodiscard]] const QString& folder() const noexcept { return folder_; }
  void setFolder(const QString& folder);  ///< one that is not there is left out
  /// By something else than a dialog: a drop, a recent file, the command line.
  void used(const QString& file);

  // Empty: it was cancelled.
  [[nodiscard]] QString openFile(QWidget* parent, const QString& title, const QString& filter = {});
  [[nodiscard]] QStringList openFiles(QWidget* parent, const QString& title);
  [[nodiscard]] QString openFolder(QWidget* parent, const QString& title);
  /// `name` is proposed, with its folder where it has one; a name without an ending gets the first one of
  /// `filter`.
  [[nodiscard]] QString saveFile(QWidget* parent, const QString& title, const QString& name,
                                 const QString& filter);

 private:
  QString folder_;
};

}  // namespace spira::ui
