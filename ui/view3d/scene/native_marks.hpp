// The selected row of a native layer in the 3D view: its local cells, its ball and its inputs. The cells
// slide between the point of the row and the voxel of the row.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/view3d/voxels/native_marker.hpp"

#include <QObject>
#include <QVariantAnimation>

#include <array>
#include <optional>
#include <vector>

namespace spira::ui {

class SceneCanvas;
class Theme;

class NativeMarks : public QObject {
  Q_OBJECT
 public:
  NativeMarks(Selection* selection, Theme* theme, SceneCanvas* canvas);

  /// Sets the row that is shown, with the selected columns. An empty value removes it.
  void set(std::optional<NativeRow> row, std::vector<int> columns);
  [[nodiscard]] const std::optional<NativeRow>& row() const noexcept { return row_; }
  /// Returns the marks in positions on the canvas. Returns an empty value if there is no row, or if its cells
  /// are too small on the screen.
  [[nodiscard]] std::optional<NativeMarker> marker() const;
  /// Returns the positions of the inputs, relative to the origin of the mesh.
  [[nodiscard]] std::vector<std::array<double, 3>> inputPlaces() const;
  /// Moves the cells to this share while an animation of a lesson controls them. An empty value ends this.
  void hold(const std::optional<double>& share);
  void setCalm(bool calm) { calm_ = calm; }  ///< If true, the cells jump to their new position.
  void finish();                             ///< Ends the animation.
  [[nodiscard]] bool settled() const { return slide_.state() != QAbstractAnimation::Running; }
  /// Returns 0 if the cells are centred on the voxel, and 1 if they are centred on the point.
  [[nodiscard]] double share() const noexcept { return share_; }

 signals:
  void moved();  ///< Emitted after the cells have moved.

 private:
  struct Cells;
  void followLook();
  [[nodiscard]] std::array<double, 3> placeOf(const Point& point) const;
  [[nodiscard]] Cells cells() const;
  void addEdges(const Cells& cells, NativeMarker& marker) const;
  void addChosen(const Cells& cells, NativeMarker& marker) const;
  void addBall(NativeMarker& marker) const;
  void addInputs(NativeMarker& marker) const;
  [[nodiscard]] QPolygonF onCanvas(const std::vector<std::array<double, 3>>& places) const;

  Selection* selection_;
  Theme* theme_;
  SceneCanvas* canvas_;
  QVariantAnimation slide_;
  std::optional<NativeRow> row_;
  std::vector<int> columns_;
  double share_ = 1;
  bool held_ = false;  // True if an animation of a lesson controls the cells.
  bool calm_ = false;
};

}  // namespace spira::ui
