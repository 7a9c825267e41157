// File dialogs. Open dialogs start in the folder of the last opened file. Save dialogs start in the folder of
// the last saved file, so that results are not written between the files of a data set.
#pragma once

#include <QString>
#include <QStringList>

class QWidget;

namespace spira::ui {

/// Returns the filters of File > Open. The first filter contains the extensions of formats(), reports and
/// sessions. Each extension is listed in lower and upper case, because some platforms have case-sensitive
/// file names.
[[nodiscard]] QString sceneFilters();

class FileDialogs {
 public:
  /// Returns an empty string if no file has been opened yet.
  [[nodiscard]] const QString& folder() const noexcept { return folder_; }
  void setFolder(const QString& folder);  ///< Ignores a folder that does not exist.
  /// Returns the documents folder of the user if no file has been saved yet.
  [[nodiscard]] QString saveFolder() const;
  void setSaveFolder(const QString& folder);  ///< Ignores a folder that does not exist.
  /// Stores the folder of a file that was opened without a dialog: by a drop, as a recent file, or from the
  /// command line.
  void used(const QString& file);

  // The dialog functions return an empty value if the user cancels.
  [[nodiscard]] QString openFile(QWidget* parent, const QString& title, const QString& filter = {});
  [[nodiscard]] QStringList openFiles(QWidget* parent, const QString& title, const QString& filter = {});
  [[nodiscard]] QString openFolder(QWidget* parent, const QString& title);
  /// Asks for the name of a file to save. `name` is the proposed name and may include a folder. A name
  /// without a suffix gets the first suffix of `filter`.
  [[nodiscard]] QString saveFile(QWidget* parent, const QString& title, const QString& name,
                                 const QString& filter);

 private:
  QString folder_, save_folder_;
};

}  // namespace spira::ui
