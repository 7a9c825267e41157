// File dialogs. Each starts in the folder of the last file that was opened or saved.
#pragma once

#include <QString>
#include <QStringList>

class QWidget;

namespace spira::ui {

/// Returns the filters of File > Open. The first filter lists the extensions of formats(), reports and
/// sessions. It lists them in lower and in upper case, because some platforms compare the case of a file
/// name.
[[nodiscard]] QString sceneFilters();

class FileDialogs {
 public:
  /// Returns an empty string if no file was opened or saved yet.
  [[nodiscard]] const QString& folder() const noexcept { return folder_; }
  void setFolder(const QString& folder);  ///< Ignores a folder that does not exist.
  /// Remembers the folder of a file that was opened without a dialog: by a drop, as a recent file, or on the
  /// command line.
  void used(const QString& file);

  // These functions return an empty value if the user cancels.
  [[nodiscard]] QString openFile(QWidget* parent, const QString& title, const QString& filter = {});
  [[nodiscard]] QStringList openFiles(QWidget* parent, const QString& title);
  [[nodiscard]] QString openFolder(QWidget* parent, const QString& title);
  /// `name` is the proposed name and may include a folder. A name without a suffix gets the first suffix of
  /// `filter`.
  [[nodiscard]] QString saveFile(QWidget* parent, const QString& title, const QString& name,
                                 const QString& filter);

 private:
  QString folder_;
};

}  // namespace spira::ui
