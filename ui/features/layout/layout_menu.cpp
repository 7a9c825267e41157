#include "ui/features/layout/layout_menu.hpp"

#include "ui/commands/command_set.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/layout/layouts_dialog.hpp"
#include "ui/model/workspace.hpp"

#include <QInputDialog>
#include <QMainWindow>
#include <QMenu>
#include <QMessageBox>
#include <QToolBar>

namespace spira::ui {

LayoutMenu::LayoutMenu(const FeatureContext& context, DockLayout& docks, const QString& state_folder)
    : QObject(&context.window),
      context_(context),
      docks_(docks),
      layouts_(state_folder),
      menu_(new QMenu(tr("&Apply layout"), &context.window)) {
  menu_->setObjectName("applyLayout");
  menu_->setToolTipsVisible(true);
  CommandSet& commands = context_.commands;
  commands.bind("layout.save_as", [this] { saveAsDialog(); });
  commands.bind(
      "layout.manage", [this] { LayoutsDialog(this, &context_.window).exec(); },
      [this] { return layouts_.all().empty() ? tr("no saved layouts") : QString(); });
  connect(this, &LayoutMenu::changed, &commands, &CommandSet::refreshSoon);
  follow();
}

void LayoutMenu::follow() {
  menu_->clear();
  qDeleteAll(actions_);
  actions_.clear();
  for (const NamedLayout& layout : layouts_.all()) {
    auto* action = new QAction(tr("Layout: %1").arg(QString(layout.name).replace('&', "&&")), this);
    connect(action, &QAction::triggered, this, [this, name = layout.name] { apply(name); });
    actions_.append(action);
    menu_->addAction(action);
  }
  if (actions_.isEmpty()) menu_->addAction(tr("No saved layouts"))->setEnabled(false);
  emit changed();
}

void LayoutMenu::saveAs(const QString& name) {
  const DockLayout::State state = docks_.state();
  layouts_.save({name, state.layout, state.docks, state.right_tab, state.bottom_tab});
  follow();
}

void LayoutMenu::apply(const QString& name) {
  const NamedLayout* found = layouts_.find(name);
  if (found == nullptr) return;
  // The layout is copied, because a command may change the list that contains it.
  const NamedLayout layout = *found;
  if (!context_.commands.trigger("layout." + layout.base)) context_.commands.trigger("layout.profile");
  if (!docks_.restore({layout.docks, docks_.name(), layout.right_tab, layout.bottom_tab}))
    context_.workspace.addLog(
        tr("layout %1 was saved by another version; its docks are not restored").arg(name));
  // The bar of recorded runs is visible only while a report is open, whatever the layout stored.
  if (auto* bar = context_.window.findChild<QToolBar*>("recorded_bar"))
    bar->setVisible(context_.workspace.report() != nullptr);
}

void LayoutMenu::rename(const QString& from, const QString& to) {
  layouts_.rename(from, to);
  follow();
}

void LayoutMenu::remove(const QString& name) {
  layouts_.remove(name);
  follow();
}

void LayoutMenu::saveAsDialog() {
  QString name;
  while (true) {
    bool given = false;
    name = QInputDialog::getText(&context_.window, tr("Save layout as"), tr("Name of the layout"),
                                 QLineEdit::Normal, name, &given)
               .trimmed();
    if (!given) return;
    const QString why = NamedLayouts::nameFault(name);
    if (why.isEmpty()) break;
    QMessageBox::information(&context_.window, tr("Save layout as"), tr("%1: %2.").arg(name, why));
  }
  const bool taken = layouts_.find(name) != nullptr;
  if (taken && QMessageBox::question(&context_.window, tr("Save layout as"),
                                     tr("Layout %1 exists. Replace it?").arg(name)) != QMessageBox::Yes)
    return;
  saveAs(name);
}

}  // namespace spira::ui
