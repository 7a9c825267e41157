#include "ui/charts/paper.hpp"

#include <QApplication>
#include <QPageSize>
#include <QPdfWriter>

namespace spira::ui {

QFont paper_font(PaperText use) {
  QFont font = QApplication::font();
  font.setPixelSize(use == PaperText::small ? 11 : use == PaperText::heading ? 12 : 20);
  font.setBold(use != PaperText::small);
  return font;
}

namespace {

/// Qt writes only title and producer itself. The other metadata is written as XMP.
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
