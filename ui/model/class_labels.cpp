#include "ui/model/class_labels.hpp"

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

struct Name {
  std::uint32_t label;
  const char* text;
};

// Names of the SemanticKITTI classes, from the table of labels of this data set (Behley et al., 2019).
constexpr auto names = std::to_array<Name>({{0, "unlabeled"},
                                            {1, "outlier"},
                                            {10, "car"},
                                            {11, "bicycle"},
                                            {13, "bus"},
                                            {15, "motorcycle"},
                                            {16, "on-rails"},
                                            {18, "truck"},
                                            {20, "other vehicle"},
                                            {30, "person"},
                                            {31, "bicyclist"},
                                            {32, "motorcyclist"},
                                            {40, "road"},
                                            {44, "parking"},
                                            {48, "sidewalk"},
                                            {49, "other ground"},
                                            {50, "building"},
                                            {51, "fence"},
                                            {52, "other structure"},
                                            {60, "lane marking"},
                                            {70, "vegetation"},
                                            {71, "trunk"},
                                            {72, "terrain"},
                                            {80, "pole"},
                                            {81, "traffic sign"},
                                            {99, "other object"},
                                            {252, "moving car"},
                                            {253, "moving bicyclist"},
                                            {254, "moving person"},
                                            {255, "moving motorcyclist"},
                                            {256, "moving on-rails"},
                                            {257, "moving bus"},
                                            {258, "moving truck"},
                                            {259, "moving other vehicle"}});

}  // namespace

QString label_text(std::string_view format, std::uint32_t label) {
  QString number = QString::number(label);
  if (format != "kitti" && format != "generated") return number;
  const auto* const found =
      std::find_if(names.begin(), names.end(), [&](const Name& name) { return name.label == label; });
  return found == names.end() ? number : number + " " + QString::fromLatin1(found->text);
}

void ClassSolo::toggle(SceneLook& look, std::uint32_t label, const std::set<std::uint32_t>& all) {
  std::set<std::uint32_t> others = all;
  others.erase(label);
  if (look.hiddenLabels() == others) return look.setHiddenLabels(before_);
  const bool another = !since_.empty() && look.hiddenLabels() == since_;
  if (!another) before_ = look.hiddenLabels();
  since_ = others;
  look.setHiddenLabels(others);
}

}  // namespace spira::ui
