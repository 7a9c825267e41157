// The crop box while it is being chosen: view and panel edit it, and the scene is voxelised with it only when
// they commit.
#pragma once

#include "ui/model/workspace.hpp"

#include <QObject>

#include <optional>

namespace spira::ui {

class CropBox : public QObject {
  Q_OBJECT
 public:
  explicit CropBox(Workspace* workspace, QObject* parent = nullptr);

  /// The box is shown in the 3D view, with handles.
  [[nodiscard]] bool editing() const noexcept { return editing_; }
  /// As edited, else the crop of the Workspace, else the whole cloud; empty until its extents are known.
  [[nodiscard]] std::optional<Bounds> box() const;
  /// All points of the cloud, on whole voxels of the grid; empty until extents() are there.
  [[nodiscard]] std::optional<Bounds> whole() const;
  /// The lowest and highest coordinates of the cloud; empty until they were measured.
  [[nodiscard]] const std::optional<Bounds>& extents() const noexcept { return extents_; }
  /// Points in box(); empty: not counted yet.
  [[nodiscard]] std::optional<std::int64_t> kept() const;

  void setEditing(bool editing);
  void setBox(const Bounds& box);  ///< ends in any order
  void commit();                   ///< asks for the box to be applied
  void reset();                    ///< asks for all points
  // Of the jobs that count.
  void setExtents(const std::optional<Bounds>& extents);
  void setKept(const Bounds& box, std::int64_t points);

 signals:
  void editingChanged(bool editing);
  void boxChanged();
  void extentsChanged();
  void keptChanged();
  /// To be voxelised with; empty: all points.
  void applyRequested(const std::optional<spira::Bounds>& crop);

 private:
  void followRequest();

  Workspace* workspace_;
  bool editing_ = false;
  std::optional<Bounds> draft_, extents_, counted_;
  Grid applied_;
  std::int64_t kept_ = 0;  // points in counted_
};

}  // namespace spira::ui
