#include "ui/features/open/recorded_page.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"

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

}  // namespace spira::ui
