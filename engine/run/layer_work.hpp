// Computes the minimum work of a layer and of its stages, and how close their times are to the floors: the
// times that the measured rates of the device allow.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/run/measurement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Minimum work of one execution: the bytes that must be read or written at least once, and the useful
/// floating-point operations.
struct Work {
  double bytes = 0, flops = 0;
  /// Returns the useful operations per byte. Returns 0 if `bytes` is 0.
  [[nodiscard]] double intensity() const noexcept { return bytes > 0 ? flops / bytes : 0; }
};

/// Lower bounds for a time, in milliseconds. A bound is empty if the work is 0 or the rate is not known.
struct Floors {
  std::optional<double> bytes_ms, flops_ms;
  [[nodiscard]] std::optional<double> larger_ms() const;
};
[[nodiscard]] Floors floors_of(const Work& work, const DeviceRates& rates);

/// Returns the size of features or weights with the shape `[rows][channels]`.
[[nodiscard]] double bytes_of_features(std::int64_t rows, int channels, Precision precision);

/// The work of a layer or of one of its stages, and the measured times of this work.
struct StageWork {
  /// "features" for the layer without its kernel map, "os" and "ws" for its dataflows, "map" for the search.
  std::string_view stage;
  Work work;
  std::vector<double> samples_ms;
  /// Returns 0 without samples.
  [[nodiscard]] double median_ms() const { return median_of(samples_ms); }
  /// Return the work divided by the median time, per second. Return 0 without samples.
  [[nodiscard]] double flops_per_s() const;
  [[nodiscard]] double bytes_per_s() const;
  /// Returns the median time divided by the larger floor. Returns an empty optional without samples or rates.
  [[nodiscard]] std::optional<double> times_floor(const std::optional<DeviceRates>& rates) const;
};

/// The facts about one measured layer from which its work is computed.
struct MeasuredLayer {
  const Layer& layer;
  const LayerLevels& levels;
  const LayerMeasurement& measured;
  int threshold = 0;
  Precision precision = Precision::fp32;
  std::size_t key_bytes = 4;  ///< Size of a packed coordinate.
  /// Used to divide the FLOPs of a hybrid layer between its dataflows. May be `nullptr`.
  const Densities* densities = nullptr;
};

/// Returns the work of the layer with a ready kernel map: the useful products (2 x pairs x C_in x C_out), and
/// every byte of the inputs, weights, map and outputs once. The times do not include stages that reorder the
/// map ("features[layer].order"), because these belong to the map.
[[nodiscard]] StageWork features_work(const MeasuredLayer& layer);
/// Returns the stages of the layer that were measured, without `features`:
/// - "os" and "ws": the FLOPs of the offsets of this dataflow; the bytes of the inputs, the outputs and the
///   weights of these offsets. The bytes of the map are not divided, so they are not counted here. A hybrid
///   layer without densities has neither stage.
/// - "map": no FLOPs; the bytes of the coordinates that the search reads and of the map that it writes.
[[nodiscard]] std::vector<StageWork> stage_work(const MeasuredLayer& layer);

/// Returns a quantity with three digits and a decimal prefix, such as "1.24 TB/s" for 1.24e12 and "B/s".
[[nodiscard]] std::string scaled_text(double value, std::string_view unit);

}  // namespace spira
