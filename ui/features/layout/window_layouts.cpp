#include "ui/features/layout/window_layouts.hpp"

#include "ui/charts/chart.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/layout/left_side.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"
#include "ui/panels/panel.hpp"
#include "ui/settings/settings.hpp"

#include <QApplication>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QInputDialog>
#include <QLabel>
#include <QListWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTabWidget>
#include <QToolBar>
#include <QVBoxLayout>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {

WindowLayouts::WindowLayouts(const FeatureContext& context, DockLayout& docks, const QString& state_folder)
    : QObject(&context.window), context_(context), docks_(docks) {
  if (!state_folder.isEmpty()) file_ = {state_folder + "/window.json", "spirascope.window", 1};
  bindLayouts();
  bindLeftSide();
  bindCharts();
  const Workspace* workspace = &context.workspace;
  connect(&workspace->results(), &RunResults::reportChanged, this, [this, workspace] {
    // If a scene replaces a report and the results are hidden, they stay hidden. This also applies to the
    // scene of a lesson.
    docks_.followGraph();
    const bool hidden = docks_.dock(DockLayout::Side::bottom).isHidden();
    if (workspace->results().report() || !hidden) docks_.makeRoomForResults();
    docks_.showTabsWithContent();
  });
  const auto follow_scene = [&docks, workspace] { docks.left().setEmpty(!workspace->scene().facts()); };
  for (const auto changed : {&OpenScene::cloudChanged, &OpenScene::voxelsChanged})
    connect(&workspace->scene(), changed, &docks, follow_scene);
  connect(&workspace->results(), &RunResults::reportChanged, &docks, follow_scene);
  follow_scene();
  // Before the first run, the scene and its packing are more useful than a layer list without times.
  const auto propose_part = [&docks, workspace] {
    docks.left().propose(workspace->results().report() || workspace->results().layersRun() > 0
                             ? LeftSide::Part::network
                             : LeftSide::Part::scenes);
  };
  connect(&workspace->scene(), &OpenScene::cloudChanged, &docks, propose_part);
  for (const auto changed : {&RunResults::reportChanged, &RunResults::measurementChanged})
    connect(&workspace->results(), changed, &docks, propose_part);
  connect(&workspace->results(), &RunResults::layerChanged, &docks, propose_part);
  connect(&workspace->scene(), &OpenScene::mapsChanged, &docks, &DockLayout::showTabsWithContent);
  for (const auto changed : {&RunResults::measurementChanged, &RunResults::sweepsChanged})
    connect(&workspace->results(), changed, &docks, &DockLayout::showTabsWithContent);
  connect(&workspace->results(), &RunResults::layerChanged, &docks, &DockLayout::showTabsWithContent);
  connect(&context.selection, &Selection::voxelChosen, &docks, [&docks] { docks.show("voxel"); });
  connect(&context.selection, &Selection::columnsChanged, this, [this] {
    if (!context_.selection.columns().empty()) docks_.show("density");
  });
}

void WindowLayouts::bindLayouts() {
  using Side = DockLayout::Side;
  CommandSet& commands = context_.commands;
  for (const char* name : {"explore", "profile", "compare", "learn"})
    commands.bind(QString("layout.%1").arg(name), [this, name] { docks_.arrange(name); });
  commands.bind("layout.restore", [this] { docks_.restoreDefault(); });
  for (const auto& [id, side] : {std::pair{"window.right", Side::right}, {"window.bottom", Side::bottom}}) {
    QDockWidget* dock = &docks_.dock(side);
    QAction* action = commands.action(id);
    action->setCheckable(true);
    commands.bind(id, [dock] { dock->setVisible(dock->isHidden()); });
    connect(dock, &QDockWidget::visibilityChanged, action,
            [action, dock] { action->setChecked(!dock->isHidden()); });
  }
  for (const char* name : {"density", "voxel", "colour", "points", "summary", "breakdown", "roofline",
                           "sweeps", "timeline", "map", "rows", "compare", "tune", "graph", "log", "survey"})
    commands.bind(QString("window.show_%1").arg(name), [this, name] { docks_.enter(name); });
  commands.bind("view.full_screen", [&window = context_.window] {
    window.isFullScreen() ? window.showNormal() : window.showFullScreen();
  });
}

/// Implements the command that hides the left side. In a narrow window, the command reduces the left side to
/// its buttons instead.
void WindowLayouts::bindLeftSide() {
  CommandSet& commands = context_.commands;
  LeftSide* left = &docks_.left();
  QDockWidget* dock = &docks_.leftDock();
  QAction* action = commands.action("window.left");
  action->setCheckable(true);
  commands.bind("window.left", [left, dock] {
    const bool open = !dock->isHidden() && !left->folded();
    if (!left->narrow()) return dock->setVisible(!open);
    dock->show();
    open ? left->fold() : left->openLast();
  });
  for (const auto& [id, part] : {std::pair{"window.show_scenes", LeftSide::Part::scenes},
                                 {"window.show_network", LeftSide::Part::network}}) {
    commands.bind(id, [left, dock, part = part] {
      dock->show();
      left->narrow() ? left->open(part) : left->enter(part);
    });
  }
  const auto follow = [left, dock, action] { action->setChecked(!dock->isHidden() && !left->folded()); };
  connect(dock, &QDockWidget::visibilityChanged, action, follow);
  connect(left, &LeftSide::roomChanged, action, follow);
}

void WindowLayouts::bindCharts() {
  CommandSet& commands = context_.commands;
  commands.bind(
      "view.table", [this] { chartInSight()->showTable(!chartInSight()->tableShown()); },
      [this] { return chartInSight() != nullptr ? QString() : tr("no visible chart has data"); });
  for (const auto side : {DockLayout::Side::right, DockLayout::Side::bottom})
    connect(&docks_.tabs(side), &QTabWidget::currentChanged, &commands, &CommandSet::refreshSoon);
}

/// Returns the chart of the focused panel. If this panel has no chart, returns the first visible chart, or
/// `nullptr` if no chart is visible.
Chart* WindowLayouts::chartInSight() const {
  const QMainWindow* window = &context_.window;
  Chart* in_sight = nullptr;
  for (Chart* chart : window->findChildren<Chart*>()) {
    if (!chart->isVisible() || !chart->hasContent()) continue;
    for (QWidget* at = QApplication::focusWidget(); at != nullptr && at != window; at = at->parentWidget()) {
      if (at == chart || (qobject_cast<Panel*>(at) != nullptr && at->isAncestorOf(chart))) return chart;
    }
    if (in_sight == nullptr) in_sight = chart;
  }
  return in_sight;
}

void WindowLayouts::restore() {
  if (file_.path().isEmpty()) return;
  const QJsonObject kept = file_.read();
  context_.dialogs.setFolder(kept["last_folder"].toString());
  context_.dialogs.setSaveFolder(kept["last_save_folder"].toString());
  if (!context_.settings.truth("window.remember")) return;
  const auto bytes = [&](const char* key) {
    return QByteArray::fromBase64(kept[QLatin1String(key)].toString().toLatin1());
  };
  if (!context_.window.restoreGeometry(bytes("geometry"))) return;
  if (kept.contains("left_opened")) docks_.left().restoreOpened(kept["left_opened"].toString());
  docks_.arrange(kept["layout"].toString());
  // If a different version of the program saved the docks, they cannot be restored. In this case, only the
  // layout is restored.
  restored_ =
      docks_.restore({bytes("docks"), docks_.name(), kept["right_tab"].toInt(), kept["bottom_tab"].toInt(),
                      kept["own_height"].toBool(), kept["hidden_for_graph"].toBool()});
}

void WindowLayouts::keep() {
  if (file_.path().isEmpty()) return;
  const DockLayout::State state = docks_.state();
  file_.write({{"geometry", QString::fromLatin1(context_.window.saveGeometry().toBase64())},
               {"docks", QString::fromLatin1(state.docks.toBase64())},
               {"layout", state.layout},
               {"left_opened", docks_.left().opened()},
               {"last_folder", context_.dialogs.folder()},
               {"last_save_folder", context_.dialogs.saveFolder()},
               {"right_tab", state.right_tab},
               {"bottom_tab", state.bottom_tab},
               {"own_height", state.own_height},
               {"hidden_for_graph", state.hidden_for_graph}});
}

void WindowLayouts::arrangeShown() {
  if (!restored_) docks_.arrange(docks_.name());
}

namespace {

// Item role of the stored name. It can differ from the text of the row while the user edits the text.
constexpr int name_role = Qt::UserRole;

}  // namespace

LayoutsDialog::LayoutsDialog(LayoutMenu* layouts, QWidget* parent)
    : QDialog(parent), layouts_(layouts), list_(new QListWidget(this)), word_(new QLabel(this)) {
  setWindowTitle(tr("Manage layouts"));
  resize(420, 320);
  auto* outer = new QVBoxLayout(this);
  outer->addWidget(list_, 1);
  outer->addWidget(word_);
  list_->setObjectName("layouts");
  list_->setAccessibleName(tr("Saved layouts"));
  word_->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  apply_ = buttons->addButton(tr("Apply"), QDialogButtonBox::ActionRole);
  rename_ = buttons->addButton(tr("Rename"), QDialogButtonBox::ActionRole);
  remove_ = buttons->addButton(tr("Delete"), QDialogButtonBox::ActionRole);
  apply_->setObjectName("apply");
  remove_->setObjectName("delete");
  outer->addWidget(buttons);
  connect(apply_, &QPushButton::clicked, this, [this] { layouts_->apply(chosen()); });
  connect(rename_, &QPushButton::clicked, this, [this] { list_->editItem(list_->currentItem()); });
  connect(remove_, &QPushButton::clicked, this, [this] {
    layouts_->remove(chosen());
    fill();
  });
  connect(list_, &QListWidget::itemChanged, this, &LayoutsDialog::renamed);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  fill();
}

QString LayoutsDialog::chosen() const {
  const QListWidgetItem* item = list_->currentItem();
  return item != nullptr ? item->data(name_role).toString() : QString();
}

void LayoutsDialog::fill() {
  const int row = list_->currentRow();
  filling_ = true;
  list_->clear();
  for (const NamedLayout& layout : layouts_->layouts().all()) {
    auto* item = new QListWidgetItem(layout.name, list_);
    item->setData(name_role, layout.name);
    item->setFlags(item->flags() | Qt::ItemIsEditable);
  }
  list_->setCurrentRow(std::clamp(row, 0, std::max(0, list_->count() - 1)));
  filling_ = false;
  for (QPushButton* button : {apply_, rename_, remove_})
    button->setEnabled(list_->count() > 0);
  word_->setText(list_->count() > 0 ? QString() : tr("No saved layouts."));
}

/// Renames the layout after the user edited its row. If the name is invalid, shows an error and restores the
/// previous name.
void LayoutsDialog::renamed(const QListWidgetItem* item) {
  if (filling_) return;
  const QString from = item->data(name_role).toString(), to = item->text().trimmed();
  QString why = NamedLayouts::nameFault(to);
  if (why.isEmpty() && from != to && layouts_->layouts().find(to) != nullptr)
    why = tr("another layout already has this name");
  if (why.isEmpty()) layouts_->rename(from, to);
  // Fill the list later, because filling deletes all rows, and the editor of the renamed row is still open.
  QMetaObject::invokeMethod(
      this,
      [this, to, why] {
        fill();
        if (!why.isEmpty()) word_->setText(tr("%1: %2.").arg(to, why));
      },
      Qt::QueuedConnection);
}

namespace {

constexpr auto layout_table = std::to_array<CommandFacts>({
    {"view.table", QT_TRANSLATE_NOOP("Command", "Show chart as table"), "Ctrl+Shift+T",
     QT_TRANSLATE_NOOP("Command", "Switch the visible chart between graphic and table"), 910, Menu::view, 5},
    {"view.full_screen", QT_TRANSLATE_NOOP("Command", "Full screen"), "F11", "", 930, Menu::view, 6},
    {"layout.explore", QT_TRANSLATE_NOOP("Command", "Layout: explore"), "Ctrl+Alt+1",
     QT_TRANSLATE_NOOP("Command", "Show the 3D view with both side panels and without results"), 1430,
     Menu::window, 1},
    {"layout.profile", QT_TRANSLATE_NOOP("Command", "Layout: profile"), "Ctrl+Alt+2",
     QT_TRANSLATE_NOOP("Command", "Show all views, with the results at the bottom"), 1440, Menu::window, 1},
    {"layout.compare", QT_TRANSLATE_NOOP("Command", "Layout: compare"), "Ctrl+Alt+3",
     QT_TRANSLATE_NOOP("Command", "Show both scenes side by side, with the comparison below"), 1450,
     Menu::window, 1},
    {"layout.learn", QT_TRANSLATE_NOOP("Command", "Layout: learn"), "Ctrl+Alt+4",
     QT_TRANSLATE_NOOP("Command", "Show a large 3D view and a wide side panel"), 1460, Menu::window, 1},
    {"layout.save_as", QT_TRANSLATE_NOOP("Command", "Save layout as..."), "",
     QT_TRANSLATE_NOOP("Command", "Save panels, tabs and sizes under a name"), 1470, Menu::window, 2,
     Opens::dialog},
    {"layout.manage", QT_TRANSLATE_NOOP("Command", "Manage layouts..."), "",
     QT_TRANSLATE_NOOP("Command", "Apply, rename and delete saved layouts"), 1480, Menu::window, 2,
     Opens::dialog},
    {"layout.restore", QT_TRANSLATE_NOOP("Command", "Restore default layout"), "",
     QT_TRANSLATE_NOOP("Command", "Reset panels to their initial size and position"), 1490, Menu::window, 2},
    {"window.left", QT_TRANSLATE_NOOP("Command", "Show scenes and network"), "", "", 1500, Menu::window, 3},
    {"window.right", QT_TRANSLATE_NOOP("Command", "Show Density, Voxel, Colour and Points"), "", "", 1510,
     Menu::window, 3},
    {"window.bottom", QT_TRANSLATE_NOOP("Command", "Show results"), "", "", 1520, Menu::window, 3},
    {"window.show_scenes", QT_TRANSLATE_NOOP("Command", "Go to Scenes"), "", "", 1530, Menu::go_to, 1},
    {"window.show_network", QT_TRANSLATE_NOOP("Command", "Go to Network"), "", "", 1540, Menu::go_to, 1},
    {"window.show_density", QT_TRANSLATE_NOOP("Command", "Go to Density"), "", "", 1550, Menu::go_to, 2},
    {"window.show_voxel", QT_TRANSLATE_NOOP("Command", "Go to Voxel"), "", "", 1560, Menu::go_to, 2},
    {"window.show_colour", QT_TRANSLATE_NOOP("Command", "Go to Colour"), "", "", 1570, Menu::go_to, 2},
    {"window.show_points", QT_TRANSLATE_NOOP("Command", "Go to Points"), "", "", 1580, Menu::go_to, 2},
    {"window.show_summary", QT_TRANSLATE_NOOP("Command", "Go to Summary"), "", "", 1590, Menu::go_to, 3},
    {"window.show_breakdown", QT_TRANSLATE_NOOP("Command", "Go to Breakdown"), "", "", 1600, Menu::go_to, 3},
    {"window.show_roofline", QT_TRANSLATE_NOOP("Command", "Go to Roofline"), "", "", 1605, Menu::go_to, 3},
    {"window.show_sweeps", QT_TRANSLATE_NOOP("Command", "Go to Sweeps"), "", "", 1610, Menu::go_to, 3},
    {"window.show_timeline", QT_TRANSLATE_NOOP("Command", "Go to Timeline"), "", "", 1620, Menu::go_to, 3},
    {"window.show_map", QT_TRANSLATE_NOOP("Command", "Go to Kernel map"), "", "", 1630, Menu::go_to, 3},
    {"window.show_rows", QT_TRANSLATE_NOOP("Command", "Go to Rows"), "",
     QT_TRANSLATE_NOOP("Command", "Show the kernel map as a picture, unsorted and sorted by mask"), 1635,
     Menu::go_to, 3},
    {"window.show_compare", QT_TRANSLATE_NOOP("Command", "Go to Compare"), "", "", 1640, Menu::go_to, 3},
    {"window.show_tune", QT_TRANSLATE_NOOP("Command", "Go to Tune"), "", "", 1650, Menu::go_to, 3},
    {"window.show_graph", QT_TRANSLATE_NOOP("Command", "Go to Graph"), "",
     QT_TRANSLATE_NOOP("Command", "Show the layers of the network as a graph"), 1655, Menu::go_to, 3},
    {"window.show_log", QT_TRANSLATE_NOOP("Command", "Go to Log"), "", "", 1660, Menu::go_to, 3},
    {"window.show_survey", QT_TRANSLATE_NOOP("Command", "Go to Survey"), "", "", 1670, Menu::go_to, 3},
});

}  // namespace

std::span<const CommandFacts> layout_commands() noexcept {
  return layout_table;
}

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
        tr("layout %1 was saved by a different version; its panels are not restored").arg(name));
  // The bar of recorded runs is visible only while a report is open, even if it was visible in the saved
  // layout.
  if (auto* bar = context_.window.findChild<QToolBar*>("recorded_bar"))
    bar->setVisible(context_.workspace.results().report() != nullptr);
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
