// Synthetic timelines of a GPU and of a CPU. All times are round numbers.
#pragma once

#include "engine/job/timeline.hpp"

namespace spira::test {

/// Returns an in-situ timeline of 10 ms with three repetitions. Each repetition begins with the voxels. Then
/// two maps are built on side branches, in parallel with the input features. Then the features of both layers
/// follow, with a gap between them.
[[nodiscard]] inline Timeline in_situ_timeline() {
  Timeline head;
  head.mode = TimelineMode::in_situ;
  head.clock = Clock::cuda_events;
  head.how = "one CUDA graph of 20 nodes, including 14 timing marks";
  head.tracks = {"main branch", "side branch 1", "side branch 2"};
  TimelineBuilder builder(head);
  for (const double times : {1.1, 1.0, 0.9}) {
    builder.add({{"voxelize", 0, -1, 0, 2 * times},
                 {"map[stem]", 1, -1, 2 * times, 4 * times},
                 {"map[down]", 2, -1, 2 * times, 6 * times},
                 {"input", 0, -1, 2 * times, 3 * times},
                 {"features[stem]", 0, -1, 4 * times, 5 * times},
                 {"features[down]", 0, -1, 6 * times, 10 * times}},
                10 * times);
  }
  Timeline timeline = builder.take();
  timeline.marked_ms = {12, 12, 12};
  timeline.unmarked_ms = {11, 11, 11};
  return timeline;
}

/// Returns a timeline of 10 ms. It has consecutive stages, some of which contain nested stages.
[[nodiscard]] inline Timeline host_timeline() {
  Timeline head;
  head.how = "layer by layer";
  head.tracks = {"host"};
  TimelineBuilder builder(head);
  builder.add({{"voxelize", 0, -1, 0, 2},
               {"voxelize.sort", 0, 0, 1, 2},
               {"map[stem]", 0, -1, 2, 5},
               {"map[stem].search", 0, 2, 2, 4},
               {"features[stem]", 0, -1, 5, 10},
               {"features[stem].os", 0, 4, 5, 6},
               {"features[stem].ws", 0, 4, 6, 9}},
              10);
  return builder.take();
}

}  // namespace spira::test
