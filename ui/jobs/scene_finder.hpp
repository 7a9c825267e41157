// Finds the scenes that recorded runs are of: a report carries no coordinates, but a fingerprint of its keys.
// Files that may be the scene are read and voxelised on a worker as the run did it, until one has the same.
#pragma once

#include "engine/backend/registry.hpp"
#include "engine/report/report.hpp"
#include "ui/jobs/job_runner.hpp"

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
  explicit SceneFinder(std::shared_ptr<const Registry> registry, QObject* parent = nullptr);
  ~SceneFinder() override;
  SceneFinder(const SceneFinder&) = delete;
  SceneFinder& operator=(const SceneFinder&) = delete;

  /// Among `files`, those that are named as the scene is; a built-in scene is made again. Once a report,
  /// unless files that were chosen for it are given to `lookIn`.
  void look(const std::shared_ptr<const Report>& report, const QStringList& files);
  void lookIn(const std::shared_ptr<const Report>& report, const QString& file);
  /// Null: not found, or not yet.
  [[nodiscard]] std::shared_ptr<const VoxelScene> sceneOf(const Report& report) const;
  [[nodiscard]] bool looksFor(const Report& report) const;
  /// What a file that was chosen for it is instead; empty: none was.
  [[nodiscard]] QString whyNot(const Report& report) const;
  void forgetAllBut(const std::set<std::uint64_t>& fingerprints);  ///< scenes take memory

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
  JobRunner* runner_;
  std::vector<Request> waiting_;
  std::uint64_t at_work_ = 0;  // fingerprint; 0: nothing is looked for
  std::set<std::uint64_t> looked_for_;
  std::map<std::uint64_t, std::shared_ptr<const VoxelScene>> found_;
  std::map<std::uint64_t, QString> why_not_;
};

}  // namespace spira::ui
