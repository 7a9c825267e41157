#include "ui/features/lessons/lesson_files.hpp"

#include "engine/base/file.hpp"
#include "engine/base/text.hpp"
#include "engine/report/reproduce.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/lessons/lesson_handout.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/lessons/lesson_list.hpp"
#include "ui/model/notices.hpp"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QMainWindow>

#include <algorithm>

namespace spira::ui {
namespace {

constexpr std::size_t max_bytes = 1 << 20;

}  // namespace

LessonFiles::LessonFiles(const FeatureContext& context, Lessons& lessons, SceneView& view)
    : QObject(&context.window), context_(context), lessons_(lessons), view_(view) {
  bindCommands();
  connect(&files_, &FileWriter::failed, this,
          [this](const Error& error) { context_.notices.showError(error); });
  connect(&files_, &FileWriter::written, this, [this](const QString& file) {
    context_.workspace.addLog(tr("written: %1").arg(file));
    context_.notices.showNote(tr("Handout"), tr("written: %1").arg(file));
  });
}

void LessonFiles::bindCommands() {
  CommandSet& commands = context_.commands;
  commands.bind("lesson.list", [this] { showList(); });
  commands.bind("lesson.open", [this] { openDialog(); });
  commands.bind(
      "lesson.copy_link", [this] { copyLink(); },
      [this] {
        if (QString why = lessons_.whyNoLesson(); !why.isEmpty()) return why;
        const auto& all = lessons_.all();
        const bool own = std::find(all.begin(), all.end(), lessons_.player().lesson()) == all.end();
        return own ? tr("lessons from a file have no links") : QString();
      });
  commands.bind(
      "lesson.handout", [this] { saveHandout(); }, [this] { return lessons_.whyNoLesson(); });
}

void LessonFiles::showList() {
  LessonList list(lessons_.all(), lessons_.reached(), &context_.window);
  connect(&list, &LessonList::chosen, this, [this](const std::shared_ptr<const Lesson>& lesson) {
    lessons_.start(lesson, lessons_.reached().at(QString::fromStdString(lesson->id)));
  });
  list.exec();
}

LessonFiles::Target LessonFiles::targetOf(const QString& link) const {
  const QString id = link.section(':', 0, 0), step = link.section(':', 1);
  QStringList known;
  for (const auto& lesson : lessons_.all()) {
    known += QString::fromStdString(lesson->id);
    if (known.back() != id) continue;
    if (!link.contains(':')) return {lesson, lessons_.reached().at(id)};
    // The page after the last step contains the questions.
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

void LessonFiles::follow(const QString& link) {
  const Target target = targetOf(link);
  lessons_.start(target.lesson, target.page);
}

QString LessonFiles::link() const {
  if (!lessons_.player().lesson()) return {};
  const auto at = static_cast<std::size_t>(lessons_.player().page());
  const auto& steps = lessons_.player().lesson()->steps;
  const QString step = at < steps.size() ? QString::fromStdString(steps[at].id)
                                         : QString::number(lessons_.player().page() + 1);
  return QString::fromStdString(lessons_.player().lesson()->id) + ":" + step;
}

/// Copies a command line that opens this page. The command contains the scene and the grid, because the
/// numbers on the page depend on them.
void LessonFiles::copyLink() {
  const auto& cloud = context_.workspace.scene().cloud();
  std::vector<std::string> words{"spirascope"};
  if (cloud) {
    words.push_back(cloud->format == "generated" ? cloud->name : cloud->source);
    words.insert(words.end(), {"--grid", grid_text(context_.workspace.requested().grid().voxel_m)});
  }
  words.insert(words.end(), {"--lesson", link().toStdString()});
  const QString line = QString::fromStdString(shell_text(words));
  QApplication::clipboard()->setText(line);
  context_.workspace.addLog(tr("copied: %1").arg(line));
}

void LessonFiles::openDialog() {
  const QString file =
      context_.dialogs.openFile(&context_.window, tr("Open lesson"), tr("Lessons (*.json);;All files (*)"));
  if (file.isEmpty()) return;
  try {
    openFile(file);
  } catch (const Error& error) {
    context_.notices.showError(error);
  }
}

void LessonFiles::saveHandout() {
  if (handout_) return;
  const QString name = QString::fromStdString(lessons_.player().lesson()->id) + ".pdf";
  const QString file =
      context_.dialogs.saveFile(&context_.window, tr("Save handout"), name, tr("PDF (*.pdf)"));
  if (file.isEmpty() || !lessons_.player().lesson()) return;
  handout_ = new LessonHandout(context_, lessons_, view_, file, this);
  connect(handout_, &LessonHandout::ready, this,
          [this](const QString& to, const std::function<QByteArray()>& pdf) {
            files_.write(to, [pdf] { return pdf().toStdString(); });
          });
}

void LessonFiles::openFile(const QString& file) {
  const std::string name = QFileInfo(file).fileName().toStdString();
  const auto check = [this](const LessonCommand& command) { return fault_of(command, context_.commands); };
  lessons_.start(std::make_shared<const Lesson>(
                     parse_lesson(read_text_file(file.toStdString(), max_bytes), name, check)),
                 0);
}

}  // namespace spira::ui
