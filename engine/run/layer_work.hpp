// Computes the minimum work of a layer and of its stages, and the floor: the shortest possible time for this
// work at the measured rates of the device. Compares measured times with the floor.
#pragma once

#include "engine/backend/device_facts.hpp"
#include "engine/run/measurement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// The minimum work of a stage: the bytes that must be read or written at least once, and the useful
/// floating-point operations.
struct Work {
  double bytes = 0, flops = 0;
  /// Returns the arithmetic intensity, in operations per byte. Returns 0 if `bytes` is 0.
  [[nodiscard]] double intensity() const noexcept { return bytes > 0 ? flops / bytes : 0; }
};

/// The shortest possible times for the bytes and for the operations of a stage, in milliseconds. `bytes_ms`
/// is empty if the stage moves no bytes or if the memory rate of the device is not known. The same applies to
/// `flops_ms`.
struct Floors {
  std::optional<double> bytes_ms, flops_ms;
  [[nodiscard]] std::optional<double> larger_ms() const;
};
[[nodiscard]] Floors floors_of(const Work& work, const DeviceRates& rates);

/// Returns the size in bytes of features or weights with the shape `[rows][channels]`.
[[nodiscard]] double bytes_of_features(std::int64_t rows, int channels, Precision precision);

/// The minimum work of a layer or of one of its stages, and its measured times.
struct StageWork {
  /// "features" is the whole layer without its kernel map, "os" and "ws" are its two dataflows, and "map" is
  /// the search of the map.
  std::string_view stage;
  Work work;
  std::vector<double> samples_ms;
  /// Returns 0 if nothing was measured.
  [[nodiscard]] double median_ms() const { return median_of(samples_ms); }
  /// Return the work divided by the median time, per second. Return 0 if nothing was measured.
  [[nodiscard]] double flops_per_s() const;
  [[nodiscard]] double bytes_per_s() const;
  /// Returns the median time divided by the floor (the larger value of Floors). Returns an empty optional if
  /// the samples or the rates are missing.
  [[nodiscard]] std::optional<double> times_floor(const std::optional<DeviceRates>& rates) const;
};

/// A measured layer, with the data from which its work is computed.
struct MeasuredLayer {
  const Layer& layer;
  const LayerLevels& levels;
  LayerMeasurement measured;
  int threshold = 0;
  Precision precision = Precision::fp32;
  std::size_t key_bytes = 4;  ///< Size of a packed coordinate in bytes.
  /// The densities divide the FLOPs of a hybrid layer between its two dataflows. Can be `nullptr`.
  const Densities* densities = nullptr;
};

/// Returns the work of computing the features, without building the kernel map: 2 x pairs x C_in x C_out
/// useful operations, and each byte of the inputs, the weights, the map and the outputs once. A native layer
/// needs one product for each group, so its operations are 2 x groups x C_in x C_out. The times do not
/// include the stages that reorder the map ("features[layer].order"), because they belong to the map.
[[nodiscard]] StageWork features_work(const MeasuredLayer& layer);
/// Returns the measured stages of the layer except "features":
/// - "os" and "ws": the FLOPs of the offsets of this dataflow, and the bytes of the inputs, the outputs and
///   the weights of these offsets. The bytes of the map are not included, because they cannot be divided
///   between the dataflows. A hybrid layer without densities has neither stage.
/// - "map": no FLOPs, the bytes of the coordinates that the search reads, for a native layer also those of
/// the
///   positions, and the bytes of the map that it writes.
[[nodiscard]] std::vector<StageWork> stage_work(const MeasuredLayer& layer);

/// Returns a quantity with three digits and a decimal prefix. For example, 1.24e12 with the unit "B/s"
/// becomes "1.24 TB/s".
[[nodiscard]] std::string scaled_text(double value, std::string_view unit);

}  // namespace spira
