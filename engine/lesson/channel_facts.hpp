// What the channels of a layer do to the best t: a model, and called one wherever it is shown. It takes a
// product and a moved value to have fixed prices, which no device has.
#pragma once

#include "engine/lesson/dataflow_work.hpp"
#include "engine/lesson/facts.hpp"

#include <vector>

namespace spira {

/// So many products take as long as to move one value.
constexpr int products_a_value = 64;

/// Work of a layer with this many channels for one t, in products. Rows read each input that there is and
/// write each output once; a pair reads its input, and reads and writes its output. Each of the two parts
/// takes as long as the longer of its products and of its values.
[[nodiscard]] double modelled_work(const DataflowWork& work, const ThresholdCount& count, int c_in,
                                   int c_out);
/// How many slots a pair costs in that model where a slot has no input.
[[nodiscard]] double modelled_pair_price(int c_in, int c_out);

[[nodiscard]] std::vector<std::string> channel_fact_names();
[[nodiscard]] std::vector<Fact> channel_facts(const LessonInput& input, Job& job);

}  // namespace spira
