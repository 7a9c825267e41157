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
  flow,      ///< The input of a layer. If a layer concatenates several inputs, the nearest one.
  concat,    ///< A further input that is concatenated.
  residual,  ///< An output that is added before the activation.
  map,       ///< A kernel map that another layer uses too, for example transposed.
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
  double rank_gap = 40;  ///< Between a node and the next one in the direction of the graph.
  double column_gap = 24;
  double lane_gap = 16;  ///< Between links that pass nodes.
};

struct GraphLayout {
  std::vector<QRectF> nodes;
  /// One route for each link: an even number of points, from the source to the target. The points never run
  /// against the direction of the graph. Curves connect points 0 and 1, 2 and 3, and so on; straight lines
  /// connect the others. A route never crosses a node.
  std::vector<std::vector<QPointF>> routes;
  QRectF bounds;
};

/// Places each node after all its sources. The longest path is a straight line. Links that skip nodes pass
/// them in lanes: kernel maps on one side, all other links on the other.
[[nodiscard]] GraphLayout layout_graph(const GraphShape& shape, const GraphMetrics& metrics,
                                       GraphDirection direction);

}  // namespace spira::ui
