#include "ui/features/open/empty_page.hpp"

#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/generate/generate.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/open/recorded_page.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/scene_view.hpp"

#include <QFile>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace spira::ui {
namespace {

void clear(QLayout& layout) {
  while (const std::unique_ptr<QLayoutItem> item{layout.takeAt(0)}) {
    if (item->widget() != nullptr) item->widget()->deleteLater();
  }
}

/// Returns the name of the scene in a report. Reads only the first bytes of the file, which usually contain
/// the name. Returns an empty string if they do not.
QString scene_of_report(const QString& name) {
  constexpr qint64 head_bytes = 16'384;
  constexpr std::array<std::string_view, 2> open{"", "scene"};
  QFile file(name);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const std::string head = file.read(head_bytes).toStdString();
  try {
    const auto torn = complete_truncated_json(head, open);
    const auto document = parse_json_object(torn ? torn->text : head, name.toStdString());
    return QString::fromStdString(JsonFields(document, name.toStdString(), "").at("scene").text("name"));
  } catch (const Error&) {
    return {};
  }
}

/// The parts of a report file name: MACHINE-NETWORK-SCENE.spira.json. The scene name is read from the report
/// instead, because the file name can differ.
struct RecordedName {
  QString run, scene;

  explicit RecordedName(const QString& file) {
    QString name = QFileInfo(file).fileName();
    name = name.left(name.indexOf(".spira.json"));
    const bool whole = name.count('-') >= 2;
    if (whole) run = name.section('-', 1, 1) + ", " + name.section('-', 0, 0).toUpper();
    scene = scene_of_report(file);
    if (scene.isEmpty()) scene = (whole ? name.section('-', 2) : name).replace('-', ' ').replace('_', ' ');
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
  addWaysToOpen();
  addGap();
  addCards();
  addGap();
  reports_ = new QVBoxLayout;
  recent_ = new QVBoxLayout;
  below_ = new QBoxLayout(QBoxLayout::TopToBottom);
  below_->addLayout(reports_);
  below_->addLayout(recent_);
  outer_->addLayout(below_);
  outer_->setAlignment(below_, Qt::AlignHCenter);
  below_->setAlignment(reports_, Qt::AlignTop);
  below_->setAlignment(recent_, Qt::AlignTop);
  outer_->addStretch(3);
}

void EmptyPage::addWaysToOpen() {
  auto* title =
      new QLabel(tr("<h2>Drop a point cloud here</h2>KITTI, nuScenes, PCD, PLY, LAS, text, NPY, NPZ, a "
                    "folder of frames, or a report of a run"),
                 this);
  title->setAlignment(Qt::AlignCenter);
  title->setWordWrap(true);
  outer_->addWidget(title);
  auto* open = new QPushButton(tr("Open scene..."), this);
  connect(open, &QPushButton::clicked, this, &EmptyPage::dialogRequested);
  auto* lessons = new QPushButton(tr("Start with a lesson..."), this);
  lessons->setToolTip(tr("Learn step by step how sparse convolution works (Ctrl+L)"));
  connect(lessons, &QPushButton::clicked, this, &EmptyPage::lessonsRequested);
  auto* ways = new QHBoxLayout;
  ways->addStretch(1);
  ways->addWidget(open);
  ways->addWidget(lessons);
  ways->addStretch(1);
  outer_->addLayout(ways);
}

void EmptyPage::addCards() {
  auto* built_in = new QLabel(tr("or open a built-in scene"), this);
  built_in->setAlignment(Qt::AlignCenter);
  outer_->addWidget(built_in);
  cards_ = new QBoxLayout(QBoxLayout::LeftToRight);
  cards_->addStretch(1);
  for (const GeneratorFacts& facts : generators()) {
    const QString id = QString::fromLatin1(facts.id.data(), static_cast<qsizetype>(facts.id.size()));
    const QString label = QString::fromUtf8(facts.label.data(), static_cast<qsizetype>(facts.label.size()));
    auto* card = new QPushButton(this);
    const QString points = onScreen(count_text(facts.points));
    texts_.push_back(
        {card, label.section(':', 0, 0), label.section(": ", 1), tr("about %1 points").arg(points)});
    card->setObjectName("card_" + id);
    card->setToolTip(tr("%1, about %2 points").arg(label, points));
    connect(card, &QPushButton::clicked, this, [this, id] { emit openRequested(id); });
    cards_->addWidget(card, 0, Qt::AlignCenter);
  }
  cards_->addStretch(1);
  outer_->addLayout(cards_);
}

void EmptyPage::addGap() {
  gaps_.push_back(new QSpacerItem(0, 0));
  outer_->addItem(gaps_.back());
}

/// Adapts the page to its size, so that the whole page is visible. A low page uses shorter texts and places
/// runs and recent files next to each other. A narrow page places the cards in one column.
void EmptyPage::resizeEvent(QResizeEvent* event) {
  constexpr int low_below = 440, room_for_both = 640, margins = 48;
  const bool low = height() < low_below;
  int all_cards = margins;
  for (const CardText& card : texts_) {
    card.button->setMinimumSize(low ? QSize(140, 44) : QSize(190, 60));
    card.button->setText(low ? card.name + "\n" + card.size
                             : QStringList{card.name, card.what, card.size}.join("\n"));
    all_cards += std::max(card.button->sizeHint().width(), card.button->minimumWidth());
  }
  cards_->setDirection(width() < all_cards ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  below_->setDirection(low && width() >= room_for_both ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  below_->setSpacing(low ? 24 : 18);
  outer_->setSpacing(low ? 4 : 6);
  recent_->setSpacing(low ? 2 : 6);
  reports_->setSpacing(low ? 2 : 6);
  for (QSpacerItem* gap : gaps_)
    gap->changeSize(0, low ? 2 : 16);
  outer_->invalidate();
  QWidget::resizeEvent(event);
}

void EmptyPage::setReports(const QStringList& files) {
  clear(*reports_);
  if (files.isEmpty()) return;
  auto* title = new QLabel(tr("or open a run that was recorded on another machine"), this);
  title->setAlignment(Qt::AlignCenter);
  reports_->addWidget(title);
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
    card->setToolTip(file);
    connect(card, &QPushButton::clicked, this, [this, file] { emit openRequested(file); });
    cells->addWidget(card, row, 1 + place_of(scenes, name.scene));
  }
  reports_->addWidget(table, 0, Qt::AlignHCenter);
}

void EmptyPage::setRecent(const std::vector<RecentFile>& files) {
  clear(*recent_);
  constexpr std::size_t most = 6;
  constexpr int widest = 240;
  for (const RecentFile& file : std::span(files).first(std::min(most, files.size()))) {
    const QString shown = fontMetrics().elidedText(QFileInfo(file.path).fileName(), Qt::ElideMiddle, widest);
    const QString name = (file.pinned ? tr("\u2605 %1") : QString("%1")).arg(shown.toHtmlEscaped());
    const bool there = QFileInfo::exists(file.path);
    auto* link =
        new QLabel(there ? QString("<a href='open'>%1</a>").arg(name) : tr("%1 (missing)").arg(name), this);
    link->setEnabled(there);
    link->setAlignment(Qt::AlignCenter);
    link->setToolTip(file.with.isEmpty() ? file.path : tr("%1\nwith %2").arg(file.path, file.with));
    link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(link, &QLabel::linkActivated, this, [this, path = file.path] { emit openRequested(path); });
    recent_->addWidget(link);
  }
}

CentrePages::CentrePages(const FeatureContext& context, SceneView& view)
    : QObject(&context.window), empty_(new EmptyPage) {
  Workspace* workspace = &context.workspace;
  auto* recorded = new RecordedPage(workspace);
  auto* pages = new QStackedWidget;
  pages->addWidget(empty_);
  pages->addWidget(recorded);
  view.setEmptyPage(pages);
  context.window.addToolBarBreak();
  QToolBar* bar = context.window.addToolBar(tr("Recorded run"));
  bar->setObjectName("recorded_bar");
  bar->setMovable(false);
  bar->setContextMenuPolicy(Qt::PreventContextMenu);
  bar->toggleViewAction()->setEnabled(false);  // The user cannot hide the bar while its report is open.
  bar->addWidget(new RecordedStrip(workspace, &context.theme, bar));
  bar->hide();
  connect(workspace, &Workspace::reportChanged, this, [this, workspace, recorded, pages, bar] {
    const bool shown = workspace->report() != nullptr;
    pages->setCurrentWidget(shown ? static_cast<QWidget*>(recorded) : empty_);
    bar->setVisible(shown);
  });
  connect(empty_, &EmptyPage::openRequested, this, &CentrePages::openRequested);
  connect(empty_, &EmptyPage::dialogRequested, this, &CentrePages::dialogRequested);
  connect(empty_, &EmptyPage::lessonsRequested, this,
          [&commands = context.commands] { commands.trigger("lesson.list"); });
  connect(recorded, &RecordedPage::dialogRequested, this, &CentrePages::dialogRequested);
}

}  // namespace spira::ui
