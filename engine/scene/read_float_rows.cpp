// The three .bin formats: rows of 4, 5 or 6 float32 without any header, told apart by size and by the values.
#include "engine/base/text.hpp"
#include "engine/scene/bytes.hpp"
#include "engine/scene/point_sink.hpp"
#include "engine/scene/readers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace spira {
namespace {

enum class Extra : std::uint8_t { intensity, intensity_ring, rgb };

/// How plausible the bytes are as rows of `columns` floats: shares over sampled rows, in 0..1.
struct Plausibility {
  double coordinates = 0;  ///< finite, and within what a sensor or a map gives
  double fourth = 0;       ///< non-negative intensity
  double fifth = 0;        ///< small whole number (a ring), or a non-negative elongation
  double colours = 0;      ///< three values in 0..1, or in 0..255
  double smooth = 0;       ///< neighbours in the file are neighbours in space
};

constexpr double largest_coordinate_m = 2'000.0;

bool plausible(double value) {
  const double size = std::abs(value);
  return std::isfinite(value) && size < largest_coordinate_m && (size == 0.0 || size > 1e-12);
}

Plausibility judge(std::span<const std::byte> bytes, std::size_t columns) {
  const std::size_t rows = bytes.size() / (columns * 4);
  constexpr std::size_t samples = 512;
  const std::size_t step = std::max<std::size_t>(1, rows / samples);
  Plausibility sums;
  double judged = 0;
  for (std::size_t row = 0; row + 1 < rows; row += step) {
    std::array<double, 6> v{}, next{};
    for (std::size_t c = 0; c < columns; ++c) {
      v.at(c) = static_cast<double>(load<float>(bytes.data() + (((row * columns) + c) * 4)));
      next.at(c) = static_cast<double>(load<float>(bytes.data() + ((((row + 1) * columns) + c) * 4)));
    }
    judged += 1;
    const bool fine = plausible(v[0]) && plausible(v[1]) && plausible(v[2]);
    sums.coordinates += fine ? 1 : 0;
    sums.fourth += v[3] >= 0.0 && v[3] <= 65'535.0 ? 1 : 0;
    sums.fifth += v[4] >= 0.0 && v[4] <= 255.0 && (v[4] == std::floor(v[4]) || v[4] < 10.0) ? 1 : 0;
    const bool colour = std::all_of(v.begin() + 3, v.end(), [](double c) { return c >= 0.0 && c <= 255.0; });
    sums.colours += colour ? 1 : 0;
    double gap = 0, size = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      gap += std::abs(v.at(c) - next.at(c));
      size += std::abs(v.at(c)) + std::abs(next.at(c));
    }
    sums.smooth += fine && gap < 0.25 * size ? 1 : 0;
  }
  judged = std::max(judged, 1.0);
  return {sums.coordinates / judged, sums.fourth / judged, sums.fifth / judged, sums.colours / judged,
          sums.smooth / judged};
}

class FloatRowReader final : public SceneReader {
 public:
  FloatRowReader(std::size_t columns, Extra extra, std::string_view format, std::string_view title)
      : columns_(columns), extra_(extra), format_(format), title_(title) {}

  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const override {
    const std::size_t row_bytes = columns_ * 4;
    if (bytes.empty() || bytes.size() % row_bytes != 0) return {};
    const Plausibility p = judge(bytes, columns_);
    // The wrong number of columns shifts every row: coordinates, attributes and neighbours all stop making
    // sense.
    double attributes = p.fourth;
    if (extra_ == Extra::intensity_ring) attributes = p.fourth * p.fifth;
    if (extra_ == Extra::rgb) attributes = p.colours;
    double confidence =
        0.9 * p.coordinates * p.coordinates * attributes * attributes * (0.5 + (0.5 * p.smooth));
    if (extra_ == Extra::intensity_ring && file_name.ends_with(".pcd.bin"))
      confidence = std::min(0.95, confidence * 1.2);
    if (!file_name.ends_with(".bin")) confidence *= 0.8;
    return {confidence, "size is a multiple of " + std::to_string(row_bytes) + ", " +
                            percent_text(p.coordinates, 0) +
                            " of the sampled rows have plausible coordinates"};
  }

  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    const std::size_t row_bytes = columns_ * 4;
    if (bytes.empty()) throw Error(ErrorKind::input, std::string(file_name) + ": is empty");
    if (bytes.size() % row_bytes != 0) {
      throw Error(ErrorKind::input,
                  std::string(file_name) + ": " + count_text(static_cast<std::int64_t>(bytes.size())) +
                      " bytes is not a multiple of " + std::to_string(row_bytes) + " (" +
                      std::string(title_) + " as float32); is it truncated or another format?");
    }
    const std::size_t rows = bytes.size() / row_bytes;
    PointSink sink(columns(bytes, rows), static_cast<std::int64_t>(rows), file_name, limits, job);
    std::array<double, 6> values{};
    for (std::size_t at = 0; at < rows; ++at) {
      for (std::size_t c = 0; c < columns_; ++c)
        values.at(c) = static_cast<double>(load<float>(bytes.data() + (((at * columns_) + c) * 4)));
      sink.add(values);
    }
    return sink.take(file_name, format_, title_);
  }

 private:
  [[nodiscard]] std::vector<Column> columns(std::span<const std::byte> bytes, std::size_t rows) const {
    std::vector<Column> all{{"", Attribute::x}, {"", Attribute::y}, {"", Attribute::z}};
    if (extra_ == Extra::rgb) {
      all.insert(all.end(), {{"", Attribute::red}, {"", Attribute::green}, {"", Attribute::blue}});
    } else {
      all.push_back({"", Attribute::intensity});
    }
    if (extra_ == Extra::intensity_ring) all.push_back({fifth_name(bytes, rows), Attribute::none});
    return all;
  }
  /// The fifth of five columns has no fixed meaning: its values decide between a ring and an elongation.
  [[nodiscard]] std::string fifth_name(std::span<const std::byte> bytes, std::size_t rows) const {
    constexpr double most_elongation = 10.0;
    bool whole = true, elongation = true;
    for (std::size_t at = 0; at < rows; ++at) {
      const auto value = static_cast<double>(load<float>(bytes.data() + (((at * columns_) + 4) * 4)));
      whole = whole && value >= 0.0 && value == std::floor(value);
      elongation = elongation && value >= 0.0 && value < most_elongation;
    }
    if (whole) return "ring";
    return elongation ? "elongation" : "column 5";
  }

  std::size_t columns_;
  Extra extra_;
  std::string_view format_, title_;
};

/// Share of the sampled float32 values that `good` accepts.
template <class Good> double share_of(std::span<const std::byte> bytes, ByteOrder order, const Good& good) {
  constexpr std::size_t samples = 4096;
  const std::size_t count = bytes.size() / 4, step = std::max<std::size_t>(1, count / samples);
  double seen = 0, accepted = 0;
  for (std::size_t at = 0; at < count; at += step, seen += 1)
    accepted += good(static_cast<double>(load<float>(bytes.data() + (at * 4), order))) ? 1 : 0;
  return accepted / std::max(seen, 1.0);
}

}  // namespace

std::string why_no_float_rows(std::span<const std::byte> bytes) {
  if (bytes.size() % 16 != 0 && bytes.size() % 20 != 0 && bytes.size() % 24 != 0) {
    return " bytes are no multiple of 16 (KITTI), 20 (nuScenes) or 24 (x,y,z,r,g,b as float32; truncated?)";
  }
  const auto finite = [](double value) { return std::isfinite(value); };
  if (share_of(bytes, ByteOrder::little, finite) == 0.0)
    return " bytes, and as float32 no value is finite (NaN or infinite)";
  constexpr double most = 0.9, gain = 0.2;
  const double little = share_of(bytes, ByteOrder::little, plausible);
  const double big = share_of(bytes, ByteOrder::big, plausible);
  if (big > most && big > little + gain)
    return " bytes that look like big-endian float32, expected little-endian";
  return " bytes whose float32 values make no plausible rows of x,y,z and intensity or colours";
}

const SceneReader& kitti_reader() noexcept {
  static const FloatRowReader reader(4, Extra::intensity, "kitti", "KITTI");
  return reader;
}
const SceneReader& nuscenes_reader() noexcept {
  static const FloatRowReader reader(5, Extra::intensity_ring, "nuscenes", "nuScenes or Waymo");
  return reader;
}
const SceneReader& xyzrgb_reader() noexcept {
  static const FloatRowReader reader(6, Extra::rgb, "xyzrgb", "rows of float32");
  return reader;
}

}  // namespace spira
