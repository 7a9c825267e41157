#include "ui/view3d/voxels/voxel_colours.hpp"

#include "ui/model/class_labels.hpp"

#include <QCoreApplication>

#include <map>
#include <set>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

void paint_classes(const VoxelValues& values, VoxelColours& result) {
  std::vector<std::int64_t> counts(values.classes.size(), 0);
  for (const std::uint32_t at : values.label) {
    ++counts[at];
    result.colour.push_back(values.classes[at].colour);
  }
  for (std::size_t at = 0; at < counts.size(); ++at) {
    const ValueClass& one = values.classes[at];
    const bool elsewhere = one.elsewhere > 0;
    if (counts[at] == 0 && !elsewhere) continue;
    result.legend.classes.push_back({static_cast<std::uint32_t>(at), one.colour,
                                     elsewhere ? one.elsewhere : counts[at], one.text, elsewhere});
  }
}

void paint_labels(const VoxelValues& values, VoxelColours& result) {
  result.legend.labels = true;
  const std::vector<std::uint32_t>& labels = values.label;
  std::map<std::uint32_t, std::int64_t> counts;
  for (const std::uint32_t label : labels)
    ++counts[label];
  std::set<std::uint32_t> seen;
  for (const auto& [label, count] : counts)
    seen.insert(label);
  const auto colours = class_colours(seen);
  for (const std::uint32_t label : labels)
    result.colour.push_back(colours.at(label));
  for (const auto& [label, count] : counts)
    result.legend.classes.push_back(
        {label, colours.at(label), count, label_text(values.label_format, label)});
}

void paint_scale(const std::vector<float>& amounts, VoxelColours& result) {
  const ValueRange& range = result.legend.range;
  for (const float amount : amounts)
    result.colour.push_back(
        colour_of(result.legend, (static_cast<double>(amount) - range.low) / (range.high - range.low)));
}

void paint_amounts(const std::vector<float>& amounts, VoxelColours& result) {
  const ValueRange range = result.legend.range;
  const double width = range.high - range.low;
  const bool all_equal =
      std::all_of(amounts.begin(), amounts.end(), [&](float amount) { return amount == amounts.front(); });
  const double alone = all_equal ? 0.5 : 0.0;
  for (const float amount : amounts) {
    const double above = static_cast<double>(amount) - range.low;
    const double share = width > 0 ? above / width : above > 0 ? 1.0 : alone;
    result.colour.push_back(colour_of(result.legend.map, share));
  }
}

}  // namespace

Rgb colour_of(const ColourLegend& legend, double share) {
  return legend.scale.empty() ? colour_of(legend.map, share) : colour_along(legend.scale, share);
}

QString text_of(RangeMode range) {
  switch (range) {
    case RangeMode::all:
      return tr("middle 98 %");
    case RangeMode::view:
      return tr("middle 98 % in view");
    case RangeMode::typed:
      break;
  }
  return tr("custom");
}

VoxelColours paint(const VoxelValues& values, ColourMap map, const ValueRange& range) {
  VoxelColours result;
  result.legend.title = values.title;
  result.legend.note = values.note;
  result.legend.map = map;
  result.legend.range = range;
  result.legend.bar = !values.amount.empty();
  result.colour.reserve(values.size());
  if (values.scale) {
    result.legend.scale = values.scale->colours;
    result.legend.low_text = values.scale->low_text;
    result.legend.high_text = values.scale->high_text;
    result.legend.range_text = values.scale->foot;
    paint_scale(values.amount, result);
  } else if (!values.amount.empty()) {
    paint_amounts(values.amount, result);
  }
  if (!values.classes.empty()) {
    paint_classes(values, result);
  } else if (!values.label.empty()) {
    paint_labels(values, result);
  }
  if (!values.rgb.empty()) result.colour = values.rgb;
  return result;
}

}  // namespace spira::ui
