#include "ui/window/main_window.hpp"

#include "ui/features/layout/dock_layout.hpp"
#include "ui/model/open_document.hpp"
#include "ui/window/banner.hpp"

#include <QLabel>
#include <QMenuBar>
#include <QScreen>
#include <QToolBar>
#include <QVBoxLayout>

#include <utility>

namespace spira::ui {

MainWindow::MainWindow(CommandSet& commands, Notices& notices, const OpenDocument& document, Theme& theme)
    : commands_(commands), banner_(new Banner(&notices, &theme, this)), tools_(addToolBar(tr("Main"))) {
  setMinimumSize(1024, 640);
  // Estimated size of borders and title bar, which are unknown before the first show.
  constexpr QSize usual_frame(16, 48);
  resize(DockLayout::firstSize(screen()->availableSize(), usual_frame));
  tools_->setObjectName("toolbar");
  tools_->setMovable(false);
  const auto follow = [this, &document] { setWindowTitle(document.names().title); };
  connect(&document, &OpenDocument::changed, this, follow);
  follow();
}

void MainWindow::setCentre(QWidget* centre) {
  auto* both = new QWidget(this);
  auto* layout = new QVBoxLayout(both);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(banner_);
  layout->addWidget(centre, 1);
  setCentralWidget(both);
}

void MainWindow::fillToolBar(QWidget* network, QWidget* device) {
  // The buttons have short names, so that all of them fit into the smallest window. Menus and tooltips have
  // the long names.
  for (const auto& [id, text] : {std::pair{"file.open", tr("Open")},
                                 {"run.run", tr("Run")},
                                 {"run.step_back", tr("\u25c2 Step")},
                                 {"run.step_forward", tr("Step \u25b8")},
                                 {"help.palette", tr("Find")}})
    commands_.action(id)->setIconText(text);
  const auto add = [this](std::initializer_list<const char*> ids) {
    for (const char* id : ids)
      tools_->addAction(commands_.action(id));
  };
  add({"file.open"});
  tools_->addSeparator();
  tools_->addWidget(new QLabel(tr(" Network ")));
  tools_->addWidget(network);
  tools_->addSeparator();
  tools_->addWidget(device);
  add({"run.run", "run.step_back", "run.step_forward", "run.measure", "run.stop"});
  tools_->addSeparator();
  add({"sweep.thresholds", "sweep.packings"});
  tools_->addSeparator();
  add({"help.palette"});
}

/// Adds the commands of a menu. Sections are divided by separators.
void MainWindow::fillMenu(QMenu& menu, Menu of) const {
  menu.setToolTipsVisible(true);
  std::map<int, std::vector<QAction*>> sections;
  for (const CommandFacts& command : commands_.facts()) {
    if (command.menu == of) sections[command.section].push_back(commands_.action(command.id));
  }
  for (const auto& [section, actions] : sections) {
    if (!menu.isEmpty()) menu.addSeparator();
    for (QAction* action : actions)
      menu.addAction(action);
  }
}

QMenu* MainWindow::exportMenu() {
  auto* menu = new QMenu(tr("&Export"), this);
  fillMenu(*menu, Menu::export_files);
  return menu;
}

void MainWindow::fillMenus(const std::vector<Submenu>& submenus) {
  const std::vector<std::pair<Menu, QString>> titles{
      {Menu::file, tr("&File")},   {Menu::edit, tr("&Edit")},       {Menu::view, tr("&View")},
      {Menu::scene, tr("&Scene")}, {Menu::network, tr("&Network")}, {Menu::run, tr("&Run")},
      {Menu::learn, tr("&Learn")}, {Menu::window, tr("&Window")},   {Menu::help, tr("&Help")}};
  std::vector<Submenu> all = submenus;
  all.push_back({exportMenu(), "file.quit"});
  for (const auto& [place, title] : titles) {
    QMenu* menu = menuBar()->addMenu(title);
    fillMenu(*menu, place);
    for (const Submenu& one : all) {
      QAction* before = commands_.action(one.before);
      if (menu->actions().contains(before)) menu->insertMenu(before, one.menu);
    }
  }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  emit resized();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!std::exchange(shown_, true)) emit firstShown();
}

}  // namespace spira::ui
