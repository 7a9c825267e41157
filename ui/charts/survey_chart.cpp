#include "ui/charts/survey_chart.hpp"

#include "engine/base/text.hpp"
#include "ui/charts/chart.hpp"
#include "ui/theme/theme.hpp"

#include <QCoreApplication>
#include <QMouseEvent>
#include <QToolTip>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace spira::ui {
namespace {

constexpr double left_margin = 62, right_margin = 12, top_margin = 10, bottom_margin = 38;

struct MeasureFacts {
  const char* text;
  /// Text of Outlier::measure for this measure. Empty if outliers of this measure are not detected.
  std::string_view outlier;
};
constexpr std::array<MeasureFacts, 7> measures{
    {{QT_TRANSLATE_NOOP("spira::ui::SurveyChart", "Voxels"), "voxels"},
     {QT_TRANSLATE_NOOP("spira::ui::SurveyChart", "Points"), ""},
     {QT_TRANSLATE_NOOP("spira::ui::SurveyChart", "Cells along x"), "cells x"},
     {QT_TRANSLATE_NOOP("spira::ui::SurveyChart", "Cells along y"), "cells y"},
     {QT_TRANSLATE_NOOP("spira::ui::SurveyChart", "Cells along z"), "cells z"},
     {QT_TRANSLATE_NOOP("spira::ui::SurveyChart", "Bits per coordinate"), ""},
     {QT_TRANSLATE_NOOP("spira::ui::SurveyChart", "Densities by L1 norm"), ""}}};

const MeasureFacts& facts_of(SurveyMeasure measure) {
  return measures.at(static_cast<std::size_t>(measure));
}

/// Returns a step of 1, 2 or 5 times a power of ten that divides the range into about four parts.
double step_for(double range) {
  const double decade = std::pow(10.0, std::floor(std::log10(std::max(range, 1e-9) / 4)));
  const double digit = range / 4 / decade;
  return decade * (digit > 5 ? 10 : digit > 2 ? 5 : digit > 1 ? 2 : 1);
}

}  // namespace

QString textOf(SurveyMeasure measure) {
  return SurveyChart::tr(facts_of(measure).text);
}

std::optional<double> valueOf(const FrameRow& row, SurveyMeasure measure) {
  switch (measure) {
    case SurveyMeasure::voxels:
      if (row.voxels) return static_cast<double>(*row.voxels);
      return std::nullopt;
    case SurveyMeasure::points:
      if (row.points) return static_cast<double>(*row.points);
      return std::nullopt;
    case SurveyMeasure::bits:
      if (row.extent) return row.extent->bits_sum();
      return std::nullopt;
    case SurveyMeasure::densities:
      return std::nullopt;
    default:
      break;
  }
  const int axis = static_cast<int>(measure) - static_cast<int>(SurveyMeasure::cells_x);
  if (row.extent) return static_cast<double>(row.extent->span.at(static_cast<std::size_t>(axis)));
  return std::nullopt;
}

SurveyChart::SurveyChart(Theme* theme, QWidget* parent)
    : Chart(theme, tr("Chart of one value for each frame"), parent) {}

void SurveyChart::setSurvey(std::shared_ptr<const Survey> survey) {
  survey_ = std::move(survey);
  contentChanged();
}

void SurveyChart::setMeasure(SurveyMeasure measure) {
  measure_ = measure;
  contentChanged();
}

void SurveyChart::setFrame(int frame) {
  frame_ = frame;
  update();
}

ChartText SurveyChart::text() const {
  if (!survey_) return {};
  const bool densities = measure_ == SurveyMeasure::densities;
  return {densities ? tr("Densities of all frames, kernel size %1").arg(survey_->request.density_kernel_size)
                    : tr("%1 of each frame").arg(textOf(measure_)),
          densities ? tr("%") : QString(),
          densities ? tr("median, quartiles (box), 5 % to 95 % (line)")
                    : tr("exact counts; median and quartiles"),
          spreadShown().n == 1 ? tr("n = 1 frame") : tr("n = %1 frames").arg(spreadShown().n)};
}

bool SurveyChart::hasContent() const {
  return survey_ && spreadShown().n > 0;
}

std::vector<LegendEntry> SurveyChart::legendEntries() const {
  if (measure_ == SurveyMeasure::densities) return {};
  return {{theme_->palette().dense, tr("frame")}, {theme_->palette().warning, tr("outlier (ring)")}};
}

ChartTable SurveyChart::table() const {
  if (!survey_) return {};
  if (measure_ == SurveyMeasure::densities) return densityTable();
  ChartTable table{{tr("Frame"), tr("Name"), textOf(measure_), tr("Outlier")}, {}};
  for (std::size_t at = 0; at < survey_->rows.size(); ++at) {
    const auto value = valueOf(survey_->rows[at], measure_);
    table.rows.push_back({static_cast<int>(at) + 1, QString::fromStdString(survey_->rows[at].name),
                          value ? QVariant(std::llround(*value)) : QVariant(tr("error")),
                          standsOut(at) ? tr("yes") : QString()});
  }
  return table;
}

ChartTable SurveyChart::densityTable() const {
  ChartTable table{{tr("L1"), tr("5 %"), tr("25 %"), tr("Median, %"), tr("75 %"), tr("95 %"), tr("n")}, {}};
  constexpr double percent = 100;
  for (const DensitySpread& group : survey_->summary.densities) {
    const Spread& s = group.mean;
    table.rows.push_back({group.l1, percent * s.p5, percent * s.q1, percent * s.median, percent * s.q3,
                          percent * s.p95, QVariant::fromValue<qlonglong>(s.n)});
  }
  return table;
}

void SurveyChart::chooseRow(int row) {
  if (measure_ != SurveyMeasure::densities) emit frameChosen(row);
}

MeasuredSubject SurveyChart::subjectOf(int /*row*/) const {
  MeasuredSubject subject;
  subject.kind = MeasuredSubject::Kind::scene;
  return subject;
}

std::unique_ptr<Chart> SurveyChart::twin(Theme* theme) const {
  auto other = std::make_unique<SurveyChart>(theme);
  other->setSurvey(survey_);
  other->setMeasure(measure_);
  return other;
}

const Spread& SurveyChart::spreadShown() const {
  const SurveySummary& all = survey_->summary;
  switch (measure_) {
    case SurveyMeasure::voxels:
      return all.voxels;
    case SurveyMeasure::points:
      return all.points;
    case SurveyMeasure::bits:
      return all.bits_sum;
    case SurveyMeasure::densities: {
      static const Spread none;
      return all.densities.empty() ? none : all.densities.front().mean;
    }
    default:
      break;
  }
  return all.cells.at(static_cast<std::size_t>(measure_) - static_cast<std::size_t>(SurveyMeasure::cells_x));
}

QRectF SurveyChart::plot() const {
  return {left_margin, top_margin, std::max(10.0, width() - left_margin - right_margin),
          std::max(10.0, height() - top_margin - bottom_margin)};
}

/// Returns the axis. It begins at a round number below the smallest value, or at 0 if the smallest value is
/// less than half of the largest.
SurveyChart::Axis SurveyChart::axis() const {
  if (measure_ == SurveyMeasure::densities) return {0, 100, 25};
  const Spread& s = spreadShown();
  double low = s.min, high = s.max;
  if (low < high / 2) low = 0;
  if (high <= low) high = low + 1;
  const double step = step_for(high - low);
  return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
}

double SurveyChart::xOf(double at, double count) const {
  return plot().left() + (plot().width() * (at + 0.5) / std::max(1.0, count));
}

double SurveyChart::yOf(double value) const {
  const Axis shown = axis();
  return plot().bottom() - (plot().height() * (value - shown.low) / (shown.high - shown.low));
}

bool SurveyChart::standsOut(std::size_t frame) const {
  const auto& outliers = survey_->summary.outliers;
  return std::any_of(outliers.begin(), outliers.end(), [&](const Outlier& one) {
    return one.frame == frame && one.measure == facts_of(measure_).outlier;
  });
}

void SurveyChart::paintEvent(QPaintEvent*) {
  QCPPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_->palette().panel);
  paintChart(painter);
  paintFocus(painter);
}

void SurveyChart::paintChart(QCPPainter& painter) {
  if (!hasContent()) return;
  painter.setFont(font());
  paintAxes(painter);
  measure_ == SurveyMeasure::densities ? paintDensities(painter) : paintFrames(painter);
}

void SurveyChart::paintAxes(QPainter& painter) const {
  const Axis shown = axis();
  const QRectF area = plot();
  for (double tick = shown.low; tick <= shown.high + (shown.step / 2); tick += shown.step) {
    const double y = yOf(tick);
    painter.setPen(QPen(theme_->palette().line, 1, Qt::DotLine));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(theme_->palette().faint_text);
    const QString text = shown.step < 1 ? numberText(*theme_, tick, 'f', 1)
                                        : numberText(*theme_, count_text(std::llround(tick)));
    painter.drawText(QRectF(0, y - 9, left_margin - 6, 18), Qt::AlignRight | Qt::AlignVCenter, text);
  }
  painter.setPen(theme_->palette().text);
  painter.drawText(QRectF(area.left(), height() - 19.0, area.width(), 18), Qt::AlignCenter,
                   measure_ == SurveyMeasure::densities ? tr("x: L1 norm of the offset; y: density in %")
                                                        : tr("frame number"));
}

void SurveyChart::paintFrames(QPainter& painter) const {
  const QRectF area = plot();
  const Spread& s = spreadShown();
  QColor band = theme_->palette().accent;
  band.setAlphaF(0.15F);
  painter.fillRect(QRectF(QPointF(area.left(), yOf(s.q3)), QPointF(area.right(), yOf(s.q1))), band);
  painter.setPen(QPen(theme_->palette().text, 1.5, Qt::DashLine));
  painter.drawLine(QPointF(area.left(), yOf(s.median)), QPointF(area.right(), yOf(s.median)));
  const auto count = static_cast<double>(survey_->request.frames.size());
  for (std::size_t at = 0; at < survey_->rows.size(); ++at) {
    const auto value = valueOf(survey_->rows[at], measure_);
    if (!value) continue;
    const QPointF place(xOf(static_cast<double>(at), count), yOf(*value));
    const bool out = standsOut(at);
    painter.setPen(Qt::NoPen);
    painter.setBrush(out ? theme_->palette().warning : theme_->palette().dense);
    painter.drawEllipse(place, 3.5, 3.5);
    if (!out && static_cast<int>(at) != frame_) continue;
    painter.setPen(QPen(theme_->palette().text, 1.5));
    painter.setBrush(Qt::NoBrush);
    if (out) painter.drawEllipse(place, 6, 6);
    if (static_cast<int>(at) == frame_) painter.drawRect(QRectF(place - QPointF(8, 8), QSizeF(16, 16)));
  }
  painter.setPen(theme_->palette().faint_text);
  for (const std::size_t at : {std::size_t{0}, survey_->request.frames.size() - 1}) {
    const double x = xOf(static_cast<double>(at), count);
    painter.drawText(QRectF(x - 40, area.bottom() + 2, 80, 16), Qt::AlignCenter, QString::number(at + 1));
  }
}

void SurveyChart::paintDensities(QPainter& painter) const {
  const auto& groups = survey_->summary.densities;
  const auto count = static_cast<double>(groups.size());
  const double half = std::min(14.0, plot().width() / count / 3);
  for (std::size_t at = 0; at < groups.size(); ++at) {
    const Spread& s = groups[at].mean;
    const double x = xOf(static_cast<double>(at), count);
    const auto y = [this](double share) { return yOf(100 * share); };
    painter.setPen(QPen(theme_->palette().text, 1));
    painter.drawLine(QPointF(x, y(s.p5)), QPointF(x, y(s.p95)));
    QColor fill = theme_->palette().accent;
    fill.setAlphaF(0.35F);
    painter.setBrush(fill);
    painter.drawRect(QRectF(QPointF(x - half, y(s.q3)), QPointF(x + half, y(s.q1))));
    painter.setPen(QPen(theme_->palette().text, 2.5));
    painter.drawLine(QPointF(x - half, y(s.median)), QPointF(x + half, y(s.median)));
    painter.setPen(theme_->palette().text);
    painter.drawText(QRectF(x + half + 2, y(s.median) - 9, 40, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     numberText(*theme_, 100 * s.median, 'f', s.median < 0.0995 ? 1 : 0));
    painter.setPen(theme_->palette().faint_text);
    painter.drawText(QRectF(x - 20, plot().bottom() + 2, 40, 16), Qt::AlignCenter,
                     QString::number(groups[at].l1));
  }
}

QPoint SurveyChart::dotOf(int frame) const {
  const auto at = static_cast<std::size_t>(frame);
  const double value = valueOf(survey_->rows.at(at), measure_).value_or(0);
  return QPointF(xOf(frame, static_cast<double>(survey_->request.frames.size())), yOf(value)).toPoint();
}

int SurveyChart::frameAt(const QPointF& at) const {
  if (!survey_ || measure_ == SurveyMeasure::densities) return -1;
  constexpr double reach = 8;
  int nearest = -1;
  double least = reach;
  for (int frame = 0; frame < static_cast<int>(survey_->rows.size()); ++frame) {
    if (!valueOf(survey_->rows[static_cast<std::size_t>(frame)], measure_)) continue;
    const double away = QLineF(at, dotOf(frame)).length();
    if (away < least) nearest = frame;
    least = std::min(least, away);
  }
  return nearest;
}

QString SurveyChart::tipOf(int frame) const {
  const FrameRow& row = survey_->rows.at(static_cast<std::size_t>(frame));
  const double value = valueOf(row, measure_).value_or(0);
  QString text = tr("%1\n%2: %3")
                     .arg(QString::fromStdString(row.name), textOf(measure_),
                          numberText(*theme_, count_text(std::llround(value))));
  for (const Outlier& one : survey_->summary.outliers) {
    if (one.frame == static_cast<std::size_t>(frame) && one.measure == facts_of(measure_).outlier)
      text += tr("\noutlier: the value is not between %1 and %2")
                  .arg(numberText(*theme_, count_text(std::llround(one.low))),
                       numberText(*theme_, count_text(std::llround(one.high))));
  }
  return text + tr("\nClick to open this frame");
}

void SurveyChart::mousePressEvent(QMouseEvent* event) {
  const int frame = event->button() == Qt::LeftButton ? frameAt(event->position()) : -1;
  if (frame >= 0) emit frameChosen(frame);
}

void SurveyChart::mouseMoveEvent(QMouseEvent* event) {
  setCursor(frameAt(event->position()) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

/// The left and right arrow keys open the previous and the next frame.
void SurveyChart::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const int frames = survey_ ? static_cast<int>(survey_->rows.size()) : 0;
  if (step == 0 || frames == 0) return Chart::keyPressEvent(event);
  emit frameChosen(std::clamp(frame_ + step, 0, frames - 1));
}

bool SurveyChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Chart::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int frame = frameAt(help->pos());
  QToolTip::showText(help->globalPos(), frame < 0 ? QString() : tipOf(frame), this);
  return true;
}

}  // namespace spira::ui
