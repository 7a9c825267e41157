// The camera of the 3D view: orbit around the up axis, pan, zoom to the cursor, preset views, and rays
// through pixels.
#pragma once

#include "ui/view3d/tools/picking.hpp"
#include "ui/view3d/view_detail.hpp"

#include <QPointF>

#include <array>
#include <optional>
#include <span>
#include <vector>

class vtkRenderer;

namespace spira::ui {

/// Returns the bounds of the voxels: {x min, x max, y min, y max, z min, z max}. If `cut` is positive, the
/// bounds exclude stray points. The middle range of an axis is the range between its quantiles `cut` and `1 -
/// cut`. An axis has stray points if it is more than twice as long as its middle range. The bounds of such an
/// axis are its middle range, extended by a quarter of this range on each side. If the scene has only a few
/// voxels, the bounds include space around them.
[[nodiscard]] std::array<double, 6> bounds_of(const VoxelMesh* mesh, double cut);

/// The axis of the scene that points up: z, as in most scans, or y or -y, as in camera images.
enum class UpAxis { z, y, minus_y };

/// Positions are relative to the origin of the mesh. Pixels are device pixels from the lower left corner.
class ViewCamera {
 public:
  explicit ViewCamera(vtkRenderer* renderer) : renderer_(renderer) {}

  /// Moves the camera so that the bounds fit into the view. Keeps its direction.
  void frame(const std::array<double, 6>& bounds);
  /// Resets to an oblique view from above. See look() for `centres`.
  void reset(const std::array<double, 6>& bounds, std::span<const float> centres = {});
  /// Moves the camera as close as possible while the bounds stay visible with some margin. `direction` and
  /// `up` refer to a scene in which z is up. They are rotated to the current up axis. If `centres`, shape
  /// [voxels][3], contains many voxels, those inside the bounds stay visible instead of the corners of the
  /// bounds, which can be far away from them.
  void look(const std::array<double, 6>& bounds, const std::array<double, 3>& direction,
            const std::array<double, 3>& up, std::span<const float> centres = {});
  /// Repeats the last look() after the view was resized. Does nothing if the camera has been moved since the
  /// last look().
  void frameAgain();
  void setUp(UpAxis up) { up_ = up; }  ///< Takes effect at the next look() or orbit().
  [[nodiscard]] UpAxis up() const noexcept { return up_; }
  void orbit(double dx, double dy);                ///< `dx` and `dy` are in pixels.
  void pan(double dx, double dy);                  ///< `dx` and `dy` are in pixels.
  void zoom(double factor, const QPointF& pixel);  ///< Zooms. The point under the pixel stays in place.
  struct Pose {
    std::array<double, 3> position{}, focal{}, up{};
    bool operator==(const Pose&) const = default;
  };
  [[nodiscard]] Pose pose() const;
  void setPose(const Pose& pose);
  void focus(const std::array<double, 3>& point);  ///< Sets the point around which orbit() turns.
  /// Switches between orthographic and perspective projection. Objects at the focal point keep their size.
  void setOrthographic(bool orthographic);
  [[nodiscard]] bool orthographic() const;
  /// Keeps `bounds` inside the clipping range, even if they are larger than the scene. `nullopt` restores the
  /// clipping range of the scene.
  void include(const std::optional<std::array<double, 6>>& bounds);
  [[nodiscard]] ViewPoint viewPoint(double pixel_ratio) const;
  [[nodiscard]] Ray ray(const QPointF& pixel) const;
  /// Returns three vectors in world coordinates. They point to the right, up, and towards the viewer.
  [[nodiscard]] std::array<double, 9> axes() const;
  [[nodiscard]] double metresPerPixel() const;  ///< Returns the size of a pixel at the focal point.

 private:
  void fit_clipping();
  /// Moves the camera as look() does, so that the points relative to the centre of the bounds are visible.
  void fit(const std::array<double, 6>& bounds, const std::array<double, 3>& direction,
           const std::array<double, 3>& up, std::vector<std::array<double, 3>> outline);
  [[nodiscard]] double slope() const;   ///< Returns the tangent of half the view angle.
  [[nodiscard]] double aspect() const;  ///< Returns the width of the picture divided by its height.
  vtkRenderer* renderer_;
  UpAxis up_ = UpAxis::z;
  std::optional<std::array<double, 6>> included_;
  struct Framed {
    std::array<double, 6> bounds{};
    std::array<double, 3> direction{}, up{};
    std::vector<std::array<double, 3>> outline;
    Pose pose;
    double aspect = 1;
  };
  std::optional<Framed> framed_;  // Arguments and result of the last look().
};

}  // namespace spira::ui
