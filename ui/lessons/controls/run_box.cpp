#include "ui/lessons/controls/run_box.hpp"

#include "ui/jobs/job_pace.hpp"
#include "ui/theme/labels.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <utility>

namespace spira::ui {

QString name_of(LessonRuns::Of which) {
  switch (which) {
    case LessonRuns::Of::here:
      return RunBox::tr("This window");
    case LessonRuns::Of::opened:
      return RunBox::tr("Opened report");
    case LessonRuns::Of::shipped:
      break;
  }
  return RunBox::tr("Built-in recorded run");
}

RunBox::RunBox(LessonRuns* runs, CommandSet* commands, const TaskSlot* engine, QWidget* parent)
    : QWidget(parent),
      runs_(runs),
      commands_(commands),
      engine_(engine),
      source_(new QLabel(this)),
      work_(new QLabel(this)),
      choice_(new ElidedComboBox(this)),
      measure_(new QPushButton(tr("Measure here"), this)),
      sweep_(new QPushButton(tr("Sweep t here"), this)),
      stop_(new QPushButton(tr("Stop"), this)) {
  setObjectName("run_box");
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  for (QLabel* label : {source_, work_}) {
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::PlaceholderText);
  }
  layout->addWidget(source_);
  auto* row = new QHBoxLayout;
  choice_->setAccessibleName(tr("Source of the numbers"));
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  choice_->setMinimumContentsLength(12);
  row->addWidget(choice_, 1);
  for (QPushButton* button : {measure_, sweep_, stop_})
    row->addWidget(button);
  row->addStretch(0);
  layout->addLayout(row);
  layout->addWidget(work_);
  connect(choice_, &QComboBox::activated, this,
          [this] { runs_->choose(static_cast<LessonRuns::Of>(choice_->currentData().toInt())); });
  for (const auto& [button, id] :
       {std::pair{measure_, "run.measure"}, {sweep_, "sweep.network"}, {stop_, "run.stop"}})
    connect(button, &QPushButton::clicked, this, [this, id = QString(id)] { trigger(id); });
  connect(runs_, &LessonRuns::changed, this, &RunBox::show);
  connect(engine_, &TaskSlot::started, this, [this](const QString& title) { showWork(title); });
  connect(engine_, &TaskSlot::finished, this, [this] { showWork({}); });
  connect(engine_, &TaskSlot::progress, this, [this](const QString& what, qint64 done, qint64 total) {
    showWork(JobPace::shown(what, done, total));
  });
  showWork(engine_->busy() ? engine_->title() : QString());
  show();
}

QString RunBox::text() const {
  return source_->text();
}

void RunBox::trigger(const QString& id) {
  if (commands_->trigger(id)) return;
  work_->setText(commands_->unavailableReason(id));
  work_->show();
}

/// Shows the running job. Ignores the job that builds the kernel map of the scene, because every other job
/// may replace it and the user need not wait for it.
void RunBox::showWork(const QString& what) {
  const bool busy = !what.isEmpty() && !commands_->unavailableReason("run.measure").isEmpty();
  work_->setText(what);
  work_->setVisible(busy);
  setShown(stop_, busy);
  showButtons();
}

void RunBox::showButtons() {
  const RunNeeds& needs = runs_->needs();
  setShown(measure_, stop_->isHidden() && needs.measured);
  setShown(sweep_, stop_->isHidden() && needs.sweep);
}

/// Shows or hides a button. Before a focused button is hidden, focusGivenUp() is emitted, so that the page
/// can take the focus. Otherwise Qt would move the focus to the next widget, and Space would activate this
/// widget.
void RunBox::setShown(QPushButton* button, bool shown) {
  if (!shown && window()->focusWidget() == button) emit focusGivenUp();
  button->setVisible(shown);
}

QString RunBox::lacks() const {
  const auto run = runs_->run();
  if (!run)
    return runs_->busy() ? tr("Reading the recorded run.")
                         : tr("No run has been measured yet. Press \"Measure here\".");
  const RunNeeds missing = missing_of(*run, runs_->needs());
  if (missing.measured) return tr("This run has no stage times. Press \"Measure here\".");
  if (missing.sweep) return tr("This run has no sweep of t over the whole network. Press \"Sweep t here\".");
  if (missing.side_by_side)
    return tr("In this run, no stages ran at the same time. Stages run at the same time only on a GPU.");
  return {};
}

void RunBox::show() {
  const QSignalBlocker quiet(choice_);
  choice_->clear();
  for (const LessonRuns::Of which : runs_->choices())
    choice_->addItem(name_of(which), static_cast<int>(which));
  choice_->setCurrentIndex(choice_->findData(static_cast<int>(runs_->current())));
  choice_->setVisible(choice_->count() > 1);
  QString text;
  if (const auto run = runs_->run())
    text = tr("<b>Source of the times:</b> %1").arg(source_text(*run).toHtmlEscaped());
  if (const QString missing = lacks(); !missing.isEmpty()) text += " " + missing;
  source_->setText(text);
  showButtons();
}

}  // namespace spira::ui
