#include "ui/features/lessons/lessons.hpp"

#include "ui/commands/command_set.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/lessons/lesson_panel.hpp"
#include "ui/model/selection.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QJsonObject>
#include <QMainWindow>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolBar>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto lessons_table = std::to_array<CommandFacts>({
    {"lesson.list", QT_TRANSLATE_NOOP("Command", "Lessons..."), "Ctrl+L",
     QT_TRANSLATE_NOOP("Command", "Learn how sparse convolution works, using the open scene as an example"),
     1270, Menu::learn, 1, Opens::dialog},
    {"lesson.voxelize", QT_TRANSLATE_NOOP("Command", "Voxelise and pack"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Lesson: how points become voxels, and how coordinates are packed into one word"),
     1280, Menu::learn, 1},
    {"lesson.search", QT_TRANSLATE_NOOP("Command", "Search"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: how a kernel map is built, and what each search costs"), 1290,
     Menu::learn, 1},
    {"lesson.density", QT_TRANSLATE_NOOP("Command", "Density and L1 norm"), "",
     QT_TRANSLATE_NOOP(
         "Command",
         "Lesson: why offsets near the centre of the kernel find a voxel more often than distant "
         "offsets"),
     1300, Menu::learn, 1},
    {"lesson.dataflows", QT_TRANSLATE_NOOP("Command", "Dataflows and t"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Lesson: how outputs are computed row by row or pair by pair, and how the threshold t "
                       "selects the method"),
     1310, Menu::learn, 1},
    {"lesson.indexing", QT_TRANSLATE_NOOP("Command", "Network-wide indexing"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: how all voxels and kernel maps of a network are built together"),
     1320, Menu::learn, 1},
    {"lesson.points", QT_TRANSLATE_NOOP("Command", "Points and cells"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Lesson: how native layers find neighbours from exact positions, and what this costs"),
     1325, Menu::learn, 1},
    {"lesson.open", QT_TRANSLATE_NOOP("Command", "Open lesson file..."), "",
     QT_TRANSLATE_NOOP("Command", "Open a lesson that you wrote or changed"), 1330, Menu::learn, 2,
     Opens::dialog},
    {"lesson.play", QT_TRANSLATE_NOOP("Command", "Play the step"), "",
     QT_TRANSLATE_NOOP(
         "Command",
         "Play the animation of the step, then go to the next step (Space key while a lesson is open)"),
     1340, Menu::learn, 3},
    {"lesson.back", QT_TRANSLATE_NOOP("Command", "Previous step"), "PgUp",
     QT_TRANSLATE_NOOP("Command", "Go to the previous step (also with the Left key while a lesson is open)"),
     1350, Menu::learn, 3},
    {"lesson.next", QT_TRANSLATE_NOOP("Command", "Next step"), "PgDown",
     QT_TRANSLATE_NOOP("Command", "Go to the next step (also with the Right key while a lesson is open)"),
     1360, Menu::learn, 3},
    {"lesson.slower", QT_TRANSLATE_NOOP("Command", "Slower animation"), "Ctrl+Shift+Left", "", 1370,
     Menu::learn, 4},
    {"lesson.faster", QT_TRANSLATE_NOOP("Command", "Faster animation"), "Ctrl+Shift+Right", "", 1380,
     Menu::learn, 4},
    {"lesson.classroom", QT_TRANSLATE_NOOP("Command", "Classroom"), "Ctrl+Shift+L",
     QT_TRANSLATE_NOOP("Command",
                       "Use larger text and projector colours; show only the 3D view and the lesson"),
     1390, Menu::learn, 4},
    {"lesson.handout", QT_TRANSLATE_NOOP("Command", "Save lesson handout (PDF)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one page per step, with the numbers and pictures of this scene"),
     1400, Menu::learn, 5, Opens::dialog},
    {"lesson.copy_link", QT_TRANSLATE_NOOP("Command", "Copy link to this step"), "",
     QT_TRANSLATE_NOOP("Command", "Copy a command that opens this scene at this step of the lesson"), 1410,
     Menu::learn, 5},
    {"lesson.leave", QT_TRANSLATE_NOOP("Command", "Leave the lesson"), "",
     QT_TRANSLATE_NOOP("Command", "Close the lesson and restore the previous state of the window"), 1420,
     Menu::learn, 6},
});

}  // namespace

std::span<const CommandFacts> lessons_commands() noexcept {
  return lessons_table;
}

namespace {

constexpr const char* own_scene = "street";
constexpr int usual_width = 440;

}  // namespace

Lessons::Lessons(const FeatureContext& context, const LessonStage& stage, SelectionJobs& selecting,
                 const QString& state_folder)
    : QObject(&context.window),
      context_(context),
      stage_(stage),
      reached_file_(state_folder.isEmpty() ? QString() : state_folder + "/lessons.json", "spirascope.lessons",
                    1),
      pages_(context, player_, stage.jobs, selecting, stage.view),
      keys_(&player_, &pages_.panel(), &context.window),
      dock_(new QDockWidget(tr("Lesson"), &context.window)) {
  makeDock();
  loadLessons();
  bindCommands();
  set_help(&pages_.panel(), "lessons#Going through a lesson");
  context_.commands.addPlainKeysTo(&pages_.panel());
  connect(&player_, &LessonPlayer::left, this, &Lessons::left);
  connect(&player_, &LessonPlayer::entered, this, [this] {
    // Only the page of questions shows other panels. Hide them when the user leaves this page.
    if (std::exchange(asking_, player_.step() == nullptr) && !asking_) stage_.docks.hideAll();
  });
  connect(&stage_.jobs.scenes(), &SceneJobs::opened, this, &Lessons::takeScene);
  const auto calm = [this] { player_.setCalm(context_.settings.truth("look.reduced_motion")); };
  connect(&context_.settings, &Settings::changed, this, calm);
  calm();
}

void Lessons::makeDock() {
  dock_->setObjectName("lesson");
  dock_->setWidget(&pages_.panel());
  dock_->setTitleBarWidget(new QWidget(dock_));
  dock_->setFeatures(QDockWidget::NoDockWidgetFeatures);
  context_.window.addDockWidget(Qt::RightDockWidgetArea, dock_);
  context_.window.setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
  dock_->hide();
  connect(&stage_.docks.dock(DockLayout::Side::right), &QDockWidget::visibilityChanged, this,
          [this](bool on) {
            if (on && player_.lesson())
              // The sizes can be set only after all docks are visible.
              QMetaObject::invokeMethod(this, &Lessons::shareSide, Qt::QueuedConnection);
          });
  connect(dock_, &QDockWidget::visibilityChanged, this, &Lessons::takeHiddenFocus);
}

void Lessons::loadLessons() {
  const QDir folder(":/lessons");
  for (const QString& name : folder.entryList(QDir::Files, QDir::Name)) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::ReadOnly)) continue;
    lessons_.push_back(std::make_shared<const Lesson>(
        parse_lesson(file.readAll().toStdString(), name.toStdString(),
                     [this](const LessonCommand& command) { return fault_of(command, context_.commands); })));
  }
  const QJsonObject pages = reached_file_.read()["places"].toObject();
  for (const auto& lesson : lessons_) {
    const QString id = QString::fromStdString(lesson->id);
    reached_[id] = std::clamp(pages[id].toInt(), 0, static_cast<int>(lesson->steps.size()) - 1);
  }
}

QString Lessons::whyNoLesson() const {
  return player_.lesson() ? QString() : tr("no lesson is open; press Ctrl+L to see all lessons");
}

void Lessons::bindCommands() {
  CommandSet& commands = context_.commands;
  for (const auto& lesson : lessons_) {
    const QString id = QString::fromStdString(lesson->id);
    commands.bind("lesson." + id, [this, lesson, id] { start(lesson, reached_[id]); });
  }
  const auto bind = [&](const char* id, std::function<void()> run) {
    commands.bind(id, std::move(run), [this] { return whyNoLesson(); });
  };
  bind("lesson.play", [this] { player_.go(); });
  bind("lesson.back", [this] { player_.back(); });
  bind("lesson.next", [this] { player_.next(); });
  bind("lesson.slower", [this] { player_.setSpeed(player_.speed() / 2); });
  bind("lesson.faster", [this] { player_.setSpeed(player_.speed() * 2); });
  bind("lesson.classroom", [this] { setClassroom(!classroom_); });
  bind("lesson.leave", [this] { leave(); });
  commands.action("lesson.classroom")->setCheckable(true);
  commands.action("lesson.handout")->setIconText(tr("Handout"));
  commands.action("lesson.list")->setIconText(tr("Lessons"));
  commands.action("lesson.leave")->setIconText(tr("Leave"));
  std::vector<QAction*> controls;
  for (const char* id : {"lesson.list", "lesson.handout", "lesson.classroom", "lesson.leave"})
    controls.push_back(commands.action(id));
  pages_.panel().addControls(controls);
}

void Lessons::start(const std::shared_ptr<const Lesson>& lesson, int page) {
  if (player_.lesson()) {
    reached_[QString::fromStdString(player_.lesson()->id)] = player_.page();
    return player_.start(lesson, page);
  }
  begin();
  player_.start(lesson, page);
  context_.commands.refresh();
  pages_.panel().takeFocus();
}

/// Begins a lesson: arranges the docks, and opens a scene if none is open.
void Lessons::begin() {
  before_ = begin_lesson(context_, stage_);
  pages_.runs().begin(before_->report);
  stage_.docks.hideAll();  // Only the 3D view and the lesson remain visible.
  dock_->show();
  context_.window.resizeDocks({dock_}, {usual_width}, Qt::Horizontal);
  pages_.panel().setMinimumWidth(std::min(usual_width, context_.window.width() * 2 / 5));
  Selection& selection = context_.selection;
  selection.look().setHiddenLabels({});
  selection.look().setSlab(std::nullopt);
  selection.look().setColourBy(ColourBy::height);
  pages_.setNote({});
  if (context_.workspace.scene().voxels()) return pages_.useOpenScene();
  if (stage_.jobs.lane().opening()) return;  // The lesson waits for the scene that is being opened.
  pages_.setNote(tr("No scene was open; the lesson uses a built-in street."));
  emit openRequested(own_scene);
}

/// Moves the keyboard focus to the lesson if the focused panel is now hidden. A panel can become hidden
/// because the lesson and the panels on the right may be tabs of the same dock area.
void Lessons::takeHiddenFocus(bool lesson_in_front) {
  if (!lesson_in_front || !player_.lesson()) return;
  QDockWidget* right = &stage_.docks.dock(DockLayout::Side::right);
  const QMainWindow& window = context_.window;
  if (right->isAncestorOf(window.focusWidget()) && window.tabifiedDockWidgets(dock_).contains(right))
    pages_.panel().takeFocus();
}

/// Places the lesson below the panels on the right. Uses tabs instead if the height is not sufficient for
/// both.
void Lessons::shareSide() {
  QDockWidget* right = &stage_.docks.dock(DockLayout::Side::right);
  QMainWindow& window = context_.window;
  if (!player_.lesson() || right->isHidden() || !window.tabifiedDockWidgets(dock_).isEmpty()) return;
  // Minimum height of the lesson and of the other panels, including the title, in pixels.
  constexpr int low = 400;
  if (right->height() + dock_->height() < 2 * low || window.height() < 2 * low) {
    window.tabifyDockWidget(right, dock_);
    return right->raise();
  }
  window.resizeDocks({right, dock_}, {1, 1}, Qt::Vertical);
}

/// Starts the lesson page with the open scene. Must be called after a scene was opened during the lesson.
void Lessons::takeScene() {
  if (!player_.lesson()) return;
  if (!context_.workspace.scene().voxels()) return leave();
  // The job that opened the scene builds the map of the former network.
  if (explain_voxels(context_, stage_)) stage_.jobs.scenes().rebuildSceneMap();
  pages_.useOpenScene();
  // The call is queued, so that the lesson gets the focus after the 3D view has taken it.
  QMetaObject::invokeMethod(&pages_.panel(), &LessonPanel::takeFocus, Qt::QueuedConnection);
  pages_.enter();
}

void Lessons::left(const QString& id, int page) {
  reached_[id] = page;
  storeReached();
  pages_.end();
  setClassroom(false);
  dock_->hide();
  const auto before = std::exchange(before_, nullptr);
  const Workspace& open = context_.workspace;
  const bool own = open.scene().cloud() && open.scene().cloud()->format == "generated" &&
                   open.scene().cloud()->name == own_scene;
  const bool other_scene = open.scene().cloud() != before->cloud && (before->cloud || !own);
  const bool other_report = open.results().report() && open.results().report() != before->report;
  end_lesson(context_, stage_, *before, !other_scene && !other_report);
  stage_.view.canvas()->setFocus();
}

void Lessons::storeReached() {
  QJsonObject pages;
  for (const auto& [lesson, page] : reached_)
    pages[lesson] = page;
  reached_file_.write({{"places", pages}});
}

void Lessons::setClassroom(bool on) {
  if (on == classroom_) return;
  classroom_ = on;
  context_.commands.action("lesson.classroom")->setChecked(on);
  Selection& selection = context_.selection;
  if (on) look_ = selection.look().colours();
  showBars(!on);
  constexpr int larger = 150;  // Text size in percent of the user's setting.
  const int percent = context_.settings.whole("look.text_percent");
  context_.theme.setTextPercent(on ? percent * larger / 100 : percent);
  ColourLook look = look_;
  if (on) look.map = ColourMap::bands;
  selection.look().setColours(look);
}

/// Shows or hides the bars of the window. The menu bar gets a height of 0 instead of being hidden, because
/// the shortcuts of a hidden menu bar do not work.
void Lessons::showBars(bool shown) {
  QMainWindow& window = context_.window;
  window.menuBar()->setMaximumHeight(shown ? QWIDGETSIZE_MAX : 0);
  window.statusBar()->setVisible(shown);
  stage_.view.topBar()->setVisible(shown);
  if (auto* bar = window.findChild<QToolBar*>("toolbar")) bar->setVisible(shown);
}

}  // namespace spira::ui
