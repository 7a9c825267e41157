// Changes of the window by a page of a lesson: commands at the start, its picture, and reactions to the
// selection and the pointer.
#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/run/level_keys.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/lessons/diagrams/diagram_view.hpp"
#include "ui/lessons/diagrams/motion_pictures.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/lessons/lesson_panel.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/lessons/lesson_runs.hpp"
#include "ui/lessons/lesson_verbs.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

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
  std::shared_ptr<const MotionPicture> motion;
  std::shared_ptr<const LessonDiagram> diagram;
};

void prepare_picture(const PictureArgs& args, Job& job, const Send<PreparedPicture>& send) {
  LessonInput input = args.input;
  if (args.rows && args.rows->scene == input.scene) input.rows = rows_at(*args.rows, input.stride);
  send({std::make_shared<const MotionPicture>(motion_picture(args.kind, input, job)),
        std::make_shared<const LessonDiagram>(lesson_diagram(args.kind, input, job))});
}

/// Returns true if the picture shows only the chosen voxel and its neighbours.
bool is_of_one_voxel(const MotionPicture& picture) {
  return picture.from.size() == 1 || (!picture.moments.empty() && picture.from.empty() && !picture.framed);
}

}  // namespace

/// Starts each page from the same state, so that it does not depend on the page before.
void Lessons::enter() {
  entering_ = true;
  pictures_->cancel();
  picture_.reset();
  picture_of_ = {};
  scheduled_ = -1;
  facts_->setPointedAt(std::nullopt);
  verbs_->setTrial({});
  window_->sceneView().setMotion(nullptr, {});
  window_->banner().hideMessage();
  const LessonStep* step = player_->step();
  const std::string motion = step != nullptr && step->motion ? step->motion->kind : std::string();
  schedule_ = commands_of_motion(motion);
  diagram_->set(nullptr, {});
  // Must precede the commands, because they frame the view in its remaining height.
  diagram_->setVisible(is_diagram(motion));
  readFactsOf(step);
  std::vector<LessonCommand> commands{{"voxels.unshuffle", {}},
                                      {"choose.nothing", {}},
                                      {"view.stride_1", {}},
                                      {"view.automatic", {}},
                                      {"voxel.scale", {"1"}}};
  // The questions at the end are about the whole scene.
  const std::vector<LessonCommand> whole{{"view.reset", {}}};
  const std::vector<LessonCommand>& before = step != nullptr ? step->before : whole;
  commands.insert(commands.end(), before.begin(), before.end());
  player_->setReady(false);
  verbs_->run(commands);
}

void Lessons::readFactsOf(const LessonStep* step) {
  std::vector<std::string> names;
  if (step != nullptr) {
    names = facts_of(*step);
  } else {
    for (const LessonQuestion& question : player_->lesson()->questions) {
      const auto of_question = facts_of(question);
      names.insert(names.end(), of_question.begin(), of_question.end());
    }
  }
  runs_->want(names);
  facts_->want(names);
}

void Lessons::followRun() {
  facts_->setRun(runs_->run());
  if (player_->lesson() && !entering_) preparePicture();
}

/// Returns the selected voxels if the picture shows them, else `nullptr`.
std::shared_ptr<const ChosenRows> Lessons::picturedRows() const {
  const LessonStep* step = player_->step();
  const bool of_rows = step != nullptr && step->motion && step->motion->kind == "shapes";
  return of_rows ? window_->selection().rows() : nullptr;
}

/// Also runs when the page is played again, because the picture may depend on the selection.
void Lessons::preparePicture() {
  const LessonStep* step = player_->step();
  waits_ = step != nullptr && step->motion && step->motion->kind == "race";
  if (step == nullptr || !step->motion || !window_->workspace().voxels()) return player_->setReady(true);
  LessonInput input = facts_->input();
  const auto rows = picturedRows();
  if (picture_ && input == picture_of_ && rows == picture_rows_) return showPart(player_->part());
  picture_of_ = input;
  picture_rows_ = rows;
  player_->setReady(false);
  const QString caption = QString::fromStdString(step->motion->caption);
  pictures_.start(tr("Preparing the picture"), prepare_picture, {step->motion->kind, std::move(input), rows},
                  [this, caption](const PreparedPicture& picture) {
                    takePicture(picture.motion, picture.diagram, caption);
                  });
}

void Lessons::takePicture(const std::shared_ptr<const MotionPicture>& made,
                          const std::shared_ptr<const LessonDiagram>& drawn, const QString& caption) {
  picture_ = made;
  if (!diagram_->isHidden()) {
    diagram_->set(drawn, caption);
    if (!made->from.empty() || !made->marks.empty()) window_->sceneView().setMotion(made, {});
    player_->setReady(true);
    return showPart(player_->part());
  }
  QString text = caption;
  if (made->of > std::ssize(made->from))
    text += " " + tr("%1 of %2 are shown.")
                      .arg(onScreen(count_text(std::ssize(made->from))), onScreen(count_text(made->of)));
  if (made->nothing) text = tr("Nothing to show on this level.");
  window_->sceneView().setMotion(made, text);
  beReady();
  showPart(player_->part());
  followPointer();  // The pointer may have moved to a voxel while there was no picture.
}

/// Shows an error message instead of the picture, so that the rest of the page still works.
void Lessons::goOnWithoutPicture(const Error& error) {
  const QString text =
      tr("This page has no picture: %1. Press Space to continue without it.").arg(error.what());
  diagram_->isHidden() ? window_->sceneView().setMotion(nullptr, text) : diagram_->set(nullptr, text);
  waits_ = false;
  player_->setReady(true);
}

/// Makes the picture again if its scene or its trial was replaced.
void Lessons::followTrial() {
  const LessonInput now = facts_->input();
  if (picture_of_.scene && (picture_of_.scene != now.scene || !(picture_of_.trial == now.trial)))
    preparePicture();
}

/// Makes the picture of the chosen voxel again if the user chooses or points at another voxel.
void Lessons::followChoice() {
  if (waits_ && !facts_->busy()) beReady();
  if (!verbs_->busy()) panel_->commandsDone();
  if (!entering_ && !verbs_->busy()) followTrial();
  if (!picture_ || entering_ || verbs_->busy()) return;
  if (picturedRows() != picture_rows_) return preparePicture();
  const LessonInput now = facts_->input();
  if (now == picture_of_) return;
  // The kernel size or the level of the diagram changed.
  if (!diagram_->isHidden() && player_->step() != nullptr) {
    const bool of_all_levels = player_->step()->motion && player_->step()->motion->kind == "strides";
    if (now.kernel_size != picture_of_.kernel_size || (now.stride != picture_of_.stride && !of_all_levels))
      return preparePicture();
  }
  if (picture_->nothing || !picture_->moments.empty() || is_of_one_voxel(*picture_)) preparePicture();
}

/// Moves the kernel to the voxel under the pointer, and back to the chosen voxel if there is none. During an
/// animation, ignores the pointer.
void Lessons::followPointer() {
  const LessonStep* step = player_->step();
  const bool goes = step != nullptr && player_->phase() == LessonPhase::shown && !entering_ && picture_ &&
                    (step->key_bits || is_of_one_voxel(*picture_));
  facts_->setPointedAt(goes ? window_->selection().hover().voxel : std::nullopt);
}

void Lessons::beReady() {
  if (waits_ && facts_->busy()) return;  // followChoice() calls this again.
  waits_ = false;
  player_->setReady(true);
}

void Lessons::showPart(double part) {
  if (!diagram_->isHidden()) diagram_->setPart(part);
  if (picture_ && (diagram_->isHidden() || !picture_->from.empty())) window_->sceneView().setMotionAt(part);
  if (schedule_.empty() || part <= 0 || entering_) return;
  const auto count = static_cast<int>(schedule_.size());
  const int now = std::min(count - 1, static_cast<int>(part * count));
  if (std::exchange(scheduled_, now) == now) return;
  verbs_->run({schedule_[static_cast<std::size_t>(now)]});
}

/// Selects the voxels whose packed coordinate has this bit. -1 means that the user points at no bit; then the
/// highest bit that any coordinate has is used.
void Lessons::showBit(int bit) {
  window_->selectionJobs().choose(
      1,
      [scene = window_->workspace().voxels(), bit](const std::stop_token&) {
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

bool Lessons::settled() const {
  return !verbs_->busy() && !entering_ && !pictures_.busy() && !facts_->busy() && !runs_->busy() &&
         !window_->jobs().lane().busy() && !window_->selectionJobs().busy() &&
         window_->workspace().voxels() && window_->sceneView().settled();
}

}  // namespace spira::ui
