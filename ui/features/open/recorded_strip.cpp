#include "ui/features/open/recorded_strip.hpp"

#include "ui/model/measured/measured_text.hpp"
#include "ui/theme/elided_widgets.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>

namespace spira::ui {

RecordedStrip::RecordedStrip(Workspace* workspace, Theme* theme, QWidget* parent)
    : QFrame(parent),
      workspace_(workspace),
      theme_(theme),
      where_(new ElidedLabel(this)),
      note_(new ElidedLabel(this)) {
  setObjectName("recorded");
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 4, 12, 4);
  layout->setSpacing(16);
  where_->setObjectName("where");
  QFont bold = where_->font();
  bold.setBold(true);
  where_->setFont(bold);
  note_->setObjectName("note");
  // In a narrow window only the note is shortened, because the other words are more important.
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  layout->addWidget(where_);
  layout->addWidget(note_, 1);
  connect(workspace_, &Workspace::reportChanged, this, &RecordedStrip::follow);
  connect(theme_, &Theme::changed, this, &RecordedStrip::retheme);
  retheme();
  follow();
}

QString RecordedStrip::text() const {
  return where_->text();
}

void RecordedStrip::follow() {
  const auto& report = workspace_->report();
  if (!report) return where_->setText({});
  where_->setText(tr("Not measured on this machine. %1").arg(recordedText(*report)));
  QStringList notes;
  for (const auto& note : report->notes)
    notes += QString::fromStdString(note);
  note_->setText(notes.join("; "));
}

void RecordedStrip::retheme() {
  const Palette& p = theme_->palette();
  setStyleSheet(
      QString("#recorded { background: %1; border-left: 4px solid %2; } #recorded #where { color: %3; } "
              "#recorded #note { color: %4; }")
          .arg(p.raised.name(), p.warning.name(), p.text.name(), p.faint_text.name()));
}

}  // namespace spira::ui
