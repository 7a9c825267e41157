#include "ui/features/lessons/lesson_pages.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/run/replay/level_keys.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/lessons/controls/run_box.hpp"
#include "ui/lessons/diagrams/animation_scenes.hpp"
#include "ui/lessons/diagrams/diagram_view.hpp"
#include "ui/lessons/lesson_panel.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/scene/scene_animation.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_bars.hpp"

#include <QMainWindow>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

struct PictureArgs {
  std::string kind;
  LessonInput input;
  std::shared_ptr<const ChosenRows> rows;
};

struct PreparedPicture {
  std::shared_ptr<const AnimationScene> animation;
  std::shared_ptr<const LessonDiagram> diagram;
};

void prepare_picture(const PictureArgs& args, Job& job, const Send<PreparedPicture>& send) {
  LessonInput input = args.input;
  if (args.rows && args.rows->scene == input.scene) input.rows = rows_at(*args.rows, input.stride);
  send({std::make_shared<const AnimationScene>(animation_scene(args.kind, input, job)),
        std::make_shared<const LessonDiagram>(lesson_diagram(args.kind, input, job))});
}

/// Returns true if the picture shows only the selected voxel and its neighbours.
bool is_of_one_voxel(const AnimationScene& picture) {
  return picture.cells_of || picture.from.size() == 1 ||
         (!picture.moments.empty() && picture.from.empty() && !picture.framed);
}

/// Inserts the diagram below the view. While the diagram is visible, it gets three fifths of the height.
void put_below(SceneView& view, DiagramView* diagram) {
  constexpr int of_view = 2, of_diagram = 3;
  auto* layout = qobject_cast<QVBoxLayout*>(view.frameBar()->parentWidget()->layout());
  const int below = layout->indexOf(view.frameBar());
  layout->setStretch(below - 1, of_view);
  layout->insertWidget(below, diagram, of_diagram);
  diagram->hide();
}

}  // namespace

LessonPages::LessonPages(const FeatureContext& context, LessonPlayer& player, EngineJobs& jobs,
                         SelectionJobs& selecting, SceneView& view)
    : QObject(&context.window),
      context_(context),
      player_(player),
      jobs_(jobs),
      selecting_(selecting),
      view_(view),
      facts_(context.tasks, &context.workspace, &context.selection, this),
      runs_(context.tasks, &context.workspace, this),
      verbs_(context.tasks, &context.workspace, &context.selection, &jobs.lane(), &jobs.scenes(), &selecting,
             &context.commands, this),
      searches_(Timed::searches, &context.workspace, &context.selection, &jobs.lane(), &jobs.sweeps()),
      layers_(Timed::neighbours, &context.workspace, &context.selection, &jobs.lane(), &jobs.sweeps()),
      panel_(new LessonPanel(&player, &facts_, &context.theme)),
      diagram_(new DiagramView(&context.theme)),
      pictures_(context.tasks) {
  put_below(view_, diagram_);
  for (LessonTimer* timer : {&searches_, &layers_})
    timer->waitWhile([this] { return facts_.counting() || pictures_.busy() || view_.building(); });
  facts_.setTimer("search_times", &searches_);
  facts_.setTimer("layer_times", &layers_);
  connect(&player_, &LessonPlayer::entered, this, &LessonPages::enter);
  connect(&player_, &LessonPlayer::partChanged, this, &LessonPages::showPart);
  connect(&player_, &LessonPlayer::phaseChanged, this, [this] {
    if (player_.phase() == LessonPhase::moving && player_.part() == 0) preparePicture();
    followPointer();
  });
  connect(&verbs_, &LessonVerbs::done, this, &LessonPages::commandsDone);
  connect(&verbs_, &LessonVerbs::tried, &facts_, &LessonFacts::setTrial);
  connect(&verbs_, &LessonVerbs::baseChanged, this, [this] { facts_.setFirstVoxel(verbs_.grid().voxel_m); });
  connect(&runs_, &LessonRuns::changed, this, &LessonPages::followRun);
  connect(&context_.workspace.scene(), &OpenScene::voxelsChanged, this, &LessonPages::followShuffle);
  connectPanel();
  connectPointer();
  connect(&facts_, &LessonFacts::changed, this, &LessonPages::followChoice);
  // The picture needs both the facts and the densities of a selection. The densities can arrive after the
  // facts.
  connect(&selecting_, &SelectionJobs::finished, this, &LessonPages::followChoice);
  connectErrors();
}

void LessonPages::connectPanel() {
  panel_->setRunBox([this](const LessonStep& step, QWidget* parent) -> QWidget* {
    if (run_needs(facts_of(step)) == RunNeeds{}) return nullptr;
    auto* box = new RunBox(&runs_, &context_.commands, &jobs_.lane().task(), parent);
    connect(box, &RunBox::focusGivenUp, panel_, &LessonPanel::takeFocus);
    return box;
  });
  connect(panel_, &LessonPanel::commandsRequested, this,
          [this](const auto& commands) { entering_ ? verbs_.add(commands) : verbs_.run(commands); });
  connect(panel_, &LessonPanel::offsetsPointedAt, this, [this](const LessonCommand& offsets) {
    context_.selection.setHover({verbs_.columnsOf(offsets), {}, -1});
  });
  connect(panel_, &LessonPanel::offsetsPointedAway, this, [this] { context_.selection.setHover({}); });
  connect(panel_, &LessonPanel::bitPointedAt, this, &LessonPages::showBit);
  connect(panel_, &LessonPanel::bitPointedAway, this, [this] { showBit(-1); });
}

void LessonPages::connectPointer() {
  connect(diagram_, &DiagramView::offsetPointedAt, this, [this](int column) {
    context_.selection.setHover({{column}, {}, -1});
  });
  connect(diagram_, &DiagramView::pointedAway, this, [this] {
    if (player_.lesson()) context_.selection.setHover({});
  });
  connect(&context_.selection, &Selection::hoverChanged, this, &LessonPages::followHover);
  connect(&context_.selection, &Selection::hoverChanged, this, &LessonPages::followPointer);
}

void LessonPages::connectErrors() {
  // If the engine also refused this request, the banner already shows an error with suggested fixes, which
  // must stay visible.
  const auto show_error = [this](const Error& error) {
    if (error.kind() != ErrorKind::does_not_fit || !context_.notices.shown())
      context_.notices.showError(error);
  };
  connect(&pictures_, &TaskSlot::failed, this, [this, show_error](const Error& error) {
    show_error(error);
    goOnWithoutPicture(error);
  });
  connect(&facts_, &LessonFacts::failed, this, show_error);
  connect(&verbs_, &LessonVerbs::failed, this, show_error);
  connect(&runs_, &LessonRuns::failed, this, show_error);
}

void LessonPages::useOpenScene() {
  const VoxelScene& voxels = *context_.workspace.scene().voxels();
  verbs_.setBase(voxels.grid, voxels.pack);
}

void LessonPages::end() {
  pictures_.cancel();
  verbs_.clear();
  verbs_.unshuffle();
  facts_.setPointedAt(std::nullopt);
  facts_.want({});
  runs_.end();
  diagram_->hide();
  picture_.reset();
  picture_of_ = {};
  picture_rows_.reset();
  schedule_.clear();
  entering_ = false;
  view_.animation().set(nullptr, {});
}

void LessonPages::setNote(const QString& note) {
  note_ = note;
  followShuffle();
}

void LessonPages::followShuffle() {
  const auto& voxels = context_.workspace.scene().voxels();
  panel_->setNote(verbs_.isShuffled() && voxels
                      ? counted(size_of(voxels->level(1)),
                                tr("Control experiment: 1 voxel at a random position in the same box."),
                                tr("Control experiment: %1 voxels at random positions in the same box."))
                      : note_);
}

void LessonPages::commandsDone() {
  if (std::exchange(entering_, false)) {
    preparePicture();
    if (player_.step() == nullptr)
      panel_->takeFocus();  // Take the focus back, because the commands may have moved it to a panel.
    if (player_.step() != nullptr && player_.step()->key_bits) showBit(-1);
  } else {
    followTrial();
  }
  if (!verbs_.busy()) panel_->commandsDone();
}

/// Draws frames around the numbers and bars of the offset under the pointer.
void LessonPages::followHover() {
  const auto& over = context_.selection.hover().columns;
  panel_->light([&](const LessonCommand& offsets) {
    const std::vector<int> columns = verbs_.columnsOf(offsets);
    return std::any_of(columns.begin(), columns.end(),
                       [&](int column) { return std::find(over.begin(), over.end(), column) != over.end(); });
  });
}

/// Starts the current page. Each page starts from the same state, so that it does not depend on the previous
/// page.
void LessonPages::enter() {
  entering_ = true;
  pictures_.cancel();
  picture_.reset();
  picture_of_ = {};
  scheduled_ = -1;
  facts_.setPointedAt(std::nullopt);
  verbs_.setTrial({});
  view_.animation().set(nullptr, {});
  context_.notices.clear();
  const LessonStep* step = player_.step();
  const std::string motion = step != nullptr && step->motion ? step->motion->kind : std::string();
  schedule_ = commands_of_motion(motion);
  diagram_->set(nullptr, {});
  // The diagram must be visible before the commands run, because they fit the scene into the remaining height
  // of the view.
  diagram_->setVisible(is_diagram(motion));
  readFactsOf(step);
  std::vector<LessonCommand> commands{{"voxels.unshuffle", {}},
                                      {"choose.nothing", {}},
                                      {"view.stride_1", {}},
                                      {"view.automatic", {}},
                                      {"voxel.scale", {"1"}}};
  commands.push_back(neighboursOfPage());
  // The questions on the last page are about the whole scene, so the camera shows the whole scene.
  const std::vector<LessonCommand> whole{{"view.reset", {}}};
  const std::vector<LessonCommand>& before = step != nullptr ? step->before : whole;
  commands.insert(commands.end(), before.begin(), before.end());
  if (step == nullptr) addControlsOfQuestions(commands);
  player_.setReady(false);
  verbs_.run(commands);
}

/// Returns the command that chooses the neighbours of the network for this page. Pages that do not choose
/// neighbours explain the convolution of voxels. The questions use the neighbours of the last step.
LessonCommand LessonPages::neighboursOfPage() const {
  const LessonStep& step = player_.step() != nullptr ? *player_.step() : player_.lesson()->steps.back();
  for (const LessonCommand& command : step.before) {
    if (command.id.starts_with("neighbours.")) return command;
  }
  return {"neighbours.voxels", {}};
}

/// Adds the commands that show the controls of all questions, without duplicates. Adds nothing if the window
/// is not tall enough, because the controls would hide the lesson. Each question then has a button that shows
/// its controls.
void LessonPages::addControlsOfQuestions(std::vector<LessonCommand>& commands) const {
  constexpr int low = 800;  // Window height in pixels. See Lessons::shareSide().
  if (context_.window.height() < low) return;
  for (const LessonQuestion& question : player_.lesson()->questions) {
    for (const LessonCommand& command : question.commands) {
      if (std::find(commands.begin(), commands.end(), command) == commands.end()) commands.push_back(command);
    }
  }
}

void LessonPages::readFactsOf(const LessonStep* step) {
  std::vector<std::string> names;
  if (step != nullptr) {
    names = facts_of(*step);
  } else {
    for (const LessonQuestion& question : player_.lesson()->questions) {
      const auto of_question = facts_of(question);
      names.insert(names.end(), of_question.begin(), of_question.end());
    }
  }
  runs_.want(names);
  facts_.want(names);
}

void LessonPages::followRun() {
  facts_.setRun(runs_.run());
  if (player_.lesson() && !entering_) preparePicture();
}

/// Returns the selected voxels if the picture shows them, otherwise `nullptr`.
std::shared_ptr<const ChosenRows> LessonPages::picturedRows() const {
  const LessonStep* step = player_.step();
  const bool of_rows = step != nullptr && step->motion && step->motion->kind == "shapes";
  return of_rows ? context_.selection.rows() : nullptr;
}

/// Prepares the picture of the page. Must be called again when the page is played again, because the picture
/// may depend on the selection.
void LessonPages::preparePicture() {
  const LessonStep* step = player_.step();
  waits_ = step != nullptr && step->motion && step->motion->kind == "race";
  if (step == nullptr || !step->motion || !context_.workspace.scene().voxels()) return player_.setReady(true);
  LessonInput input = facts_.input();
  const auto rows = picturedRows();
  if (picture_ && input == picture_of_ && rows == picture_rows_) return showPart(player_.part());
  picture_of_ = input;
  picture_rows_ = rows;
  player_.setReady(false);
  const QString caption = QString::fromStdString(step->motion->caption);
  pictures_.start(tr("Preparing the picture"), prepare_picture, {step->motion->kind, std::move(input), rows},
                  [this, caption](const PreparedPicture& prepared) {
                    picture_ = prepared.animation;
                    if (diagram_->isHidden()) return showPicture(caption);
                    diagram_->set(prepared.diagram, caption);
                    if (!picture_->from.empty() || !picture_->marks.empty())
                      view_.animation().set(picture_, {});
                    player_.setReady(true);
                    showPart(player_.part());
                  });
}

void LessonPages::showPicture(const QString& caption) {
  QString text = caption;
  if (picture_->of > std::ssize(picture_->from))
    text +=
        " " + tr("The picture shows %1 of %2 points or voxels.")
                  .arg(onScreen(count_text(std::ssize(picture_->from))), onScreen(count_text(picture_->of)));
  if (picture_->nothing) text = tr("Nothing to show on this level.");
  picture_text_ = text;
  picture_shown_ = true;
  view_.animation().set(picture_, text);
  beReady();
  showPart(player_.part());
  // Check the pointer again, because it may have moved to a voxel before the picture was ready.
  followPointer();
}

/// Shows an error message instead of the picture, so that the user can continue with the rest of the page.
void LessonPages::goOnWithoutPicture(const Error& error) {
  const QString text =
      tr("This page has no picture: %1. Press Space to continue without the picture.").arg(error.what());
  diagram_->isHidden() ? view_.animation().set(nullptr, text) : diagram_->set(nullptr, text);
  waits_ = false;
  player_.setReady(true);
}

/// Prepares the picture again if the scene has changed, or if the user tries other values on the page.
void LessonPages::followTrial() {
  const LessonInput now = facts_.input();
  if (picture_of_.scene && (picture_of_.scene != now.scene || !(picture_of_.trial == now.trial)))
    preparePicture();
}

/// Prepares the picture of one voxel again if the user selects or points at another voxel.
void LessonPages::followChoice() {
  if (waits_ && !facts_.busy()) beReady();
  if (!verbs_.busy()) panel_->commandsDone();
  if (!entering_ && !verbs_.busy()) followTrial();
  if (!picture_ || entering_ || verbs_.busy()) return;
  if (picturedRows() != picture_rows_) return preparePicture();
  const LessonInput now = facts_.input();
  if (now == picture_of_) return;
  // Recomputes the diagram if its kernel size or its level has changed.
  if (!diagram_->isHidden() && player_.step() != nullptr) {
    const bool of_all_levels = player_.step()->motion && player_.step()->motion->kind == "strides";
    if (now.kernel_size != picture_of_.kernel_size || (now.stride != picture_of_.stride && !of_all_levels))
      return preparePicture();
  }
  if (picture_->nothing || !picture_->moments.empty() || is_of_one_voxel(*picture_)) preparePicture();
}

/// Shows the facts of the voxel under the pointer, or of the selected voxel if the pointer is not over a
/// voxel. Ignores the pointer during an animation.
void LessonPages::followPointer() {
  const LessonStep* step = player_.step();
  const bool goes = step != nullptr && player_.phase() == LessonPhase::shown && !entering_ && picture_ &&
                    (step->key_bits || is_of_one_voxel(*picture_));
  facts_.setPointedAt(goes ? context_.selection.hover().voxel : std::nullopt);
}

void LessonPages::beReady() {
  if (waits_ && facts_.busy()) return;  // followChoice() calls beReady() again.
  waits_ = false;
  player_.setReady(true);
}

void LessonPages::showPart(double part) {
  if (!diagram_->isHidden()) diagram_->setPart(part);
  // Until the user plays the page about points, show the coloured scene instead of an empty view.
  const LessonStep* step = player_.step();
  const bool whole = part <= 0 && step != nullptr && step->motion && step->motion->kind == "points" &&
                     player_.phase() == LessonPhase::reading;
  if (picture_ && diagram_->isHidden() && picture_shown_ == whole) {
    view_.animation().set(whole ? nullptr : picture_, picture_text_);
    picture_shown_ = !whole;
  }
  if (picture_ && !whole && (diagram_->isHidden() || !picture_->from.empty())) view_.animation().setAt(part);
  if (schedule_.empty() || part <= 0 || entering_) return;
  const auto count = static_cast<int>(schedule_.size());
  const int now = std::min(count - 1, static_cast<int>(part * count));
  if (std::exchange(scheduled_, now) == now) return;
  verbs_.run({schedule_[static_cast<std::size_t>(now)]});
}

/// Selects the voxels whose packed coordinate has this bit set. If `bit` is -1 (the user points at no bit),
/// uses the highest bit that is set in any coordinate.
void LessonPages::showBit(int bit) {
  selecting_.choose(
      1,
      [scene = context_.workspace.scene().voxels(), bit](const std::stop_token&) {
        const CoordSet& level = scene->level(1);
        const int shown = bit >= 0 ? bit : highest_bit(level);
        std::vector<std::int32_t> rows;
        for (std::int64_t row = 0; shown >= 0 && row < size_of(level); ++row) {
          if (((key_at(level, row) >> shown) & 1U) != 0) rows.push_back(static_cast<std::int32_t>(row));
        }
        return rows;
      },
      Combine::replace);
}

bool LessonPages::settled() const {
  return !verbs_.busy() && !entering_ && !pictures_.busy() && !facts_.busy() && !runs_.busy() &&
         !jobs_.lane().busy() && !selecting_.busy() && context_.workspace.scene().voxels() && view_.settled();
}

}  // namespace spira::ui
