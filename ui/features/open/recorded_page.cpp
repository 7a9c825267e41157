#include "ui/features/open/recorded_page.hpp"

#include "engine/base/text.hpp"
#include "ui/features/open/relations_view.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/profile/run_overview.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace spira::ui {

RecordedPage::RecordedPage(Workspace* workspace, Theme* theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      title_(new WrappedLabel),
      text_(new WrappedLabel),
      details_(new WrappedLabel),
      open_(new QPushButton(tr("Open scene..."))),
      relations_(new RelationsView(theme)),
      overview_(new RunOverview(workspace, theme)),
      scroll_(new WholeRowScroll(this)),
      gap_(overview_->layout()->spacing()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 4, 12, 0);
  layout->addWidget(scroll_);
  layout->addWidget(relations_, 1);
  auto* inside = new QWidget;
  auto* rows = new QVBoxLayout(inside);
  rows->setContentsMargins(0, 0, 0, 0);
  auto* head = new QHBoxLayout;
  head->setSpacing(16);
  title_->setTextFormat(Qt::RichText);
  text_->setTextFormat(Qt::RichText);
  details_->setTextFormat(Qt::RichText);
  head->addWidget(text_, 1);
  head->addWidget(open_);
  rows->setSpacing(2);
  rows->addWidget(title_);
  rows->addLayout(head);
  rows->addWidget(overview_);
  rows->addWidget(details_);
  rows->addStretch(1);
  overview_->setParts(RunOverview::Parts::tables);
  inside->setMinimumWidth(1);  // Lets the texts wrap in a narrow page.
  scroll_->setAccessibleName(tr("Totals, slowest layers and stages"));
  scroll_->setContent(inside);
  scroll_->viewport()->installEventFilter(this);
  overview_->installEventFilter(this);
  connect(open_, &QPushButton::clicked, this, &RecordedPage::dialogRequested);
  for (const auto changed : {&RunResults::reportChanged, &RunResults::measurementChanged})
    connect(&workspace_->results(), changed, this, &RecordedPage::followSoon);
  connect(workspace_, &Workspace::networkChanged, this, &RecordedPage::followSoon);
  connect(theme, &Theme::changed, this, &RecordedPage::followSoon);
  follow();
}

void RecordedPage::followSoon() {
  workspace_->viewUpdates().add(
      this, [this] { follow(); }, isVisible());
}

QString RecordedPage::text() const {
  QString all = title_->text() + "<br>" + text_->text() + "<br>" + details_->text();
  return all.replace(QChar::Nbsp, ' ');
}

/// Shows the leading time of the run above the slowest layers and the stages. Below them are what this time
/// contains, and the trust grade. Summary shows these too, so they may be out of view.
void RecordedPage::follow() {
  const auto& report = workspace_->results().report();
  if (!report) return relations_->setReport(nullptr);
  const SceneFacts& scene = report->scene;
  overview_->follow();
  relations_->setReport(report);
  showGraph(scene.triples && !scene.triples->each.empty());
  open_->setVisible(!scene.triples);
  title_->setText(tr("<b>%1 on %2</b>")
                      .arg(networkText(report->network).toHtmlEscaped(),
                           QString::fromStdString(scene.name).toHtmlEscaped()));
  QStringList lines;
  text_->clear();
  if (const auto times = run_times(*workspace_)) {
    const LeadingTime lead = leading_time(*workspace_, *times);
    text_->setText(QString("<span style='font-size:x-large'><b>%1</b></span> %2")
                       .arg(msOnScreen(lead.ms, lead.n), lead.title));
    if (!lead.contents.isEmpty()) lines += QString("%1: %2").arg(lead.title, lead.contents);
  }
  if (const QString trust = trustHtml(*workspace_); !trust.isEmpty()) lines += trust;
  lines += scene.triples ? tr("Relations have no 3D view.")
                         : tr("This report contains no coordinates. Open its scene to see its %1.")
                               .arg(counted(scene.voxels, tr("1 voxel"), tr("%1 voxels")));
  details_->setText(keepUnits(lines.join("<br>")));
}

/// Shows only the total time above a graph. Its few layers are in the layer list, and the graph needs the
/// height.
void RecordedPage::showGraph(bool graph) {
  for (QWidget* part : std::initializer_list<QWidget*>{overview_, details_})
    part->setVisible(!graph);
  followWidth();
  const int height = scroll_->widget()->sizeHint().height();
  scroll_->setMinimumHeight(graph ? height : 1);  // The results below the page may need the height.
  scroll_->setMaximumHeight(graph ? height : QWIDGETSIZE_MAX);
}

/// Shows the stages below the layers if the page is too narrow for both, so that it scrolls only vertically.
/// The title is then hidden, because the layers and all stages need the height. The left side and the title
/// of the window also name the network and the scene.
void RecordedPage::followWidth() {
  auto* columns = qobject_cast<QBoxLayout*>(overview_->layout());
  int needed = -gap_;
  for (int at = 0; at < columns->count(); ++at) {
    QLayoutItem* column = columns->itemAt(at);
    if (!column->isEmpty()) needed += column->minimumSize().width() + gap_;
  }
  const auto direction =
      needed > scroll_->viewport()->width() ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
  title_->setVisible(overview_->isHidden() || direction == QBoxLayout::LeftToRight);
  if (direction == columns->direction()) return;
  // The page is low if it is narrow, and the first stages must fit below the layers.
  constexpr int below = 6;
  columns->setDirection(direction);
  columns->setSpacing(direction == QBoxLayout::TopToBottom ? below : gap_);
}

bool RecordedPage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) followWidth();
  return QWidget::eventFilter(watched, event);
}

RecordedStrip::RecordedStrip(Workspace* workspace, Theme* theme, QWidget* parent)
    : QFrame(parent),
      workspace_(workspace),
      theme_(theme),
      where_(new ElidedLabel(this)),
      note_(new ElidedLabel(this)),
      row_(new QBoxLayout(QBoxLayout::LeftToRight, this)) {
  setObjectName("recorded");
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  row_->setContentsMargins(12, 4, 12, 4);
  where_->setObjectName("where");
  QFont bold = where_->font();
  bold.setBold(true);
  where_->setFont(bold);
  note_->setObjectName("note");
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row_->addWidget(where_);
  row_->addWidget(note_, 1);
  connect(&workspace_->results(), &RunResults::reportChanged, this, &RecordedStrip::follow);
  connect(theme_, &Theme::changed, this, &RecordedStrip::retheme);
  retheme();
  follow();
}

QString RecordedStrip::text() const {
  return where_->text();
}

void RecordedStrip::follow() {
  const auto& report = workspace_->results().report();
  if (!report) return where_->setText({});
  QStringList notes;
  for (const auto& note : report->notes)
    notes += QString::fromStdString(note);
  note_->setText(notes.join("; "));
  note_->setVisible(!notes.isEmpty());
  retheme();
  place();
}

/// Shows the origin of the report without details of the device if the window is too narrow for them. Places
/// the note below if it does not fit next to the origin.
void RecordedStrip::place() {
  constexpr int gap = 16;
  const auto& report = workspace_->results().report();
  if (!report) return;
  const QMargins around = row_->contentsMargins();
  if (report->graph) {
    where_->setText(
        tr("Measured on this machine: %1").arg(QString::fromStdString(report->measurement.device.name)));
    where_->setToolTip({});
    return;
  }
  const QString full = tr("Not measured on this machine. %1").arg(recordedText(*report));
  const bool narrow =
      where_->fontMetrics().horizontalAdvance(full) > width() - around.left() - around.right();
  where_->setText(
      narrow ? tr("Not measured on this machine. Recorded on %1, %2")
                   .arg(QString::fromStdString(report->measurement.device.name), dateText(report->created))
             : full);
  where_->setToolTip(full);
  const int needed =
      around.left() + where_->sizeHint().width() + gap + note_->sizeHint().width() + around.right();
  const bool below = !note_->isHidden() && needed > width();
  row_->setDirection(below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  row_->setSpacing(below ? 0 : gap);
}

void RecordedStrip::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  place();
}

void RecordedStrip::retheme() {
  const Palette& p = theme_->palette();
  const auto& report = workspace_->results().report();
  const QColor edge = report && report->graph ? p.line : p.warning;
  setStyleSheet(
      QString("#recorded { background: %1; border-left: 4px solid %2; } #recorded #where { color: %3; } "
              "#recorded #note { color: %4; }")
          .arg(p.raised.name(), edge.name(), p.text.name(), p.faint_text.name()));
}

}  // namespace spira::ui
