// Exports charts as PNG, SVG and PDF. All formats share one layout, with a title, a caption and metadata.
#pragma once

#include "ui/charts/chart.hpp"

#include <QByteArray>
#include <QImage>
#include <QSize>
#include <QStringList>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace spira::ui {

enum class PictureFormat { png, svg, pdf };

constexpr double one_column_in = 3.25, two_columns_in = 6.75;
constexpr int units_per_inch = 96;  ///< The sizes and fonts of a picture are in units of 1/96 inch.

struct PictureRequest {
  PictureFormat format = PictureFormat::png;
  double width_in = two_columns_in;
  int scale = 2;  ///< Pixels per unit; used only for PNG.
  bool caption = true;
};

/// Information for the caption and the metadata. The chart itself does not contain it.
struct PictureFacts {
  QStringList caption;
  std::vector<std::pair<QString, QString>> tags;
};

/// Returns a caption such as "ms; median and IQR; n = 15 each".
[[nodiscard]] QString caption_of(const ChartText& text);

/// Lays out a chart for paper: title, colour legend, chart and caption, from top to bottom.
class ChartPicture {
 public:
  ChartPicture(const Chart& chart, const PictureFacts& facts, double width_in, bool caption);
  ~ChartPicture();
  ChartPicture(const ChartPicture&) = delete;
  ChartPicture& operator=(const ChartPicture&) = delete;

  [[nodiscard]] QSize size() const;  ///< Returns the size in units of 1/96 inch.
  /// Paints the picture at the origin of the painter.
  void paint(QCPPainter& painter) const;

 private:
  struct Layout;
  std::unique_ptr<Layout> layout_;
};

[[nodiscard]] QImage chart_image(const Chart& chart, const PictureFacts& facts, const PictureRequest& how);
/// Records the drawing and returns a function that creates the contents of the file. The returned function
/// may run on any thread. Painting and compressing a large PNG is slow, so do not call it on the GUI thread.
[[nodiscard]] std::function<QByteArray()> painted_chart(const Chart& chart, const PictureFacts& facts,
                                                        const PictureRequest& how);
[[nodiscard]] QByteArray chart_file(const Chart& chart, const PictureFacts& facts, const PictureRequest& how);

/// Converts a file suffix without the dot ("png", "svg" or "pdf") to a format. Returns false for any other
/// suffix.
[[nodiscard]] bool picture_format_of(const QString& suffix, PictureFormat& format);
[[nodiscard]] QString suffix_of(PictureFormat format);

}  // namespace spira::ui
