#include "ui/charts/pdf_pages.hpp"

#include "ui/charts/chart_picture.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QCoreApplication>
#include <QPageSize>
#include <QPdfWriter>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spira::ui {
namespace {

// Sizes of an A4 page, in units of 1/96 inch.
constexpr double page_width = 794, page_height = 1123, border = 52, inside = page_width - (2 * border);
constexpr double foot = page_height - border + 12, lowest = page_height - border;
constexpr double facts_label = 130, gap = 6, between_columns = 6;

/// Returns the Qt flag for text wrapping. Text normally wraps at spaces. If a word is wider than `width`, for
/// example the name of a layer, the text wraps at any character.
int wrapping(const QFontMetricsF& metrics, const QString& text, double width) {
  for (const QString& word : text.split(' ')) {
    if (metrics.horizontalAdvance(word) > width) return Qt::TextWrapAnywhere;
  }
  return Qt::TextWordWrap;
}

PictureFacts with_caption(const Chart& chart) {
  return {{caption_of(chart.text())}, {}};
}

}  // namespace

std::vector<double> column_widths(const PdfTable& table, const QFontMetricsF& metrics) {
  const double all = std::accumulate(table.shares.begin(), table.shares.end(), 0.0);
  const auto words = static_cast<std::size_t>(table.words);
  std::vector<double> widths;
  double lacking = 0, of_words = 0;
  for (std::size_t column = 0; column < table.shares.size(); ++column) {
    const double share = inside * table.shares[column] / all;
    double needs = share;
    if (column < words)
      of_words += share;
    else
      for (const QStringList& row : table.rows)
        needs =
            std::max(needs, metrics.horizontalAdvance(row.value(static_cast<int>(column))) + between_columns);
    lacking += needs - share;
    widths.push_back(needs);
  }
  for (std::size_t column = 0; column < words; ++column)
    widths[column] *= std::max(0.0, 1 - (lacking / of_words));
  return widths;
}

struct PdfPages::State {
  State(QIODevice& file, const QString& document, const std::vector<std::pair<QString, QString>>& tags,
        QString below, double text_scale)
      : device(&file), footer(std::move(below)), scale(text_scale) {
    set_up_pdf(device, document, tags, QSizeF(page_width, page_height) / units_per_inch);
    painter = std::make_unique<QCPPainter>(&device);
    painter->setMode(QCPPainter::pmVectorized);
    painter->setMode(QCPPainter::pmNoCaching);
    painter->scale(pdf_scale(device), pdf_scale(device));
  }
  [[nodiscard]] QFont font(PaperText use = PaperText::small) const {
    QFont font = paper_font(use);
    if (use != PaperText::title) font.setPixelSize(qRound(scale * font.pixelSize()));
    return font;
  }
  [[nodiscard]] QFont tableFont(bool header) const {
    QFont bold = font();
    bold.setBold(header);
    return bold;
  }

  QPdfWriter device;
  std::unique_ptr<QCPPainter> painter;
  std::unique_ptr<Theme> theme = Theme::forPaper();
  QString footer, title;
  double y = border, scale = 1;
  int number = 0;
  std::vector<double> widths;  // Widths of the columns of the current table.
};

PdfPages::PdfPages(QIODevice& file, const QString& title,
                   const std::vector<std::pair<QString, QString>>& tags, QString footer, double text_scale)
    : state_(std::make_unique<State>(file, title, tags, std::move(footer), text_scale)) {}

PdfPages::~PdfPages() = default;

/// Draws wrapped text at the current vertical position and returns the height of the text.
double PdfPages::draw(const QString& text, double x, double width, int flags) {
  QCPPainter& painter = *state_->painter;
  const QFontMetricsF metrics(painter.font());
  const QRectF needs = metrics.boundingRect(QRectF(0, 0, width, 10'000), flags | Qt::TextWordWrap, text);
  const double height = std::ceil(std::max(needs.height(), metrics.height()));
  painter.drawText(QRectF(x, state_->y, width, height), flags | Qt::TextWordWrap, text);
  return height;
}

bool PdfPages::fits(double height) const {
  return state_->y + height <= lowest;
}

void PdfPages::makeRoom(double height) {
  if (!fits(height)) page(state_->title);
}

void PdfPages::page(const QString& title) {
  State& s = *state_;
  if (s.number++ > 0) s.device.newPage();
  QCPPainter& painter = *s.painter;
  painter.setFont(paper_font());
  painter.setPen(s.theme->palette().faint_text);
  painter.drawText(QRectF(border, foot, inside, 18), Qt::AlignLeft, s.footer);
  painter.drawText(QRectF(border, foot, inside, 18), Qt::AlignRight,
                   QCoreApplication::translate("spira::ui::PdfPages", "page %1").arg(s.number));
  s.title = title;
  s.y = border;
  painter.setFont(state_->font(PaperText::title));
  painter.setPen(s.theme->palette().text);
  s.y += draw(title, border, inside, Qt::AlignLeft) + gap;
  painter.setPen(QPen(s.theme->palette().line, 1));
  painter.drawLine(QPointF(border, s.y), QPointF(border + inside, s.y));
  s.y += 2 * gap;
}

void PdfPages::heading(const QString& text) {
  constexpr double with_some_text = 70;
  makeRoom(with_some_text);
  state_->y += gap;
  state_->painter->setFont(state_->font(PaperText::heading));
  state_->painter->setPen(state_->theme->palette().text);
  state_->y += draw(text, border, inside, Qt::AlignLeft) + gap;
}

void PdfPages::paragraph(const QString& text) {
  state_->painter->setFont(state_->font());
  const QFontMetricsF metrics(state_->font());
  makeRoom(metrics.boundingRect(QRectF(0, 0, inside, 10'000), Qt::TextWordWrap, text).height());
  state_->painter->setPen(state_->theme->palette().text);
  state_->y += draw(text, border, inside, Qt::AlignLeft) + gap;
}

void PdfPages::verdict(const QString& large, const QString& text) {
  QCPPainter& painter = *state_->painter;
  painter.setFont(state_->font(PaperText::title));
  painter.setPen(state_->theme->palette().text);
  const double height = draw(large, border, facts_label, Qt::AlignLeft);
  painter.setFont(state_->font());
  const double fact_height = draw(text, border + facts_label, inside - facts_label, Qt::AlignLeft);
  state_->y += std::max(height, fact_height) + gap;
}

void PdfPages::facts(const std::vector<std::pair<QString, QString>>& rows) {
  QCPPainter& painter = *state_->painter;
  const QFontMetricsF metrics(state_->font());
  for (const auto& [label, value] : rows) {
    const QRectF room(0, 0, inside - facts_label, 10'000);
    makeRoom(metrics.boundingRect(room, Qt::TextWrapAnywhere, value).height() + 2);
    painter.setFont(state_->font());
    painter.setPen(state_->theme->palette().faint_text);
    const double left = draw(label, border, facts_label - gap, Qt::AlignLeft);
    painter.setPen(state_->theme->palette().text);
    const double right = draw(value, border + facts_label, inside - facts_label, Qt::AlignLeft);
    state_->y += std::max(left, right) + 2;
  }
  state_->y += gap;
}

double PdfPages::rowHeight(const PdfTable& table, const QStringList& cells, bool header) const {
  const QFontMetricsF metrics(state_->tableFont(header));
  double height = metrics.height();
  for (int column = 0; column < cells.size(); ++column) {
    if (!header && column >= table.words) break;
    const double width = state_->widths.at(static_cast<std::size_t>(column)) - between_columns;
    const int how = wrapping(metrics, cells[column], width);
    height =
        std::max(height, metrics.boundingRect(QRectF(0, 0, width, page_height), how, cells[column]).height());
  }
  return std::ceil(height);
}

void PdfPages::tableRow(const PdfTable& table, const QStringList& cells, bool header) {
  State& s = *state_;
  const QFont font = s.tableFont(header);
  s.painter->setFont(font);
  s.painter->setPen(s.theme->palette().text);
  const QFontMetricsF metrics(font);
  const double height = rowHeight(table, cells, header);
  double x = border;
  for (int column = 0; column < cells.size(); ++column) {
    const double width = state_->widths.at(static_cast<std::size_t>(column)) - between_columns;
    const bool words = column < table.words;
    const int side = words ? Qt::AlignLeft : Qt::AlignRight;
    const int how = (header ? Qt::AlignBottom : Qt::AlignTop) |
                    (header || words ? wrapping(metrics, cells[column], width) : 0);
    s.painter->drawText(QRectF(x, s.y, width, height), side | how, cells[column]);
    x += state_->widths.at(static_cast<std::size_t>(column));
  }
  s.y += height + 1;
  if (!header) return;
  s.painter->setPen(QPen(s.theme->palette().line, 1));
  s.painter->drawLine(QPointF(border, s.y), QPointF(border + inside, s.y));
  s.y += 2;
}

void PdfPages::table(const PdfTable& table) {
  state_->widths = column_widths(table, QFontMetricsF(state_->tableFont(false)));
  makeRoom(3 * (QFontMetricsF(state_->font()).height() + 1));
  tableRow(table, table.header, true);
  for (const QStringList& row : table.rows) {
    if (!fits(rowHeight(table, row, false) + 1)) {
      page(state_->title);
      tableRow(table, table.header, true);
    }
    tableRow(table, row, false);
  }
  state_->y += gap;
}

double PdfPages::room() const {
  return lowest - state_->y;
}

int PdfPages::pages() const {
  return state_->number;
}

double PdfPages::width() {
  return inside;
}

void PdfPages::picture(const QImage& picture, double highest) {
  if (picture.isNull()) return;
  constexpr double of_page = 0.4;
  const double high = highest > 0 ? highest : of_page * page_height;
  const QSizeF size = QSizeF(picture.size()).scaled(inside, high, Qt::KeepAspectRatio);
  makeRoom(size.height());
  state_->painter->setRenderHint(QPainter::SmoothPixmapTransform);
  state_->painter->drawImage(QRectF(QPointF(border, state_->y), size), picture);
  state_->y += size.height() + gap;
}

void PdfPages::chart(const Chart& chart) {
  const ChartPicture picture(chart, with_caption(chart), inside / units_per_inch, true);
  makeRoom(picture.size().height());
  state_->painter->save();
  state_->painter->translate(border, state_->y);
  picture.paint(*state_->painter);
  state_->painter->restore();
  state_->y += picture.size().height() + gap;
}

void PdfPages::charts(const Chart& left, const Chart* right) {
  constexpr double half = (inside - (2 * gap)) / 2;
  std::vector<std::unique_ptr<ChartPicture>> row;
  double height = 0;
  for (const Chart* chart : {&left, right}) {
    if (chart == nullptr) continue;
    row.push_back(std::make_unique<ChartPicture>(*chart, with_caption(*chart), half / units_per_inch, true));
    height = std::max<double>(height, row.back()->size().height());
  }
  makeRoom(height);
  double x = border;
  for (const auto& picture : row) {
    state_->painter->save();
    state_->painter->translate(x, state_->y);
    picture->paint(*state_->painter);
    state_->painter->restore();
    x += half + (2 * gap);
  }
  state_->y += height + gap;
}

QFont paper_font(PaperText use) {
  QFont font = QApplication::font();
  font.setPixelSize(use == PaperText::small ? 11 : use == PaperText::heading ? 12 : 20);
  font.setBold(use != PaperText::small);
  return font;
}

namespace {

/// Returns the metadata as XMP. Qt itself writes only the title and the producer.
QByteArray xmp_of(const QString& title, const std::vector<std::pair<QString, QString>>& tags) {
  QString described;
  for (const auto& [key, value] : tags)
    described += key + ": " + value + "\n";
  const QString about = QString(R"(<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">%1</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">%2</rdf:li></rdf:Alt></dc:description>
<xmp:CreatorTool>SpiraScope %3</xmp:CreatorTool>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>)");
  return about.arg(title.toHtmlEscaped(), described.toHtmlEscaped(), SPIRA_VERSION).toUtf8();
}

}  // namespace

void set_up_pdf(QPdfWriter& device, const QString& title,
                const std::vector<std::pair<QString, QString>>& tags, const QSizeF& page_in) {
  constexpr int dots_per_inch = 1200;
  device.setResolution(dots_per_inch);
  device.setPageSize(QPageSize(page_in, QPageSize::Inch, QString(), QPageSize::ExactMatch));
  device.setPageMargins(QMarginsF(0, 0, 0, 0));
  device.setTitle(title);
  device.setCreator("SpiraScope " SPIRA_VERSION);
  device.setDocumentXmpMetadata(xmp_of(title, tags));
}

double pdf_scale(const QPdfWriter& device) {
  constexpr double units_per_inch = 96;
  return device.logicalDpiX() / units_per_inch;
}

}  // namespace spira::ui
