#include "ui/panels/panel.hpp"

#include "ui/model/tables/layer_table_model.hpp"
#include "ui/model/tables/timeline_area.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {
namespace {

/// Scrolls only vertically: it is never narrower than its content.
class VerticalScrollArea : public WholeRowScroll {
 public:
  explicit VerticalScrollArea(QWidget* content) {
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setAutoFillBackground(false);
    setContent(content);
    content->setAutoFillBackground(false);  // setContent() enables it.
  }
  [[nodiscard]] QSize minimumSizeHint() const override {
    constexpr int min_height = 96;
    const QSize content = widget()->minimumSizeHint();
    return {content.width(), std::min(min_height, content.height())};
  }
  [[nodiscard]] QSize sizeHint() const override { return widget()->sizeHint(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::LayoutRequest) updateGeometry();
    return WholeRowScroll::eventFilter(watched, event);
  }
};

}  // namespace

Panel::Panel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      selection_(selection),
      theme_(theme),
      pages_(new QStackedWidget(this)),
      body_(new QWidget(pages_)),
      empty_text_(new QLabel),
      empty_button_(new QPushButton) {
  auto* empty = new QWidget(pages_);
  auto* empty_layout = new QVBoxLayout(empty);
  empty_text_->setWordWrap(true);
  empty_text_->setAlignment(Qt::AlignCenter);
  empty_text_->setForegroundRole(QPalette::PlaceholderText);
  empty_layout->addStretch(1);
  empty_layout->addWidget(empty_text_);
  empty_layout->addWidget(empty_button_, 0, Qt::AlignHCenter);
  empty_layout->addStretch(1);
  pages_->addWidget(body_);
  pages_->addWidget(empty);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->setSpacing(0);
  outer->addWidget(pages_);
  connect(empty_button_, &QPushButton::clicked, this, [this] { emit commandRequested(empty_command_); });
}

void Panel::addAbove(QWidget* row) {
  static_cast<QVBoxLayout*>(layout())->insertWidget(0, row);
}

void Panel::makeScrollable() {
  auto* outer = static_cast<QVBoxLayout*>(layout());
  const int at = outer->indexOf(pages_);
  outer->removeWidget(pages_);
  outer->insertWidget(at, new VerticalScrollArea(pages_));
}

void Panel::showEmpty(const QString& text, const QString& command, const QString& button) {
  empty_text_->setText(text);
  empty_command_ = command;
  empty_button_->setText(button);
  empty_button_->setVisible(!command.isEmpty());
  pages_->setCurrentIndex(1);
}

void Panel::followSoon() {
  workspace_->viewUpdates().add(
      this, [this] { follow(); }, isVisible());
}

void Panel::showEvent(QShowEvent* event) {
  workspace_->viewUpdates().finish(this);
  QWidget::showEvent(event);
}

void Panel::showNoMap(int layer) {
  const Network& network = *workspace_->network();
  const Levels levels = levels_of(network);
  const auto at = static_cast<std::size_t>(layer);
  const bool on_points = levels.set(levels.layers[at].stride_out).rule.is_points();
  showEmpty(tr("This layer has no kernel map. %1.").arg(rowOperationText(network.layers[at], on_points)));
}

void Panel::showBody() {
  pages_->setCurrentIndex(0);
}

FollowHead::FollowHead(const Workspace* workspace, FollowedSelection* shown, QWidget* parent)
    : QWidget(parent), workspace_(workspace), shown_(shown), text_(new QLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(text_);
  layout->addWidget(new PinButton(shown, this));
  text_->setObjectName("follows");
  text_->setForegroundRole(QPalette::PlaceholderText);
  connect(shown_, &Selection::layerChanged, this, &FollowHead::follow);
  connect(shown_, &Selection::phaseChanged, this, &FollowHead::follow);
  connect(shown_, &FollowedSelection::pinnedChanged, this, &FollowHead::follow);
  connect(workspace_, &Workspace::networkChanged, this, &FollowHead::follow);
  follow();
}

void FollowHead::follow() {
  const auto& network = workspace_->network();
  const int layer = shown_->layer();
  const bool known = network && layer >= 0 && layer < static_cast<int>(network->layers.size());
  // Use the short name, so that the heading has enough space. The tooltip has the full name.
  QString subject = known              ? shortLayerNames(*network)[layer]
                    : shown_->pinned() ? tr("no layer")
                                       : tr("the selected layer");
  if (shown_->phase()) subject = tr("%1, %2").arg(subject, shortStageGroupText(*shown_->phase()));
  text_->setToolTip(known ? QString::fromStdString(network->layers[static_cast<std::size_t>(layer)].name)
                          : QString());
  text_->setText(shown_->pinned() ? tr("pinned: %1").arg(subject) : tr("follows %1").arg(subject));
}

QString FollowHead::text() const {
  return text_->text();
}

PinButton::PinButton(FollowedSelection* shown, QWidget* parent) : QToolButton(parent) {
  setObjectName("pin");
  setCheckable(true);
  connect(this, &QToolButton::clicked, shown, &FollowedSelection::setPinned);
  connect(shown, &FollowedSelection::pinnedChanged, this, &PinButton::follow);
  follow(shown->pinned());
}

void PinButton::follow(bool pinned) {
  setChecked(pinned);
  setText(pinned ? tr("pinned") : tr("pin"));
  setAccessibleName(pinned ? tr("Unpin this view") : tr("Pin this view"));
  setToolTip(pinned ? tr("This view is pinned. Click to follow the selection again.")
                    : tr("Keep the contents of this view when the selection changes"));
}

}  // namespace spira::ui
