// The files opened last, kept in the state folder of the user.
#pragma once

#include "ui/settings/json_file.hpp"

#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace spira::ui {

struct RecentFile {
  QString path;         ///< absolute; a folder of a sequence
  bool pinned = false;  ///< stands first and is never dropped
  QString with;         ///< what else was open: "MinkUNet-42, voxels of 0.1 m"
  QString opened;       ///< when: ISO 8601 with the local time
};

class RecentFiles {
 public:
  static constexpr int most = 15;  ///< more only where more are pinned

  explicit RecentFiles(const QString& state_folder);  ///< empty: nothing is kept
  /// Pinned ones first, then newest first.
  [[nodiscard]] const std::vector<RecentFile>& all() const noexcept { return files_; }
  [[nodiscard]] QStringList files() const;  ///< their paths
  // Each is written at once. Another window may have written since: its entries are read first.
  void add(const QString& file, const QString& with = {});
  void setPinned(const QString& file, bool pinned);
  void remove(const QString& file);
  void put(const RecentFile& file, int place);  ///< back where it was; what has its path goes
  void clear();                                 ///< all that are not pinned
  [[nodiscard]] const QString& notice() const noexcept { return file_.notice(); }

 private:
  void take(const QJsonObject& object);
  /// On what the file holds by then.
  void change(const std::function<void()>& change);

  JsonFile file_;
  std::vector<RecentFile> files_;
};

}  // namespace spira::ui
