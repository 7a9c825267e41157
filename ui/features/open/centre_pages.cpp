#include "ui/features/open/centre_pages.hpp"

#include "ui/commands/command_set.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/open/recorded_page.hpp"
#include "ui/features/open/recorded_strip.hpp"
#include "ui/view3d/scene_view.hpp"

#include <QMainWindow>
#include <QStackedWidget>
#include <QToolBar>

namespace spira::ui {

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
