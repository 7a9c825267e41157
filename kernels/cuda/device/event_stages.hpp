// Times stages with CUDA events on the stream of a device.
#pragma once

#include "engine/job/recorder.hpp"

#include <cuda_runtime_api.h>

#include <memory>

namespace spira::cuda {

[[nodiscard]] std::unique_ptr<StageSource> make_event_stages(cudaStream_t stream);

}  // namespace spira::cuda
