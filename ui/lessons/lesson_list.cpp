#include "ui/lessons/lesson_list.hpp"

#include "ui/theme/screen_number.hpp"

#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace spira::ui {

LessonList::LessonList(std::vector<std::shared_ptr<const Lesson>> lessons,
                       const std::map<QString, int>& pages, QWidget* parent)
    : QDialog(parent), lessons_(std::move(lessons)), list_(new QListWidget(this)) {
  setWindowTitle(tr("Lessons"));
  setModal(true);
  resize(560, 340);
  auto* layout = new QVBoxLayout(this);
  auto* about = new QLabel(tr("All numbers come from the open scene. Without an open scene, a built-in "
                              "street is used. Leaving a lesson restores the previous state of the window."),
                           this);
  about->setWordWrap(true);
  layout->addWidget(about);
  list_->setAccessibleName(tr("Lessons"));
  list_->setWordWrap(true);
  list_->setSpacing(4);
  for (const auto& lesson : lessons_) {
    const auto left = pages.find(QString::fromStdString(lesson->id));
    const int steps = static_cast<int>(lesson->steps.size());
    QString text = QString("%1\n%2\n%3")
                       .arg(QString::fromStdString(lesson->title), QString::fromStdString(lesson->summary),
                            counted(steps, tr("1 step"), tr("%1 steps")));
    if (left != pages.end() && left->second > 0 && left->second < steps)
      text += tr("; continues at step %1").arg(left->second + 1);
    list_->addItem(text);
  }
  list_->setCurrentRow(0);
  layout->addWidget(list_, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  auto* start = buttons->addButton(tr("Start"), QDialogButtonBox::AcceptRole);
  start->setDefault(true);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &LessonList::choose);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(list_, &QListWidget::itemDoubleClicked, this, &LessonList::choose);
  list_->setFocus();
}

void LessonList::choose() {
  const int row = list_->currentRow();
  if (row < 0) return;
  accept();
  emit chosen(lessons_[static_cast<std::size_t>(row)]);
}

}  // namespace spira::ui
