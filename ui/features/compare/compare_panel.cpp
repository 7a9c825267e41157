#include "ui/features/compare/compare_panel.hpp"

#include "engine/base/text.hpp"
#include "ui/charts/histogram_chart.hpp"
#include "ui/features/compare/compared_pane.hpp"
#include "ui/model/tables/compare_model.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/theme.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QIcon>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPixmap>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

/// The optional columns of the table. A narrower table shows fewer of them.
struct Share {
  bool why, intervals;
  [[nodiscard]] bool shows(int column) const {
    return (column != CompareModel::why || why) && (column != CompareModel::interval || intervals);
  }
};
constexpr std::array<Share, 3> shares{{{true, true}, {false, true}, {false, false}}};

/// Returns the width that a column needs. The size hint of Qt reserves space for a sort arrow in every
/// column, although only one column shows the arrow.
int wanted_width(const QTableView& table, int column) {
  constexpr int margins = 14, arrow = 14, room_for_why = 120;
  if (column == CompareModel::why) return room_for_why;
  const QHeaderView& header = *table.horizontalHeader();
  const QString title = table.model()->headerData(column, Qt::Horizontal).toString();
  const int heading = header.fontMetrics().horizontalAdvance(title) + margins +
                      (header.sortIndicatorSection() == column ? arrow : 0);
  // sizeHintForColumn() is protected in QTableView, but public in its base class.
  const QAbstractItemView& all = table;
  return std::max(heading, all.sizeHintForColumn(column) + 1);
}

/// Returns the width in pixels that the other visible columns leave for the layer names. The result is
/// negative if there is too little space for the other columns.
int left_for_layers(const QTableView& table, const Share& share) {
  int room = table.viewport()->width();
  for (int column = CompareModel::stage; column < CompareModel::column_count; ++column)
    room -= share.shows(column) ? wanted_width(table, column) : 0;
  return room;
}

/// Hides columns until all numbers are visible without scrolling. A narrow table first omits the reasons,
/// then the intervals. The tooltip of a row shows all of them.
void fit_compare_columns(QTableView& table, const CompareModel& model) {
  constexpr int min_name_width = 64;
  const Share* share = &shares.back();
  for (const Share& one : shares) {
    if (one.why && !model.hasReasons()) continue;
    share = &one;
    if (left_for_layers(table, one) >= wanted_width(table, CompareModel::layer)) break;
  }
  for (const int column : {CompareModel::why, CompareModel::interval})
    table.setColumnHidden(column, !share->shows(column));
  for (int column = CompareModel::stage; column < CompareModel::column_count; ++column)
    if (share->shows(column)) table.setColumnWidth(column, wanted_width(table, column));
  const int room = left_for_layers(table, *share), over = std::max(0, min_name_width - room);
  table.setColumnWidth(CompareModel::layer, std::max(room, min_name_width));
  // The stage column gets narrower only if the layer column already has its minimum width.
  table.setColumnWidth(CompareModel::stage,
                       std::max(min_name_width, table.columnWidth(CompareModel::stage) - over));
}

QIcon swatch(const QColor& colour) {
  constexpr int side = 12;
  QPixmap picture(side, side);
  picture.fill(colour);
  return picture;
}

std::tuple<std::string, StageKey, Pass> key_of(const ComparedRow& row) {
  return {row.layer, row.stage, row.pass};
}

}  // namespace

ComparePanel::ComparePanel(Workspace* workspace, Selection* selection, Theme* theme, Comparing* comparing,
                           QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      comparing_(comparing),
      model_(new CompareModel(this)),
      proxy_(new CompareProxy(this)),
      baseline_(new ElidedComboBox),
      filter_(new QComboBox),
      rename_(new QToolButton),
      remove_(new QToolButton),
      more_(new QToolButton),
      words_(new QLineEdit),
      ignore_devices_(new QCheckBox(tr("any device"))),
      headline_(new QLabel),
      table_(new QTableView),
      pane_(new ComparedPane(theme)) {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(4);
  makeTools(layout);
  makeTable();
  auto* halves = new QSplitter(Qt::Horizontal, body());
  halves->addWidget(table_);
  halves->addWidget(pane_);
  halves->setChildrenCollapsible(false);
  halves->setStretchFactor(0, 5);
  halves->setStretchFactor(1, 2);
  layout->addWidget(halves, 1);
  connect(comparing_, &Comparing::changed, this, &ComparePanel::follow);
  follow();
}

void ComparePanel::makeTools(QVBoxLayout* layout) {
  auto* tools = new QHBoxLayout;
  auto* label = new QLabel(tr("Baseline"));
  label->setBuddy(baseline_);
  baseline_->setAccessibleName(tr("Baseline"));
  baseline_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  baseline_->setMinimumContentsLength(12);
  for (const auto& [button, text, tip] :
       {std::tuple{rename_, tr("Rename"), tr("Rename the selected baseline")},
        std::tuple{remove_, tr("Remove"), tr("Remove the selected baseline from the list")}}) {
    button->setObjectName("chip");
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(text);
  }
  makeMore();
  const std::vector<std::pair<CompareFilter, QString>> filters{
      {CompareFilter::all, tr("all rows")},
      {CompareFilter::changed, tr("faster or slower")},
      {CompareFilter::slower, tr("slower")},
      {CompareFilter::faster, tr("faster")},
      {CompareFilter::undecided, tr("undecided")}};
  for (const auto& [filter, text] : filters)
    filter_->addItem(text, static_cast<int>(filter));
  filter_->setAccessibleName(tr("Visible rows"));
  words_->setPlaceholderText(tr("layer or stage"));
  words_->setClearButtonEnabled(true);
  words_->setMaximumWidth(160);
  words_->setAccessibleName(tr("Filter by words"));
  ignore_devices_->setToolTip(
      tr("Compare runs even if their devices differ; the comparison then contains a note about the devices"));
  tools->addWidget(label);
  tools->addWidget(baseline_, 1);
  auto* scenes = new QToolButton;
  scenes->setObjectName("chip");
  scenes->setText(tr("3D views"));
  scenes->setAccessibleName(tr("Both scenes side by side"));
  scenes->setToolTip(tr("Show the scenes of both runs side by side with one camera (Ctrl+Alt+3)"));
  connect(scenes, &QToolButton::clicked, this, [this] { emit commandRequested("layout.compare"); });
  for (QWidget* one : std::initializer_list<QWidget*>{rename_, remove_, more_, ignore_devices_, scenes})
    tools->addWidget(one);
  tools->addWidget(makeExport());
  layout->addLayout(tools);
  auto* shown = new QHBoxLayout;
  headline_->setWordWrap(true);
  shown->addWidget(headline_, 1);
  shown->addWidget(filter_);
  shown->addWidget(words_);
  layout->addLayout(shown);
  const auto filter_now = [this] {
    proxy_->setFilter(static_cast<CompareFilter>(filter_->currentData().toInt()), words_->text());
  };
  connect(filter_, &QComboBox::currentIndexChanged, this, filter_now);
  connect(words_, &QLineEdit::textChanged, this, filter_now);
  connect(baseline_, &QComboBox::activated, comparing_, &Comparing::choose);
  connect(remove_, &QToolButton::clicked, this, [this] { comparing_->remove(comparing_->chosen()); });
  connect(rename_, &QToolButton::clicked, this, &ComparePanel::renameBaseline);
  connect(ignore_devices_, &QCheckBox::toggled, comparing_, &Comparing::setIgnoresDevices);
}

void ComparePanel::makeMore() {
  more_->setObjectName("chip");
  more_->setText(tr("More"));
  more_->setToolTip(tr("Colour, visibility and position of the selected baseline"));
  more_->setAccessibleName(tr("More actions for the selected baseline"));
  more_->setPopupMode(QToolButton::InstantPopup);
  more_->setMenu(new QMenu(more_));
  connect(more_->menu(), &QMenu::aboutToShow, this, &ComparePanel::fillMore);
}

QToolButton* ComparePanel::makeExport() {
  auto* button = new QToolButton;
  button->setObjectName("chip");
  button->setText(tr("Export"));
  button->setToolTip(tr("Save the current run with this comparison"));
  button->setAccessibleName(tr("Export the comparison"));
  button->setPopupMode(QToolButton::InstantPopup);
  export_ = new QMenu(button);
  export_->setToolTipsVisible(true);
  button->setMenu(export_);
  return button;
}

void ComparePanel::makeTable() {
  proxy_->setSourceModel(model_);
  table_->setModel(proxy_);
  table_->setAccessibleName(tr("Comparison by layer and stage"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setSortingEnabled(true);
  // Rows with the worst verdict come first.
  table_->sortByColumn(CompareModel::verdict, Qt::DescendingOrder);
  table_->setShowGrid(false);
  table_->setTabKeyNavigation(false);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(21);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setMinimumSectionSize(20);
  table_->viewport()->installEventFilter(this);
  connect(table_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
          [this] { fit_compare_columns(*table_, *model_); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    if (filling_) return;
    followRow();
    chooseLayer();
  });
}

bool ComparePanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && shown_) {
    const auto* resized = static_cast<QResizeEvent*>(event);
    if (resized->oldSize().width() != resized->size().width()) fit_compare_columns(*table_, *model_);
  }
  return Panel::eventFilter(watched, event);
}

QString ComparePanel::emptyText() const {
  const auto current = comparing_->current();
  if (comparing_->busy()) return tr("Comparing the two runs.");
  if (!current && comparing_->baselines().empty())
    return tr(
        "Measure a run or open a report, then press B to set the baseline. To compare two reports, drop both "
        "files on the window.");
  if (comparing_->baselines().empty())
    return tr("Drop a second report, or press B to make this run the baseline.");
  return tr("The open run is the baseline. Change a setting and measure again, or drop a second report.");
}

void ComparePanel::follow() {
  fillBaselines();
  if (shown_ != comparing_->comparison()) {
    shown_ = comparing_->comparison();
    showComparison();
  } else if (shown_) {
    const Baseline& now = comparing_->baselines()[static_cast<std::size_t>(comparing_->chosen())];
    pane_->histogram()->setBaselineColour(now.colour);
  }
  if (!shown_ && comparing_->busy()) return showEmpty(emptyText());
  const int chosen = comparing_->chosen();
  if (!shown_ && chosen >= 0 && comparing_->baselines()[static_cast<std::size_t>(chosen)].hidden) {
    headline_->setText(
        tr("This baseline is hidden. Choose another baseline, or show this one with More > Show."));
    headline_->setToolTip({});
    return showBody();  // The body contains the menu "More", which can show the hidden baseline again.
  }
  if (!shown_) {
    const bool can_set = comparing_->baselineUnavailableReason().isEmpty();
    showEmpty(emptyText(), can_set ? "compare.set_baseline" : "file.open",
              can_set ? tr("Set as baseline") : tr("Open report..."));
    return;
  }
  showNotes();
  showBody();
}

/// Shows the comparison and selects the row that the user selected last. If the user has not selected a row,
/// selects the row with the worst verdict. The selected layer changes only if the user selects a row, not
/// after a new measurement.
void ComparePanel::showComparison() {
  filling_ = true;
  model_->setComparison(shown_);
  if (shown_) {
    fit_compare_columns(*table_, *model_);
    int row = 0;
    for (int at = 0; chosen_row_ && at < proxy_->rowCount(); ++at) {
      if (key_of(model_->row(proxy_->mapToSource(proxy_->index(at, 0)).row())) == *chosen_row_) row = at;
    }
    table_->selectRow(row);
  }
  filling_ = false;
  followRow();
}

void ComparePanel::fillBaselines() {
  const QSignalBlocker quiet(baseline_);
  baseline_->clear();
  for (const Baseline& one : comparing_->baselines())
    baseline_->addItem(swatch(baselineColour(*theme_, one.colour)),
                       one.hidden ? tr("%1 (hidden)").arg(one.name) : one.name);
  baseline_->setCurrentIndex(comparing_->chosen());
  const bool any = comparing_->chosen() >= 0;
  for (QToolButton* button : {rename_, remove_, more_})
    button->setEnabled(any);
  const QSignalBlocker quiet_too(ignore_devices_);
  ignore_devices_->setChecked(comparing_->ignoresDevices());
}

/// Fills the menu "More" with the actions for the selected baseline.
void ComparePanel::fillMore() {
  QMenu* menu = more_->menu();
  menu->clear();
  const int at = comparing_->chosen();
  if (at < 0) return;
  const Baseline& one = comparing_->baselines()[static_cast<std::size_t>(at)];
  const std::array<QString, baseline_colours> names{tr("Grey"), tr("Magenta"), tr("Brown"), tr("Teal"),
                                                    tr("Olive")};
  for (int colour = 0; colour < baseline_colours; ++colour) {
    QAction* action =
        menu->addAction(swatch(baselineColour(*theme_, colour)), names.at(static_cast<std::size_t>(colour)),
                        this, [this, at, colour] { comparing_->recolour(at, colour); });
    action->setCheckable(true);
    action->setChecked(colour == one.colour);
  }
  menu->addSeparator();
  menu->addAction(one.hidden ? tr("Show") : tr("Hide"), this,
                  [this, at, hide = !one.hidden] { comparing_->setHidden(at, hide); });
  const int last = static_cast<int>(comparing_->baselines().size()) - 1;
  menu->addAction(tr("Move up"), this, [this, at] { comparing_->move(at, at - 1); })->setEnabled(at > 0);
  menu->addAction(tr("Move down"), this, [this, at] { comparing_->move(at, at + 1); })->setEnabled(at < last);
}

void ComparePanel::showNotes() {
  QStringList tip;
  for (const std::string& note : compare_notes(*shown_))
    tip += QString::fromStdString(note);
  QStringList line;
  if (!shown_->rows.empty() && shown_->rows.front().layer.empty() && shown_->rows.front().verdict) {
    const auto cell = [&](int column) { return model_->index(0, column).data().toString(); };
    line += (shown_->partial ? tr("layers that run: %1 (%2 %)") : tr("whole network: %1 (%2 %)"))
                .arg(cell(CompareModel::verdict), cell(CompareModel::change));
  }
  const auto add = [&](std::optional<Verdict> verdict, const QString& name) {
    if (const auto count = shown_->count(verdict); count > 0) line += QString("%1 %2").arg(count).arg(name);
  };
  add(Verdict::faster, tr("faster"));
  add(Verdict::slower, tr("slower"));
  add(Verdict::same, tr("same"));
  add(Verdict::undecided, tr("undecided"));
  add(std::nullopt, tr("not comparable"));
  for (const auto& difference : shown_->differences)
    line += QString::fromStdString(difference);
  if (shown_->devices_ignored) line += tr("different devices allowed");
  for (const auto& warning : shown_->warnings)
    line += QString::fromStdString(warning);
  line += tr("current: %1").arg(comparing_->currentName());
  headline_->setText(line.join("; "));
  headline_->setToolTip(tip.join("\n"));
}

QString ComparePanel::headline() const {
  return headline_->text();
}

void ComparePanel::followRow() {
  const QModelIndex index = table_->currentIndex();
  if (!shown_ || !index.isValid()) {
    workspace_->baseline().setReport(nullptr);
    return pane_->clear();
  }
  const ComparedRow& row = model_->row(proxy_->mapToSource(index).row());
  const auto& baseline = comparing_->baselines()[static_cast<std::size_t>(comparing_->chosen())];
  pane_->histogram()->setBaselineColour(baseline.colour);
  pane_->setRow(row, *baseline.report, *comparing_->current());
  // If the times of the baseline are not comparable, the other panels do not show the baseline.
  workspace_->baseline().setReport(row.verdict ? baseline.report : nullptr);
}

void ComparePanel::chooseLayer() {
  const QModelIndex index = table_->currentIndex();
  if (!shown_ || !index.isValid()) return;
  const ComparedRow& row = model_->row(proxy_->mapToSource(index).row());
  chosen_row_ = key_of(row);
  if (!row.layer.empty() && workspace_->network()) {
    const int layer = workspace_->network()->index_of(row.layer);
    if (layer >= 0) selection_->setLayer(layer);
  }
}

void ComparePanel::renameBaseline() {
  const int at = comparing_->chosen();
  if (at < 0) return;
  bool agreed = false;
  const QString name =
      QInputDialog::getText(this, tr("Rename baseline"), tr("Name"), QLineEdit::Normal,
                            comparing_->baselines()[static_cast<std::size_t>(at)].name, &agreed);
  if (agreed) comparing_->rename(at, name);
}

}  // namespace spira::ui
