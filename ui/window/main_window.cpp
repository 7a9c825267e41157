#include "ui/window/main_window.hpp"

#include "ui/features/layout/dock_layout.hpp"
#include "ui/model/open_document.hpp"
#include "ui/theme/line_icon.hpp"
#include "ui/theme/theme.hpp"
#include "ui/window/banner.hpp"

#include <QApplication>
#include <QIcon>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QScreen>
#include <QToolBar>
#include <QToolButton>

#include <array>
#include <map>
#include <utility>

namespace spira::ui {
namespace {

struct SubmenuFacts {
  Menu menu, parent;
  int section;  // Section of the parent menu.
  const char* title;
};

constexpr auto submenu_table = std::to_array<SubmenuFacts>({
    {Menu::built_in, Menu::file, 1, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "&Built-in scenes")},
    {Menu::export_files, Menu::file, 4, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "&Export")},
    {Menu::stride, Menu::view, 1, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "&Stride")},
    {Menu::camera, Menu::view, 1, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "&Camera")},
    {Menu::voxel_style, Menu::view, 1, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "&Voxel style")},
    {Menu::colours, Menu::view, 1, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "C&olours")},
    {Menu::theme, Menu::view, 6, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "&Theme")},
    {Menu::neighbours, Menu::network, 1, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "N&eighbours")},
    {Menu::device, Menu::run, 2, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "&Device")},
    {Menu::precision, Menu::run, 2, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "&Precision")},
    {Menu::go_to, Menu::window, 3, QT_TRANSLATE_NOOP("spira::ui::MainWindow", "&Go to")},
});

struct ToolFacts {
  const char* command;
  const char* icon;
  const char* text;
  bool frequent;  // True if the button shows its text even in a narrow window.
};

constexpr auto tool_table = std::to_array<ToolFacts>({
    {"file.open", "open", QT_TRANSLATE_NOOP("spira::ui::MainWindow", "Open"), true},
    {"run.run", "run", QT_TRANSLATE_NOOP("spira::ui::MainWindow", "Run"), true},
    {"run.measure", "measure", QT_TRANSLATE_NOOP("spira::ui::MainWindow", "Measure"), true},
    {"run.stop", "stop", QT_TRANSLATE_NOOP("spira::ui::MainWindow", "Stop"), false},
    {"sweep.thresholds", "sweep", QT_TRANSLATE_NOOP("spira::ui::MainWindow", "Sweep"), false},
    {"tune.open", "tune", QT_TRANSLATE_NOOP("spira::ui::MainWindow", "Tune"), true},
    {"compare.set_baseline", "baseline", QT_TRANSLATE_NOOP("spira::ui::MainWindow", "Baseline"), false},
    {"lesson.list", "lessons", QT_TRANSLATE_NOOP("spira::ui::MainWindow", "Lessons"), false},
    {"help.palette", "find", QT_TRANSLATE_NOOP("spira::ui::MainWindow", "Find"), true},
});

QIcon program_icon() {
  QIcon icon;
  for (const int side : {16, 24, 32, 48, 64, 128})
    icon.addFile(QString(":/icons/spirascope-%1.png").arg(side));
  return icon;
}

}  // namespace

MainWindow::MainWindow(CommandSet& commands, Notices& notices, const OpenDocument& document, Theme& theme)
    : commands_(commands),
      theme_(theme),
      banner_(new Banner(&notices, &theme, this)),
      tools_(addToolBar(tr("Main"))) {
  QApplication::setWindowIcon(program_icon());
  setMinimumSize(1024, 640);
  // Estimated size of the window frame (borders and title bar). The real size is unknown before the window is
  // shown.
  constexpr QSize usual_frame(16, 48);
  resize(DockLayout::firstSize(screen()->availableSize(), usual_frame));
  tools_->setObjectName("toolbar");
  tools_->setMovable(false);
  tools_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  constexpr int icon_side = 18;
  tools_->setIconSize(QSize(icon_side, icon_side));
  const auto follow = [this, &document] { setWindowTitle(document.names().title); };
  connect(&document, &OpenDocument::changed, this, follow);
  follow();
}

void MainWindow::setCentre(QWidget* centre, QWidget* view) {
  setCentralWidget(centre);
  banner_->setPlace(centre, view);
}

void MainWindow::fillToolBar(QWidget* network, QWidget* neighbours, QWidget* device) {
  for (const ToolFacts& tool : tool_table) {
    QAction* action = commands_.action(tool.command);
    // Give the buttons short names, so that all of them fit into the smallest window. Menus and tooltips have
    // the long names.
    action->setIconText(tr(tool.text));
    action->setIconVisibleInMenu(false);
  }
  const auto add = [this](std::initializer_list<const char*> ids) {
    for (const char* id : ids)
      tools_->addAction(commands_.action(id));
  };
  add({"file.open"});
  tools_->addSeparator();
  wide_labels_.push_back(tools_->addWidget(new QLabel(tr(" Network "))));
  tools_->addWidget(network);
  wide_labels_.push_back(tools_->addWidget(new QLabel(tr(" Neighbours "))));
  tools_->addWidget(neighbours);
  tools_->addWidget(new QLabel(tr(" Device ")));
  tools_->addWidget(device);
  tools_->addSeparator();
  add({"run.run", "run.measure", "run.stop"});
  tools_->addSeparator();
  add({"sweep.thresholds", "tune.open", "compare.set_baseline"});
  auto* sweeps = new QMenu(this);
  sweeps->setToolTipsVisible(true);
  for (const char* id : {"sweep.thresholds", "sweep.network", "sweep.dataflows", "sweep.packings"})
    sweeps->addAction(commands_.action(id));
  toolButton("sweep.thresholds")->setMenu(sweeps);
  toolButton("sweep.thresholds")->setPopupMode(QToolButton::MenuButtonPopup);
  tools_->addSeparator();
  add({"lesson.list", "help.palette"});
  connect(&theme_, &Theme::changed, this, &MainWindow::retheme);
  retheme();
}

QToolButton* MainWindow::toolButton(const char* command) const {
  return qobject_cast<QToolButton*>(tools_->widgetForAction(commands_.action(command)));
}

void MainWindow::retheme() {
  for (const ToolFacts& tool : tool_table)
    commands_.action(tool.command)->setIcon(line_icon(tool.icon, theme_.palette()));
  followWidth();  // Adapt to the text size, which the theme also sets.
}

/// If the texts of all buttons do not fit, the less frequent commands show only their icons, and the network
/// and its neighbours have no labels.
void MainWindow::followWidth() {
  const auto show_texts = [this](bool of_all) {
    for (const ToolFacts& tool : tool_table)
      toolButton(tool.command)
          ->setToolButtonStyle(of_all || tool.frequent ? Qt::ToolButtonTextBesideIcon
                                                       : Qt::ToolButtonIconOnly);
    for (QAction* label : wide_labels_)
      label->setVisible(of_all);
  };
  if (tools_->actions().isEmpty()) return;
  show_texts(true);
  if (tools_->sizeHint().width() > width()) show_texts(false);
}

/// Adds the commands and submenus of a menu. Sections are divided by separators, and the submenus of a
/// section follow its commands.
void MainWindow::fillMenu(QMenu& menu, Menu of) {
  menu.setToolTipsVisible(true);
  std::map<int, std::vector<QAction*>> sections;
  for (const CommandFacts& command : commands_.facts()) {
    if (command.menu == of) sections[command.section].push_back(commands_.action(command.id));
  }
  for (const SubmenuFacts& one : submenu_table) {
    if (one.parent == of) sections[one.section].push_back(submenuOf(one.menu, tr(one.title))->menuAction());
  }
  for (const auto& [section, actions] : sections) {
    if (!menu.isEmpty()) menu.addSeparator();
    for (QAction* action : actions)
      menu.addAction(action);
  }
}

QMenu* MainWindow::submenuOf(Menu menu, const QString& title) {
  auto* submenu = new QMenu(title, this);
  fillMenu(*submenu, menu);
  return submenu;
}

void MainWindow::fillMenus(const std::vector<Submenu>& submenus) {
  const std::vector<std::pair<Menu, QString>> titles{
      {Menu::file, tr("&File")},   {Menu::edit, tr("&Edit")},       {Menu::view, tr("&View")},
      {Menu::scene, tr("&Scene")}, {Menu::network, tr("&Network")}, {Menu::run, tr("&Run")},
      {Menu::learn, tr("&Learn")}, {Menu::window, tr("&Window")},   {Menu::help, tr("&Help")}};
  for (const auto& [place, title] : titles) {
    QMenu* menu = menuBar()->addMenu(title);
    fillMenu(*menu, place);
    for (const Submenu& one : submenus) {
      const QList<QAction*> actions = menu->actions();
      const qsizetype at = actions.indexOf(commands_.action(one.after));
      if (at >= 0) menu->insertMenu(actions.value(at + 1), one.menu);
    }
  }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  followWidth();
  emit resized();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!std::exchange(shown_, true)) emit firstShown();
}

}  // namespace spira::ui
