#include "ui/model/measured/trust_here.hpp"

namespace spira::ui {

std::optional<Trust> trust_here(const Workspace& workspace) {
  if (!workspace.measurement()) return std::nullopt;
  return workspace.report() ? trust_of(*workspace.report()) : trust_of(*workspace.measurement());
}

bool times_are_void(const Workspace& workspace) {
  const auto trust = trust_here(workspace);
  return trust && trust->grade == TrustGrade::x;
}

}  // namespace spira::ui
