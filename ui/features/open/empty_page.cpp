#include "ui/features/open/empty_page.hpp"

#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/generate/generate.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/open/recorded_page.hpp"
#include "ui/panels/profile/run_overview.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/scene_view.hpp"

#include <QFile>
#include <QFileInfo>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace spira::ui {
namespace {

QLabel* heading_label(const QString& text) {
  auto* label = new QLabel(text);
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  return label;
}

void clear(QLayout& layout) {
  while (const std::unique_ptr<QLayoutItem> item{layout.takeAt(0)}) {
    if (item->widget() != nullptr) item->widget()->deleteLater();
  }
}

/// The texts that identify a report: its scene, its network and its device.
struct ReportHead {
  QString scene, network, device;
};

/// Reads only the first bytes of the file, which usually contain the texts. Texts that they do not contain
/// are empty.
ReportHead head_of_report(const QString& name) {
  constexpr qint64 head_bytes = 16'384;
  constexpr std::array<std::string_view, 4> open{"", "device", "scene", "network"};
  QFile file(name);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const std::string head = file.read(head_bytes).toStdString();
  try {
    const auto torn = complete_truncated_json(head, open);
    const auto document = parse_json_object(torn ? torn->text : head, name.toStdString());
    const JsonFields fields(document, name.toStdString(), "");
    const auto text = [&fields](const char* object, const char* member) {
      return fields.has(object) ? QString::fromStdString(fields.at(object).text_or(member, {})) : QString();
    };
    return {text("scene", "name"), text("network", "title"), text("device", "name")};
  } catch (const Error&) {
    return {};
  }
}

/// Texts for a recorded run in the table of the start page. The file name has the form
/// MACHINE-NETWORK-SCENE.spira.json and provides the short name of the scene. The report provides the name of
/// the network.
struct RecordedName {
  QString run, scene, title;

  explicit RecordedName(const QString& file) {
    QString name = QFileInfo(file).fileName();
    name = name.left(name.indexOf(".spira.json"));
    const bool whole = name.count('-') >= 2;
    const ReportHead head = head_of_report(file);
    // "SparseResNet-21 (cubic last layer)" and "CenterPoint-Large-like, K = 5" are too long for a row.
    static const QRegularExpression remark(R"((,| \().*)");
    QString network = QString(head.network).remove(remark);
    if (network.isEmpty()) network = whole ? name.section('-', 1, 1) : name;
    const QString machine = whole ? name.section('-', 0, 0).toUpper() : head.device;
    run = machine.isEmpty() ? network : EmptyPage::tr("%1, %2").arg(network, machine);
    scene = whole ? name.section('-', 2).replace('-', ' ').replace('_', ' ') : head.scene;
    if (scene.isEmpty()) scene = name;
    if (whole) scene[0] = scene[0].toUpper();
    title = EmptyPage::tr("%1 on %2, %3")
                .arg(network, head.scene.isEmpty() ? scene : head.scene,
                     head.device.isEmpty() ? machine : head.device);
  }
};

}  // namespace

EmptyPage::EmptyPage(QWidget* parent) : QWidget(parent) {
  auto* inside = new QWidget;
  auto* scroll = new QScrollArea(this);
  scroll->setAccessibleName(tr("Start page"));
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll);
  outer_ = new QVBoxLayout(inside);
  outer_->addStretch(2);
  auto* title = new QLabel(tr("<h3>Drop a point cloud here, or choose:</h3>"), this);
  title->setAlignment(Qt::AlignCenter);
  outer_->addWidget(title);
  addTiles();
  addGap();
  reports_ = new QVBoxLayout;
  recent_ = new QGridLayout;
  recent_->setHorizontalSpacing(24);
  below_ = new QBoxLayout(QBoxLayout::TopToBottom);
  below_->addLayout(reports_);
  below_->addLayout(recent_);
  outer_->addLayout(below_);
  outer_->setAlignment(below_, Qt::AlignHCenter);
  below_->setAlignment(reports_, Qt::AlignTop);
  below_->setAlignment(recent_, Qt::AlignTop);
  outer_->addStretch(3);
}

/// Adds a frame with a heading and an explanation to a layout. Returns the layout for its buttons. A low page
/// does not show explanations that need additional height.
QVBoxLayout* EmptyPage::addTile(QBoxLayout& to, const QString& heading, const QString& explanation,
                                bool has_room) {
  auto* tile = new QFrame(this);
  tile->setObjectName("tile");
  auto* inside = new QVBoxLayout(tile);
  inside->addWidget(heading_label(heading));
  auto* text = new QLabel(explanation, tile);
  (has_room ? roomy_texts_ : texts_).emplace_back(text);
  text->setWordWrap(true);
  text->setForegroundRole(QPalette::PlaceholderText);
  inside->addWidget(text);
  inside->addStretch(1);
  auto* buttons = new QVBoxLayout;
  buttons->setSpacing(4);
  inside->addLayout(buttons);
  to.addWidget(tile, 1);
  return buttons;
}

void EmptyPage::addTiles() {
  tiles_ = new QBoxLayout(QBoxLayout::LeftToRight);
  tiles_->setSpacing(10);
  auto* open = new QPushButton(tr("Open scene..."), this);
  connect(open, &QPushButton::clicked, this, &EmptyPage::dialogRequested);
  // The tile of the built-in scenes has three buttons. The tiles next to it are equally high but have only
  // one button each, so they have space for an explanation.
  constexpr bool has_room = true;
  addTile(*tiles_, tr("Open a scan"),
          tr("KITTI, nuScenes, PCD, PLY, LAS, text, NPY, NPZ, a folder of frames, or a report"), has_room)
      ->addWidget(open);
  QVBoxLayout* built_in =
      addTile(*tiles_, tr("Built-in scene"), tr("Built-in scenes have the same points on every machine."));
  for (const GeneratorFacts& facts : generators())
    built_in->addWidget(cardOf(facts));
  auto* lessons = new QPushButton(tr("Start with a lesson..."), this);
  lessons->setToolTip(tr("Learn step by step how sparse convolution works (Ctrl+L)"));
  connect(lessons, &QPushButton::clicked, this, &EmptyPage::lessonsRequested);
  addTile(*tiles_, tr("Lesson"), tr("Six lessons show step by step how sparse convolution works."), has_room)
      ->addWidget(lessons);
  outer_->addLayout(tiles_);
}

QPushButton* EmptyPage::cardOf(const GeneratorFacts& facts) {
  const QString id = QString::fromLatin1(facts.id.data(), static_cast<qsizetype>(facts.id.size()));
  const QString label = QString::fromUtf8(facts.label.data(), static_cast<qsizetype>(facts.label.size()));
  const QString points = onScreen(count_text(facts.made));
  auto* card = new QPushButton(tr("%1, %2 points").arg(label.section(':', 0, 0), points), this);
  card->setObjectName("card_" + id);
  card->setToolTip(tr("%1, %2 points").arg(label, points));
  connect(card, &QPushButton::clicked, this, [this, id] { emit openRequested(id); });
  return card;
}

void EmptyPage::addGap() {
  gaps_.push_back(new QSpacerItem(0, 0));
  outer_->addItem(gaps_.back());
}

/// Adapts the page to its size, so that the whole page is visible. A low page shows fewer explanations,
/// places runs and recent files next to each other, and lists the recent files in two columns. A narrow page
/// places the tiles in one column.
void EmptyPage::arrange() {
  constexpr int low_below = 440, room_for_both = 640, room_for_tiles = 560;
  const bool low = height() < low_below, narrow = width() < room_for_tiles;
  for (const QPointer<QLabel>& text : texts_) {
    if (text) text->setVisible(!low);
  }
  for (const QPointer<QLabel>& text : roomy_texts_) {
    if (text) text->setVisible(!low || !narrow);
  }
  tiles_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  below_->setDirection(low && width() >= room_for_both ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  below_->setSpacing(low ? 24 : 18);
  outer_->setSpacing(low ? 2 : 6);
  recent_->setVerticalSpacing(low ? 2 : 6);
  if (std::exchange(low_, low) != low) fillRecent();
  reports_->setSpacing(low ? 2 : 6);
  for (QSpacerItem* gap : gaps_)
    gap->changeSize(0, low ? 2 : 16);
  outer_->invalidate();
}

void EmptyPage::resizeEvent(QResizeEvent* event) {
  arrange();
  QWidget::resizeEvent(event);
}

void EmptyPage::setReports(const QStringList& files) {
  clear(*reports_);
  if (files.isEmpty()) return;
  QVBoxLayout* tile = addTile(*reports_, tr("Recorded GPU runs"),
                              tr("Times of layers and stages, measured on another machine."));
  auto* table = new QWidget(this);
  auto* cells = new QGridLayout(table);
  cells->setContentsMargins(0, 0, 0, 0);
  cells->setSpacing(4);
  QStringList runs, scenes;  // Headings of the table rows and columns.
  const auto place_of = [](QStringList& all, const QString& name) {
    if (!all.contains(name)) all.append(name);
    return static_cast<int>(all.indexOf(name));
  };
  for (const QString& file : files) {
    const RecordedName name(file);
    const bool first = !runs.contains(name.run);
    const int row = place_of(runs, name.run);
    if (first) cells->addWidget(new QLabel(name.run, table), row, 0, Qt::AlignRight | Qt::AlignVCenter);
    auto* card = new QPushButton(name.scene, table);
    card->setObjectName("report");
    card->setAccessibleName(tr("%1, %2").arg(name.run, name.scene));
    card->setToolTip(QString("%1\n%2").arg(name.title, file));
    connect(card, &QPushButton::clicked, this, [this, file] { emit openRequested(file); });
    cells->addWidget(card, row, 1 + place_of(scenes, name.scene));
  }
  tile->addWidget(table, 0, Qt::AlignHCenter);
  arrange();
}

void EmptyPage::setRecent(const std::vector<RecentFile>& files) {
  constexpr std::ptrdiff_t most = 6;
  files_.assign(files.begin(), files.begin() + std::min(most, std::ssize(files)));
  fillRecent();
}

void EmptyPage::fillRecent() {
  clear(*recent_);
  const int columns = low_ ? 2 : 1;
  const int widest = low_ ? 150 : 240;  // In pixels.
  if (!files_.empty()) recent_->addWidget(heading_label(tr("Recent")), 0, 0);
  const QStringList names = distinct_names(paths_of(files_));
  for (qsizetype at = 0; at < names.size(); ++at) {
    const RecentFile& file = files_[static_cast<std::size_t>(at)];
    const QString shown = fontMetrics().elidedText(names[at], Qt::ElideMiddle, widest);
    const QString name = (file.pinned ? tr("\u2605 %1") : QString("%1")).arg(shown.toHtmlEscaped());
    const bool there = QFileInfo::exists(file.path);
    auto* link =
        new QLabel(there ? QString("<a href='open'>%1</a>").arg(name) : tr("%1 (missing)").arg(name), this);
    link->setEnabled(there);
    link->setToolTip(file.with.isEmpty() ? file.path : tr("%1\nwith %2").arg(file.path, file.with));
    link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(link, &QLabel::linkActivated, this, [this, path = file.path] { emit openRequested(path); });
    const int place = static_cast<int>(at);
    recent_->addWidget(link, 1 + (place / columns), place % columns);
  }
}

CentrePages::CentrePages(const FeatureContext& context, SceneView& view)
    : QObject(&context.window),
      empty_(new EmptyPage),
      recorded_(new RecordedPage(&context.workspace, &context.theme)) {
  Workspace* workspace = &context.workspace;
  auto* pages = new QStackedWidget;
  pages->addWidget(empty_);
  pages->addWidget(recorded_);
  view.setEmptyPage(pages);
  context.window.addToolBarBreak();
  QToolBar* bar = context.window.addToolBar(tr("Recorded run"));
  bar->setObjectName("recorded_bar");
  bar->setMovable(false);
  bar->setContextMenuPolicy(Qt::PreventContextMenu);
  bar->toggleViewAction()->setEnabled(false);  // The user cannot hide the bar while its report is open.
  bar->addWidget(new RecordedStrip(workspace, &context.theme, bar));
  bar->hide();
  connect(&workspace->results(), &RunResults::reportChanged, this, [this, workspace, pages, bar] {
    const bool shown = workspace->results().report() != nullptr;
    pages->setCurrentWidget(shown ? static_cast<QWidget*>(recorded_) : empty_);
    bar->setVisible(shown);
  });
  connect(empty_, &EmptyPage::openRequested, this, &CentrePages::openRequested);
  connect(empty_, &EmptyPage::dialogRequested, this, &CentrePages::dialogRequested);
  connect(empty_, &EmptyPage::lessonsRequested, this,
          [&commands = context.commands] { commands.trigger("lesson.list"); });
  connect(recorded_, &RecordedPage::dialogRequested, this, &CentrePages::dialogRequested);
  connect(&recorded_->overview(), &RunOverview::samplesWanted, this,
          [&commands = context.commands] { commands.trigger("window.show_summary"); });
}

void CentrePages::connectSummary(SummaryPanel& summary) {
  summary.serve(recorded_->overview());
}

}  // namespace spira::ui
