#include "ui/window/empty_page.hpp"

#include "engine/base/text.hpp"
#include "engine/scene/generate.hpp"
#include "ui/theme/screen_number.hpp"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <span>

namespace spira::ui {
namespace {

void clear(QLayout& layout) {
  while (QLayoutItem* item = layout.takeAt(0)) {
    if (item->widget() != nullptr) item->widget()->deleteLater();
    delete item;
  }
}

/// A report that is named MACHINE-NETWORK-SCENE.spira.json; others have their whole name as scene.
struct RecordedName {
  QString run, scene;

  explicit RecordedName(const QString& file) {
    QString name = QFileInfo(file).fileName();
    name = name.left(name.indexOf(".spira.json"));
    const bool whole = name.count('-') >= 2;
    if (whole) run = name.section('-', 1, 1) + ", " + name.section('-', 0, 0).toUpper();
    scene = (whole ? name.section('-', 2) : name).replace('-', ' ').replace('_', ' ');
  }
};

}  // namespace

EmptyPage::EmptyPage(QWidget* parent) : QWidget(parent), recent_(new QVBoxLayout) {
  auto* inside = new QWidget;
  auto* scroll = new QScrollArea(this);
  scroll->setAccessibleName(tr("Start page"));
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll);
  auto* outer = new QVBoxLayout(inside);
  outer->addStretch(2);
  auto* title = new QLabel(tr("<h2>Drop a point cloud here</h2>KITTI, nuScenes, PCD, PLY, text, NPY, NPZ, a "
                              "folder of frames, or a report of a run"),
                           this);
  title->setAlignment(Qt::AlignCenter);
  title->setWordWrap(true);
  outer->addWidget(title);
  auto* open = new QPushButton(tr("Open scene..."), this);
  connect(open, &QPushButton::clicked, this, &EmptyPage::dialogRequested);
  outer->addWidget(open, 0, Qt::AlignHCenter);
  outer->addSpacing(18);
  auto* built_in = new QLabel(tr("or take a built-in scene"), this);
  built_in->setAlignment(Qt::AlignCenter);
  outer->addWidget(built_in);
  cards_ = new QBoxLayout(QBoxLayout::LeftToRight);
  cards_->addStretch(1);
  for (const GeneratorFacts& facts : generators()) {
    const QString id = QString::fromLatin1(facts.id.data(), static_cast<qsizetype>(facts.id.size()));
    const QString label = QString::fromUtf8(facts.label.data(), static_cast<qsizetype>(facts.label.size()));
    auto* card = new QPushButton(QString("%1\n%2\n%3")
                                     .arg(label.section(':', 0, 0), label.section(": ", 1),
                                          tr("about %1 points").arg(onScreen(count_text(facts.points)))),
                                 this);
    card->setObjectName("card_" + id);
    card->setMinimumSize(190, 60);
    connect(card, &QPushButton::clicked, this, [this, id] { emit openRequested(id); });
    cards_->addWidget(card, 0, Qt::AlignCenter);
  }
  cards_->addStretch(1);
  outer->addLayout(cards_);
  outer->addSpacing(10);
  auto* lessons = new QPushButton(tr("Or begin with a lesson..."), this);
  lessons->setToolTip(tr("How sparse convolution works, step by step (Ctrl+L)"));
  connect(lessons, &QPushButton::clicked, this, &EmptyPage::lessonsRequested);
  outer->addWidget(lessons, 0, Qt::AlignHCenter);
  reports_ = new QBoxLayout(QBoxLayout::TopToBottom);
  outer->addLayout(reports_);
  outer->addSpacing(18);
  outer->addLayout(recent_);
  outer->addStretch(3);
}

/// Cards that do not fit beside each other stand below each other.
void EmptyPage::resizeEvent(QResizeEvent* event) {
  constexpr int room_for_a_row = 660;
  cards_->setDirection(width() < room_for_a_row ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  QWidget::resizeEvent(event);
}

void EmptyPage::setReports(const QStringList& files) {
  clear(*reports_);
  if (files.isEmpty()) return;
  auto* title = new QLabel(tr("or look at a run that was recorded on another machine"), this);
  title->setAlignment(Qt::AlignCenter);
  reports_->addSpacing(18);
  reports_->addWidget(title);
  auto* table = new QWidget(this);
  auto* cells = new QGridLayout(table);
  cells->setContentsMargins(0, 0, 0, 0);
  cells->setSpacing(4);
  QStringList runs, scenes;  // of the rows and of the columns
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
  for (const RecentFile& file : std::span(files).first(std::min(most, files.size()))) {
    const QString name =
        (file.pinned ? tr("\u2605 %1") : QString("%1")).arg(QFileInfo(file.path).fileName().toHtmlEscaped());
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

}  // namespace spira::ui
