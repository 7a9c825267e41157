// The camera of the 3D view: orbit around the axis that is up, pan, zoom to the cursor, presets; and rays
// through pixels.
#pragma once

#include "ui/view3d/picking.hpp"
#include "ui/view3d/view_detail.hpp"

#include <QPointF>

#include <array>
#include <optional>

class vtkRenderer;

namespace spira::ui {

/// Bounds of the voxels, x from and to, y, z. With a `cut` an axis that is more than twice as long as what
/// lies between its quantiles `cut` and 1 - `cut` has strays: of it that, and a quarter more on each side. A
/// few voxels alone are seen with room around them.
[[nodiscard]] std::array<double, 6> bounds_of(const VoxelMesh* mesh, double cut);

/// Which axis of the scene points up: z as in most scans, or y up or down as in pictures of cameras.
enum class UpAxis { z, y, minus_y };

/// Positions are relative to the origin of the mesh; pixels are device pixels from the lower left corner.
class ViewCamera {
 public:
  explicit ViewCamera(vtkRenderer* renderer) : renderer_(renderer) {}

  void frame(const std::array<double, 6>& bounds);  ///< all in view, direction kept
  void reset(const std::array<double, 6>& bounds);  ///< oblique from above
  /// As near as all of it is in the picture, with some room. Where z is up; turned as the up axis is.
  void look(const std::array<double, 6>& bounds, const std::array<double, 3>& direction,
            const std::array<double, 3>& up);
  /// After the picture changed its size; what somebody turned since stays as it is.
  void frameAgain();
  void setUp(UpAxis up) { up_ = up; }  ///< from the next look() or orbit() on
  [[nodiscard]] UpAxis up() const noexcept { return up_; }
  void orbit(double dx, double dy);                ///< pixels
  void pan(double dx, double dy);                  ///< pixels
  void zoom(double factor, const QPointF& pixel);  ///< keeps the point under the pixel there
  struct Pose {
    std::array<double, 3> position{}, focal{}, up{};
    bool operator==(const Pose&) const = default;
  };
  [[nodiscard]] Pose pose() const;
  void setPose(const Pose& pose);
  void focus(const std::array<double, 3>& point);  ///< becomes the centre of orbits
  /// Parallel rays instead of those that meet in the eye; what is at the focal point keeps its size.
  void setOrthographic(bool orthographic);
  [[nodiscard]] bool orthographic() const;
  /// Something larger than the scene that must not be cut off by the clipping range; empty: nothing.
  void include(const std::optional<std::array<double, 6>>& bounds);
  [[nodiscard]] ViewPoint viewPoint(double pixel_ratio) const;
  [[nodiscard]] Ray ray(const QPointF& pixel) const;
  [[nodiscard]] std::array<double, 9> axes() const;  ///< right, up and towards-viewer in world coordinates
  [[nodiscard]] double metresPerPixel() const;       ///< at the focal point

 private:
  void fit_clipping();
  [[nodiscard]] double aspect() const;  ///< width of the picture as a multiple of its height
  vtkRenderer* renderer_;
  UpAxis up_ = UpAxis::z;
  std::optional<std::array<double, 6>> included_;
  struct Framed {
    std::array<double, 6> bounds{};
    std::array<double, 3> direction{}, up{};
    Pose pose;
    double aspect = 1;
  };
  std::optional<Framed> framed_;  // what look() made of it last
};

}  // namespace spira::ui
