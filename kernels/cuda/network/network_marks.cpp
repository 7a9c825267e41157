#include "kernels/cuda/network/network_marks.hpp"

#include <algorithm>

namespace spira::cuda {

std::vector<std::string> NetworkMarks::tracks() const {
  int last = 0;
  for (const Piece& piece : pieces_)
    last = std::max(last, piece.track);
  std::vector<std::string> names{"main branch"};
  for (int track = 1; track <= last; ++track)
    names.push_back("side branch " + std::to_string(track));
  return names;
}

void NetworkMarks::read(TimelineBuilder& into) const {
  const TimedEvent& reference = events_.front();
  std::vector<TimelineSpan> spans;
  for (const Piece& piece : pieces_) {
    spans.push_back({piece.stage, piece.track, -1, events_[piece.start].ms_since(reference),
                     events_[piece.end].ms_since(reference)});
  }
  into.add(std::move(spans), events_.back().ms_since(reference));
}

Timeline take_timeline(const MarkedNetwork& network, int repetitions, Job& job) {
  constexpr int warm_up = 2;
  Timeline head;
  head.mode = TimelineMode::in_situ;
  head.clock = Clock::cuda_events;
  head.how = "one CUDA graph of " + std::to_string(network.marked.nodes()) + " nodes, including " +
             std::to_string(network.marks.size()) + " timing marks";
  head.tracks = network.marks.tracks();
  TimelineBuilder builder(std::move(head));
  std::vector<double> plain_ms, marked_ms;
  for (int round = -warm_up; round < std::max(1, repetitions); ++round) {
    job.checkpoint({"recording a timeline", std::max(0, round), repetitions});
    const double plain = network.launch(network.plain), marked = network.launch(network.marked);
    if (round < 0) continue;
    plain_ms.push_back(plain);
    marked_ms.push_back(marked);
    network.marks.read(builder);
  }
  Timeline timeline = builder.take();
  timeline.unmarked_ms = std::move(plain_ms);
  timeline.marked_ms = std::move(marked_ms);
  return timeline;
}

}  // namespace spira::cuda
