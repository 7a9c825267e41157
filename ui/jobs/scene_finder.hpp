// Finds the scenes of recorded runs. A report contains no coordinates, only a fingerprint of the keys.
// Candidate files are read and voxelised in the thread pool with the settings of the run, until a file has
// the same fingerprint.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/report/report.hpp"
#include "ui/jobs/engine/scene_jobs.hpp"
#include "ui/jobs/tasks.hpp"

#include <QObject>
#include <QStringList>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace spira::ui {

/// Identifies the scene of a run. Runs with the same voxels can have read different positions of points.
struct SceneKey {
  std::uint64_t fingerprint = 0;            ///< SceneFacts::fingerprint.
  std::optional<PositionKind> positions{};  ///< Empty if no layer of the run was native.
  auto operator<=>(const SceneKey&) const = default;
};
[[nodiscard]] SceneKey scene_key(const Report& report);

class SceneFinder : public QObject {
  Q_OBJECT
 public:
  SceneFinder(Tasks& tasks, std::shared_ptr<const Registry> registry, QObject* parent = nullptr);

  /// Searches `files` for a file with the name of the scene. If the scene is a built-in scene, generates it
  /// again. Searches each scene only once. lookIn() searches again, in a file that the user chose.
  void look(const std::shared_ptr<const Report>& report, const QStringList& files);
  void lookIn(const std::shared_ptr<const Report>& report, const QString& file);
  /// Returns `nullptr` if the scene has not been found.
  [[nodiscard]] std::shared_ptr<const VoxelScene> sceneOf(const Report& report) const;
  [[nodiscard]] bool looksFor(const Report& report) const;
  /// Returns why the file that the user chose does not contain the scene. Returns an empty string if the user
  /// chose no file, or if the file contains the scene.
  [[nodiscard]] QString unavailableReason(const Report& report) const;
  /// Discards all other scenes, to free memory.
  void forgetAllBut(const std::set<SceneKey>& scenes);

 signals:
  void changed();

 private:
  struct Request {
    std::shared_ptr<const Report> report;
    QStringList files;
    bool chosen = false;
  };
  void next();

  std::shared_ptr<const Registry> registry_;
  std::vector<Request> waiting_;
  std::optional<SceneKey> at_work_;  // The scene that is being searched for. Empty if no search runs.
  std::set<SceneKey> looked_for_;
  std::map<SceneKey, std::shared_ptr<const VoxelScene>> found_;
  std::map<SceneKey, QString> why_not_;
  TaskSlot task_;
};

// Finds remedies if the open scene does not fit a network. This happens if the network needs more guard cells
// than the packing leaves.

/// Searches in the thread pool when the scene or the network changes. SceneJobs then offers the remedies.
class RepairFinder : public QObject {
  Q_OBJECT
 public:
  RepairFinder(Tasks& tasks, const Workspace* workspace, SceneJobs* scenes, QObject* parent = nullptr);
  [[nodiscard]] bool busy() const noexcept { return task_.busy(); }

 private:
  void follow();

  const Workspace* workspace_;
  SceneJobs* scenes_;
  TaskSlot task_;
};

}  // namespace spira::ui
