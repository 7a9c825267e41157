#include "ui/charts/chart_picture.hpp"

#include "ui/charts/pdf_pages.hpp"
#include "ui/theme/png_text.hpp"
#include "ui/theme/theme.hpp"

#include <QBuffer>
#include <QPdfWriter>
#include <QPicture>
#include <QSvgGenerator>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

constexpr int margin = 6, gap = 4, entry_side = 9;  // Lengths in units of 1/96 inch.
constexpr double shape = 0.45, min_height_in = 2.2;

struct Row {
  QRectF area;
  QString text;
};

/// Returns the area of each legend entry. Places the entries from left to right and starts a new row if an
/// entry does not fit.
std::vector<QRectF> place_entries(const std::vector<LegendEntry>& entries, const QFontMetricsF& metrics,
                                  double width, double top) {
  std::vector<QRectF> areas;
  double x = 0;
  for (const LegendEntry& entry : entries) {
    const double wide = entry_side + 4 + metrics.horizontalAdvance(entry.text) + 12;
    if (x > 0 && x + wide > width) {
      x = 0;
      top += metrics.height() + 2;
    }
    areas.emplace_back(margin + x, top, wide, metrics.height());
    x += wide;
  }
  return areas;
}

}  // namespace

QString caption_of(const ChartText& text) {
  QStringList parts;
  for (const QString& part : {text.unit, text.statistic, text.samples}) {
    if (!part.isEmpty()) parts += part;
  }
  return parts.join("; ");
}

struct ChartPicture::Layout {
  std::unique_ptr<Theme> theme = Theme::forPaper();
  std::unique_ptr<Chart> chart;
  std::vector<LegendEntry> entries;
  std::vector<QRectF> entry_areas;
  Row title;
  std::vector<Row> caption;
  QPointF chart_at;
  QSize size;
};

ChartPicture::ChartPicture(const Chart& chart, const PictureFacts& facts, double width_in, bool caption)
    : layout_(std::make_unique<Layout>()) {
  Layout& l = *layout_;
  const int width = static_cast<int>(std::lround(width_in * units_per_inch));
  const double inside = width - (2.0 * margin);
  const QFontMetricsF small(paper_font()), bold(paper_font(PaperText::heading));
  double y = margin;
  const auto row = [&](const QFontMetricsF& metrics, const QString& text) {
    const QRectF needs = metrics.boundingRect(QRectF(0, 0, inside, 10'000), Qt::TextWordWrap, text);
    Row made{{margin, y, inside, std::ceil(needs.height())}, text};
    y += made.area.height();
    return made;
  };
  l.title = row(bold, chart.text().title);
  y += gap;
  l.chart = chart.twin(l.theme.get());
  l.chart->setFont(paper_font());
  l.entries = l.chart->legendEntries();
  l.entry_areas = place_entries(l.entries, small, inside, y);
  if (!l.entry_areas.empty()) y = l.entry_areas.back().bottom() + gap;
  const int usual = static_cast<int>(std::max(min_height_in * units_per_inch, width * shape));
  // heightForWidth() returns -1 if the chart can have any height.
  const int height = std::max(usual, l.chart->heightForWidth(width));
  l.chart->resize(width, height);
  l.chart->grab(QRect(0, 0, 1, 1));  // Forces the layout, because the chart is never shown.
  l.chart_at = {0, y};
  y += height;
  if (caption) {
    y += gap;
    for (const QString& line : facts.caption)
      l.caption.push_back(row(small, line));
  }
  l.size = {width, static_cast<int>(std::ceil(y + margin))};
}

ChartPicture::~ChartPicture() = default;

QSize ChartPicture::size() const {
  return layout_->size;
}

void ChartPicture::paint(QCPPainter& painter) const {
  const Layout& l = *layout_;
  painter.setFont(paper_font(PaperText::heading));
  painter.setPen(l.theme->palette().text);
  painter.drawText(l.title.area, Qt::TextWordWrap, l.title.text);
  painter.setFont(paper_font());
  for (std::size_t at = 0; at < l.entries.size(); ++at) {
    const QRectF& area = l.entry_areas[at];
    const QRectF side(area.left(), area.center().y() - (entry_side / 2.0), entry_side, entry_side);
    paint_legend_icon(painter, side, l.entries[at]);
    if (l.entries[at].icon == LegendIcon::square) {
      painter.setPen(QPen(l.theme->palette().text, 0.5));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(side);
    }
    painter.setPen(l.theme->palette().text);
    painter.drawText(area.adjusted(entry_side + 4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     l.entries[at].text);
  }
  painter.save();
  painter.translate(l.chart_at);
  l.chart->paintChart(painter);
  painter.restore();
  painter.setFont(paper_font());
  painter.setPen(l.theme->palette().faint_text);
  for (const Row& line : l.caption)
    painter.drawText(line.area, Qt::TextWordWrap, line.text);
}

namespace {

/// The recorded drawing of a chart. It can be painted on any thread.
struct Drawing {
  QPicture strokes;
  QSize units;
};

Drawing drawing_of(const Chart& chart, const PictureFacts& facts, const PictureRequest& how) {
  const ChartPicture picture(chart, facts, how.width_in, how.caption);
  Drawing made;
  made.units = picture.size();
  QCPPainter painter(&made.strokes);
  painter.setMode(QCPPainter::pmNoCaching);  // Keeps labels as text instead of cached pixmaps.
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  picture.paint(painter);
  painter.end();
  return made;
}

QImage pixels_of(const Drawing& drawing, int scale) {
  QImage image(drawing.units * scale, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  painter.scale(scale, scale);
  painter.drawPicture(0, 0, drawing.strokes);
  painter.end();
  constexpr double metres_per_inch = 0.0254;
  const int dots = static_cast<int>(std::lround(units_per_inch * scale / metres_per_inch));
  // Set the resolution after painting. Otherwise, QPainter would scale the picture by the resolution.
  image.setDotsPerMeterX(dots);
  image.setDotsPerMeterY(dots);
  return image;
}

}  // namespace

QImage chart_image(const Chart& chart, const PictureFacts& facts, const PictureRequest& how) {
  return pixels_of(drawing_of(chart, facts, how), how.scale);
}

namespace {

QString title_of(const Chart& chart) {
  return chart.text().title;
}

QByteArray svg_file(const Chart& chart, const PictureFacts& facts, const PictureRequest& how) {
  const ChartPicture picture(chart, facts, how.width_in, how.caption);
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator device;
  device.setOutputDevice(&buffer);
  device.setResolution(units_per_inch);
  device.setSize(picture.size());
  device.setViewBox(QRect({0, 0}, picture.size()));
  device.setTitle(title_of(chart));
  QStringList lines;
  for (const auto& [key, value] : facts.tags)
    lines += key + ": " + value;
  device.setDescription(lines.join("\n"));
  QCPPainter painter(&device);
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  painter.fillRect(QRect({0, 0}, picture.size()), Qt::white);
  picture.paint(painter);
  painter.end();
  return buffer.data();
}

QByteArray pdf_file(const Chart& chart, const PictureFacts& facts, const PictureRequest& how) {
  const ChartPicture picture(chart, facts, how.width_in, how.caption);
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter device(&buffer);
  set_up_pdf(device, title_of(chart), facts.tags, QSizeF(picture.size()) / units_per_inch);
  QCPPainter painter(&device);
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  painter.scale(pdf_scale(device), pdf_scale(device));
  picture.paint(painter);
  painter.end();
  return buffer.data();
}

}  // namespace

std::function<QByteArray()> painted_chart(const Chart& chart, const PictureFacts& facts,
                                          const PictureRequest& how) {
  if (how.format == PictureFormat::png)
    return [drawing = drawing_of(chart, facts, how), scale = how.scale, tags = facts.tags] {
      return png_with_text(pixels_of(drawing, scale), tags);
    };
  return [bytes = how.format == PictureFormat::svg ? svg_file(chart, facts, how)
                                                   : pdf_file(chart, facts, how)] { return bytes; };
}

QByteArray chart_file(const Chart& chart, const PictureFacts& facts, const PictureRequest& how) {
  return painted_chart(chart, facts, how)();
}

bool picture_format_of(const QString& suffix, PictureFormat& format) {
  for (const PictureFormat one : {PictureFormat::png, PictureFormat::svg, PictureFormat::pdf}) {
    if (suffix.compare(suffix_of(one), Qt::CaseInsensitive) != 0) continue;
    format = one;
    return true;
  }
  return false;
}

QString suffix_of(PictureFormat format) {
  return format == PictureFormat::png ? "png" : format == PictureFormat::svg ? "svg" : "pdf";
}

}  // namespace spira::ui
