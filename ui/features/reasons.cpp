#include "ui/features/reasons.hpp"

#include <QCoreApplication>

namespace spira::ui {
namespace {

struct Reasons {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::Reasons)
};

}  // namespace

QString why_no_scene(const Workspace& workspace) {
  if (workspace.results().report())
    return Reasons::tr("this is a recorded run without coordinates; open its scene first");
  return workspace.scene().voxels() ? QString() : Reasons::tr("open a scene first");
}

QString why_no_other_network(const Workspace& workspace) {
  return workspace.results().report()
             ? Reasons::tr("the network of a recorded run cannot be changed; open a scene first")
             : QString();
}

}  // namespace spira::ui
