#include "ui/charts/bar_part.hpp"

#include "ui/model/tables/timeline_area.hpp"
#include "ui/theme/theme.hpp"

#include <QCoreApplication>

namespace spira::ui {
namespace {

QString pass_text(PassPart part) {
  switch (part) {
    case PassPart::voxels:
      return QCoreApplication::translate("StageGroup", "voxels");
    case PassPart::maps:
      return QCoreApplication::translate("StageGroup", "maps");
    case PassPart::orders:
      return QCoreApplication::translate("StageGroup", "row order");
    case PassPart::forward:
      return QCoreApplication::translate("StageGroup", "forward");
    case PassPart::dgrad:
      return QCoreApplication::translate("StageGroup", "dgrad");
    case PassPart::wgrad:
      return QCoreApplication::translate("StageGroup", "wgrad");
    case PassPart::reduce:
      return QCoreApplication::translate("StageGroup", "reduce");
    case PassPart::repack:
      break;
  }
  return QCoreApplication::translate("StageGroup", "repack");
}

}  // namespace

QString partText(const BarPart& part) {
  const auto* group = std::get_if<StageGroup>(&part);
  return group != nullptr ? stageGroupText(*group) : pass_text(std::get<PassPart>(part));
}

QString shortPartText(const BarPart& part) {
  const auto* group = std::get_if<StageGroup>(&part);
  return group != nullptr ? shortStageGroupText(*group) : pass_text(std::get<PassPart>(part));
}

QColor partColour(const Theme& theme, const BarPart& part) {
  if (const auto* group = std::get_if<StageGroup>(&part)) return theme.stage(*group);
  const bool dark = theme.dark() && !theme.paper();
  switch (std::get<PassPart>(part)) {
    case PassPart::voxels:
      return theme.stage(StageGroup::voxelize);
    case PassPart::maps:
      return theme.stage(StageGroup::search);
    case PassPart::orders:
      return theme.stage(StageGroup::order);
    case PassPart::forward:
      return {dark ? "#3f8fd0" : "#004f7c"};
    case PassPart::dgrad:
      return {dark ? "#76b7ee" : "#0072b2"};
    case PassPart::wgrad:
      return {dark ? "#b4dbff" : "#3f94c8"};
    case PassPart::reduce:
      return theme.stage(StageGroup::epilogue);
    case PassPart::repack:
      break;
  }
  return theme.stage(StageGroup::weight_stationary);
}

Qt::BrushStyle partPattern(const BarPart& part) {
  const auto* pass = std::get_if<PassPart>(&part);
  if (pass == nullptr) return Qt::SolidPattern;
  switch (*pass) {
    case PassPart::forward:
      return Qt::BDiagPattern;
    case PassPart::dgrad:
      return Qt::FDiagPattern;
    case PassPart::wgrad:
      return Qt::DiagCrossPattern;
    default:
      return Qt::SolidPattern;
  }
}

}  // namespace spira::ui
