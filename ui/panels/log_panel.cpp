#include "ui/panels/log_panel.hpp"

#include "ui/panels/job_bar.hpp"

#include <QDateTime>
#include <QEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace spira::ui {

LogPanel::LogPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      engine_(new ActivityRow(tr("Cancel"), body())),
      survey_(new ActivityRow(tr("Stop and keep results"), body())),
      none_(new QLabel(tr("Nothing is running."), body())),
      lines_(new QPlainTextEdit(body())) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 6, 8, 6);
  layout->addWidget(none_);
  for (ActivityRow* row : {engine_, survey_}) {
    row->installEventFilter(this);
    layout->addWidget(row);
  }
  layout->addWidget(lines_, 1);
  lines_->setReadOnly(true);
  lines_->setMaximumBlockCount(5000);
  lines_->setAccessibleName(tr("Messages"));
  connect(engine_, &ActivityRow::stopRequested, this, [this] { emit commandRequested("run.stop"); });
  connect(survey_, &ActivityRow::stopRequested, this, [this] { emit commandRequested("survey.stop"); });
  connect(workspace_, &Workspace::logAdded, this, [this](const QString& line) {
    lines_->appendPlainText(QDateTime::currentDateTime().toString("hh:mm:ss  ") + line);
  });
  showBody();
}

bool LogPanel::eventFilter(QObject* watched, QEvent* event) {
  const bool row = watched == engine_ || watched == survey_;
  if (row && (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent))
    none_->setVisible(engine_->isHidden() && survey_->isHidden());
  return Panel::eventFilter(watched, event);
}

QString LogPanel::text() const {
  return lines_->toPlainText();
}

}  // namespace spira::ui
