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

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace spira::ui {

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
  /// Discards all scenes with other fingerprints, to free memory.
  void forgetAllBut(const std::set<std::uint64_t>& fingerprints);

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
  std::uint64_t at_work_ = 0;  // Fingerprint of the scene that is being searched for. 0 if no search runs.
  std::set<std::uint64_t> looked_for_;
  std::map<std::uint64_t, std::shared_ptr<const VoxelScene>> found_;
  std::map<std::uint64_t, QString> why_not_;
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
