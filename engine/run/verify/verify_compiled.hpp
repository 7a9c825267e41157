// Verifies a compiled network (Backend::compile) against the reference.
#pragma once

#include "engine/run/level_build.hpp"
#include "engine/run/verify/verify.hpp"

namespace spira {

struct CompiledCheck {
  const Network& network;
  const Levels& levels;
  const NetworkWeights& weights;
  PackSpec pack;
  Precision precision;
  /// If true, only one of the layers with equal ShapeKey is verified.
  bool quick;
};

/// Adds a row for each level, one row for the input features, and one row for each layer. The reference
/// computes each layer from the inputs of the compiled run, so that errors do not accumulate over layers.
/// Adds a note if the network cannot be compiled. `subject` must return results in host memory. `truth` must
/// come from the reference.
void verify_compiled(Backend& subject, Backend& reference, const CompiledCheck& check,
                     const BuiltLevels& truth, VerifyResult& result, Job& job);

}  // namespace spira
