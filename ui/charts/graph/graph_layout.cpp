#include "ui/charts/graph/graph_layout.hpp"

#include "engine/network/network.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace spira::ui {
namespace {

/// Returns the first layer that built the kernel map of a transposed layer, or -1.
int builder_of_map(const Network& network, const Levels& levels, std::size_t layer) {
  for (std::size_t other = 0; other < layer; ++other) {
    if (!network.layers[other].transposed && levels.layers[other].map == levels.layers[layer].map)
      return static_cast<int>(other);
  }
  return -1;
}

/// Computes positions in the direction of the graph ("along") and across it. The coordinate across is 0 in
/// the middle of the longest path.
class Placement {
 public:
  Placement(const GraphShape& shape, const GraphMetrics& metrics, GraphDirection direction)
      : shape_(shape), metrics_(metrics), down_(direction == GraphDirection::down) {
    rankNodes();
    const std::vector<bool> main = longestPath();
    placeColumns(main);
    placeLanes();
  }

  [[nodiscard]] GraphLayout layout() const {
    GraphLayout made;
    for (int node = 0; node < shape_.nodes; ++node) {
      const double along = startOf(rank(node)), across = acrossOf(node);
      const QPointF corner = pointAt(along, across - (breadth() / 2));
      made.nodes.emplace_back(corner, metrics_.node);
      made.bounds |= made.nodes.back();
    }
    for (const GraphLink& link : shape_.links) {
      made.routes.push_back(routeOf(link));
      for (const QPointF& point : made.routes.back())
        made.bounds |= QRectF(point - QPointF(1, 1), QSizeF(2, 2));
    }
    return made;
  }

 private:
  using Lane = std::pair<int, LinkKind>;  // All links of one kind that start at the same node share a lane.

  [[nodiscard]] double length() const { return down_ ? metrics_.node.height() : metrics_.node.width(); }
  [[nodiscard]] double breadth() const { return down_ ? metrics_.node.width() : metrics_.node.height(); }
  [[nodiscard]] double startOf(int rank) const { return rank * (length() + metrics_.rank_gap); }
  [[nodiscard]] double endOf(int rank) const { return startOf(rank) + length(); }
  [[nodiscard]] QPointF pointAt(double along, double across) const {
    return down_ ? QPointF(across, along) : QPointF(along, across);
  }
  [[nodiscard]] int rank(int node) const { return ranks_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] double acrossOf(int node) const {
    return columns_[static_cast<std::size_t>(node)] * (breadth() + metrics_.column_gap);
  }
  [[nodiscard]] bool skips(const GraphLink& link) const { return rank(link.to) - rank(link.from) > 1; }

  /// Gives each node the length of the longest path to it.
  void rankNodes() {
    ranks_.assign(static_cast<std::size_t>(shape_.nodes), 0);
    sources_.assign(static_cast<std::size_t>(shape_.nodes), -1);
    std::vector<std::vector<int>> before(static_cast<std::size_t>(shape_.nodes));
    for (const GraphLink& link : shape_.links)
      before[static_cast<std::size_t>(link.to)].push_back(link.from);
    for (int node = 0; node < shape_.nodes; ++node) {
      const auto at = static_cast<std::size_t>(node);
      for (const int source : before[at]) {
        if (rank(source) + 1 < ranks_[at] || (rank(source) + 1 == ranks_[at] && source < sources_[at]))
          continue;
        ranks_[at] = rank(source) + 1;
        sources_[at] = source;
      }
    }
    const int last = shape_.nodes == 0 ? -1 : *std::max_element(ranks_.begin(), ranks_.end());
    low_.assign(static_cast<std::size_t>(last) + 1, -breadth() / 2);
    high_.assign(static_cast<std::size_t>(last) + 1, breadth() / 2);
  }

  /// Returns one flag per node. A flag is true if the node is on the longest path. This path has one node of
  /// each rank.
  [[nodiscard]] std::vector<bool> longestPath() const {
    std::vector<bool> main(static_cast<std::size_t>(shape_.nodes), false);
    int node = -1;
    for (int other = 0; other < shape_.nodes; ++other) {
      if (node < 0 || rank(other) >= rank(node)) node = other;
    }
    for (; node >= 0; node = sources_[static_cast<std::size_t>(node)])
      main[static_cast<std::size_t>(node)] = true;
    return main;
  }

  /// Puts the longest path into column 0. Each other node gets the column of its source or, if that column is
  /// occupied, the first free column.
  void placeColumns(const std::vector<bool>& main) {
    columns_.assign(static_cast<std::size_t>(shape_.nodes), 0);
    std::vector<std::set<int>> taken(high_.size());
    for (int node = 0; node < shape_.nodes; ++node) {
      const auto at = static_cast<std::size_t>(node);
      if (main[at]) continue;
      auto& here = taken[static_cast<std::size_t>(rank(node))];
      int column = sources_[at] < 0 ? 1 : std::max(1, columns_[static_cast<std::size_t>(sources_[at])]);
      if (here.contains(column)) {
        for (column = 1; here.contains(column);)
          ++column;
      }
      here.insert(column);
      columns_[at] = column;
      double& high = high_[static_cast<std::size_t>(rank(node))];
      high = std::max(high, acrossOf(node) + (breadth() / 2));
    }
  }

  /// Gives each lane a position beside all nodes that the lane passes. Short lanes are nearest to the nodes.
  void placeLanes() {
    std::map<Lane, int> ends;  // The last rank that each lane passes.
    for (const GraphLink& link : shape_.links) {
      if (!skips(link)) continue;
      int& end = ends[{link.from, link.kind}];
      end = std::max(end, rank(link.to) - 1);
    }
    std::vector<std::pair<int, Lane>> by_length;
    for (const auto& [lane, end] : ends)
      by_length.emplace_back(end - rank(lane.first), lane);
    std::sort(by_length.begin(), by_length.end());
    for (const auto& [ranks, lane] : by_length) {
      const bool low = lane.second == LinkKind::map;
      const auto first = (low ? low_ : high_).begin() + rank(lane.first) + 1, last = first + ranks;
      const double at = low ? *std::min_element(first, last) - metrics_.lane_gap
                            : *std::max_element(first, last) + metrics_.lane_gap;
      std::fill(first, last, at);
      lanes_[lane] = at;
    }
  }

  [[nodiscard]] std::vector<QPointF> routeOf(const GraphLink& link) const {
    constexpr double port = 0.3;  // Distance from the middle of a node, as a share of its breadth.
    const double side = !skips(link) ? 0 : link.kind == LinkKind::map ? -port * breadth() : port * breadth();
    const QPointF from = pointAt(endOf(rank(link.from)), acrossOf(link.from) + side);
    const QPointF to = pointAt(startOf(rank(link.to)), acrossOf(link.to) + side);
    if (!skips(link)) return {from, to};
    const double lane = lanes_.at({link.from, link.kind});
    return {from, pointAt(startOf(rank(link.from) + 1), lane), pointAt(endOf(rank(link.to) - 1), lane), to};
  }

  const GraphShape& shape_;
  const GraphMetrics& metrics_;
  bool down_;
  std::vector<int> ranks_, sources_, columns_;
  std::vector<double> low_, high_;  // Both ends of the space that the nodes and lanes of each rank occupy.
  std::map<Lane, double> lanes_;
};

}  // namespace

GraphShape graph_of(const Network& network) {
  GraphShape shape{static_cast<int>(network.layers.size() + network.skipped.size()) + 1, {}};
  const Levels levels = levels_of(network);
  std::map<std::string_view, int> nodes{{"input", 0}};
  if (reads_point_features(network)) nodes.emplace(points_source, 0);
  for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer) {
    const Layer& own = network.layers[static_cast<std::size_t>(layer)];
    const int node = layer + 1;
    std::vector<int> inputs;
    for (const std::string& input : own.inputs) {
      if (const auto found = nodes.find(input); found != nodes.end()) inputs.push_back(found->second);
    }
    const bool joins = own.convolution() || own.op == LayerOp::concat;
    const auto nearest = std::max_element(inputs.begin(), inputs.end());
    for (auto input = inputs.begin(); input != inputs.end(); ++input)
      shape.links.push_back({*input, node, input == nearest || !joins ? LinkKind::flow : LinkKind::concat});
    if (const auto found = nodes.find(own.residual); found != nodes.end())
      shape.links.push_back({found->second, node, LinkKind::residual});
    if (const auto found = nodes.find(own.map_of); found != nodes.end()) {
      shape.links.push_back({found->second, node, LinkKind::map});
    } else if (own.transposed) {
      const int builder = builder_of_map(network, levels, static_cast<std::size_t>(layer));
      if (builder >= 0) shape.links.push_back({builder + 1, node, LinkKind::map});
    }
    nodes.emplace(own.name, node);
  }
  int node = static_cast<int>(network.layers.size());
  for (const SkippedLayer& skipped : network.skipped) {
    const Layer& own = skipped.layer;
    const auto link = [&](const std::string& from, LinkKind kind) {
      if (const auto found = nodes.find(from); found != nodes.end())
        shape.links.push_back({found->second, node, kind});
    };
    ++node;
    for (const std::string& input : own.inputs)
      link(input, LinkKind::flow);
    link(own.residual, LinkKind::residual);
    link(own.map_of, LinkKind::map);
    nodes.emplace(own.name, node);
  }
  return shape;
}

GraphLayout layout_graph(const GraphShape& shape, const GraphMetrics& metrics, GraphDirection direction) {
  return Placement(shape, metrics, direction).layout();
}

}  // namespace spira::ui
