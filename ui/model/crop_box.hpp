// State of the crop box while the user edits the box in the 3D view or in the panel. The scene is voxelised
// with the new box only after commit().
#pragma once

#include "engine/voxel/grid.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <optional>

namespace spira::ui {

class CropBox : public QObject {
  Q_OBJECT
 public:
  explicit CropBox(Workspace* workspace, QObject* parent = nullptr);

  /// Returns true if the 3D view shows the box with its handles.
  [[nodiscard]] bool editing() const noexcept { return editing_; }
  /// Returns the edited box. If the user has not edited the box, returns the crop of the Workspace, or the
  /// whole cloud if there is no crop. Returns an empty value until extents() are known.
  [[nodiscard]] std::optional<Bounds> box() const;
  /// Returns the smallest box of whole voxels that contains extents(). Returns an empty value until extents()
  /// are known.
  [[nodiscard]] std::optional<Bounds> whole() const;
  /// Returns the lowest and highest coordinates of the cloud. Returns an empty value until they have been
  /// measured.
  [[nodiscard]] const std::optional<Bounds>& extents() const noexcept { return extents_; }
  /// Returns the number of points in box(). Returns an empty value if the points have not been counted yet.
  [[nodiscard]] std::optional<std::int64_t> kept() const;

  void setEditing(bool editing);
  void setBox(const Bounds& box);  ///< Sets the edited box. `low` and `high` may be swapped.
  void commit();                   ///< Requests the edited box as the new crop.
  void reset();                    ///< Requests that the crop is removed.
  // The setters below take the results of background jobs, which measure the extents and count the points.
  void setExtents(const std::optional<Bounds>& extents);
  void setKept(const Bounds& box, std::int64_t points);

 signals:
  void editingChanged(bool editing);
  void boxChanged();
  void extentsChanged();
  void keptChanged();
  /// Requests that the scene is voxelised with this crop. An empty `crop` keeps all points.
  void applyRequested(const std::optional<spira::Bounds>& crop);

 private:
  void followGrid();

  Workspace* workspace_;
  bool editing_ = false;
  std::optional<Bounds> draft_, extents_, counted_;
  Grid applied_;
  std::int64_t kept_ = 0;  // Number of points in the box `counted_`.
};

}  // namespace spira::ui
