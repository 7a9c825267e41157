// Stores the view of each scene when the user leaves the scene. A view is stored in the state folder as the
// text of a session.
#pragma once

#include "ui/settings/json_file.hpp"

#include <QString>

#include <functional>
#include <vector>

namespace spira::ui {

class SceneMemory {
 public:
  /// Maximum number of scenes. If there are more, the scene that the user left longest ago is discarded.
  static constexpr std::size_t most = 60;

  explicit SceneMemory(const QString& state_folder);  ///< If `state_folder` is empty, nothing is stored.
  /// Stores `session`, a text from session_json(), as the view of a scene. Writes the file immediately, and
  /// keeps the scenes that another window has stored.
  void keep(const QString& scene, const QString& session);
  [[nodiscard]] QString of(const QString& scene) const;  ///< Returns an empty string if the scene is unknown.
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
  std::vector<Left> scenes_;  // The newest scene is first.
};

}  // namespace spira::ui
