// The crop box in the 3D view. It is VTK's box with one handle on each face and one in the middle. It is
// drawn over the voxels, so that they cannot cover a handle.
#pragma once

#include <QColor>
#include <QPointF>

#include <array>
#include <memory>

class vtkRenderer;

namespace spira::ui {

/// Bounds are {x min, x max, y min, y max, z min, z max}, relative to the origin of the mesh. Pixels are
/// device pixels from the lower left corner of the view.
class CropHandles {
 public:
  explicit CropHandles(vtkRenderer* scene);
  ~CropHandles();
  CropHandles(const CropHandles&) = delete;
  CropHandles& operator=(const CropHandles&) = delete;

  void show(bool visible);
  void setBounds(const std::array<double, 6>& bounds);
  [[nodiscard]] std::array<double, 6> bounds() const;
  void setColours(const QColor& line, const QColor& active);
  void setPixelRatio(double ratio);

  /// Highlights the handle under the pointer. Returns true if there is a handle.
  bool hover(const QPointF& pixel);
  /// Returns VTK's interaction state, which identifies the highlighted handle.
  [[nodiscard]] int tinted() const;
  /// Returns true if the pixel is on a handle. drag() then moves this handle until release() is called.
  bool press(const QPointF& pixel);
  void drag(const QPointF& pixel);
  void release();
  [[nodiscard]] bool dragging() const;
  /// Returns true if all handles are visible in the view.
  [[nodiscard]] bool inPicture() const;
  /// Returns the position of the handle of a face (0..5: -x +x -y +y -z +z), for tests that drag it.
  [[nodiscard]] QPointF handleAt(int face) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
