#include "ui/panels/scene/selection_box.hpp"

#include "engine/base/text.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/theme/screen_number.hpp"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace spira::ui {

SelectionBox::SelectionBox(Selection* selection, QWidget* parent)
    : QWidget(parent), selection_(selection), text_(new QLabel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new QLabel(tr("<b>Selection</b> (drawn in the 3D view)"), this));
  layout->addWidget(text_);
  text_->setObjectName("selection");
  text_->setWordWrap(true);
  connect(selection_, &Selection::rowsChanged, this, &SelectionBox::follow);
  follow();
}

void SelectionBox::addCommands(const CommandSet& commands) {
  const std::array<std::pair<const char*, QString>, 6> all{{{"select.box", tr("Rectangle")},
                                                            {"select.lasso", tr("Lasso")},
                                                            {"select.grow", tr("Grow")},
                                                            {"select.invert", tr("Invert")},
                                                            {"select.clear", tr("Clear")},
                                                            {"select.save", tr("Save...")}}};
  auto* grid = new QGridLayout;
  grid->setSpacing(4);
  int at = 0;
  for (const auto& [id, text] : all) {
    QAction* action = commands.action(id);
    action->setIconText(text);
    auto* button = new QPushButton(text, this);
    button->setAccessibleName(action->text());
    const auto follow_action = [button, action] {
      button->setEnabled(action->isEnabled());
      button->setToolTip(action->toolTip());
      button->setCheckable(action->isCheckable());
      button->setChecked(action->isChecked());
    };
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button, follow_action);
    follow_action();
    grid->addWidget(button, at / 3, at % 3);
    ++at;
  }
  static_cast<QVBoxLayout*>(layout())->addLayout(grid);
}

QString SelectionBox::text() const {
  return text_->text();
}

void SelectionBox::follow() {
  const auto& chosen = selection_->rows();
  if (!chosen)
    return text_->setText(tr("No voxels selected. Press R or L, then draw around voxels in the 3D view."));
  text_->setText(tr("%1 at stride %2")
                     .arg(counted(std::ssize(chosen->rows), tr("1 voxel"), tr("%1 voxels")))
                     .arg(chosen->stride));
}

}  // namespace spira::ui
