// Tests charts that are saved as files, and the PDF report. Text must be stored as text, sizes must be as
// requested, and the files must contain metadata about the chart.
#include "ui/charts/chart_picture.hpp"

#include "tests/support/recorded_report.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/histogram_chart.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/charts/survey_chart.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/paper/report_pdf.hpp"
#include "ui/theme/theme.hpp"

#include <QBuffer>
#include <QRegularExpression>
#include <QXmlStreamReader>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace spira::ui {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const PictureFacts& facts() {
  static const PictureFacts some{
      {"ms; median; n = 15", "A far GPU; 132 SMs", "21 Nov 2026, report 0123456789abcdef"},
      {{"Title", "Latency"}, {"Device", "A far GPU"}, {"Note", "IQR \u00b5s"}}};
  return some;
}

std::unique_ptr<StageChart> bars(Theme& theme) {
  auto chart = std::make_unique<StageChart>(&theme);
  std::vector<StageBar> all;
  for (int bar = 0; bar < 6; ++bar)
    all.push_back({QString("s%1.c").arg(bar),
                   {},
                   bar,
                   {{StageGroup::search, 1.0 + bar},
                    {StageGroup::output_stationary, 2.0},
                    {StageGroup::weight_stationary, 1.0},
                    {StageGroup::epilogue, 0.5}}});
  chart->setBars(all, "median", "n = 15");
  return chart;
}

/// Returns one chart of each kind, with data.
std::vector<std::unique_ptr<Chart>> all_charts(Theme& theme) {
  const Report& report = test::recorded_report();
  std::vector<std::unique_ptr<Chart>> all;
  all.push_back(bars(theme));
  auto density = std::make_unique<DensityChart>(&theme);
  density->setDensities({std::shared_ptr<void>(), &report.layer_densities.front()}, "stem, 3x3x3", 0);
  density->setThreshold(2, {});
  all.push_back(std::move(density));
  for (const auto& sweep : {report.threshold_sweep, report.pack_sweep}) {
    auto chart = std::make_unique<SweepChart>(&theme);
    chart->setSweep(sweep, 0);
    all.push_back(std::move(chart));
  }
  auto timeline = std::make_unique<TimelineChart>(&theme);
  const auto& spans = report.measurement.timeline.spans;
  timeline->setTimeline({std::shared_ptr<void>(), &report.measurement.timeline},
                        std::vector<int>(spans.size(), 0));
  all.push_back(std::move(timeline));
  Survey survey;
  survey.request.density_kernel_size = 3;
  for (int frame = 0; frame < 10; ++frame) {
    FrameRow row;
    row.name = "f" + std::to_string(frame);
    row.points = row.voxels = 1000 + frame + (frame == 9 ? 4000 : 0);
    survey.request.frames.emplace_back(row.name);
    survey.rows.push_back(row);
  }
  survey.request.judged_kernel_size = 3;
  summarise(survey);
  auto dots = std::make_unique<SurveyChart>(&theme);
  dots->setSurvey(std::make_shared<const Survey>(survey));
  all.push_back(std::move(dots));
  return all;
}

struct SvgText {
  QStringList words;
  double smallest_px = 1e9;
  int images = 0;
  QString description;
};
SvgText text_of_svg(const QByteArray& file) {
  SvgText found;
  QXmlStreamReader xml(file);
  std::vector<double> sizes{0};
  while (!xml.atEnd()) {
    xml.readNext();
    if (xml.isStartElement()) {
      if (xml.name() == u"image") ++found.images;
      if (xml.attributes().hasAttribute("font-size"))
        sizes.push_back(xml.attributes().value("font-size").toDouble());
      if (xml.name() == u"text") {
        if (xml.attributes().hasAttribute("font-size"))
          found.smallest_px = std::min(found.smallest_px, xml.attributes().value("font-size").toDouble());
        found.words += xml.readElementText().trimmed();
      } else if (xml.name() == u"desc") {
        found.description = xml.readElementText();
      }
    }
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  for (std::size_t at = 1; at < sizes.size(); ++at)
    found.smallest_px = std::min(found.smallest_px, sizes[at]);
  return found;
}

int pages_of(const QByteArray& pdf) {
  EXPECT_TRUE(pdf.startsWith("%PDF-1."));
  EXPECT_TRUE(pdf.trimmed().endsWith("%%EOF"));
  const QRegularExpression page("/Type\\s*/Page[^s]");
  int pages = 0;
  for (auto found = page.globalMatch(QString::fromLatin1(pdf)); found.hasNext(); found.next())
    ++pages;
  return pages;
}

TEST(ChartPicture, PngHasTheRequestedSizeAndADescription) {
  Theme theme;
  const auto chart = bars(theme);
  for (const double width : {one_column_in, two_columns_in}) {
    const QSize units = ChartPicture(*chart, facts(), width, true).size();
    EXPECT_EQ(units.width(), std::lround(width * units_per_inch));
    for (const int scale : {1, 2, 4}) {
      PictureRequest how;
      how.width_in = width;
      how.scale = scale;
      const QByteArray file = chart_file(*chart, facts(), how);
      const QImage image = QImage::fromData(file);
      EXPECT_EQ(image.size(), units * scale);
      EXPECT_NEAR(image.dotsPerMeterX() * 0.0254, units_per_inch * scale, 1);
      EXPECT_EQ(file.count("iTXt"), 3);
      EXPECT_EQ(image.text("Device"), "A far GPU");
      EXPECT_EQ(image.text("Note"), QString("IQR \u00b5s"));
    }
  }
}

TEST(ChartPicture, PixelsCanBePaintedOnAnyThread) {
  Theme theme;
  PictureRequest how;
  how.scale = 4;
  for (const auto& chart : all_charts(theme)) {
    const QByteArray here = chart_file(*chart, facts(), how);
    QByteArray there;
    std::thread([&, painted = painted_chart(*chart, facts(), how)] { there = painted(); }).join();
    EXPECT_EQ(here, there) << chart->name().toStdString();
  }
}

TEST(ChartPicture, WithoutACaptionThePictureIsLower) {
  Theme theme;
  const auto chart = bars(theme);
  EXPECT_LT(ChartPicture(*chart, facts(), one_column_in, false).size().height(),
            ChartPicture(*chart, facts(), one_column_in, true).size().height());
}

TEST(ChartPicture, TextOfAnSvgHasAtLeastEightPoints) {
  Theme theme;
  for (const auto& chart : all_charts(theme)) {
    SCOPED_TRACE(chart->name().toStdString());
    ASSERT_TRUE(chart->hasContent());
    for (const double width : {one_column_in, two_columns_in}) {
      PictureRequest how;
      how.format = PictureFormat::svg;
      how.width_in = width;
      const SvgText text = text_of_svg(chart_file(*chart, facts(), how));
      EXPECT_EQ(text.images, 0) << "the SVG must contain shapes and not images";
      EXPECT_GE(text.smallest_px, 8.0 * 96 / 72);
      const std::string words = text.words.join(" ").toStdString();
      EXPECT_THAT(words, HasSubstr("report 0123456789abcdef")) << words;
      EXPECT_THAT(words, HasSubstr(chart->text().title.section(' ', 0, 0).toStdString()));
      EXPECT_THAT(text.description.toStdString(), HasSubstr("Device: A far GPU"));
    }
  }
}

TEST(ChartPicture, LabelsOfTheBarsAreInTheSvg) {
  Theme theme;
  PictureRequest how;
  how.format = PictureFormat::svg;
  const QStringList words = text_of_svg(chart_file(*bars(theme), facts(), how)).words;
  for (const char* label : {"s0.c", "s5.c", "map: search", "ms, median"})
    EXPECT_TRUE(words.contains(label)) << label << " in " << words.join("|").toStdString();
}

TEST(ChartPicture, PdfIsAPageWithItsFonts) {
  Theme theme;
  for (const auto& chart : all_charts(theme)) {
    SCOPED_TRACE(chart->name().toStdString());
    PictureRequest how;
    how.format = PictureFormat::pdf;
    const QByteArray file = chart_file(*chart, facts(), how);
    EXPECT_EQ(pages_of(file), 1);
    EXPECT_TRUE(file.contains("/FontFile")) << "the fonts must be embedded";
    EXPECT_TRUE(file.contains("Device: A far GPU")) << "the metadata must name the device";
  }
}

TEST(ChartPicture, ANarrowHistogramNamesTheEndsOfItsRange) {
  Theme theme;
  HistogramChart chart(&theme);
  chart.setSeries({{"now", {1.04, 1.2, 1.3, 1.3, 1.4, 1.96}}});
  PictureRequest how;
  how.format = PictureFormat::svg;
  how.width_in = one_column_in;
  const SvgText found = text_of_svg(chart_file(chart, facts(), how));
  for (const char* end : {"1.04", "1.96"})
    EXPECT_TRUE(found.words.contains(end)) << end << " in " << found.words.join("|").toStdString();
}

TEST(ChartPicture, IsIndependentOfTheThemeOfTheWindow) {
  Theme theme;
  theme.choose(ThemeChoice::light);
  const auto chart = bars(theme);
  const QByteArray light = chart_file(*chart, facts(), {});
  theme.choose(ThemeChoice::dark);
  EXPECT_EQ(chart_file(*chart, facts(), {}), light);
  theme.choose(ThemeChoice::system);
}

TEST(PaperTheme, StackedStagesStayDistinctInGrey) {
  const auto theme = Theme::forPaper();
  const auto apart = [&](std::vector<StageGroup> groups) {
    std::vector<int> greys;
    for (const StageGroup group : groups)
      greys.push_back(qGray(theme->stage(group).rgb()));
    std::sort(greys.begin(), greys.end());
    for (std::size_t at = 1; at < greys.size(); ++at)
      EXPECT_GE(greys[at] - greys[at - 1], 30) << "step " << at;
    EXPECT_LE(greys.back(), 235) << "the lightest stage must be darker than the paper";
  };
  apart({StageGroup::search, StageGroup::transpose, StageGroup::filter, StageGroup::order,
         StageGroup::residual});
  apart({StageGroup::output_stationary, StageGroup::weight_stationary, StageGroup::epilogue,
         StageGroup::residual});
  apart({StageGroup::voxelize, StageGroup::downsample, StageGroup::residual});
  apart({StageGroup::output_stationary, StageGroup::weight_stationary});
}

TEST(ReportPdf, HasVerdictLayersDensitiesAndNotesOnPages) {
  const auto report = std::make_shared<const Report>(test::recorded_report());
  const QByteArray file = report_pdf(report, {{"Report", "0123456789abcdef"}});
  EXPECT_GE(pages_of(file), 5);
  EXPECT_TRUE(file.contains("/FontFile"));
  EXPECT_TRUE(file.contains("Report: 0123456789abcdef"));
}

TEST(PdfPages, UnitStatisticAndCountAreBelowAChart) {
  const Report& report = test::recorded_report();
  Theme theme;
  SweepChart chart(&theme);
  chart.setSweep(report.threshold_sweep, -1);
  EXPECT_EQ(caption_of(chart.text()),
            "ms; median and IQR of interleaved samples; n = 3 each; parts of the bars: medians of 5 isolated "
            "passes");
  QBuffer file;
  file.open(QIODevice::WriteOnly);
  PdfPages pages(file, "charts", {}, "below");
  pages.page("charts");
  const double before = pages.room();
  pages.chart(chart);
  constexpr double line = 10;
  const ChartPicture bare(chart, {}, PdfPages::width() / units_per_inch, false);
  EXPECT_GT(before - pages.room(), bare.size().height() + line);
}

TEST(DensityChart, NamesTheColoursOfBothDataflowsOnTheScreen) {
  const Report report = test::recorded_report();
  Theme theme;
  DensityChart chart(&theme);
  chart.resize(340, 300);
  chart.setDensities({std::shared_ptr<void>(), &report.layer_densities.front()}, "stem, 3x3x3", 0);
  const auto shown = [&](const QColor& colour) {
    constexpr int legend_height = 19;
    const QImage line =
        chart.grab(QRect(0, chart.height() - legend_height, chart.width(), legend_height)).toImage();
    int pixels = 0;
    for (int y = 0; y < line.height(); ++y) {
      for (int x = 0; x < line.width(); ++x)
        pixels += line.pixelColor(x, y) == colour ? 1 : 0;
    }
    return pixels;
  };
  EXPECT_EQ(shown(theme.palette().sparse), 0) << "without t there is one colour";
  EXPECT_EQ(shown(theme.palette().dense), 0) << "without t no offset is output-stationary";
  EXPECT_GT(shown(theme.palette().faint_text), 40) << "the legend must explain the neutral colour";
  ASSERT_EQ(chart.legendEntries().size(), 1U);
  EXPECT_EQ(chart.legendEntries().front().text, "all offsets (no threshold t)");
  auto native = std::make_shared<Densities>(report.layer_densities.front());
  native->kernel.neighbourhood.shape = NeighbourShape::ball;
  chart.setDensities(native, "stem, 3x3x3 ball", 0);
  chart.setThreshold(-1, {{}, "WS", false});
  EXPECT_EQ(chart.legendEntries().back().text, "all offsets: WS (only t = 0)");
  chart.setDensities({std::shared_ptr<void>(), &report.layer_densities.front()}, "stem, 3x3x3", 0);
  chart.setThreshold(2, {});
  EXPECT_GT(shown(theme.palette().dense), 40);
  EXPECT_GT(shown(theme.palette().sparse), 40);
}

TEST(DensityChart, ALowChartHasTallBarsAndATitle) {
  const Report report = test::recorded_report();
  Theme theme;
  DensityChart chart(&theme);
  chart.setDensities({std::shared_ptr<void>(), &report.layer_densities.front()}, "stem, 3x3x3", 0);
  EXPECT_LT(chart.minimumSizeHint().height(), 110);
  chart.resize(260, 110);
  const QImage image = chart.grab().toImage();
  // The bar of the centre is as high as the plot.
  int tallest = 0, title = 0;
  for (int x = 0; x < image.width(); ++x) {
    int bar = 0;
    for (int y = 0; y < image.height(); ++y)
      bar += image.pixelColor(x, y) == theme.palette().faint_text ? 1 : 0;
    tallest = std::max(tallest, bar);
    constexpr int title_line = 18;
    for (int y = 0; y < title_line; ++y)
      title += image.pixelColor(x, y).lightness() < image.pixelColor(1, 1).lightness() / 2 ? 1 : 0;
  }
  EXPECT_GE(tallest, 48);
  EXPECT_GT(title, 100) << "the title with the unit must be visible";
}

TEST(ReportPdf, RowsOfAComparisonAreDistinctByLayerAndStage) {
  Report report = test::recorded_report();
  for (LayerMeasurement& layer : report.measurement.layers) {
    for (StageNode& stage : layer.stages.nodes) {
      const double ms = stage.samples_ms.front();
      // A verdict needs at least five samples.
      stage.samples_ms = {ms, 1.01 * ms, 0.99 * ms, 1.02 * ms, 0.98 * ms, ms};
    }
  }
  Report slower = report;
  for (LayerMeasurement& layer : slower.measurement.layers) {
    for (StageNode& stage : layer.stages.nodes) {
      for (double& ms : stage.samples_ms)
        ms *= 2;
    }
  }
  const Comparison comparison = compare(report, slower);
  const PdfTable table = compared_table(comparison);
  const auto left_out = comparison.count(Verdict::same) + comparison.count(Verdict::undecided);
  ASSERT_EQ(table.rows.size(), comparison.rows.size() - static_cast<std::size_t>(left_out));
  std::set<std::pair<QString, QString>> names;
  for (const QStringList& row : table.rows) {
    EXPECT_TRUE(names.emplace(row[0], row[1]).second) << row[0].toStdString() << " " << row[1].toStdString();
    EXPECT_FALSE(row[1].contains("[" + row[0] + "]")) << "the stage must not repeat the layer of its row";
    EXPECT_EQ(row.size(), table.header.size());
  }
  EXPECT_GE(names.size(), report.network.layers.size());
}

TEST(ReportPdf, UndecidedRowsAreSummarisedBelowTheTable) {
  Comparison comparison;
  EXPECT_EQ(undecided_text(comparison), "");
  for (const double ms : {0.9, 1.0, 1.25}) {
    ComparedRow row;
    row.verdict = Verdict::undecided;
    row.ratio = MedianRatio{1.0, ms, 0.8, 1.3};
    comparison.rows.push_back(row);
  }
  comparison.rows.back().verdict = Verdict::slower;
  EXPECT_EQ(compared_table(comparison).rows.size(), 1);
  EXPECT_EQ(undecided_text(comparison).toStdString(),
            "2 undecided rows are not in the table. Ratios of their times: 0.9000 to 1.0000. The samples do "
            "not show whether the times changed.");
  comparison.rows.erase(comparison.rows.begin());
  EXPECT_THAT(undecided_text(comparison).toStdString(),
              StartsWith("1 undecided row is not in the table. Ratio of its times: 1.0000. The samples"));
}

TEST(PdfPages, ColumnsOfNumbersFitTheirNumbers) {
  PdfTable table{{"layer", "pairs", "ms"}, {10, 1, 1}, {{"stage1.conv", "1,234,567,890", "0.1"}}, 1};
  const QFontMetricsF metrics(paper_font());
  const std::vector<double> widths = column_widths(table, metrics);
  EXPECT_GT(widths.at(1), metrics.horizontalAdvance("1,234,567,890"));
  EXPECT_NEAR(widths.at(0) + widths.at(1) + widths.at(2), PdfPages::width(), 1e-9);
  table.rows = {{"stage1.conv", "1", "0.1"}};
  EXPECT_NEAR(column_widths(table, metrics).at(1), PdfPages::width() / 12, 1e-9);
}

TEST(PdfPages, WordsOfATableUseTheLinesThatTheyNeed) {
  const auto pages_with = [](const QString& name) {
    QBuffer file;
    file.open(QIODevice::WriteOnly);
    {
      PdfPages pages(file, "names", {}, "below");
      pages.page("names");
      PdfTable table{{"layer", "ms"}, {1, 1}, {}, 1};
      table.rows.assign(40, {name, "1.0"});
      pages.table(table);
    }
    return pages_of(file.data());
  };
  EXPECT_EQ(pages_with("conv1"), 1);
  EXPECT_GT(pages_with(QString("block_of_a_long_name.").repeated(20)), 2)
      << "a long name must wrap instead of being cut";
}

TEST(ReportPdf, HasAnAdditionalPageIfThereIsABaseline) {
  const auto report = std::make_shared<const Report>(test::recorded_report());
  Report baseline = *report;
  for (double& ms : baseline.measurement.wall.ms)
    ms *= 2;
  const Comparison comparison = compare(baseline, *report);
  EXPECT_EQ(pages_of(report_pdf(report, {}, std::make_shared<const Comparison>(comparison))),
            pages_of(report_pdf(report, {})) + 1);
}

}  // namespace
}  // namespace spira::ui
