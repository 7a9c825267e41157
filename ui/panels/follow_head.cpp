#include "ui/panels/follow_head.hpp"

#include "ui/model/tables/timeline_area_model.hpp"

#include <QHBoxLayout>
#include <QLabel>

namespace spira::ui {

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
  QString subject =
      known ? QString::fromStdString(network->layers[static_cast<std::size_t>(layer)].name) : tr("no layer");
  if (shown_->phase()) subject = tr("%1, %2").arg(subject, shortStageGroupText(*shown_->phase()));
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
