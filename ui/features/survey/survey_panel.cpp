#include "ui/features/survey/survey_panel.hpp"

#include "engine/base/text.hpp"
#include "engine/scene/sequence.hpp"
#include "ui/jobs/survey_job.hpp"
#include "ui/panels/job_bar.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

/// Returns a value as text. Values below 1 are shown as a percentage. Other values are shown as integers, or
/// with one decimal if they are below 100 and not whole.
QString number(double value) {
  constexpr double large = 100;
  if (value < 1 && value > 0) return onScreen(percent_text(value, 2));
  if (value >= large) return onScreen(count_text(std::llround(value)));
  return text(value == std::floor(value) ? count_text(static_cast<std::int64_t>(value)) : fixed(value, 1));
}

void put(QTableWidget* table, int row, const QStringList& cells, const QString& tip = {}) {
  for (int column = 0; column < cells.size(); ++column) {
    auto* item = new QTableWidgetItem(cells[column]);
    item->setToolTip(tip.isEmpty() ? cells[column] : tip);
    if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table->setItem(row, column, item);
  }
}

/// Lets the text of the second cell span all following columns, so that no column becomes wider.
void spreadOut(QTableWidget& table, int row) {
  table.setSpan(row, 1, 1, table.columnCount() - 1);
  table.item(row, 1)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table.item(row, 1)->setSizeHint({1, 1});
}

}  // namespace

SurveyPanel::SurveyPanel(Workspace* workspace, Selection* selection, Theme* theme, SurveyJob* job,
                         QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      job_(job),
      headline_(new ElidedLabel(body())),
      progress_(new ActivityRow(tr("Stop and keep results"))),
      again_(new QPushButton(tr("Survey again"), body())),
      save_(new QPushButton(tr("Save JSON..."), body())),
      measure_(new QComboBox(body())),
      chart_(new SurveyChart(theme, body())),
      tables_(new QTabWidget(body())),
      none_(new QLabel(tr("Reading the first frame."))),
      outliers_(makeTable({tr("Frame"), tr("Quantity"), tr("Value"), tr("Usual range")})),
      packings_(makeTable({tr("Packing"), tr("Fits"), tr("Fails")})),
      numbers_(
          makeTable({tr("Quantity"), tr("n"), tr("5 %"), tr("25 %"), tr("Median"), tr("75 %"), tr("95 %")})),
      notes_(makeTable({tr("Frame"), tr("Notes")})) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  auto* bar = new QHBoxLayout;
  for (int at = 0; at <= static_cast<int>(SurveyMeasure::densities); ++at)
    measure_->addItem(textOf(static_cast<SurveyMeasure>(at)), at);
  measure_->setAccessibleName(tr("Quantity"));
  measure_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  measure_->setMinimumContentsLength(12);
  progress_->setContentsMargins(6, 2, 6, 2);
  addAbove(progress_);
  connect(progress_, &ActivityRow::stopRequested, this, [this] { emit commandRequested("survey.stop"); });
  bar->addWidget(measure_);
  bar->addWidget(headline_, 1);
  bar->addWidget(chart_->makeTableSwitch(body()));
  for (QPushButton* button : {again_, save_})
    bar->addWidget(button);
  auto* halves = new QSplitter(Qt::Horizontal, body());
  halves->addWidget(chart_);
  halves->addWidget(tables_);
  halves->setChildrenCollapsible(false);
  halves->setStretchFactor(0, 3);
  halves->setStretchFactor(1, 2);
  halves->setSizes({600, 400});
  layout->addLayout(bar);
  layout->addWidget(halves, 1);
  none_->setWordWrap(true);
  none_->setAlignment(Qt::AlignCenter);
  none_->setForegroundRole(QPalette::PlaceholderText);
  auto* over = new QVBoxLayout(outliers_->viewport());
  over->addWidget(none_);
  tables_->setDocumentMode(true);
  tables_->tabBar()->setDrawBase(false);
  tables_->addTab(outliers_, tr("Outliers"));
  tables_->addTab(packings_, tr("Packings"));
  tables_->addTab(numbers_, tr("Statistics"));
  tables_->addTab(notes_, tr("Notes"));
  notes_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  notes_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
  connect(measure_, &QComboBox::currentIndexChanged, this,
          [this](int at) { chart_->setMeasure(static_cast<SurveyMeasure>(at)); });
  connect(again_, &QPushButton::clicked, this, [this] { emit commandRequested("survey.run"); });
  connect(save_, &QPushButton::clicked, this, [this] { emit commandRequested("survey.save"); });
  connect(chart_, &SurveyChart::frameChosen, this, &SurveyPanel::frameRequested);
  for (const QTableWidget* table : {outliers_, notes_}) {
    const auto open_row = [this, table](const QTableWidgetItem* item) {
      emit frameRequested(table->item(item->row(), 0)->data(Qt::UserRole).toInt());
    };
    connect(table, &QTableWidget::itemClicked, this, open_row);
    connect(table, &QTableWidget::itemActivated, this, open_row);
  }
  connect(job_, &SurveyJob::changed, this, &SurveyPanel::follow);
  connect(&workspace_->scene(), &OpenScene::framesChanged, this, &SurveyPanel::follow);
  follow();
}

QTableWidget* SurveyPanel::makeTable(const QStringList& header) {
  auto* table = new QTableWidget;
  table->setColumnCount(static_cast<int>(header.size()));
  table->setHorizontalHeaderLabels(header);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(21);
  table->setShowGrid(false);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setTabKeyNavigation(false);
  table->setWordWrap(false);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  table->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  return table;
}

void SurveyPanel::choose(SurveyMeasure measure) {
  measure_->setCurrentIndex(static_cast<int>(measure));
}

QString SurveyPanel::headlineOf(const Survey& survey) const {
  const SurveySummary& all = survey.summary;
  QString line = counted(std::ssize(survey.request.frames), tr("%1 of 1 frame"), tr("%2 of %1 frames"))
                     .arg(survey.rows.size());
  if (!job_->file().isEmpty()) line = QFileInfo(job_->file()).fileName() + ": " + line;
  if (survey.request.shard) line += tr(", shard %1").arg(text(survey.request.shard->text()));
  if (survey.grid)
    line += tr(", voxel size %1").arg(withUnit(gridOnScreen(survey.grid->voxel_m), survey.unit));
  if (survey.request.crop_m) line += tr(", cropped");
  if (all.faults > 0) line += tr(", %1 with errors").arg(all.faults);
  if (!all.outliers_judged)
    return line + tr("; too few frames to find outliers (minimum: %1)").arg(fewest_frames_for_outliers);
  return line + (all.outliers.empty()
                     ? tr("; no outliers")
                     : counted(std::ssize(all.outliers), tr("; 1 outlier"), tr("; %1 outliers")));
}

void SurveyPanel::follow() {
  const auto& survey = job_->survey();
  if (!survey && !job_->busy()) {
    if (workspace_->scene().frames().size() < 2)
      return showEmpty(
          tr("Open a folder of frames to compare their sizes, densities and packings and to find outliers."),
          "file.open_folder", tr("Open folder of frames..."));
    return showEmpty(
        tr("%1 frames are open. A survey reads each frame once and shows statistics and outliers.")
            .arg(workspace_->scene().frames().size()),
        "survey.run", tr("Survey this folder"));
  }
  showBody();
  const bool busy = job_->busy();
  if (!busy) progress_->end();
  again_->setVisible(!busy && workspace_->scene().frames().size() > 1);
  save_->setVisible(!busy);
  if (!survey) {
    progress_->setActivity(tr("Reading the first frame"), 0, 0);
    headline_->setText(tr("Reading the first frame"));
    chart_->setSurvey(nullptr);
    for (QTableWidget* table : {outliers_, packings_, numbers_, notes_})
      table->setRowCount(0);
    none_->setText(tr("Reading the first frame."));
    none_->show();
    return;
  }
  if (busy)
    progress_->setActivity(tr("Surveying the folder"), std::ssize(survey->rows),
                           std::ssize(survey->request.frames));
  headline_->setText(headlineOf(*survey));
  chart_->setSurvey(survey);
  const bool same = same_files(workspace_->scene().frames().files(), survey->request.frames);
  chart_->setFrame(same ? workspace_->scene().frame() : -1);
  fillOutliers(*survey);
  fillPackings(*survey);
  fillNumbers(*survey);
  fillNotes(*survey);
}

/// Fills the list of notes. This is done only at the end of the survey, because the list can be long.
void SurveyPanel::fillNotes(const Survey& survey) {
  constexpr int tab = 3;
  notes_->setRowCount(0);
  tables_->setTabText(tab, tr("Notes"));
  if (job_->busy()) return;
  std::vector<std::size_t> frames;
  for (std::size_t at = 0; at < survey.rows.size(); ++at) {
    if (!survey.rows[at].notes.empty()) frames.push_back(at);
  }
  notes_->setRowCount(static_cast<int>(frames.size()));
  for (int row = 0; row < notes_->rowCount(); ++row) {
    const std::size_t frame = frames[static_cast<std::size_t>(row)];
    QStringList lines;
    for (const std::string& note : survey.rows[frame].notes)
      lines += text(note);
    put(notes_, row, {text(survey.rows[frame].name), lines.join("; ")}, lines.join('\n'));
    notes_->item(row, 0)->setData(Qt::UserRole, static_cast<int>(frame));
    notes_->item(row, 1)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  }
  tables_->setTabText(tab, tr("Notes (%1)").arg(frames.size()));
}

/// Fills the table of outliers. Frames with errors come first, because their other values are unknown.
void SurveyPanel::fillOutliers(const Survey& survey) {
  outliers_->setRowCount(0);
  outliers_->clearSpans();
  const auto add = [&](std::size_t frame, const QStringList& cells, const QString& tip) {
    const int row = outliers_->rowCount();
    outliers_->insertRow(row);
    put(outliers_, row, cells, tip);
    outliers_->item(row, 0)->setData(Qt::UserRole, static_cast<int>(frame));
    return row;
  };
  for (std::size_t at = 0; at < survey.rows.size(); ++at) {
    const FrameRow& row = survey.rows[at];
    if (!row.surveyed())
      spreadOut(*outliers_, add(at, {text(row.name), tr("error: %1").arg(text(row.fault))}, text(row.fault)));
  }
  for (const Outlier& one : survey.summary.outliers) {
    add(one.frame,
        {text(survey.rows.at(one.frame).name), text(one.measure), number(one.value),
         tr("%1 to %2").arg(number(std::max(0.0, one.low)), number(one.high))},
        tr("Click to open this frame. Its value lies %1").arg(text(outlier_rule())));
  }
  none_->setText(!survey.summary.outliers_judged
                     ? counted(std::ssize(survey.rows), tr("1 frame is too few to find outliers."),
                               tr("%1 frames are too few to find outliers."))
                     : tr("No outliers."));
  none_->setToolTip(tr("An outlier lies %1").arg(text(outlier_rule())));
  none_->setVisible(outliers_->rowCount() == 0);
  tables_->setTabText(0, tr("Outliers (%1)").arg(outliers_->rowCount()));
}

void SurveyPanel::fillPackings(const Survey& survey) {
  const auto& all = survey.summary.packings;
  packings_->setRowCount(static_cast<int>(all.size()));
  for (int row = 0; row < packings_->rowCount(); ++row) {
    const PackingTally& tally = all[static_cast<std::size_t>(row)];
    const QString name = tr("%1 in %2 bits").arg(text(tally.pack.text())).arg(tally.pack.word_bits());
    put(packings_, row,
        {tally.always_fits() ? tr("%1 (always fits)").arg(name) : name, onScreen(count_text(tally.fitting)),
         onScreen(count_text(tally.failing))});
  }
}

void SurveyPanel::fillNumbers(const Survey& survey) {
  const SurveySummary& all = survey.summary;
  std::vector<std::pair<QString, const Spread*>> rows{{tr("points"), &all.points},
                                                      {tr("voxels"), &all.voxels}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    rows.emplace_back(tr("cells along %1").arg(QChar("xyz"[axis])), &all.cells.at(axis));
  rows.emplace_back(tr("bits needed"), &all.bits_sum);
  for (const DensitySpread& group : all.densities)
    rows.emplace_back(tr("density at L1 = %1").arg(group.l1), &group.mean);
  numbers_->setRowCount(static_cast<int>(rows.size()));
  for (int row = 0; row < numbers_->rowCount(); ++row) {
    const auto& [name, s] = rows[static_cast<std::size_t>(row)];
    put(numbers_, row,
        {name, QString::number(s->n), number(s->p5), number(s->q1), number(s->median), number(s->q3),
         number(s->p95)});
  }
}

}  // namespace spira::ui
