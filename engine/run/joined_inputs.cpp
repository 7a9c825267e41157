#include "engine/run/joined_inputs.hpp"

namespace spira {

const Features& JoinedInputs::of(Backend& backend, const Layer& layer,
                                 const std::vector<const Features*>& parts, Job& job) {
  if (parts.size() == 1) return *parts.front();
  if (names_ != layer.inputs) {
    joined_ = backend.compute_rows({LayerOp::concat, parts, layer.in_channels}, job);
    names_ = layer.inputs;
  }
  return joined_;
}

void JoinedInputs::release_before(const Layer* next) {
  if (next != nullptr && next->inputs == names_) return;
  joined_ = {};
  names_.clear();
}

}  // namespace spira
