#include "ui/features/lessons/lessons.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/features/lessons/classroom.hpp"
#include "ui/features/lessons/lesson_handout.hpp"
#include "ui/features/lessons/window_before.hpp"
#include "ui/jobs/file_writer.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/lessons/controls/run_box.hpp"
#include "ui/lessons/diagrams/diagram_view.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/lessons/lesson_keys.hpp"
#include "ui/lessons/lesson_panel.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/lessons/lesson_runs.hpp"
#include "ui/lessons/lesson_verbs.hpp"
#include "ui/lessons/search_timer.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QJsonObject>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr const char* scene_of_its_own = "street";
constexpr int wide = 440;

/// Inserts the diagram below the view. While visible, it uses three fifths of the height.
void put_below(SceneView& view, DiagramView* diagram) {
  constexpr int of_view = 2, of_diagram = 3;
  auto* layout = qobject_cast<QVBoxLayout*>(view.frameBar()->parentWidget()->layout());
  const int below = layout->indexOf(view.frameBar());
  layout->setStretch(below - 1, of_view);
  layout->insertWidget(below, diagram, of_diagram);
  diagram->hide();
}

}  // namespace

Lessons::Lessons(MainWindow* window, const QString& state_folder)
    : QObject(window),
      window_(window),
      places_file_(state_folder.isEmpty() ? QString() : state_folder + "/lessons.json", "spirascope.lessons",
                   1),
      player_(new LessonPlayer(this)),
      facts_(new LessonFacts(window->tasks(), &window->workspace(), &window->selection(), this)),
      runs_(new LessonRuns(window->tasks(), &window->workspace(), this)),
      panel_(new LessonPanel(player_, facts_, &window->theme())),
      verbs_(new LessonVerbs(window->tasks(), &window->workspace(), &window->selection(),
                             &window->jobs().lane(), &window->jobs().scenes(), &window->selectionJobs(),
                             &window->commands(), this)),
      diagram_(new DiagramView(&window->theme())),
      dock_(new QDockWidget(tr("Lesson"), window)),
      files_(new FileWriter(this)),
      pictures_(window->tasks()) {
  dock_->setObjectName("lesson");
  dock_->setWidget(panel_);
  dock_->setTitleBarWidget(new QWidget(dock_));
  dock_->setFeatures(QDockWidget::NoDockWidgetFeatures);
  window_->addDockWidget(Qt::RightDockWidgetArea, dock_);
  window_->setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
  dock_->hide();
  connect(window_->findChild<QDockWidget*>("right"), &QDockWidget::visibilityChanged, this, [this](bool on) {
    if (on && player_->lesson())
      // Wait until all docks are visible.
      QMetaObject::invokeMethod(this, &Lessons::shareSide, Qt::QueuedConnection);
  });
  connect(dock_, &QDockWidget::visibilityChanged, this, &Lessons::takeHiddenFocus);
  set_help(panel_, "lessons#Going through a lesson");
  put_below(window_->sceneView(), diagram_);
  new LessonKeys(player_, panel_, window_);
  window_->commands().addPlainKeysTo(panel_);
  loadLessons();
  bindCommands();
  std::vector<QAction*> controls;
  for (const char* id : {"lesson.list", "lesson.handout", "lesson.classroom", "lesson.leave"})
    controls.push_back(window_->commands().action(id));
  panel_->addControls(controls);
  connect(player_, &LessonPlayer::entered, this, &Lessons::enter);
  connect(player_, &LessonPlayer::left, this, &Lessons::left);
  connect(player_, &LessonPlayer::partChanged, this, &Lessons::showPart);
  connect(player_, &LessonPlayer::phaseChanged, this, [this] {
    if (player_->phase() == LessonPhase::moving && player_->part() == 0) preparePicture();
    followPointer();
  });
  connect(verbs_, &LessonVerbs::done, this, [this] {
    if (std::exchange(entering_, false)) {
      preparePicture();
      if (player_->step() != nullptr && player_->step()->key_bits) showBit(-1);
    } else {
      followTrial();
    }
    if (!verbs_->busy()) panel_->commandsDone();
  });
  panel_->setRunBox([this](const LessonStep& step, QWidget* parent) -> QWidget* {
    if (run_needs(facts_of(step)) == RunNeeds{}) return nullptr;
    auto* box = new RunBox(runs_, &window_->commands(), &window_->jobs().lane().task(), parent);
    connect(box, &RunBox::focusGivenUp, panel_, &LessonPanel::takeFocus);
    return box;
  });
  connect(runs_, &LessonRuns::changed, this, &Lessons::followRun);
  connect(panel_, &LessonPanel::commandsRequested, this,
          [this](const auto& commands) { entering_ ? verbs_->add(commands) : verbs_->run(commands); });
  connect(verbs_, &LessonVerbs::tried, facts_, &LessonFacts::setTrial);
  connect(verbs_, &LessonVerbs::baseChanged, this, [this] { facts_->setFirstVoxel(verbs_->grid().voxel_m); });
  connect(panel_, &LessonPanel::offsetsPointedAt, this, [this](const LessonCommand& offsets) {
    window_->selection().setHover({verbs_->columnsOf(offsets), {}, -1});
  });
  connect(panel_, &LessonPanel::offsetsPointedAway, this, [this] { window_->selection().setHover({}); });
  connect(diagram_, &DiagramView::offsetPointedAt, this, [this](int column) {
    window_->selection().setHover({{column}, {}, -1});
  });
  connect(diagram_, &DiagramView::pointedAway, this, [this] {
    if (player_->lesson()) window_->selection().setHover({});
  });
  connect(&window_->selection(), &Selection::hoverChanged, this, [this] {
    const auto& over = window_->selection().hover().columns;
    panel_->light([&](const LessonCommand& offsets) {
      const std::vector<int> columns = verbs_->columnsOf(offsets);
      return std::any_of(columns.begin(), columns.end(), [&](int column) {
        return std::find(over.begin(), over.end(), column) != over.end();
      });
    });
  });
  connect(panel_, &LessonPanel::bitPointedAt, this, &Lessons::showBit);
  connect(panel_, &LessonPanel::bitPointedAway, this, [this] { showBit(-1); });
  connect(&window_->jobs().scenes(), &SceneJobs::opened, this, &Lessons::takeScene);
  connect(&window_->workspace(), &Workspace::voxelsChanged, this, &Lessons::followShuffle);
  auto* timer = new SearchTimer(&window->workspace(), &window->selection(), &window->jobs().lane(),
                                &window->jobs().sweeps(), this);
  timer->waitWhile(
      [this] { return facts_->counting() || pictures_.busy() || window_->sceneView().building(); });
  facts_->setSearchTimer(timer);
  connect(facts_, &LessonFacts::changed, this, &Lessons::followChoice);
  // The facts of a selection can be ready before its densities. The picture is prepared when both are.
  connect(&window_->selectionJobs(), &SelectionJobs::finished, this, &Lessons::followChoice);
  connect(&window->selection(), &Selection::hoverChanged, this, &Lessons::followPointer);
  // If the engine also refused this, the banner already shows an error with suggested fixes. Do not replace
  // it.
  const auto show_error = [this](const Error& error) {
    if (error.kind() != ErrorKind::does_not_fit || !window_->banner().isVisible())
      window_->banner().showError(error, {});
  };
  connect(&pictures_, &TaskSlot::failed, this, [this, show_error](const Error& error) {
    show_error(error);
    goOnWithoutPicture(error);
  });
  connect(facts_, &LessonFacts::failed, this, show_error);
  connect(verbs_, &LessonVerbs::failed, this, show_error);
  connect(runs_, &LessonRuns::failed, this, show_error);
  connect(files_, &FileWriter::failed, this, show_error);
  connect(files_, &FileWriter::written, this, [this](const QString& file) {
    window_->workspace().addLog(tr("written: %1").arg(file));
    window_->banner().showNotice(tr("Handout"), tr("written: %1").arg(file));
  });
  const auto calm = [this] { player_->setCalm(window_->settings().truth("look.reduced_motion")); };
  connect(&window_->settings(), &Settings::changed, this, calm);
  calm();
}

Lessons::~Lessons() = default;

void Lessons::loadLessons() {
  const QDir folder(":/lessons");
  for (const QString& name : folder.entryList(QDir::Files, QDir::Name)) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::ReadOnly)) continue;
    lessons_.push_back(std::make_shared<const Lesson>(parse_lesson(
        file.readAll().toStdString(), name.toStdString(),
        [this](const LessonCommand& command) { return fault_of(command, window_->commands()); })));
  }
  const QJsonObject places = places_file_.read()["places"].toObject();
  for (const auto& lesson : lessons_) {
    const QString id = QString::fromStdString(lesson->id);
    places_[id] = std::clamp(places[id].toInt(), 0, static_cast<int>(lesson->steps.size()) - 1);
  }
}

void Lessons::bindCommands() {
  CommandSet& commands = window_->commands();
  const auto open = [this] {
    return player_->lesson() ? QString() : tr("no lesson is open; press Ctrl+L to list them");
  };
  commands.bind("lesson.list", [this] { showList(); });
  for (const auto& lesson : lessons_) {
    const QString id = QString::fromStdString(lesson->id);
    commands.bind("lesson." + id, [this, lesson, id] { start(lesson, places_[id]); });
  }
  commands.bind("lesson.open", [this] { openDialog(); });
  commands.bind(
      "lesson.copy_link", [this] { copyLink(); },
      [this] {
        const auto& lesson = player_->lesson();
        if (!lesson) return tr("no lesson is open; press Ctrl+L to list them");
        const bool own = std::find(lessons_.begin(), lessons_.end(), lesson) == lessons_.end();
        return own ? tr("lessons from a file have no links") : QString();
      });
  commands.bind(
      "lesson.play", [this] { player_->go(); }, open);
  commands.bind(
      "lesson.back", [this] { player_->back(); }, open);
  commands.bind(
      "lesson.next", [this] { player_->next(); }, open);
  commands.bind(
      "lesson.slower", [this] { player_->setSpeed(player_->speed() / 2); }, open);
  commands.bind(
      "lesson.faster", [this] { player_->setSpeed(player_->speed() * 2); }, open);
  commands.action("lesson.classroom")->setCheckable(true);
  commands.bind(
      "lesson.classroom", [this] { setClassroom(!classroom_); }, open);
  commands.bind(
      "lesson.leave", [this] { leave(); }, open);
  commands.bind(
      "lesson.handout", [this] { handoutDialog(); }, open);
  commands.action("lesson.handout")->setIconText(tr("Handout"));
  commands.action("lesson.list")->setIconText(tr("Lessons"));
  commands.action("lesson.leave")->setIconText(tr("Leave"));
}

void Lessons::start(const std::shared_ptr<const Lesson>& lesson, int page) {
  if (player_->lesson()) {
    const QString id = QString::fromStdString(player_->lesson()->id);
    places_[id] = player_->page();
    return player_->start(lesson, page);
  }
  before_ = window_->beginLesson();
  runs_->begin(before_->report);
  window_->makeRoomForLesson();
  dock_->show();
  window_->resizeDocks({dock_}, {wide}, Qt::Horizontal);
  panel_->setMinimumWidth(std::min(wide, window_->width() * 2 / 5));
  Selection& selection = window_->selection();
  selection.setHiddenLabels({});
  selection.setSlab(std::nullopt);
  selection.setColourBy(ColourBy::height);
  setNote({});
  const Workspace& open = window_->workspace();
  if (open.voxels()) {
    verbs_->setBase(open.voxels()->grid, open.voxels()->pack);
  } else if (!window_->jobs().lane().opening()) {
    // Otherwise the lesson waits for the scene that is being opened.
    setNote(tr("No scene was open; the lesson uses a built-in street."));
    window_->open(scene_of_its_own);
  }
  player_->start(lesson, page);
  window_->commands().refresh();
  panel_->takeFocus();
}

/// The lesson and the panels at the right may be tabs of the same dock area. Moves the keyboard focus to the
/// lesson if the focused panel is hidden.
void Lessons::takeHiddenFocus(bool lesson_in_front) {
  if (!lesson_in_front || !player_->lesson()) return;
  const auto* right = window_->findChild<QDockWidget*>("right");
  if (right->isAncestorOf(window_->focusWidget()) && window_->tabifiedDockWidgets(dock_).contains(right))
    panel_->takeFocus();
}

/// Places the right panels and the lesson one below the other. Uses tabs if both would be too low to read.
void Lessons::shareSide() {
  auto* right = window_->findChild<QDockWidget*>("right");
  if (!player_->lesson() || right->isHidden() || !window_->tabifiedDockWidgets(dock_).isEmpty()) return;
  constexpr int low = 400;  // Minimum height of each, including its title.
  if (right->height() + dock_->height() < 2 * low || window_->height() < 2 * low) {
    window_->tabifyDockWidget(right, dock_);
    return right->raise();
  }
  window_->resizeDocks({right, dock_}, {1, 1}, Qt::Vertical);
}

/// Sets the note about the scene. While the voxels are shuffled, a note about the shuffle replaces it.
void Lessons::setNote(const QString& note) {
  note_ = note;
  followShuffle();
}

void Lessons::followShuffle() {
  const auto& voxels = window_->workspace().voxels();
  panel_->setNote(verbs_->isShuffled() && voxels
                      ? tr("Control experiment: %1 voxels at random positions in the same box.")
                            .arg(onScreen(count_text(size_of(voxels->level(1)))))
                      : note_);
}

/// A scene was opened during the lesson, by the lesson or by the user.
void Lessons::takeScene() {
  if (!player_->lesson()) return;
  const auto& voxels = window_->workspace().voxels();
  if (!voxels) return leave();
  verbs_->setBase(voxels->grid, voxels->pack);
  // The view takes the focus first.
  QMetaObject::invokeMethod(panel_, &LessonPanel::takeFocus, Qt::QueuedConnection);
  enter();
}

void Lessons::leave() {
  player_->leave();
}

void Lessons::left(const QString& id, int page) {
  places_[id] = page;
  QJsonObject places;
  for (const auto& [lesson, at] : places_)
    places[lesson] = at;
  places_file_.write({{"places", places}});
  pictures_->cancel();
  verbs_->clear();
  verbs_->unshuffle();
  facts_->setPointedAt(std::nullopt);
  facts_->want({});
  runs_->end();
  diagram_->hide();
  picture_.reset();
  picture_of_ = {};
  picture_rows_.reset();
  schedule_.clear();
  entering_ = false;
  setClassroom(false);
  window_->sceneView().setMotion(nullptr, {});
  dock_->hide();
  const auto before = std::exchange(before_, nullptr);
  const Workspace& open = window_->workspace();
  const bool own =
      open.cloud() && open.cloud()->format == "generated" && open.cloud()->name == scene_of_its_own;
  const bool other_scene = open.cloud() != before->cloud && (before->cloud || !own);
  const bool other_report = open.report() && open.report() != before->report;
  window_->endLesson(*before, !other_scene && !other_report);
  window_->sceneView().canvas()->setFocus();
}

void Lessons::setClassroom(bool on) {
  if (on == classroom_) return;
  classroom_ = on;
  window_->commands().action("lesson.classroom")->setChecked(on);
  Selection& selection = window_->selection();
  if (on) {
    look_ = selection.look();
    return enter_classroom(*window_);
  }
  leave_classroom(*window_);
  selection.setLook(look_);
}

}  // namespace spira::ui
