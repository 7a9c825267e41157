// Bar chart of the densities of a kernel map. There is one thin bar per offset. The bars are grouped by L1
// norm, and each group shows its mean. The user can drag the divider that marks the threshold t.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "ui/charts/chart.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace spira::ui {

/// Returns the mean number of inputs of an output that has an input at the offset. It is 1 for maps of
/// voxels.
[[nodiscard]] double fan_in_of(const ColumnDensity& column) noexcept;

/// The meaning of the divider for the displayed layer.
struct DividerFacts {
  /// Returns the reason why t cannot be set, or an empty string if it can be set.
  std::function<QString(int)> why_not{};
  /// Names the dataflow of a layer that has no t, and therefore no divider. Empty for other layers.
  QString without_t{};
  /// True if all offsets of such a layer have the colour of output-stationary offsets. Otherwise, they have
  /// the colour of weight-stationary offsets.
  bool dense = false;
};

class DensityChart : public Chart {
  Q_OBJECT
 public:
  explicit DensityChart(Theme* theme, QWidget* parent = nullptr);

  /// `subject` names the map in the titles of pictures. `layer` is the layer of the map, or -1 for the map of
  /// the scene at the level with the number `level`.
  void setDensities(std::shared_ptr<const Densities> densities, const QString& subject = {}, int layer = -1,
                    int level = 1);
  /// Draws the densities of a subset of the same outputs over the bars. `nullptr` removes them.
  void setSubset(std::shared_ptr<const Densities> subset);
  /// Frames the bars with the densities of the voxel map of the same outputs. Only for the map of a native
  /// layer. `nullptr` removes the frames.
  void setVoxels(std::shared_ptr<const Densities> voxels);
  [[nodiscard]] const Densities* subset() const noexcept { return subset_.get(); }
  /// Places the divider at `threshold`; -1 hides the divider.
  void setThreshold(int threshold, DividerFacts facts);
  void setChosen(std::vector<int> columns);
  [[nodiscard]] const std::vector<int>& marked() const noexcept { return marked_; }
  /// Draws a dot at each of these offsets. They are the offsets at which the selected voxel has an input.
  void setMarked(std::vector<int> columns);
  /// Highlights the offsets that are under the pointer in any view.
  void setHovered(std::vector<int> columns);
  void setLogarithmic(bool logarithmic);

  /// `chart` is the id that name() returns. `subset` names the subset in tooltips; the default is
  /// "selection".
  void setNames(const QString& chart, const QString& subset);
  [[nodiscard]] QString name() const override { return name_; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override;
  [[nodiscard]] std::vector<LegendEntry> legendEntries() const override;
  [[nodiscard]] ChartTable table() const override;
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void paintChart(QCPPainter& painter) override;
  void restyle() override;

  // The functions below return positions for tests, which click and drag with the mouse.
  [[nodiscard]] QPoint barCentre(int column) const;
  [[nodiscard]] QPoint groupLabelCentre(int l1) const;
  [[nodiscard]] QPoint dividerAt(int threshold) const;
  /// A chart of this height has no legend. See showsLegend().
  [[nodiscard]] QSize minimumSizeHint() const override { return {220, 88}; }

 signals:
  void columnsChosen(const std::vector<int>& columns, bool add);
  /// `columns` is empty if the pointer is not over an offset.
  void columnsHovered(const std::vector<int>& columns);
  void thresholdDragged(int threshold);
  /// Emitted while the user drags the divider. `threshold` is the t under the divider. It is -1 after the
  /// drag, and while the divider is at a t that cannot be set.
  void thresholdTried(int threshold);

 protected:
  void chooseRow(int row) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Bar {
    int column = 0;
    QRectF area;  ///< Spans the full height of the plot, so that the bar is easy to click.
  };
  struct Group {
    int l1 = 0;
    double left = 0, right = 0;
  };
  void place();
  static constexpr double legend_height = 18;
  [[nodiscard]] bool showsLegend() const;
  [[nodiscard]] std::vector<LegendEntry> shownLegend(double room) const;
  void paintTitles(QPainter& painter) const;
  void paintAxes(QPainter& painter) const;
  void paintLegend(QPainter& painter) const;
  void paintBars(QPainter& painter) const;
  void paintSubset(QPainter& painter) const;
  void paintVoxels(QPainter& painter) const;
  /// Draws a line at the inputs per output of each offset. It is above the bar by the factor of the fan-in.
  void paintFanIn(QPainter& painter) const;
  [[nodiscard]] bool isNative() const;
  [[nodiscard]] bool showsVoxels() const;
  /// Returns the legend of the lines and of the frames of a native map.
  [[nodiscard]] std::vector<LegendEntry> nativeEntries(bool brief) const;
  [[nodiscard]] bool showsSubset() const;
  [[nodiscard]] QColor subsetColour() const;
  /// Returns the colour of the offsets with this L1 norm. Returns a neutral colour if there is no threshold.
  [[nodiscard]] QColor colourOf(int l1, int threshold) const;
  /// Returns the legend of a chart without a divider.
  [[nodiscard]] QString undividedText() const;
  [[nodiscard]] QString tipOf(int column) const;
  void paintGroups(QPainter& painter) const;
  void paintDivider(QPainter& painter) const;
  [[nodiscard]] double heightOf(double density) const;
  [[nodiscard]] double leftMargin() const;
  [[nodiscard]] QRectF plot() const;
  [[nodiscard]] QString title() const;
  [[nodiscard]] bool isLow() const;
  [[nodiscard]] bool flagIsBesideTitle() const;
  [[nodiscard]] double flagHalf(int threshold) const;
  [[nodiscard]] double flagLeft(int threshold) const;
  [[nodiscard]] QRectF flagOf(int threshold) const;
  [[nodiscard]] double dividerX(int threshold) const;
  [[nodiscard]] int thresholdNear(double x) const;
  [[nodiscard]] const Bar* barAt(const QPointF& at) const;
  /// Returns the offsets of the group whose label is at the position `at`.
  [[nodiscard]] std::vector<int> groupAt(const QPointF& at) const;
  [[nodiscard]] std::vector<int> groupOf(int l1) const;
  /// Returns the offsets of the group that is `step` groups after the selected group. Starts at the first
  /// group if none is selected.
  [[nodiscard]] std::vector<int> neighbouringGroup(int step) const;
  /// Returns the offset that is `step` bars after the selected offset.
  [[nodiscard]] std::vector<int> neighbouringOffset(int step) const;
  void hover(const std::vector<int>& columns);
  void drag(double x, const QPoint& global);
  void endDrag();

  std::shared_ptr<const Densities> densities_, subset_;
  struct {
    std::shared_ptr<const Densities> voxels;
    double top = 1;  // Inputs per output at the top of the plot. 1 for maps of voxels.
  } native_;
  std::vector<Bar> bars_;
  std::vector<Group> groups_;
  std::vector<int> chosen_, hovered_, marked_;
  DividerFacts divider_;
  int threshold_ = -1, dragged_ = -1;
  bool logarithmic_ = false;
  QString name_ = "densities", subset_name_;
  struct {
    QString subject;
    int layer = -1, level = 1;
  } map_;
};

}  // namespace spira::ui
