// Declares `JoinedInputs`, which concatenates the inputs of the layers of a training step.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/network/network.hpp"

#include <string>
#include <vector>

namespace spira {

/// Concatenates the inputs of layers. Adjacent layers with the same inputs, such as the shortcut and the
/// first convolution of a block, share the result. The calls must be in the order of(), release_before(),
/// of() ...
class JoinedInputs {
 public:
  /// Returns the only input of a layer, or the concatenation of `parts`, its inputs. The reference is valid
  /// until release_before() is called.
  [[nodiscard]] const Features& of(Backend& backend, const Layer& layer,
                                   const std::vector<const Features*>& parts, Job& job);
  /// Frees the concatenation if the next layer has other inputs. `next` is `nullptr` after the last layer.
  void release_before(const Layer* next);

 private:
  std::vector<std::string> names_;
  Features joined_;
};

}  // namespace spira
