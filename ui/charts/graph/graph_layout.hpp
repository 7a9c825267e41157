// The structure of a network as a graph, and the positions of its nodes and links. All functions are pure.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <vector>

namespace spira {
struct Network;
}  // namespace spira

namespace spira::ui {

enum class LinkKind {
  /// The input of a layer. If the layer concatenates several inputs, this link comes from the nearest input.
  flow,
  concat,    ///< Another input that the layer concatenates.
  residual,  ///< An output that is added before the activation.
  map,       ///< A kernel map that another layer also uses, for example a transposed layer.
};

/// A connection of two nodes. `from` is always less than `to`.
struct GraphLink {
  int from = 0, to = 0;
  LinkKind kind = LinkKind::flow;
  bool operator==(const GraphLink&) const = default;
};

/// Node 0 is the input of the network. Node i + 1 is layer i. The layers that do not run follow.
struct GraphShape {
  int nodes = 0;
  std::vector<GraphLink> links;
};

/// Returns the nodes and links of a network. Links without a known source are omitted. Maps that submanifold
/// layers share are not links, because almost all layers of a level share them.
[[nodiscard]] GraphShape graph_of(const Network& network);

enum class GraphDirection { down, right };

/// The size of all nodes and the gaps between them, in pixels.
struct GraphMetrics {
  QSizeF node{170, 80};
  double rank_gap = 40;  ///< Gap between adjacent nodes in the direction of the graph.
  double column_gap = 24;
  double lane_gap = 16;  ///< Gap between links that pass nodes.
};

struct GraphLayout {
  std::vector<QRectF> nodes;
  /// One route for each link. A route is an even number of points, from the source to the target. It never
  /// runs against the direction of the graph and never crosses a node. Curves connect points 0 and 1, 2 and
  /// 3, and so on. Straight lines connect the other pairs of adjacent points.
  std::vector<std::vector<QPointF>> routes;
  QRectF bounds;
};

/// Places each node after all its sources. The longest path is a straight line. Links that skip nodes run in
/// lanes beside these nodes: kernel maps on one side, all other links on the other side.
[[nodiscard]] GraphLayout layout_graph(const GraphShape& shape, const GraphMetrics& metrics,
                                       GraphDirection direction);

}  // namespace spira::ui
