// The parts of the 3D view, and the object that stores which of them are hidden. The tree, the view and the
// menu read and write this object.
#pragma once

#include <QObject>
#include <QString>

#include <array>
#include <optional>
#include <set>

namespace spira::ui {

enum class ViewPart {
  voxels,
  points,      ///< Points in voxels near the camera. Only scenes with positions have them.
  highlights,  ///< Selected voxels, and the neighbours of the selected voxel.
  crop_box,
  outside,  ///< Points outside the crop. Drawn only while the crop box is shown.
  axes,
  grid,
  baseline,  ///< Voxels of the compared scene.
};
inline constexpr std::array view_parts{ViewPart::voxels,   ViewPart::points,  ViewPart::highlights,
                                       ViewPart::crop_box, ViewPart::outside, ViewPart::axes,
                                       ViewPart::grid,     ViewPart::baseline};

/// Returns the display name, for example "Voxels".
[[nodiscard]] QString text_of(ViewPart part);

struct PartsShown {
  std::set<ViewPart> hidden{ViewPart::crop_box, ViewPart::grid};
  /// If set, only this part is shown. `hidden` applies again after `alone` is reset.
  std::optional<ViewPart> alone;
  [[nodiscard]] bool shows(ViewPart part) const { return alone ? part == *alone : hidden.count(part) == 0; }
  bool operator==(const PartsShown&) const = default;
};

class ViewParts : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  [[nodiscard]] const PartsShown& shown() const noexcept { return shown_; }
  [[nodiscard]] bool shows(ViewPart part) const { return shown_.shows(part); }
  void set(const PartsShown& shown);
  /// Shows or hides a part. If another part was shown alone, this mode ends, and the parts that the mode hid
  /// stay hidden.
  void show(ViewPart part, bool shown);
  void toggle(ViewPart part) { show(part, !shows(part)); }
  void toggleAlone(ViewPart part);  ///< Shows only this part. The second call restores the other parts.

 signals:
  void changed();

 private:
  PartsShown shown_;
};

}  // namespace spira::ui
