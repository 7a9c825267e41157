// How each scene was looked at when it was left, kept in the state folder: a session without its file.
#pragma once

#include "ui/settings/json_file.hpp"

#include <QString>

#include <functional>
#include <vector>

namespace spira::ui {

class SceneMemory {
 public:
  static constexpr std::size_t most = 60;  ///< scenes; the one that was left longest ago is forgotten

  explicit SceneMemory(const QString& state_folder);  ///< empty: nothing is kept
  /// `session`: as session_json() writes it. At once; another window may have written since.
  void keep(const QString& scene, const QString& session);
  [[nodiscard]] QString of(const QString& scene) const;  ///< empty: it is not known
  void forget(const QString& scene);
  void clear();
  [[nodiscard]] const QString& notice() const noexcept { return file_.notice(); }

 private:
  struct Left {
    QString path, session;
  };
  void take(const QJsonObject& object);
  void change(const std::function<void()>& change);

  JsonFile file_;
  std::vector<Left> scenes_;  // newest first
};

}  // namespace spira::ui
