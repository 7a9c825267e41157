// Graph of a network: one box for each layer, and links for inputs, residuals and shared kernel maps. The
// user zooms with the wheel and drags the graph.
#pragma once

#include "ui/charts/chart.hpp"
#include "ui/charts/graph/graph_layout.hpp"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// The texts of a box that do not depend on a run. Each line has a left and a right part.
struct GraphNode {
  QString name, short_name;
  std::vector<std::pair<QString, QString>> lines;
  bool skipped = false;  ///< True for a layer that does not run. It is grey and cannot be selected.
};

/// The results of a run at a node. If they are unknown, numbers are negative and texts are empty.
struct GraphValue {
  double voxels = -1, ms = -1;
  QString voxels_text, time_text;
  bool outdated = false;  ///< True if the time was measured with other settings.
};

enum class GraphColour { time, voxels };

struct NetworkGraph {
  QString title;  ///< Name of the network.
  GraphShape shape;
  std::vector<GraphNode> nodes;  ///< Node 0 is the input, node i + 1 is layer i, then the skipped layers.
  std::vector<GraphValue> values;
  QString statistic, samples;  ///< See ChartText.
};

class GraphChart : public Chart {
  Q_OBJECT
 public:
  explicit GraphChart(Theme* theme, QWidget* parent = nullptr);

  /// Shows another network. `graph.values` must have one value for each node. An empty graph draws nothing.
  void setGraph(NetworkGraph graph);
  /// Updates the results. `values` must have one value for each node.
  void setValues(std::vector<GraphValue> values, const QString& statistic, const QString& samples);
  void setColourBy(GraphColour colour);
  /// Sets the function that returns the tooltip of a layer, or of the input if the argument is -1.
  void setTips(std::function<QString(int layer)> tips) { tips_ = std::move(tips); }
  /// Draws a frame around the layer and moves it into view. -1 removes the frame.
  void setChosenLayer(int layer);
  void setHoveredLayer(int layer);
  /// Fades all layers whose names do not contain `text`. An empty text ends the search.
  void setSearch(const QString& text);
  /// Returns the layers that match the search, in ascending order.
  [[nodiscard]] const std::vector<int>& matches() const noexcept { return matches_; }
  void fit();       ///< Shows the whole graph.
  void readable();  ///< Shows the graph at scale 1, with the selected layer in view.

  [[nodiscard]] const NetworkGraph& graph() const noexcept { return graph_; }
  [[nodiscard]] double scale() const noexcept { return scale_; }
  /// Returns the rectangle of a layer in pixels of the widget; -1 is the input.
  [[nodiscard]] QRectF rectOf(int layer) const;
  /// Returns the part of the widget that shows the graph, without the legend.
  [[nodiscard]] QRectF canvas() const { return canvas_; }
  /// Returns the colour of the header of a layer; -1 is the input.
  [[nodiscard]] QColor colourOf(int layer) const;

  [[nodiscard]] QString name() const override { return "graph"; }
  [[nodiscard]] ChartText text() const override;
  [[nodiscard]] bool hasContent() const override { return !graph_.nodes.empty(); }
  [[nodiscard]] ChartTable table() const override;
  /// Returns the layer at the position, or -1 if there is none.
  [[nodiscard]] int rowAt(const QPointF& at) const override;
  [[nodiscard]] MeasuredSubject subjectOf(int row) const override;
  [[nodiscard]] std::unique_ptr<Chart> twin(Theme* theme) const override;
  void paintChart(QCPPainter& painter) override;
  void restyle() override;
  /// Returns the height of the whole graph, drawn from top to bottom. Pictures have this height.
  [[nodiscard]] int heightForWidth(int width) const override;

 signals:
  void layerClicked(int layer);
  void skippedClicked(int row);  ///< `row` is the number of a layer that does not run.
  void layerHovered(int layer);  ///< `layer` is -1 if no layer is hovered.

 protected:
  void chooseRow(int row) override;
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// An entry of the legend: the scale of the colours, or a kind of link.
  struct Entry {
    std::optional<LinkKind> link;
    QString text;
  };

  /// The part that all links of one kind from one source share: from the source into a lane, and along the
  /// lane. It is drawn once, because a network can have 64 links for each layer.
  struct Trunk {
    LinkKind kind = LinkKind::flow;
    QPointF from, lane, end;
  };

  [[nodiscard]] GraphMetrics metrics() const;
  void findTrunks();
  [[nodiscard]] int nodeAt(const QPointF& at) const;
  [[nodiscard]] double valueOf(std::size_t node) const;
  [[nodiscard]] bool isSkipped(int layer) const;
  [[nodiscard]] double fittingScale() const;
  void layOut();
  void placeLegend();
  void moveInto(int layer);
  void zoom(double factor, const QPointF& around);
  void keepInView();
  [[nodiscard]] QPen penOf(LinkKind kind, bool marked) const;
  void paintLinks(QPainter& painter, const QRectF& visible) const;
  void paintTrunks(QPainter& painter, const QRectF& visible, bool detailed) const;
  void paintBranches(QPainter& painter, const QRectF& visible, bool detailed) const;
  void paintMarkedLinks(QPainter& painter, const QRectF& visible, bool detailed) const;
  void paintNode(QPainter& painter, std::size_t node) const;
  void paintLines(QPainter& painter, std::size_t node, const QRectF& body) const;
  void paintShortName(QPainter& painter, std::size_t node) const;
  void paintFrame(QPainter& painter, std::size_t node) const;
  [[nodiscard]] std::vector<Entry> shownEntries() const;
  [[nodiscard]] std::vector<QRectF> entryAreas(const std::vector<Entry>& entries, double width) const;
  void paintLegend(QPainter& painter) const;
  void paintScale(QPainter& painter, const QRectF& area) const;
  [[nodiscard]] QColor heat(double share) const;
  [[nodiscard]] bool fades(std::size_t node) const;

  // Many members: the graph, its layout, the view of it, and the marks of the selection.
  NetworkGraph graph_;
  GraphLayout layout_;
  std::vector<Trunk> trunks_;
  QSizeF node_size_;  // The size for which the graph was laid out.
  GraphDirection direction_ = GraphDirection::down;
  GraphColour colour_ = GraphColour::time;
  double largest_ = 0;  // Largest value of the colour scale.
  std::function<QString(int layer)> tips_;
  QRectF canvas_, legend_;
  double scale_ = 1;
  QPointF offset_;       // Position of the origin of the graph, in pixels of the widget.
  bool placed_ = false;  // False until the graph has been shown for the first time.
  int chosen_ = -1, hovered_ = -1;
  QString search_;
  std::vector<int> matches_;
  std::vector<bool> matching_;  // One flag for each node.
  std::optional<QPointF> pressed_;
  bool panning_ = false;
};

}  // namespace spira::ui
