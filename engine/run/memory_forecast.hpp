// How much of a back end's memory a network will take on a scene, said before it is taken.
#pragma once

#include "engine/backend/backend.hpp"
#include "engine/run/session.hpp"

#include <cstddef>

namespace spira {

/// Bytes of buffers. Pairs of pair lists are counted on a sample of 2,048 outputs a map; all else is counted
/// from rows, channels and layouts.
struct MemoryForecast {
  std::size_t indexing = 0;  ///< coordinate sets, input features and kernel maps of one run
  std::size_t features = 0;  ///< the most that outputs which are still read, orders of maps and scratch take
  std::size_t results = 0;   ///< maps and outputs of all layers, which a session keeps to be looked at
  [[nodiscard]] std::size_t run() const noexcept { return indexing + features; }  ///< Measurement::peak_bytes
  [[nodiscard]] std::size_t total() const noexcept { return run() + results; }
};

/// `level_bytes`: what the coordinate sets and the input features take on this back end.
[[nodiscard]] MemoryForecast forecast_memory(const Backend& backend, const VoxelScene& scene,
                                             const Network& network, const Plan& plan,
                                             std::size_t level_bytes);

/// Throws Error(memory) with what is needed and what is there, where the forecast is a quarter above all the
/// memory that the device has.
void require_memory(const MemoryForecast& forecast, const DeviceFacts& device);

}  // namespace spira
