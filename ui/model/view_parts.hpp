// The parts of the 3D view and which of them are hidden. This is their only storage; tree, view and menu read
// and write it here.
#pragma once

#include <QObject>
#include <QString>

#include <array>
#include <optional>
#include <set>

namespace spira::ui {

enum class ViewPart {
  voxels,
  highlights,  ///< Chosen voxels and the neighbours of the chosen voxel.
  crop_box,
  outside,  ///< Points outside the crop; shown only with the crop box.
  axes,     ///< Axes and scale bar.
  grid,
  baseline,  ///< Voxels of the compared scene.
};
inline constexpr std::array view_parts{ViewPart::voxels,  ViewPart::highlights, ViewPart::crop_box,
                                       ViewPart::outside, ViewPart::axes,       ViewPart::grid,
                                       ViewPart::baseline};

/// Returns the display name, for example "Voxels".
[[nodiscard]] QString text_of(ViewPart part);

struct PartsShown {
  std::set<ViewPart> hidden{ViewPart::crop_box, ViewPart::grid};
  /// If set, only this part is shown; `hidden` applies again when it is reset.
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
  /// Shows or hides a part. If another part is shown alone, ends that mode: all other parts stay hidden,
  /// except `part`.
  void show(ViewPart part, bool shown);
  void toggle(ViewPart part) { show(part, !shows(part)); }
  void toggleAlone(ViewPart part);  ///< Shows the part alone; the second call restores the others.

 signals:
  void changed();

 private:
  PartsShown shown_;
};

}  // namespace spira::ui
