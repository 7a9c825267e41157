// A model of how the number of channels of a layer changes the best threshold t. The model assumes a fixed
// cost for a product and for moving a value, which is simpler than real devices. The window therefore labels
// these results as modelled.
#pragma once

#include "engine/lesson/facts/dataflow_work.hpp"
#include "engine/lesson/facts/facts.hpp"

#include <vector>

namespace spira {

/// Cost of moving one value to or from memory, in units of one multiplication.
constexpr int products_a_value = 64;

/// Returns the modelled work of a layer for one t, in units of one multiplication. The dense part reads each
/// existing input row once and writes each output row once. In the sparse part, each pair reads its input
/// row, and reads and writes its output row. The cost of a part is its multiplications or its moved values,
/// whichever is larger.
[[nodiscard]] double modelled_work(const DataflowWork& work, const ThresholdCount& count, int c_in,
                                   int c_out);
/// Returns the modelled cost of one sparse pair, in units of one dense slot without an input.
[[nodiscard]] double modelled_pair_price(int c_in, int c_out);

[[nodiscard]] std::vector<std::string> channel_fact_names();
[[nodiscard]] std::vector<Fact> channel_facts(const LessonInput& input, Job& job);

}  // namespace spira
