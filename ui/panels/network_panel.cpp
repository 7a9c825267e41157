#include "ui/panels/network_panel.hpp"

#include "ui/model/measured/measured_here.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QSplitter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace spira::ui {
namespace {

constexpr int name_margins = 8, bar_margin = 6;
/// The columns that show how well a layer uses the device, one bit for each column.
constexpr int efficiency_columns = (1 << LayerTableModel::name) | (1 << LayerTableModel::time) |
                                   (1 << LayerTableModel::flop_rate) | (1 << LayerTableModel::byte_rate) |
                                   (1 << LayerTableModel::over_floor);
constexpr int row_height = 22, compact_row_height = 21;

/// Returns the font of the list if the panel is too narrow for all columns.
QFont compactFont(QFont font) {
  constexpr double smaller = 0.9;
  font.setPointSizeF(font.pointSizeF() * smaller);
  return font;
}

/// Draws a bar next to the time of a layer. Offers all dataflows while the user edits the dataflow.
class LayerDelegate : public QStyledItemDelegate {
 public:
  /// `hovered` is the layer under the pointer in any view. `bar` is the width of the bar next to the time; 0
  /// hides the bar. The names are short, unless `full_names` is true. The font is small if `compact` is true.
  LayerDelegate(Theme* theme, const int* hovered, const int* bar, const bool* full_names, const bool* compact,
                QObject* parent)
      : QStyledItemDelegate(parent),
        theme_(theme),
        hovered_(hovered),
        bar_(bar),
        full_names_(full_names),
        compact_(compact) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    if (index.data(LayerTableModel::layer_role).toInt() == *hovered_)
      painter->fillRect(option.rect, theme_->palette().raised);
    QStyledItemDelegate::paint(painter, option, index);
    if (index.column() == LayerTableModel::name) paintMapMark(*painter, option, index);
    if (index.column() != LayerTableModel::time || index.data().toString().isEmpty()) return;
    const QVariant of_slowest = index.data(LayerTableModel::share_role);
    // Draw no bar if the report has no time for this layer.
    if (!of_slowest.isValid()) return;
    const double share = of_slowest.toDouble();
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    const int bar = *bar_;
    if (bar == 0) return underline(*painter, option, share);
    const QRect slot(option.rect.left() + 4, option.rect.top() + 6, bar, option.rect.height() - 12);
    QColor track = selected ? theme_->palette().panel : theme_->palette().line;
    track.setAlphaF(selected ? 0.35F : 0.6F);
    painter->fillRect(slot, track);
    painter->fillRect(QRect(slot.left(), slot.top(), std::max(1, static_cast<int>(std::lround(bar * share))),
                            slot.height()),
                      selected ? theme_->palette().panel : theme_->palette().accent);
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    return index.column() == LayerTableModel::time ? size + QSize(*bar_ > 0 ? *bar_ + bar_margin : 0, 0)
                                                   : size;
  }
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (*compact_) option->font = compactFont(option->font);
    option->fontMetrics = QFontMetrics(option->font);
    if (index.column() == LayerTableModel::name && !*full_names_)
      option->text = index.data(LayerTableModel::short_name_role).toString();
  }
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                        const QModelIndex& index) const override {
    auto* choice = new QComboBox(parent);
    auto* items = qobject_cast<QStandardItemModel*>(choice->model());
    const auto choices = index.data(LayerTableModel::dataflows_role).value<std::vector<DataflowChoice>>();
    for (const DataflowChoice& one : choices) {
      choice->addItem(dataflowText(one.name), QString::fromStdString(one.name));
      if (one.why_not.empty()) continue;
      QStandardItem& item = *items->item(choice->count() - 1);
      item.setEnabled(false);
      item.setToolTip(QString::fromStdString(one.why_not));
    }
    // The cell is narrower than most names.
    constexpr int margin = 24;
    choice->view()->setMinimumWidth(choice->view()->sizeHintForColumn(0) + margin);
    // An editor that loses the focus is closed, and its value is stored.
    connect(choice, &QComboBox::activated, parent, [parent] { parent->parentWidget()->setFocus(); });
    return choice;
  }
  void setEditorData(QWidget* editor, const QModelIndex& index) const override {
    auto* choice = qobject_cast<QComboBox*>(editor);
    choice->setCurrentIndex(choice->findData(index.data(Qt::EditRole)));
  }
  void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
    model->setData(index, qobject_cast<QComboBox*>(editor)->currentData(), Qt::EditRole);
  }

 private:
  /// Draws the mark of a shared kernel map at the right edge of the name. Draws no marks if some of them do
  /// not fit, because a single mark would look as if the map were not shared.
  void paintMapMark(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QString mark = index.data(LayerTableModel::map_role).toString();
    if (mark.isEmpty()) return;
    constexpr int margins = 8, rows_looked_at = 100;
    for (int row = 0; row < std::min(rows_looked_at, index.model()->rowCount()); ++row) {
      const QModelIndex other = index.siblingAtRow(row);
      const QString its_mark = other.data(LayerTableModel::map_role).toString();
      QStyleOptionViewItem cell = option;
      initStyleOption(&cell, other);
      if (!its_mark.isEmpty() &&
          cell.fontMetrics.horizontalAdvance(cell.text + its_mark) + margins > option.rect.width())
        return;
    }
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    QStyleOptionViewItem own = option;
    initStyleOption(&own, index);
    painter.setFont(own.font);
    painter.setPen(selected ? theme_->palette().panel : theme_->palette().faint_text);
    painter.drawText(option.rect.adjusted(0, 0, -4, 0), Qt::AlignRight | Qt::AlignVCenter, mark);
  }
  /// Draws the bar as a line below the time if the column is too narrow for a bar next to the time.
  void underline(QPainter& painter, const QStyleOptionViewItem& option, double share) const {
    constexpr int thickness = 2;
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    const int length = std::max(1, static_cast<int>(std::lround(option.rect.width() * share)));
    painter.fillRect(
        QRect(option.rect.right() - length + 1, option.rect.bottom() - thickness + 1, length, thickness),
        selected ? theme_->palette().panel : theme_->palette().accent);
  }

  Theme* theme_;
  const int *hovered_, *bar_;
  const bool *full_names_, *compact_;
};

}  // namespace

NetworkPanel::NetworkPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      model_(new LayerTableModel(workspace, this)),
      order_(new LayerOrder(model_, this)),
      table_(new QTableView),
      title_(new QLabel(body())),
      dataflows_(faint_label(tr("OS: output-stationary, WS: weight-stationary"), body())),
      samples_(new SamplesPane(theme)) {
  auto* layout = new QVBoxLayout(body());
  // The margins are small, because the columns of the list need the width.
  layout->setContentsMargins(2, 4, 2, 4);
  layout->setSpacing(4);
  title_->setWordWrap(true);
  title_->setContentsMargins(4, 0, 4, 0);
  title_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  connect(title_, &QLabel::linkActivated, this,
          [this] { emit columnsChosen(columns_ == efficiency_columns ? 0 : efficiency_columns); });
  layout->addWidget(title_);
  auto* halves = new QSplitter(Qt::Vertical, body());
  halves->addWidget(table_);
  halves->addWidget(samples_);
  halves->setChildrenCollapsible(false);
  halves->setStretchFactor(0, 1);
  layout->addWidget(halves, 1);
  dataflows_->setContentsMargins(4, 0, 4, 0);
  layout->addWidget(dataflows_);
  // Minimum height at which the text and the histogram of the samples are readable.
  constexpr int min_height = 210;
  // Require no width, because the layer list next to the samples may be narrow.
  samples_->setMinimumSize(1, min_height);
  samples_->hide();
  connect(samples_, &SamplesPane::closeRequested, samples_, &QWidget::hide);
  makeTable();
  connect(selection_, &Selection::layerChanged, this, [this](int layer) {
    if (layer < 0) {
      table_->clearSelection();
      table_->setCurrentIndex({});
    } else if (const QModelIndex index = order_->indexOf(layer);
               !table_->selectionModel()->isRowSelected(index.row())) {
      table_->setCurrentIndex(index);
    }
  });
  connect(selection_, &Selection::hoverChanged, this, [this] {
    if (delegate_layer_ == selection_->hover().layer) return;
    delegate_layer_ = selection_->hover().layer;
    table_->viewport()->update();
  });
  connect(workspace_, &Workspace::networkChanged, this, &NetworkPanel::followSoon);
  connect(&workspace_->results(), &RunResults::layerChanged, this, &NetworkPanel::followSoon);
  connect(&workspace_->results(), &RunResults::measurementChanged, this, &NetworkPanel::followSoon);
  // Hide the samples, because they belong to the previous network or measurement.
  connect(workspace_, &Workspace::networkChanged, samples_, &QWidget::hide);
  connect(&workspace_->results(), &RunResults::measurementChanged, samples_, &QWidget::hide);
  follow();
}

void NetworkPanel::makeTable() {
  table_->setObjectName("layers");
  table_->setAccessibleName(tr("Layers of the network"));
  table_->setModel(order_);
  table_->setItemDelegate(
      new LayerDelegate(theme_, &delegate_layer_, &bar_width_, &full_names_, &compact_, table_));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setMinimumSectionSize(1);
  table_->verticalHeader()->setDefaultSectionSize(row_height);
  QHeaderView& header = *table_->horizontalHeader();
  header.setSectionsClickable(true);
  connect(&header, &QHeaderView::sectionClicked, order_, &LayerOrder::next);
  header.setSectionResizeMode(QHeaderView::ResizeToContents);
  header.setSectionResizeMode(LayerTableModel::name, QHeaderView::Stretch);
  header.setMinimumSectionSize(18);
  // Column widths are computed from the first rows only, because a network can have 1,000 layers.
  constexpr int rows_looked_at = 100;
  header.setResizeContentsPrecision(rows_looked_at);
  header.setContextMenuPolicy(Qt::CustomContextMenu);
  connect(&header, &QWidget::customContextMenuRequested, this, [this, &header](const QPoint& at) {
    QMenu menu;
    fillHeaderMenu(menu);
    menu.exec(header.mapToGlobal(at));
  });
  header.setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  new CutRowCover(table_);
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->setMouseTracking(true);
  table_->viewport()->installEventFilter(this);
  table_->setTabKeyNavigation(false);
  // Reacts to the selection and not to the current row, because the current row also changes when the table
  // only gets the keyboard focus.
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (!rows.isEmpty()) selection_->setLayer(rows.front().data(LayerTableModel::layer_role).toInt());
  });
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& at) {
    if (at.column() == LayerTableModel::time) showSamples(at.data(LayerTableModel::layer_role).toInt());
  });
  connect(table_, &QTableView::entered, this, [this](const QModelIndex& index) {
    Hover over;
    over.layer = index.data(LayerTableModel::layer_role).toInt();
    selection_->setHover(over);
  });
}

/// Shows the samples of a measured layer. Does nothing for a single run, which has no samples.
void NetworkPanel::showSamples(int layer) {
  const auto& measured = workspace_->results().measurement();
  const auto at = static_cast<std::size_t>(layer);
  if (!measured || at >= measured->layers.size() || measured->layers[at].stages.nodes.empty()) return;
  samples_->setSeries(tr("%1: map and features").arg(QString::fromStdString(measured->layers[at].name)),
                      samples_of(measured->layers[at].stages));
  samples_->show();
  table_->scrollTo(table_->currentIndex());
}

void NetworkPanel::resizeEvent(QResizeEvent* event) {
  arrangeColumns();
  Panel::resizeEvent(event);
}

/// Measures the widths of the names if the network or the font changed. Does nothing otherwise, because there
/// may be 1,000 names.
void NetworkPanel::measureNames() {
  if (names_.of == workspace_->network() && names_.font == table_->font()) return;
  names_.of = workspace_->network();
  names_.font = table_->font();
  names_.brief = names_.compact = names_.full = 0;
  const QFontMetrics usual = table_->fontMetrics(), compact(compactFont(names_.font));
  for (int row = 0; row < model_->rowCount(); ++row) {
    const QModelIndex index = model_->index(row, LayerTableModel::name);
    const QString name = index.data(LayerTableModel::short_name_role).toString();
    names_.brief = std::max(names_.brief, usual.horizontalAdvance(name));
    names_.compact = std::max(names_.compact, compact.horizontalAdvance(name));
    names_.full = std::max(names_.full, usual.horizontalAdvance(index.data(Qt::DisplayRole).toString()));
  }
}

int NetworkPanel::widthOf(int column) const {
  // sizeHintForColumn() is protected in QTableView, but public in its base class.
  const QAbstractItemView& all = *table_;
  return std::max(all.sizeHintForColumn(column), table_->horizontalHeader()->sectionSizeHint(column));
}

int NetworkPanel::widthOfNames() const {
  const int longest = compact_ ? names_.compact : full_names_ ? names_.full : names_.brief;
  return std::max(longest + name_margins, table_->horizontalHeader()->sectionSizeHint(LayerTableModel::name));
}

void NetworkPanel::setCompact(bool compact) {
  if (std::exchange(compact_, compact) == compact) return;
  order_->setCompact(compact);
  table_->verticalHeader()->setDefaultSectionSize(compact ? compact_row_height : row_height);
  // The headings keep their font, because most of them are shorter than the values.
  table_->horizontalHeader()->setStyleSheet(compact ? "QHeaderView::section { padding: 3px 2px; }" : "");
}

namespace {

/// The columns of the list, the most important first.
constexpr std::array list_columns{LayerTableModel::time,   LayerTableModel::dataflow,
                                  LayerTableModel::kernel, LayerTableModel::channels,
                                  LayerTableModel::pairs,  LayerTableModel::voxels};

}  // namespace

/// Returns a link that switches between the efficiency and the shape of the layers. Returns an empty string
/// before the first run.
QString NetworkPanel::columnsLink() const {
  if (!model_->hasValues(LayerTableModel::flop_rate)) return {};
  return QString(" &nbsp;<a href='columns'>%1</a>")
      .arg(columns_ == efficiency_columns ? tr("shape") : tr("efficiency"));
}

bool NetworkPanel::columnsFit() {
  int width = widthOfNames();
  for (const int column : list_columns)
    width += model_->hasValues(column) ? widthOf(column) : 0;
  width += widthOf(LayerTableModel::stride);
  return width <= table_->viewport()->width();
}

/// Shows the columns that the user selected. If the user selected none, shows the columns that fit next to
/// the names.
void NetworkPanel::arrangeColumns() {
  measureNames();
  QHeaderView& header = *table_->horizontalHeader();
  bar_width_ = 0;  // The width hint of the time column must not include a bar.
  if (columns_ == 0) {
    showColumnsThatFit();
  } else {
    setCompact(false);
    for (int column = 1; column < LayerTableModel::column_count; ++column)
      table_->setColumnHidden(column, ((columns_ >> column) & 1) == 0);
  }
  dataflows_->setVisible(!table_->isColumnHidden(LayerTableModel::dataflow));
  const int names = widthOfNames();
  int room = table_->viewport()->width() - names;
  for (int column = 1; column < LayerTableModel::column_count; ++column)
    room -= table_->isColumnHidden(column) ? 0 : widthOf(column);
  for (const int bar : {40, 20}) {
    if (bar_width_ == 0 && room >= bar + bar_margin) bar_width_ = bar;
  }
  // If the columns are too wide, the names keep their width and the list scrolls.
  header.setSectionResizeMode(LayerTableModel::name, room < 0 ? QHeaderView::Fixed : QHeaderView::Stretch);
  if (room < 0) header.resizeSection(LayerTableModel::name, names);
  table_->resizeColumnToContents(LayerTableModel::time);
}

/// Shows the columns that fit and have values, the most important columns first. Uses the compact form if not
/// all columns about shape, dataflow and time fit otherwise. Full names are not shown in the compact form.
/// The bars next to the times are more important than the peak memory.
void NetworkPanel::showColumnsThatFit() {
  using Model = LayerTableModel;
  constexpr int bar = 40;
  std::array<bool, Model::column_count> shown{};
  for (int column = 1; column <= Model::dataflow; ++column)
    table_->setColumnHidden(column, false);  // The header returns no width for a hidden column.
  setCompact(false);
  setCompact(!full_names_ && !columnsFit());
  int room = table_->viewport()->width() - widthOfNames();
  const auto show = [&](int column, bool always, int besides) {
    if (!model_->hasValues(column)) return;
    const int width = widthOf(column);
    if (!always && width + besides > room) return;
    shown.at(static_cast<std::size_t>(column)) = true;
    room -= width;
  };
  for (const int column : list_columns)
    show(column, column == Model::time || column == Model::dataflow, 0);
  show(Model::stride, false, 0);
  show(Model::peak, false, bar + bar_margin);
  for (int column = 1; column < Model::column_count; ++column)
    table_->setColumnHidden(column, !shown.at(static_cast<std::size_t>(column)));
}

int NetworkPanel::shownColumns() const {
  int bits = 0;
  for (int column = 0; column < LayerTableModel::column_count; ++column)
    bits |= table_->isColumnHidden(column) ? 0 : 1 << column;
  return bits;
}

void NetworkPanel::setColumns(int columns) {
  if (columns == columns_) return;
  columns_ = columns;
  follow();
}

void NetworkPanel::setFullNames(bool full) {
  if (full == full_names_) return;
  full_names_ = full;
  arrangeColumns();
  table_->viewport()->update();
}

void NetworkPanel::fillHeaderMenu(QMenu& menu) {
  using Model = LayerTableModel;
  const auto add = [&](const QString& text, bool checked, auto&& chosen) {
    QAction* action = menu.addAction(text);
    action->setCheckable(true);
    action->setChecked(checked);
    connect(action, &QAction::triggered, this, chosen);
  };
  const auto bits_of = [](std::initializer_list<int> columns) {
    int bits = 1 << Model::name;
    for (const int column : columns)
      bits |= 1 << column;
    return bits;
  };
  add(tr("Full names"), full_names_, [this](bool on) { emit fullNamesChosen(on); });
  menu.addSeparator();
  add(tr("Columns that fit"), columns_ == 0, [this] { emit columnsChosen(0); });
  constexpr int work = bits_of({Model::time, Model::dataflow, Model::flops, Model::bytes, Model::intensity,
                                Model::flop_rate, Model::byte_rate, Model::over_floor});
  add(tr("Work and efficiency"), columns_ == work, [this] { emit columnsChosen(work); });
  menu.addSeparator();
  const int shown = shownColumns();
  for (int column = 1; column < Model::column_count; ++column) {
    const int bit = 1 << column;
    add(Model::titleOf(column), (shown & bit) != 0, [this, shown, bit] { emit columnsChosen(shown ^ bit); });
  }
}

bool NetworkPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Leave) selection_->setHover({});
  return Panel::eventFilter(watched, event);
}

void NetworkPanel::followTuning(const Tuning* tuning) {
  const auto follow_times = [this, tuning] {
    if (workspace_->results().layersRun() > 0 || workspace_->results().report()) return;
    model_->setTuned(tuned_times(*tuning, *workspace_));
    followSoon();
  };
  connect(tuning, &Tuning::changed, this, follow_times);
  follow_times();
}

QString NetworkPanel::titleText() const {
  const QString name = networkText(*workspace_->network()).toHtmlEscaped();
  const QString layers = counted(std::ssize(workspace_->network()->layers), tr("1 layer"), tr("%1 layers"));
  const int run = workspace_->results().layersRun();
  if (run > 0) {
    const bool recorded = workspace_->results().recorded();
    const bool all = recorded && run == std::ssize(workspace_->network()->layers);
    const QString what = all ? layers : tr("%1 of %2").arg(run).arg(layers);
    return (recorded ? tr("<b>%1</b>  %2 recorded") : tr("<b>%1</b>  %2 run")).arg(name, what) +
           columnsLink() + "<br>" + tr("ms: map and features, %1").arg(layerTimesText(*workspace_));
  }
  if (const auto& tuned = model_->tuned())
    return tr("<b>%1</b>  %2, not run yet<br>ms: features with the current t, without map; from %3")
        .arg(name, layers, tuned->profile.toHtmlEscaped());
  return (workspace_->results().report() ? tr("<b>%1</b>  %2, none recorded")
                                         : tr("<b>%1</b>  %2, not run yet"))
      .arg(name, layers);
}

void NetworkPanel::follow() {
  if (!workspace_->network())
    return showEmpty(tr("Choose a network in the toolbar or in the Network menu."), "network.minkunet42",
                     tr("Use MinkUNet-42"));
  title_->setText(titleText());
  title_->setToolTip(tr("Title: %1").arg(QString::fromStdString(workspace_->network()->title)) + "\n" +
                     tr("efficiency: GFLOP/s, GB/s and the time divided by the minimum time on this device"));
  showBody();
  arrangeColumns();
}

}  // namespace spira::ui
