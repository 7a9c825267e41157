// The most recently opened files, stored in the state folder of the user.
#pragma once

#include "ui/settings/json_file.hpp"

#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace spira::ui {

struct RecentFile {
  QString path;         ///< Absolute path of the file, or of the folder of a sequence.
  bool pinned = false;  ///< Pinned files come first and are never dropped.
  /// Network and voxel size when the file was opened, such as "MinkUNet-42, voxels of 0.1 m".
  QString with;
  QString opened;  ///< Time of opening: ISO 8601 in local time.
};

[[nodiscard]] QStringList paths_of(const std::vector<RecentFile>& files);
/// Returns one name per path. This is the file name if it is unique. Otherwise, it is the shortest unique end
/// of the path, for example "seq-01/000000.bin".
[[nodiscard]] QStringList distinct_names(const QStringList& paths);

class RecentFiles {
 public:
  static constexpr int most = 15;  ///< Maximum number of files; pinned files may exceed it.

  /// If `state_folder` is empty, nothing is stored on disk.
  explicit RecentFiles(const QString& state_folder);
  /// Returns the pinned files first, then the other files from newest to oldest.
  [[nodiscard]] const std::vector<RecentFile>& all() const noexcept { return files_; }
  [[nodiscard]] QStringList files() const;
  // These functions read the file again before the change, because another window may have changed it. Then
  // they write the file immediately.
  void add(const QString& file, const QString& with = {});
  void setPinned(const QString& file, bool pinned);
  void remove(const QString& file);
  /// Inserts a removed file at its former position. Replaces an entry with the same path.
  void put(const RecentFile& file, int place);
  void clear();  ///< Removes all files that are not pinned.
  [[nodiscard]] const QString& notice() const noexcept { return file_.notice(); }

 private:
  void take(const QJsonObject& object);
  void change(const std::function<void()>& change);

  JsonFile file_;
  std::vector<RecentFile> files_;
};

}  // namespace spira::ui
