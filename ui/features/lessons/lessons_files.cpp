// Files and links of lessons: the list, links to a step, lesson files of teachers, the hand-out.
#include "engine/base/file.hpp"
#include "engine/report/reproduce.hpp"
#include "ui/features/lessons/lesson_handout.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/jobs/file_writer.hpp"
#include "ui/lessons/lesson_list.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/lessons/lesson_verbs.hpp"
#include "ui/window/main_window.hpp"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>

namespace spira::ui {
namespace {

constexpr std::size_t max_bytes = 1 << 20;

}  // namespace

void Lessons::showList() {
  LessonList list(lessons_, places_, window_);
  connect(&list, &LessonList::chosen, this, [this](const std::shared_ptr<const Lesson>& lesson) {
    start(lesson, places_[QString::fromStdString(lesson->id)]);
  });
  list.exec();
}

Lessons::Place Lessons::placeOf(const QString& link) const {
  const QString id = link.section(':', 0, 0), step = link.section(':', 1);
  QStringList known;
  for (const auto& lesson : lessons_) {
    known += QString::fromStdString(lesson->id);
    if (known.back() != id) continue;
    if (!link.contains(':')) return {lesson, places_.at(id)};
    // The page after the last step has the questions.
    const int pages = static_cast<int>(lesson->steps.size()) + 1;
    const int number = step.toInt();
    if (number >= 1 && number <= pages) return {lesson, number - 1};
    for (std::size_t at = 0; at < lesson->steps.size(); ++at) {
      if (QString::fromStdString(lesson->steps[at].id) == step) return {lesson, static_cast<int>(at)};
    }
    throw Error(ErrorKind::usage, "lesson " + id.toStdString() + ": there is no step " + step.toStdString() +
                                      "; expected 1 to " + std::to_string(pages) + " or the id of a step");
  }
  throw Error(ErrorKind::usage,
              "there is no lesson " + id.toStdString() + "; expected " + known.join(", ").toStdString());
}

void Lessons::follow(const QString& link) {
  const Place place = placeOf(link);
  start(place.lesson, place.page);
}

QString Lessons::link() const {
  if (!player_->lesson()) return {};
  const auto at = static_cast<std::size_t>(player_->page());
  const auto& steps = player_->lesson()->steps;
  const QString step =
      at < steps.size() ? QString::fromStdString(steps[at].id) : QString::number(player_->page() + 1);
  return QString::fromStdString(player_->lesson()->id) + ":" + step;
}

/// Copies a command line that opens this page. It includes the scene and the grid, because the numbers of the
/// page depend on them.
void Lessons::copyLink() {
  const auto& cloud = window_->workspace().cloud();
  std::vector<std::string> words{"spirascope"};
  if (cloud) {
    words.push_back(cloud->format == "generated" ? cloud->name : cloud->source);
    words.insert(words.end(), {"--grid", grid_text(window_->workspace().grid().voxel_m)});
  }
  words.insert(words.end(), {"--lesson", link().toStdString()});
  const QString line = QString::fromStdString(shell_text(words));
  QApplication::clipboard()->setText(line);
  window_->workspace().addLog(tr("copied: %1").arg(line));
}

void Lessons::openDialog() {
  const QString file =
      window_->fileDialogs().openFile(window_, tr("Open lesson"), tr("Lessons (*.json);;All files (*)"));
  if (file.isEmpty()) return;
  try {
    openFile(file);
  } catch (const Error& error) {
    window_->notices().showError(error);
  }
}

void Lessons::handoutDialog() {
  const QString name = QString::fromStdString(player_->lesson()->id) + ".pdf";
  const QString file = window_->fileDialogs().saveFile(window_, tr("Save handout"), name, tr("PDF (*.pdf)"));
  if (!file.isEmpty()) saveHandout(file);
}

void Lessons::saveHandout(const QString& file) {
  if (!player_->lesson() || handout_) return;
  handout_ = new LessonHandout(window_, file);
  connect(handout_, &LessonHandout::ready, this,
          [this](const QString& to, const std::function<QByteArray()>& pdf) {
            files_->write(to, [pdf] { return pdf().toStdString(); });
          });
}

bool Lessons::writing() const {
  return handout_ || files_->busy();
}

void Lessons::openFile(const QString& file) {
  const std::string name = QFileInfo(file).fileName().toStdString();
  const auto check = [this](const LessonCommand& command) { return fault_of(command, window_->commands()); };
  start(std::make_shared<const Lesson>(
            parse_lesson(read_text_file(file.toStdString(), max_bytes), name, check)),
        0);
}

}  // namespace spira::ui
