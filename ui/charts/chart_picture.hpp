// Charts as files: PNG, SVG and PDF from one painting, with a title, a caption and metadata that say what
// they show.
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
constexpr int units_per_inch = 96;  ///< what sizes and fonts of a picture are counted in

struct PictureRequest {
  PictureFormat format = PictureFormat::png;
  double width_in = two_columns_in;
  int scale = 2;  ///< PNG: pixels a unit
  bool caption = true;
};

/// What is known of a picture's numbers beside what the chart says itself.
struct PictureFacts {
  QStringList caption;
  std::vector<std::pair<QString, QString>> tags;  ///< metadata: key and value
};

/// "ms; median and IQR; n = 15 each"
[[nodiscard]] QString caption_of(const ChartText& text);

/// A chart laid out for paper: title, meaning of the colours, the chart, the caption.
class ChartPicture {
 public:
  ChartPicture(const Chart& chart, const PictureFacts& facts, double width_in, bool caption);
  ~ChartPicture();
  ChartPicture(const ChartPicture&) = delete;
  ChartPicture& operator=(const ChartPicture&) = delete;

  [[nodiscard]] QSize size() const;  ///< in units
  /// From the painter's origin on.
  void paint(QCPPainter& painter) const;

 private:
  struct Layout;
  std::unique_ptr<Layout> layout_;
};

[[nodiscard]] QImage chart_image(const Chart& chart, const PictureFacts& facts, const PictureRequest& how);
/// Takes down now what is to be drawn; what comes back makes the bytes of the file, on any thread: to paint
/// and pack the pixels of a large PNG takes long.
[[nodiscard]] std::function<QByteArray()> painted_chart(const Chart& chart, const PictureFacts& facts,
                                                        const PictureRequest& how);
[[nodiscard]] QByteArray chart_file(const Chart& chart, const PictureFacts& facts, const PictureRequest& how);

/// "png", "svg", "pdf": of a file's name, without the dot; false: none of them.
[[nodiscard]] bool picture_format_of(const QString& suffix, PictureFormat& format);
[[nodiscard]] QString suffix_of(PictureFormat format);

}  // namespace spira::ui
