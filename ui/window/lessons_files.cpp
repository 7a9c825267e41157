// Lessons and files: the list, a lesson of a teacher, the hand-out.
#include "engine/base/file.hpp"
#include "ui/jobs/file_writer.hpp"
#include "ui/lessons/lesson_list.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/lessons/lesson_verbs.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/lesson_handout.hpp"
#include "ui/window/lessons.hpp"
#include "ui/window/main_window.hpp"

#include <QFileDialog>
#include <QFileInfo>

namespace spira::ui {
namespace {

constexpr std::size_t most_bytes = 1 << 20;

}  // namespace

void Lessons::showList() {
  LessonList list(lessons_, places_, window_);
  connect(&list, &LessonList::chosen, this, [this](const std::shared_ptr<const Lesson>& lesson) {
    start(lesson, places_[QString::fromStdString(lesson->id)]);
  });
  list.exec();
}

void Lessons::openDialog() {
  const QString file =
      QFileDialog::getOpenFileName(window_, tr("Open lesson"), {}, tr("Lessons (*.json);;All files (*)"));
  if (file.isEmpty()) return;
  try {
    openFile(file);
  } catch (const Error& error) {
    window_->banner().showError(error, {});
  }
}

void Lessons::handoutDialog() {
  const QString name = QString::fromStdString(player_->lesson()->id) + ".pdf";
  QString file = QFileDialog::getSaveFileName(window_, tr("Save the hand-out"), name, tr("PDF (*.pdf)"));
  if (file.isEmpty()) return;
  if (!file.endsWith(".pdf")) file += ".pdf";
  saveHandout(file);
}

void Lessons::saveHandout(const QString& file) {
  if (!player_->lesson() || handout_) return;
  handout_ = new LessonHandout(window_, file);
  connect(handout_, &LessonHandout::ready, this, [this](const QString& to, const QByteArray& pdf) {
    files_->write(to, [pdf] { return pdf.toStdString(); });
  });
}

bool Lessons::writing() const {
  return handout_ || files_->busy();
}

void Lessons::openFile(const QString& file) {
  const std::string name = QFileInfo(file).fileName().toStdString();
  const auto check = [this](const LessonCommand& command) { return fault_of(command, window_->commands()); };
  start(std::make_shared<const Lesson>(
            parse_lesson(read_text_file(file.toStdString(), most_bytes), name, check)),
        0);
}

}  // namespace spira::ui
