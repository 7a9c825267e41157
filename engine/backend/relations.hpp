// Declares `Relations`, the interface of the kernels of relational graph convolutions.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/map/relation_map.hpp"

#include <cstddef>

namespace spira {

struct RelationRequest {
  bool relu = false;
  /// `by_layout` selects the dataflow "ws". The CPU back end then multiplies the means of a few rows at a
  /// time, and the CUDA back end first stores the means of all rows. All others select "gather", which first
  /// stores the means of all rows of a relation; the CUDA back end does not have it.
  FeatureMethod method = FeatureMethod::by_layout;
};

/// Computes relational graph convolutions (R-GCN). The calls follow the rules of Backend.
class Relations {
 public:
  Relations() = default;
  virtual ~Relations() = default;
  Relations(const Relations&) = delete;
  Relations& operator=(const Relations&) = delete;

  /// Computes the features y of a layer from the inputs x:
  ///   y_i = act(x_i W_0 + b + sum over r of (c_ir * sum over j of x_j) W_r)
  /// j are the sources of the output i in the relation r, and c_ir is the factor of RelationMap::normalise.
  /// Column 0 of the weights is W_0, and column 1 + r is W_r. The sources of a row are added first, in
  /// ascending order. Then the products of an output are added to x_i W_0, in the order of the relations,
  /// except that the CUDA back end adds products in any order. Sums are computed in fp32 (in double precision
  /// by the reference). The CUDA back end stores the sums or means of the sources in the
  /// precision of `in`, so sums above 65,504 overflow in fp16. The result has the precision of `in`. Records
  /// the inner stages ws, or gather, gemm and scatter, and epilogue; on CUDA, gather, ws and epilogue.
  virtual Features convolve(const RelationMap& map, const Features& in, const UploadedWeights& weights,
                            const RelationRequest& request, Job& job) = 0;
  /// Returns how much memory convolve() needs in addition to its arguments and its result, in bytes.
  [[nodiscard]] virtual std::size_t scratch_bytes(const RelationMap& map, int in_channels, int out_channels,
                                                  Precision precision,
                                                  const RelationRequest& request) const = 0;
};

/// Throws `Error(internal)` if the map, the features and the weights do not match.
void require_sound(const RelationMap& map, const Features& in, const UploadedWeights& weights);
/// Returns the kernels of a back end. Throws `Error(device)` if the back end has none.
[[nodiscard]] Relations& require_relations(Backend& backend);
/// Copies a map to the memory of a back end.
[[nodiscard]] RelationMap upload(Backend& backend, const RelationMap& map);

}  // namespace spira
