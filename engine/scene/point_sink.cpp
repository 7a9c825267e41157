#include "engine/scene/point_sink.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace spira {
namespace {

constexpr double max_m = 1e9;  ///< The largest plausible coordinate. Coordinates on maps reach 1e7 m.

// The points may use a third of the available memory, because voxelisation and drawing each need about as
// much memory as the points.
constexpr std::uint64_t share_for_points = 3;

bool absurd(double coordinate) {
  return std::abs(coordinate) > max_m;
}

std::string rounded(double value) {
  constexpr int digits = 4;
  std::array<char, 32> out{};
  const auto end =
      std::to_chars(out.data(), out.data() + out.size(), value, std::chars_format::general, digits);
  return {out.data(), end.ptr};
}

std::uint8_t level(double unit) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(unit, 0.0, 1.0) * 255.0));
}

/// Returns a list of the used columns, such as "x, y, z, intensity (Reflectance), r, g, b".
std::string used_text(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    if (column.attribute == Attribute::none || column.attribute >= Attribute::normal_x) continue;
    text += (text.empty() ? "" : ", ") + std::string(text_of(column.attribute));
    const bool other_name =
        attribute_of(column.name) == column.attribute && column.name != text_of(column.attribute);
    if (other_name && column.attribute >= Attribute::intensity && column.name.size() > 1)
      text += " (" + column.name + ")";
  }
  return text;
}

/// Returns a list of the unused columns, such as "ring, time and 3 more". The list is shortened because files
/// can have many columns; a Gaussian splat has 62.
std::string skipped_text(const std::vector<std::string>& names) {
  constexpr std::size_t max_names = 6;
  std::string text;
  const std::size_t shown = names.size() <= max_names + 1 ? names.size() : max_names;
  for (std::size_t at = 0; at < shown; ++at)
    text += (at == 0 ? "" : ", ") + names[at];
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

}  // namespace

PointSink::PointSink(std::vector<Column> columns, std::int64_t rows, std::string_view file_name,
                     const ReadLimits& limits, Job& job)
    : columns_(std::move(columns)), rows_(rows), every_(std::max<std::int64_t>(1, limits.every)), job_(job) {
  column_of_.fill(-1);
  for (std::size_t at = 0; at < columns_.size(); ++at) {
    if (columns_[at].attribute == Attribute::none) continue;
    used_.push_back(at);
    column_of_.at(static_cast<std::size_t>(columns_[at].attribute)) = static_cast<int>(at);
  }
  if (!has_positions(columns_)) throw Error(ErrorKind::internal, "the reader has no columns for x, y and z");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  tallies_.assign(used_.size(), {infinity, -infinity, 0});
  const bool has_intensity = column_of(Attribute::intensity) >= 0,
             has_label = column_of(Attribute::label) >= 0;
  const bool has_colour = column_of(Attribute::red) >= 0 || column_of(Attribute::packed_rgb) >= 0 ||
                          column_of(Attribute::harmonic_red) >= 0;
  const std::size_t point_bytes = sizeof(Point) + (has_intensity ? sizeof(float) : 0) +
                                  (has_colour ? sizeof(Colour) + sizeof(raw_colours_.front()) : 0) +
                                  (has_label ? sizeof(std::uint32_t) : 0);
  const auto count = static_cast<std::size_t>((rows + every_ - 1) / every_);
  const std::size_t need = count * point_bytes;
  if (limits.free_bytes && need > *limits.free_bytes) {
    const std::int64_t every =
        every_that_fits(static_cast<std::uint64_t>(rows), point_bytes, *limits.free_bytes / share_for_points);
    std::string text = std::string(file_name) + ": " + count_text(static_cast<std::int64_t>(count)) +
                       " points need " + bytes_text(need) + ", but only " + bytes_text(*limits.free_bytes) +
                       " is free";
    if (every > 0) text += "; " + every_text(every) + " point would fit";
    throw NotEnoughMemory(text, every);
  }
  cloud_.every = every_;
  cloud_.positions.reserve(count);
  if (has_intensity) cloud_.intensity.reserve(count);
  if (has_colour) raw_colours_.reserve(count);
  if (has_label) cloud_.label.reserve(count);
}

void PointSink::add(std::span<const double> values) {
  constexpr std::int64_t rows_per_checkpoint = 65'536;
  if (seen_++ % rows_per_checkpoint == 0) job_.checkpoint({"reading points", seen_, rows_});
  if ((seen_ - 1) % every_ != 0) return;
  Point p{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    p[axis] = values[static_cast<std::size_t>(column_of_[static_cast<std::size_t>(Attribute::x) + axis])];
  if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) {
    ++cloud_.dropped_non_finite;
    return;
  }
  if (absurd_ == 0 && (absurd(p[0]) || absurd(p[1]) || absurd(p[2]))) {
    absurd_ = seen_;
    absurd_position_ = p;
  }
  cloud_.positions.push_back(p);
  if (used_.size() > 3) add_attributes(values);
}

void PointSink::add_attributes(std::span<const double> values) {
  for (std::size_t at = 0; at < used_.size(); ++at) {
    const double value = values[used_[at]];
    Tally& tally = tallies_[at];
    if (!std::isfinite(value)) {
      ++tally.non_finite;
    } else {
      tally.low = std::min(tally.low, value);
      tally.high = std::max(tally.high, value);
    }
  }
  if (const int at = column_of(Attribute::intensity); at >= 0) {
    const auto value = static_cast<float>(values[static_cast<std::size_t>(at)]);
    cloud_.intensity.push_back(std::isfinite(value) ? value : 0.0F);
  }
  add_colour(values);
  if (const int at = column_of(Attribute::label); at >= 0) add_label(values[static_cast<std::size_t>(at)]);
}

void PointSink::add_colour(std::span<const double> values) {
  if (const int at = column_of(Attribute::packed_rgb); at >= 0) {
    const double value = values[static_cast<std::size_t>(at)];
    const auto bits = value >= 0.0 && value < 4294967296.0 ? static_cast<std::uint32_t>(value) : 0U;
    const auto part = [&](unsigned shift) { return static_cast<float>((bits >> shift) & 0xFFU); };
    raw_colours_.push_back({part(16), part(8), part(0)});
    return;
  }
  const bool harmonics = column_of(Attribute::harmonic_red) >= 0;
  const auto first = static_cast<std::size_t>(harmonics ? Attribute::harmonic_red : Attribute::red);
  if (column_of_.at(first) < 0) return;
  std::array<float, 3> colour{};
  for (std::size_t c = 0; c < 3; ++c) {
    constexpr double harmonic_0 = 0.28209479177387814;  // 1 / (2 sqrt(pi))
    const double value = values[static_cast<std::size_t>(column_of_.at(first + c))];
    colour.at(c) = static_cast<float>(harmonics ? 0.5 + (harmonic_0 * value) : value);
  }
  raw_colours_.push_back(colour);
}

void PointSink::add_label(double value) {
  const bool fine = value >= 0.0 && value < 4294967296.0 && value == std::floor(value);
  odd_labels_ += fine || !std::isfinite(value) ? 0 : 1;  // `tallies_` counts the values that are not finite.
  cloud_.label.push_back(fine ? static_cast<std::uint32_t>(value) : 0U);
}

/// Scales the colours to 0..255. Files store colours as 0..1, 0..255 or 0..65535. The type in the file does
/// not show the range, so the largest value determines it.
void PointSink::finish_colours() {
  if (raw_colours_.empty()) return;
  float low = 0.0F, high = 0.0F;
  for (const auto& colour : raw_colours_) {
    for (const float value : colour) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  const bool harmonics = column_of(Attribute::harmonic_red) >= 0;
  const int red = column_of(Attribute::red);
  const bool integral = red >= 0 && columns_[static_cast<std::size_t>(red)].integral;
  const bool packed = column_of(Attribute::packed_rgb) >= 0;
  constexpr float slack = 0.01F, full_16_bit = 65'535.0F;
  if (!harmonics && (low < -slack || high > full_16_bit)) {
    note("the colours are ignored: their range is " + rounded(static_cast<double>(low)) + " to " +
         rounded(static_cast<double>(high)) + "; expected 0 to 1, 0 to 255 or 0 to 65,535");
    raw_colours_ = {};
    return;
  }
  double full = 255.0;
  if (harmonics || (high <= 1.0F + slack && !integral && !packed)) full = 1.0;
  // Some programs convert 8-bit colours to 16 bits by multiplying by 256, others by 257.
  if (!harmonics && high > 255.0F) {
    constexpr double full_of_256 = 65'280.0;
    constexpr float doubtful = 4'096.0F;
    full = static_cast<double>(high) > full_of_256 ? static_cast<double>(full_16_bit) : full_of_256;
    if (high < doubtful)
      note("colours up to " + rounded(static_cast<double>(high)) + " are read as dark 16-bit values");
  }
  cloud_.colour.reserve(raw_colours_.size());
  for (const auto& colour : raw_colours_) {
    Colour levels{};
    for (std::size_t c = 0; c < 3; ++c) {
      const auto value = static_cast<double>(colour.at(c));
      levels.at(c) = std::isfinite(value) ? level(value / full) : std::uint8_t{0};
    }
    cloud_.colour.push_back(levels);
  }
  raw_colours_ = {};
}

void PointSink::finish_facts() {
  for (std::size_t at = 0; at < used_.size(); ++at) {
    const Column& column = columns_[used_[at]];
    if (column.attribute <= Attribute::z) continue;
    const Tally& tally = tallies_[at];
    const bool any = tally.low <= tally.high;
    const bool kept = column.attribute < Attribute::normal_x;
    cloud_.attributes.push_back({std::string(text_of(column.attribute)), column.name, any ? tally.low : 0.0,
                                 any ? tally.high : 0.0, tally.non_finite, kept});
    if (kept && tally.non_finite > 0) {
      const std::string name = column.attribute == Attribute::intensity
                                   ? "intensity"
                                   : std::string(text_of(column.attribute)) + " value";
      note(counted_text(
          tally.non_finite, name + " is not finite and was replaced by 0",
          (column.attribute == Attribute::intensity ? std::string("intensities")
                                                    : std::string(text_of(column.attribute)) + " values") +
              " are not finite and were replaced by 0"));
    }
  }
  for (std::size_t at = 0; at < columns_.size(); ++at) {
    const Column& column = columns_[at];
    if (column.attribute != Attribute::none && column.attribute < Attribute::normal_x) continue;
    std::string name = printable(column.name);
    if (name.empty())
      name = column.attribute == Attribute::none ? "column " + std::to_string(at + 1)
                                                 : std::string(text_of(column.attribute));
    cloud_.skipped.push_back(std::move(name));
  }
  if (odd_labels_ > 0) {
    note(counted_text(odd_labels_,
                      "label is negative, fractional or above 4,294,967,295 and was replaced by 0",
                      "labels are negative, fractional or above 4,294,967,295 and were replaced by 0"));
  }
}

void PointSink::note_left_over(std::uint64_t bytes) {
  if (bytes == 0) return;
  note(counted_text(static_cast<std::int64_t>(bytes), "byte after the last point was not read",
                    "bytes after the last point were not read"));
}

PointCloud PointSink::take(std::string_view file_name, std::string_view format, std::string_view title) {
  if (absurd_ != 0) {
    const auto axis = static_cast<std::size_t>(
        std::find_if(absurd_position_.begin(), absurd_position_.end(), absurd) - absurd_position_.begin());
    throw Error(ErrorKind::input, std::string(file_name) + ": point " + count_text(absurd_) + " lies at " +
                                      std::string(1, "xyz"[axis]) + " = " +
                                      rounded(absurd_position_.at(axis)) +
                                      " m; check the byte order and the format");
  }
  if (cloud_.positions.empty()) {
    const std::string what =
        seen_ == 0 ? "contains no points"
                   : "none of the " + count_text(seen_) + " points is finite (NaN or infinite coordinates)";
    throw Error(ErrorKind::input, std::string(file_name) + ": " + what);
  }
  if (cloud_.dropped_non_finite > 0) {
    note(counted_text(cloud_.dropped_non_finite, "point was not finite and was dropped",
                      "points were not finite and were dropped"));
  }
  finish_facts();
  finish_colours();
  cloud_.format = format;
  cloud_.reading = "read as " + printable(title) + ": " + printable(used_text(columns_));
  if (!cloud_.skipped.empty()) cloud_.reading += " (not used: " + skipped_text(cloud_.skipped) + ")";
  cloud_.reading += "; " + counted_text(cloud_.size(), "point", "points");
  if (every_ > 1) cloud_.reading += ", " + every_text(every_) + " of " + count_text(seen_);
  cloud_.in_file = seen_;
  return std::move(cloud_);
}

}  // namespace spira
