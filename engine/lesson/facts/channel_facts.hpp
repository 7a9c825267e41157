// A model of how the number of channels of a layer changes the best threshold t. It assumes fixed costs for
// a product and for moving a value, which is a simplification for real devices. The window marks its results
// as modelled.
#pragma once

#include "engine/lesson/facts/dataflow_work.hpp"
#include "engine/lesson/facts/facts.hpp"

#include <vector>

namespace spira {

/// Cost of moving one value, in products.
constexpr int products_a_value = 64;

/// Returns the modelled work of a layer with `c_in` input and `c_out` output channels at one t, in products.
/// The dense part reads each existing input row and writes each output row once. In the sparse part, each
/// pair reads its input row, and reads and writes its output row. The cost of each part is the larger of its
/// products and its moved values.
[[nodiscard]] double modelled_work(const DataflowWork& work, const ThresholdCount& count, int c_in,
                                   int c_out);
/// Returns the cost of one sparse pair in this model, in units of a dense slot without an input.
[[nodiscard]] double modelled_pair_price(int c_in, int c_out);

[[nodiscard]] std::vector<std::string> channel_fact_names();
[[nodiscard]] std::vector<Fact> channel_facts(const LessonInput& input, Job& job);

}  // namespace spira
