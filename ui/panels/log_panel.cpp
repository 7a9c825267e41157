#include "ui/panels/log_panel.hpp"

#include "ui/theme/elided_label.hpp"
#include "ui/theme/progress.hpp"

#include <QDateTime>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace spira::ui {

LogPanel::LogPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      what_(new ElidedLabel(body())),
      bar_(new QProgressBar(body())),
      cancel_(new QPushButton(tr("Cancel"), body())),
      lines_(new QPlainTextEdit(body())) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 6, 8, 6);
  auto* row = new QHBoxLayout;
  row->addWidget(what_, 1);
  row->addWidget(bar_, 1);
  row->addWidget(cancel_);
  layout->addLayout(row);
  layout->addWidget(lines_, 1);
  what_->setText(tr("Nothing is running."));
  bar_->setTextVisible(false);
  bar_->hide();
  cancel_->setEnabled(false);
  cancel_->setToolTip(tr("Nothing is running"));
  lines_->setReadOnly(true);
  lines_->setMaximumBlockCount(5000);
  lines_->setAccessibleName(tr("Messages"));
  connect(cancel_, &QPushButton::clicked, this, [this] { emit commandRequested("run.stop"); });
  connect(workspace_, &Workspace::logAdded, this, [this](const QString& line) {
    lines_->appendPlainText(QDateTime::currentDateTime().toString("hh:mm:ss  ") + line);
  });
  showBody();
}

void LogPanel::setActivity(const QString& what, qint64 done, qint64 total, bool running) {
  what_->setText(running ? (total > 0 ? tr("%1: %2 of %3").arg(what).arg(done).arg(total) : what)
                         : tr("Nothing is running."));
  bar_->setVisible(running);
  set_progress(*bar_, done, total);
  cancel_->setEnabled(running);
  cancel_->setToolTip(running ? tr("What was there before stays") : tr("Nothing is running"));
}

QString LogPanel::text() const {
  return lines_->toPlainText();
}

}  // namespace spira::ui
