#include "ui/features/open/recorded_page.hpp"

#include "engine/base/text.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace spira::ui {

RecordedPage::RecordedPage(Workspace* workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace), text_(new QLabel(this)) {
  auto* layout = new QVBoxLayout(this);
  auto* open = new QPushButton(tr("Open scene..."), this);
  text_->setAlignment(Qt::AlignCenter);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::RichText);
  layout->addStretch(1);
  layout->addWidget(text_);
  layout->addSpacing(6);
  layout->addWidget(open, 0, Qt::AlignHCenter);
  layout->addStretch(1);
  connect(open, &QPushButton::clicked, this, &RecordedPage::dialogRequested);
  connect(workspace_, &Workspace::reportChanged, this, &RecordedPage::follow);
  follow();
}

QString RecordedPage::text() const {
  return text_->text();
}

void RecordedPage::follow() {
  const auto& report = workspace_->report();
  if (!report) return;
  const SceneFacts& scene = report->scene;
  text_->setText(tr("<h3>%1 on %2</h3>This report contains no coordinates: times, counts and densities of %3 "
                    "are in the panels below and at the sides. Open its scene to see voxels.")
                     .arg(QString::fromStdString(report->network.title).toHtmlEscaped(),
                          QString::fromStdString(scene.name).toHtmlEscaped(),
                          counted(scene.voxels, tr("1 voxel"), tr("%1 voxels"))));
}

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
  // In a narrow window, only the note is shortened, because the other label is more important.
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
