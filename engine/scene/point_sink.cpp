#include "engine/scene/point_sink.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace spira {
namespace {

constexpr double most_m = 1e9;  ///< map coordinates have up to 1e7

// A scene takes as much again when it is voxelised, and again when it is drawn.
constexpr std::uint64_t share_for_points = 3;

std::size_t bytes_of(const RowAttributes& attributes) {
  return sizeof(Point) + (attributes.intensity ? sizeof(float) : 0) +
         (attributes.colour ? sizeof(Colour) : 0) + (attributes.label ? sizeof(std::uint32_t) : 0);
}

bool absurd(double coordinate) {
  return std::abs(coordinate) > most_m;
}

std::string rounded(double value) {
  constexpr int digits = 4;
  std::array<char, 32> out{};
  const auto end =
      std::to_chars(out.data(), out.data() + out.size(), value, std::chars_format::general, digits);
  return {out.data(), end.ptr};
}

}  // namespace

PointSink::PointSink(RowAttributes attributes, std::int64_t rows, std::string_view file_name,
                     const ReadLimits& limits, Job& job)
    : attributes_(attributes), rows_(rows), every_(std::max<std::int64_t>(1, limits.every)), job_(job) {
  const auto count = static_cast<std::size_t>((rows + every_ - 1) / every_);
  const std::size_t need = count * bytes_of(attributes);
  if (limits.free_bytes && need > *limits.free_bytes) {
    const std::int64_t every = every_that_fits(static_cast<std::uint64_t>(rows), bytes_of(attributes),
                                               *limits.free_bytes / share_for_points);
    std::string text = std::string(file_name) + ": " + count_text(static_cast<std::int64_t>(count)) +
                       " points need " + bytes_text(need) + ", " + bytes_text(*limits.free_bytes) +
                       " are free";
    if (every > 0) text += "; " + every_text(every) + " point would fit";
    throw NotEnoughMemory(text, every);
  }
  cloud_.every = every_;
  cloud_.positions.reserve(count);
  if (attributes.intensity) cloud_.intensity.reserve(count);
  if (attributes.colour) cloud_.colour.reserve(count);
  if (attributes.label) cloud_.label.reserve(count);
}

void PointSink::add(const PointRow& row) {
  constexpr std::int64_t rows_per_checkpoint = 65'536;
  if (seen_++ % rows_per_checkpoint == 0) job_.checkpoint({"reading points", seen_, rows_});
  if ((seen_ - 1) % every_ != 0) return;
  const Point& p = row.position;
  if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) {
    ++cloud_.dropped_non_finite;
    return;
  }
  if (absurd_ == 0 && (absurd(p[0]) || absurd(p[1]) || absurd(p[2]))) {
    absurd_ = seen_;
    absurd_position_ = p;
  }
  cloud_.positions.push_back(p);
  if (attributes_.intensity) cloud_.intensity.push_back(std::isfinite(row.intensity) ? row.intensity : 0.0F);
  if (attributes_.colour) cloud_.colour.push_back(row.colour);
  if (attributes_.label) cloud_.label.push_back(row.label);
}

void PointSink::note_left_over(std::uint64_t bytes) {
  if (bytes == 0) return;
  cloud_.notes.push_back(counted_text(static_cast<std::int64_t>(bytes),
                                      "byte after the last point was not read",
                                      "bytes after the last point were not read"));
}

PointCloud PointSink::take(std::string_view file_name, std::string_view format, std::string_view columns) {
  if (absurd_ != 0) {
    const auto axis = static_cast<std::size_t>(
        std::find_if(absurd_position_.begin(), absurd_position_.end(), absurd) - absurd_position_.begin());
    throw Error(ErrorKind::input, std::string(file_name) + ": point " + count_text(absurd_) + " lies at " +
                                      std::string(1, "xyz"[axis]) + " = " +
                                      rounded(absurd_position_.at(axis)) +
                                      " m; is the byte order or the format wrong?");
  }
  if (cloud_.positions.empty()) {
    const std::string what =
        seen_ == 0 ? "holds no points"
                   : "none of its " + count_text(seen_) + " points is finite (NaN or infinite coordinates)";
    throw Error(ErrorKind::input, std::string(file_name) + ": " + what);
  }
  cloud_.format = format;
  cloud_.reading = "read as " + printable(columns) + "; " + counted_text(cloud_.size(), "point", "points");
  if (every_ > 1) cloud_.reading += ", " + every_text(every_) + " of " + count_text(seen_);
  cloud_.in_file = seen_;
  if (cloud_.dropped_non_finite > 0) {
    cloud_.notes.push_back(counted_text(cloud_.dropped_non_finite, "point was not finite and was dropped",
                                        "points were not finite and were dropped"));
  }
  return std::move(cloud_);
}

std::uint8_t colour_level(double value, bool unit_range) noexcept {
  if (!std::isfinite(value)) return 0;
  return static_cast<std::uint8_t>(std::lround(std::clamp(unit_range ? value * 255.0 : value, 0.0, 255.0)));
}

}  // namespace spira
