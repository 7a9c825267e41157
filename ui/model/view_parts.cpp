#include "ui/model/view_parts.hpp"

namespace spira::ui {

QString text_of(ViewPart part) {
  switch (part) {
    case ViewPart::voxels:
      return ViewParts::tr("Voxels");
    case ViewPart::points:
      return ViewParts::tr("Points");
    case ViewPart::highlights:
      return ViewParts::tr("Highlights");
    case ViewPart::crop_box:
      return ViewParts::tr("Crop box");
    case ViewPart::outside:
      return ViewParts::tr("Points outside the crop");
    case ViewPart::axes:
      return ViewParts::tr("Axes and scale bar");
    case ViewPart::grid:
      return ViewParts::tr("Ground grid");
    case ViewPart::baseline:
      break;
  }
  return ViewParts::tr("Baseline scene");
}

void ViewParts::set(const PartsShown& shown) {
  if (shown == shown_) return;
  shown_ = shown;
  emit changed();
}

void ViewParts::show(ViewPart part, bool shown) {
  if (shows(part) == shown) return;
  PartsShown next;
  next.hidden.clear();
  for (const ViewPart each : view_parts) {
    if (!(each == part ? shown : shows(each))) next.hidden.insert(each);
  }
  set(next);
}

void ViewParts::toggleAlone(ViewPart part) {
  PartsShown next = shown_;
  if (next.alone == part) {
    next.alone.reset();
  } else {
    next.alone = part;
  }
  set(next);
}

}  // namespace spira::ui
