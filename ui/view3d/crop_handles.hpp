// The crop box in the 3D view: VTK's box with a handle on each face and one in the middle, drawn over the
// voxels so that no handle is hidden behind them.
#pragma once

#include <QColor>
#include <QPointF>

#include <array>
#include <memory>

class vtkRenderer;

namespace spira::ui {

/// Bounds are x from and to, y, z, relative to the origin of the mesh; pixels are device pixels from the
/// lower left corner of the view.
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

  /// Tints what is under the pointer. True: a handle is.
  bool hover(const QPointF& pixel);
  [[nodiscard]] int tinted() const;  ///< which handle is; any number for each
  /// True: a handle was taken, and drag() moves it until release().
  bool press(const QPointF& pixel);
  void drag(const QPointF& pixel);
  void release();
  [[nodiscard]] bool dragging() const;
  /// All of them can be reached in the picture.
  [[nodiscard]] bool inPicture() const;
  /// Where the middle handle of a face (0..5: -x +x -y +y -z +z) is; for tests that drag it.
  [[nodiscard]] QPointF handleAt(int face) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spira::ui
