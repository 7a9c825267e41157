// A compiled network (Backend::compile) against the reference.
#pragma once

#include "engine/run/level_build.hpp"
#include "engine/run/verify.hpp"

namespace spira {

struct CompiledCheck {
  const Network& network;
  const Levels& levels;
  const NetworkWeights& weights;
  PackSpec pack;
  Precision precision;
  bool quick;  ///< layers that give the kernels the same work once only
};

/// Adds a row for each level, for the input features, and for each layer: against the reference on the inputs
/// that the run itself made, so that errors do not add up over layers. A note where nothing can be compiled.
/// `subject`: with results on the host; `truth`: of the reference.
void verify_compiled(Backend& subject, Backend& reference, const CompiledCheck& check,
                     const BuiltLevels& truth, VerifyResult& result, Job& job);

}  // namespace spira
