#include "ui/panels/profile/samples_pane.hpp"

#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <cstddef>
#include <utility>

namespace spira::ui {
namespace {

QString ms(double value) {
  return onScreen(ms_text(value));
}

}  // namespace

SamplesPane::SamplesPane(Theme* theme, QWidget* parent)
    : QWidget(parent),
      title_(new QLabel),
      text_(new QLabel),
      stages_(new ElidedComboBox),
      histogram_(new HistogramChart(theme)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 0, 0, 0);
  layout->setSpacing(2);
  auto* head = new QHBoxLayout;
  auto* close = new QToolButton;
  close->setObjectName("chip");
  close->setText(QString(QChar(0x2715)));
  close->setToolTip(tr("Close the samples pane"));
  close->setAccessibleName(tr("Close the samples pane"));
  head->addWidget(title_, 1);
  head->addWidget(close);
  title_->setTextFormat(Qt::RichText);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  stages_->setAccessibleName(tr("Stage whose samples are shown"));
  stages_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  stages_->setMinimumContentsLength(16);
  layout->addLayout(head);
  layout->addWidget(stages_);
  layout->addWidget(text_);
  layout->addWidget(histogram_, 1);
  layout->addStretch();  // Keeps the texts at the top while there is no histogram.
  setMinimumWidth(230);
  connect(stages_, &QComboBox::currentIndexChanged, this, &SamplesPane::showSeries);
  connect(close, &QToolButton::clicked, this, &SamplesPane::closeRequested);
}

void SamplesPane::setSeries(const QString& title, std::vector<SampleSeries> series) {
  series_ = std::move(series);
  title_->setText(QString("<b>%1</b>").arg(title.toHtmlEscaped()));
  {
    const QSignalBlocker quiet(stages_);
    stages_->clear();
    for (const SampleSeries& one : series_)
      stages_->addItem(one.name);
  }
  stages_->setVisible(series_.size() > 1);
  showSeries(0);
}

void SamplesPane::showSeries(int index) {
  if (index < 0 || index >= static_cast<int>(series_.size())) {
    text_->setText(tr("No samples"));
    histogram_->hide();
    return histogram_->setSeries({});
  }
  const SampleSeries& one = series_[static_cast<std::size_t>(index)];
  const Statistics s = statistics(one.ms);
  text_->setText(tr("median %1 (n = %2), IQR %3 (%4 to %5), min %6, %7, max %8")
                     .arg(ms(s.median))
                     .arg(s.n)
                     .arg(ms(s.iqr()), ms(s.q1), ms(s.q3), ms(s.min), percentilesText(one.ms), ms(s.max)));
  text_->setToolTip(missingPercentilesText(one.ms));
  histogram_->show();
  histogram_->setSeries({one});
}

QString SamplesPane::text() const {
  return text_->text();
}

namespace {

class StageSamples {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::StageSamples)
};

}  // namespace

std::vector<SampleSeries> samples_of(const StageTree& stages) {
  std::vector<SampleSeries> series;
  std::vector<double> sums;
  int tops = 0;
  bool same_length = true;
  for (int node = 0; node < static_cast<int>(stages.nodes.size()); ++node) {
    const StageNode& stage = stages.nodes[static_cast<std::size_t>(node)];
    series.push_back({QString::fromStdString(stages.key(node).text()), stage.samples_ms});
    if (stage.parent >= 0) continue;
    if (++tops == 1) sums.resize(stage.samples_ms.size(), 0.0);
    same_length = same_length && sums.size() == stage.samples_ms.size();
    for (std::size_t at = 0; same_length && at < sums.size(); ++at)
      sums[at] += stage.samples_ms[at];
  }
  if (tops > 1 && same_length)
    series.insert(series.begin(), {StageSamples::tr("sum of the stages of each repetition"), sums});
  return series;
}

}  // namespace spira::ui
