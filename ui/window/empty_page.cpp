#include "ui/window/empty_page.hpp"

#include "engine/base/text.hpp"
#include "engine/scene/generate.hpp"

#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace spira::ui {

EmptyPage::EmptyPage(QWidget* parent) : QWidget(parent), recent_(new QVBoxLayout) {
  auto* inside = new QWidget;
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scroll);
  auto* outer = new QVBoxLayout(inside);
  outer->addStretch(2);
  auto* title = new QLabel(
      tr("<h2>Drop a point cloud here</h2>KITTI, nuScenes, PCD, PLY, text, NPY, NPZ, or a folder of frames"),
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
    auto* card =
        new QPushButton(QString("%1\n%2\n%3")
                            .arg(label.section(':', 0, 0), label.section(": ", 1),
                                 tr("about %1 points").arg(QString::fromStdString(count_text(facts.points)))),
                        this);
    card->setObjectName("card_" + id);
    card->setMinimumSize(190, 60);
    connect(card, &QPushButton::clicked, this, [this, id] { emit openRequested(id); });
    cards_->addWidget(card, 0, Qt::AlignCenter);
  }
  cards_->addStretch(1);
  outer->addLayout(cards_);
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

void EmptyPage::setRecent(const QStringList& files) {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  constexpr int most = 6;
  for (const QString& file : files.mid(0, most)) {
    const QString name = QFileInfo(file).fileName().toHtmlEscaped();
    const bool there = QFileInfo::exists(file);
    auto* link =
        new QLabel(there ? QString("<a href='open'>%1</a>").arg(name) : tr("%1 (missing)").arg(name), this);
    link->setEnabled(there);
    link->setAlignment(Qt::AlignCenter);
    link->setToolTip(file);
    link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(link, &QLabel::linkActivated, this, [this, file] { emit openRequested(file); });
    recent_->addWidget(link);
  }
}

}  // namespace spira::ui
