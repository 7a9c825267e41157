#include "engine/backend/birds_eye.hpp"

#include "engine/base/error.hpp"

namespace spira {

std::array<std::int64_t, 2> output_cells(const UnitRequest& request) noexcept {
  return {request.cells[0] / request.step, request.cells[1] / request.step};
}

void require_sound(const Features& image, const UnitRequest& request) {
  SPIRA_ASSERT(image.rows == request.cells[0] * request.cells[1],
               "the number of feature rows differs from the number of cells");
  SPIRA_ASSERT(
      request.step >= 1 && request.cells[0] % request.step == 0 && request.cells[1] % request.step == 0,
      "the size of the image is not a multiple of the step");
  SPIRA_ASSERT(!request.layers.empty(), "a unit needs at least one layer");
  int channels = image.channels;
  for (const UnitLayer& layer : request.layers) {
    SPIRA_ASSERT(layer.kernel_size % 2 == 1 && layer.weights != nullptr &&
                     layer.weights->columns == layer.kernel_size * layer.kernel_size &&
                     layer.weights->in_channels == channels,
                 "features, weights and kernel have different shapes");
    SPIRA_ASSERT(image.precision == layer.weights->precision,
                 "features and weights have different precisions");
    channels = layer.weights->out_channels;
  }
  SPIRA_ASSERT(!request.residual || (request.step == 1 && channels == image.channels),
               "the residual of a unit has another shape than its result");
  const bool in_blocks = request.method == UnitMethod::gathered || request.method == UnitMethod::fused;
  SPIRA_ASSERT(in_blocks || request.method == UnitMethod::dense, "rows do not run on an image");
  SPIRA_ASSERT(in_blocks == (request.blocks != nullptr), "only the methods gathered and fused need blocks");
  if (!in_blocks) return;
  const std::int64_t core = request.blocks->shape.core;
  const auto cells = output_cells(request);
  SPIRA_ASSERT(request.blocks->grid[0] == (cells[0] + core - 1) / core &&
                   request.blocks->grid[1] == (cells[1] + core - 1) / core,
               "the blocks are of an image of another size");
}

BirdsEye& require_birds_eye(Backend& backend) {
  BirdsEye* const birds_eye = backend.extensions().birds_eye;
  if (birds_eye == nullptr)
    throw Error(ErrorKind::device, "the " + std::string(text_of(backend.facts().kind)) +
                                       " back end cannot run bird's-eye views yet; use --backend cpu");
  return *birds_eye;
}

}  // namespace spira
