#include "ui/settings/recent_files.hpp"

#include <QDateTime>
#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>

namespace spira::ui {

QStringList paths_of(const std::vector<RecentFile>& files) {
  QStringList paths;
  for (const RecentFile& file : files)
    paths.append(file.path);
  return paths;
}

QStringList distinct_names(const QStringList& paths) {
  QStringList names;
  for (const QString& path : paths) {
    QString name;
    bool unique = false;
    for (qsizetype parts = 1; !unique && parts <= path.count('/') + 1; ++parts) {
      name = path.section('/', -parts, -1);
      unique = std::none_of(paths.begin(), paths.end(), [&](const QString& other) {
        return other != path && other.section('/', -parts, -1) == name;
      });
    }
    names += name;
  }
  return names;
}

RecentFiles::RecentFiles(const QString& state_folder)
    : file_(state_folder.isEmpty() ? QString() : state_folder + "/recent.json", "spirascope.recent", 1) {
  take(file_.read());
}

void RecentFiles::take(const QJsonObject& object) {
  files_.clear();
  const QJsonArray entries = object["files"].toArray();
  for (const auto& value : entries) {
    const QJsonObject entry = value.toObject();
    if (!entry["path"].toString().isEmpty())
      files_.push_back({entry["path"].toString(), entry["pinned"].toBool(), entry["with"].toString(),
                        entry["opened"].toString()});
  }
}

QStringList RecentFiles::files() const {
  return paths_of(files_);
}

void RecentFiles::change(const std::function<void()>& change) {
  const auto make = [&] {
    change();
    std::stable_sort(files_.begin(), files_.end(),
                     [](const RecentFile& a, const RecentFile& b) { return a.pinned && !b.pinned; });
    while (files_.size() > most && !files_.back().pinned)
      files_.pop_back();
  };
  if (file_.path().isEmpty()) return make();
  file_.change({}, [&](QJsonObject& object) {
    take(object);
    make();
    QJsonArray entries;
    for (const RecentFile& file : files_)
      entries.append(QJsonObject{
          {"path", file.path}, {"pinned", file.pinned}, {"with", file.with}, {"opened", file.opened}});
    object["files"] = entries;
  });
}

void RecentFiles::add(const QString& file, const QString& with) {
  const QString whole = QFileInfo(file).absoluteFilePath();
  change([&] {
    RecentFile entry{whole, false, with, QDateTime::currentDateTime().toString(Qt::ISODate)};
    std::erase_if(files_, [&](const RecentFile& other) {
      if (other.path == whole) entry.pinned = other.pinned;
      return other.path == whole;
    });
    files_.insert(files_.begin(), entry);
  });
}

void RecentFiles::setPinned(const QString& file, bool pinned) {
  change([&] {
    for (RecentFile& entry : files_) {
      if (entry.path == file) entry.pinned = pinned;
    }
  });
}

void RecentFiles::remove(const QString& file) {
  change([&] { std::erase_if(files_, [&](const RecentFile& entry) { return entry.path == file; }); });
}

void RecentFiles::put(const RecentFile& file, int place) {
  change([&] {
    std::erase_if(files_, [&](const RecentFile& other) { return other.path == file.path; });
    files_.insert(files_.begin() + std::clamp(place, 0, static_cast<int>(files_.size())), file);
  });
}

void RecentFiles::clear() {
  change([&] { std::erase_if(files_, [](const RecentFile& entry) { return !entry.pinned; }); });
}

}  // namespace spira::ui
