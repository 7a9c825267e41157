#include "ui/settings/scene_memory.hpp"

#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>

namespace spira::ui {
namespace {

QString whole(const QString& scene) {
  return QFileInfo(scene).absoluteFilePath();
}

}  // namespace

SceneMemory::SceneMemory(const QString& state_folder)
    : file_(state_folder.isEmpty() ? QString() : state_folder + "/scenes.json", "spirascope.scenes", 1) {
  take(file_.read());
}

void SceneMemory::take(const QJsonObject& object) {
  scenes_.clear();
  const QJsonArray entries = object["scenes"].toArray();
  for (const auto& value : entries) {
    const QJsonObject entry = value.toObject();
    const Left left{entry["path"].toString(), entry["session"].toString()};
    if (!left.path.isEmpty() && !left.session.isEmpty()) scenes_.push_back(left);
  }
}

void SceneMemory::change(const std::function<void()>& change) {
  if (file_.path().isEmpty()) return;
  file_.change({}, [&](QJsonObject& object) {
    take(object);
    change();
    if (scenes_.size() > most) scenes_.resize(most);
    QJsonArray entries;
    for (const Left& left : scenes_)
      entries.append(QJsonObject{{"path", left.path}, {"session", left.session}});
    object["scenes"] = entries;
  });
}

void SceneMemory::keep(const QString& scene, const QString& session) {
  change([&] {
    std::erase_if(scenes_, [path = whole(scene)](const Left& left) { return left.path == path; });
    scenes_.insert(scenes_.begin(), {whole(scene), session});
  });
}

void SceneMemory::forget(const QString& scene) {
  change(
      [&] { std::erase_if(scenes_, [path = whole(scene)](const Left& left) { return left.path == path; }); });
}

QString SceneMemory::of(const QString& scene) const {
  const auto found = std::find_if(scenes_.begin(), scenes_.end(),
                                  [path = whole(scene)](const Left& left) { return left.path == path; });
  return found == scenes_.end() ? QString() : found->session;
}

void SceneMemory::clear() {
  change([&] { scenes_.clear(); });
}

}  // namespace spira::ui
