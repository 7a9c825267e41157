#include "ui/lessons/controls/mask_row.hpp"

#include "engine/backend/host_read.hpp"
#include "ui/lessons/fact_text.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/panels/scene/key_bits.hpp"

#include <QLabel>
#include <QVBoxLayout>

#include <bit>
#include <utility>

namespace spira::ui {

MaskRow::MaskRow(LessonMask mask, const LessonFacts* facts, Theme* theme, QWidget* parent)
    : QWidget(parent),
      mask_(std::move(mask)),
      facts_(facts),
      text_(new QLabel(this)),
      bits_(new KeyBits(theme, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  text_->setWordWrap(true);
  layout->addWidget(text_);
  bits_->setHeading(false);
  bits_->setCleared(std::countr_zero(static_cast<unsigned>(mask_.stride)));
  layout->addWidget(bits_);
  refresh();
}

QString MaskRow::text() const {
  return text_->text();
}

void MaskRow::refresh() {
  text_->setText(template_text(mask_.text, *facts_));
  const LessonInput input = facts_->input();
  bits_->setVisible(input.scene && input.voxel);
  if (!input.scene || !input.voxel) return;
  bits_->show(input.scene->pack, input.scene->pack.pack(*input.voxel));
}

}  // namespace spira::ui
