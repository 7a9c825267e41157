// What is computed about voxels that were drawn around: which they are, their densities, a file of them. On
// workers of their own, because the other one may be measuring a network.
#pragma once

#include "ui/jobs/job_runner.hpp"
#include "ui/model/chosen_rows.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <functional>
#include <memory>
#include <vector>

namespace spira::ui {

class SelectionJobs : public QObject {
  Q_OBJECT
 public:
  /// Finds rows of a level, ascending, on the worker.
  using FindRows = std::function<std::vector<std::int32_t>(const std::stop_token&)>;

  SelectionJobs(Workspace* workspace, Selection* selection, QObject* parent = nullptr);

  void choose(int stride, FindRows find, Combine how);
  void stopChoosing();  ///< what is still looked for is not chosen
  /// The voxels of stride 1 that keep a packing from fitting: those at or beyond `from_m` on some axis.
  void choosePast(const PackSpec& pack, const Point& from_m);
  void grow();                     ///< by the voxels that touch it; asked for twice it is done twice
  void invert();                   ///< all others of its stride that are shown
  void save(const QString& file);  ///< .ply, .npy or .csv

  [[nodiscard]] JobRunner* saving() const noexcept { return saving_; }
  [[nodiscard]] bool busy() const { return choosing_->busy() || counting_->busy(); }

 signals:
  /// Of the chosen voxels, at the outputs of the shown map; null: there are none, or not yet.
  void densitiesChanged(std::shared_ptr<const spira::Densities> densities);
  void failed(const spira::Error& error);

 private:
  using Make = std::function<std::shared_ptr<const ChosenRows>(const std::stop_token&)>;
  void start(const QString& title, Make make);
  void growBy(int steps);
  void follow();

  Workspace* workspace_;
  Selection* selection_;
  JobRunner *choosing_, *counting_, *saving_;
  int growths_ = 0;  // that are wanted, the one that runs included
};

}  // namespace spira::ui
