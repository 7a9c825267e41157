#include "ui/features/status/status_bar.hpp"

#include "engine/backend/host_read.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/job_pace.hpp"
#include "ui/jobs/survey_job.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene_view.hpp"

#include <QLabel>
#include <QMainWindow>
#include <QProgressBar>
#include <QStatusBar>

#include <algorithm>
#include <map>
#include <string_view>

namespace spira::ui {

TrustLabel::TrustLabel(Workspace* workspace, Theme* theme, QWidget* parent)
    : QLabel(parent), workspace_(workspace), theme_(theme) {
  setObjectName("part");  // The style sheet draws a dividing line before widgets with this name.
  for (const auto changed : {&RunResults::measurementChanged, &RunResults::reportChanged})
    connect(&workspace_->results(), changed, this, &TrustLabel::follow);
  connect(theme_, &Theme::changed, this, &TrustLabel::follow);
  follow();
}

namespace {

/// Returns the most important reason for a trust grade, in a few words. The tooltip has the whole text.
QString brief_reason(const std::string& code) {
  static const std::map<std::string_view, const char*> words{
      {"throttled", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "throttled")},
      {"clocks_not_locked", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "clocks not locked")},
      {"others_unknown", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "unknown whether other processes ran")},
      {"others_on_device", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "other processes running")},
      {"output_check_failed", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "wrong output")},
      {"output_not_checked", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "output not checked")},
      {"input_not_finite", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "NaN in the input")},
      {"input_replaced", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "NaN in the scene file")},
      {"output_not_finite", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "NaN in the output")},
      {"no_samples", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "no samples")},
      {"few_samples", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "few samples")},
      {"spread", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "unsteady times")},
      {"residual", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "sum of stages differs from wall time")},
      {"overflow", QT_TRANSLATE_NOOP("spira::ui::TrustLabel", "scene does not fit the packing")}};
  const auto found = words.find(code);
  return found == words.end() ? QString() : TrustLabel::tr(found->second);
}

QString gradeText(const Trust& trust) {
  QString grade = TrustLabel::tr("trust grade %1").arg(QChar::fromLatin1(letter_of(trust.grade)));
  const QString why = trust.reasons.empty() ? QString() : brief_reason(trust.reasons.front().code);
  // Trust::text() lists only the reasons that limit the measurement to its grade.
  const auto others = std::count_if(trust.reasons.begin(), trust.reasons.end(),
                                    [&](const auto& reason) { return reason.at_best == trust.grade; }) -
                      1;
  if (why.isEmpty()) return grade;
  return TrustLabel::tr("%1: %2").arg(grade, why) +
         (others > 0
              ? counted(others, TrustLabel::tr(" and 1 more reason"), TrustLabel::tr(" and %1 more reasons"))
              : QString());
}

}  // namespace

void TrustLabel::follow() {
  const auto trust = trust_here(*workspace_);
  setVisible(trust.has_value());
  if (!trust) return;
  const bool bad = trust->grade == TrustGrade::x;
  const QString grade = gradeText(*trust);
  setText(bad ? QString("<span style='color:%1'><b>%2</b></span>").arg(theme_->palette().error.name(), grade)
              : grade);
  const std::string_view meaning = meaning_of(trust->grade);
  const QString text =
      tr("Trust grade %1\n%2")
          .arg(onScreen(trust->text()), QString::fromUtf8(meaning.data(), std::ssize(meaning)));
  setToolTip(bad ? tr("%1 The times are shown in grey.").arg(text) : text);
  setAccessibleName(grade);
}

StatusBar::StatusBar(const FeatureContext& context, EngineJobs& jobs, const SceneView& view, LogPanel& log)
    : QObject(&context.window),
      context_(context),
      log_(log),
      count_(new QLabel(&context.window)),
      device_(new QLabel(&context.window)),
      activity_(new ElidedLabel(&context.window)),
      progress_(new QProgressBar(&context.window)) {
  auto* pointed = new ElidedLabel(&context.window);
  // This label gets the width that the other labels do not need.
  pointed->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  for (QLabel* part : {count_, device_}) {
    part->setObjectName("part");  // The style sheet draws a dividing line before widgets with this name.
    part->hide();
  }
  progress_->setFixedWidth(140);
  progress_->setTextVisible(false);
  progress_->hide();
  QStatusBar* bar = context.window.statusBar();
  bar->addWidget(pointed, 1);
  for (QWidget* part : std::initializer_list<QWidget*>{activity_, progress_, count_, device_})
    bar->addPermanentWidget(part);
  bar->addPermanentWidget(new TrustLabel(&context.workspace, &context.theme, &context.window));
  connect(&view, &SceneView::hovered, pointed, &ElidedLabel::setText);
  followJobs(jobs);
  connect(&context.workspace.scene(), &OpenScene::voxelsChanged, this, &StatusBar::showCount);
  connect(&context.selection, &Selection::strideChanged, this, &StatusBar::showCount);
  connect(&context.workspace, &Workspace::deviceChanged, this, &StatusBar::showDevice);
  connect(&context.workspace.results(), &RunResults::reportChanged, this, &StatusBar::showDevice);
}

void StatusBar::followJobs(EngineJobs& jobs) {
  const TaskSlot* task = &jobs.lane().task();
  connect(task, &TaskSlot::started, this, [this](const QString& title) { showActivity(title, 0, 0); });
  connect(task, &TaskSlot::progress, this, [this, task](const QString& what, qint64 done, qint64 total) {
    showActivity(task->title() + ": " + what, done, total);
  });
  connect(task, &TaskSlot::finished, this, [this](const QString& title, bool cancelled) {
    endActivity();
    if (cancelled) context_.workspace.addLog(tr("%1: cancelled").arg(title));
  });
  connect(log_.engine(), &ActivityRow::paceChanged, this, &StatusBar::showPace);
  connect(task, &TaskSlot::started, &context_.commands, &CommandSet::refreshSoon);
  connect(task, &TaskSlot::finished, &context_.commands, &CommandSet::refreshSoon);
}

void StatusBar::showActivity(const QString& what, qint64 done, qint64 total) {
  log_.engine()->setActivity(what, done, total);
  step_ = JobPace::shown(what, done, total);
  showPace();
  progress_->show();
  set_progress(*progress_, done, total);
}

void StatusBar::showPace() {
  const QString pace = log_.engine()->pace();
  activity_->setText(step_.isEmpty() || pace.isEmpty() ? step_ : tr("%1, %2").arg(step_, pace));
}

void StatusBar::endActivity() {
  log_.engine()->end();
  activity_->setText({});
  progress_->hide();
  set_progress(*progress_, 0, 0);
}

void StatusBar::followSurvey(const SurveyJob& job) {
  connect(&job, &SurveyJob::changed, this, [this, &job] {
    if (!job.busy()) return log_.survey()->end();
    const auto& survey = job.survey();
    log_.survey()->setActivity(tr("Surveying the folder"), survey ? std::ssize(survey->rows) : 0,
                               survey ? std::ssize(survey->request.frames) : 0);
  });
}

void StatusBar::showCount() {
  const auto& scene = context_.workspace.scene().facts();
  const auto& voxels = context_.workspace.scene().voxels();
  const int stride = context_.selection.stride();
  QString text;
  if (scene && voxels && has_level(*voxels, stride)) {
    const QString count = counted(size_of(voxels->level(stride)), tr("1 voxel"), tr("%1 voxels"));
    text = tr("%1, stride %2").arg(count, QString::fromStdString(level_text(*voxels, stride)));
    if (voxels->batch) text = tr("batch of %1, frame %2: %3").arg(scene->batch).arg(voxels->frame).arg(text);
  } else if (scene) {
    text = scene->triples ? counted(scene->voxels, tr("1 node"), tr("%1 nodes"))
                          : tr("%1, stride 1").arg(counted(scene->voxels, tr("1 voxel"), tr("%1 voxels")));
  }
  count_->setText(text);
  count_->setVisible(scene.has_value());
  context_.commands.refreshSoon();
}

void StatusBar::showDevice() {
  const auto& report = context_.workspace.results().report();
  const DeviceFacts& d = report ? report->measurement.device : context_.workspace.device();
  const QString facts = tr("%1, %2, %3")
                            .arg(QString::fromStdString(std::string(text_of(d.kind))).toUpper(), unitsText(d),
                                 QString::fromStdString(std::string(clock_text(d.clock))));
  device_->setText(context_.workspace.results().recorded() ? tr("recorded: %1").arg(facts) : facts);
  const QString apart =
      d.kind == BackendKind::cuda ? QString() : tr("\nCPU times are not compared with GPU times");
  device_->setToolTip(QString::fromStdString(d.name) + apart);
  device_->setVisible(report || !d.name.empty());
  context_.commands.refreshSoon();
}

}  // namespace spira::ui
