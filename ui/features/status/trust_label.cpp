#include "ui/features/status/trust_label.hpp"

#include "ui/model/measured/measured_here.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

namespace spira::ui {

TrustLabel::TrustLabel(Workspace* workspace, Theme* theme, QWidget* parent)
    : QLabel(parent), workspace_(workspace), theme_(theme) {
  setObjectName("part");  // The style sheet draws a line before widgets with this name.
  for (const auto changed : {&Workspace::measurementChanged, &Workspace::reportChanged})
    connect(workspace_, changed, this, &TrustLabel::follow);
  connect(theme_, &Theme::changed, this, &TrustLabel::follow);
  follow();
}

void TrustLabel::follow() {
  const auto trust = trust_here(*workspace_);
  setVisible(trust.has_value());
  if (!trust) return;
  const bool bad = trust->grade == TrustGrade::x;
  const QString grade(QChar::fromLatin1(letter_of(trust->grade)));
  setText(bad ? QString("<span style='color:%1'><b>%2</b></span>")
                    .arg(theme_->palette().error.name(), tr("trust %1").arg(grade))
              : tr("trust %1").arg(grade));
  const QString reasons = onScreen(trust->text());
  setToolTip(bad ? tr("%1. The times are shown in grey: do not compare them.").arg(reasons) : reasons);
  setAccessibleName(tr("trust %1").arg(grade));
}

}  // namespace spira::ui
