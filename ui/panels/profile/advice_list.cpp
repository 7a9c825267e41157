#include "ui/panels/profile/advice_list.hpp"

#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace spira::ui {
namespace {

constexpr std::size_t shown_at_first = 3;

/// Returns the text with a capital first letter. If the first word is a symbol of one letter, such as t, does
/// not change it.
QString sentence(const std::string& text) {
  QString result = QString::fromStdString(text);
  const bool symbol = result.section(' ', 0, 0).size() == 1 && !result.startsWith("a ");
  if (!result.isEmpty() && !symbol) result[0] = result[0].toUpper();
  return result;
}

QString buttonText(const AdvisedChange& change) {
  if (change.pack) return AdviceList::tr("Use %1").arg(QString::fromStdString(change.pack->text()));
  return AdviceList::tr("Use t = %1").arg(change.thresholds.front().second);
}

}  // namespace

AdviceList::AdviceList(QWidget* parent) : QWidget(parent), rows_(new QVBoxLayout(this)) {
  setAccessibleName(tr("Advice"));
  rows_->setContentsMargins(0, 0, 0, 0);
  rows_->setSpacing(2);
}

void AdviceList::setAdvice(std::vector<Advice> advice, bool can_change) {
  advice_ = std::move(advice);
  can_change_ = can_change;
  rebuild();
}

void AdviceList::rebuild() {
  while (const std::unique_ptr<QLayoutItem> item{rows_->takeAt(0)}) {
    item->widget()->hide();
    item->widget()->deleteLater();
  }
  setVisible(!advice_.empty());
  if (advice_.empty()) return;
  rows_->addWidget(new QLabel(tr("<h4>Advice, largest gain first</h4>"), this));
  const std::size_t shown = all_shown_ ? advice_.size() : std::min(shown_at_first, advice_.size());
  for (std::size_t at = 0; at < shown; ++at)
    rows_->addWidget(makeRow(at));
  if (advice_.size() <= shown_at_first) return;
  auto* more = new QLabel(this);
  more->setObjectName("more_advice");
  more->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  more->setText(QString("<a href='more'>%1</a>")
                    .arg(all_shown_ ? tr("show the top three")
                                    : tr("%Ln more", nullptr, static_cast<int>(advice_.size() - shown))));
  connect(more, &QLabel::linkActivated, this, [this] {
    all_shown_ = !all_shown_;
    rebuild();
  });
  rows_->addWidget(more);
}

QWidget* AdviceList::makeRow(std::size_t at) {
  const Advice& one = advice_[at];
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 2, 0, 2);
  auto* text = new WrappedLabel(row);
  text->setObjectName(QString("advice_%1").arg(at));
  text->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  text->setText(QString("%1. <a href='show'>%2</a> &nbsp;<b>%3</b><br>%4")
                    .arg(at + 1)
                    .arg(sentence(one.action).toHtmlEscaped(), onScreen(one.gain.text()).toHtmlEscaped(),
                         sentence(one.evidence).toHtmlEscaped()));
  text->setToolTip(tr("Show the numbers behind this advice"));
  connect(text, &QLabel::linkActivated, this, [this, at] { emit evidenceWanted(Advice(advice_[at])); });
  layout->addWidget(text, 1);
  if (!one.change.empty() && can_change_) {
    auto* button = new QPushButton(buttonText(one.change), row);
    button->setObjectName(QString("change_%1").arg(at));
    button->setAccessibleName(sentence(one.action));
    button->setToolTip(sentence(one.action));
    connect(button, &QPushButton::clicked, this, [this, at] { emit changeWanted(Advice(advice_[at])); });
    layout->addWidget(button, 0, Qt::AlignTop);
  }
  return row;
}

QString adviceNote(const Workspace& workspace, bool any) {
  const auto& measured = workspace.results().measurement();
  if (!measured) return {};
  if (!measured->wall.ms.empty()) return any ? QString() : AdviceList::tr("Advice: nothing to improve.");
  const int all = static_cast<int>(workspace.network()->layers.size()),
            lost = all - workspace.results().layersRun();
  const QString missing = lost > 0
                              ? counted(all, AdviceList::tr("the wall time and %1 of 1 layer are missing"),
                                        AdviceList::tr("the wall time and %2 of %1 layers are missing"))
                                    .arg(lost)
                              : AdviceList::tr("the wall time is missing");
  return AdviceList::tr("No advice: the report is truncated (%1).").arg(missing);
}

}  // namespace spira::ui
