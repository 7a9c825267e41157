// The parts of the 3D view, and which of them are hidden. The one owner; tree, view and menu read and write
// it here.
#pragma once

#include <QObject>
#include <QString>

#include <array>
#include <optional>
#include <set>

namespace spira::ui {

enum class ViewPart {
  voxels,
  highlights,  ///< what is chosen and drawn around, with the neighbours of the chosen voxel
  crop_box,
  outside,  ///< points that the crop leaves out; they come with its box
  axes,     ///< and the scale bar
  grid,
  baseline,  ///< voxels of the scene beside the open one
};
inline constexpr std::array view_parts{ViewPart::voxels,  ViewPart::highlights, ViewPart::crop_box,
                                       ViewPart::outside, ViewPart::axes,       ViewPart::grid,
                                       ViewPart::baseline};

/// "Voxels", as a list has it.
[[nodiscard]] QString text_of(ViewPart part);

struct PartsShown {
  std::set<ViewPart> hidden{ViewPart::crop_box, ViewPart::grid};
  std::optional<ViewPart> alone;  ///< that one only; what is hidden besides is as it was when this ends
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
  /// While a part is shown alone, this ends it: what it hid stays hidden but for `part`.
  void show(ViewPart part, bool shown);
  void toggle(ViewPart part) { show(part, !shows(part)); }
  void toggleAlone(ViewPart part);  ///< alone; the second time all others as they were

 signals:
  void changed();

 private:
  PartsShown shown_;
};

}  // namespace spira::ui
