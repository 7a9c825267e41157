// Finds the layout of raw rows from two kinds of evidence. First, an adaptive code compresses each column
// separately; the layout with the shortest code is probably the right one. Second, the first three columns
// must be possible coordinates.

#include "engine/base/text.hpp"
#include "engine/scene/rows/row_column_facts.hpp"
#include "engine/scene/rows/row_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace spira {
namespace {

constexpr std::size_t min_columns = 3, max_columns = 8;
/// Layouts with more than `max_columns` columns are never accepted. They are tested because they can show
/// that a layout with fewer columns is wrong.
constexpr std::size_t max_rival_columns = 12;
constexpr std::array types{Scalar::f32, Scalar::f64, Scalar::f16};

struct Candidate {
  Scalar type = Scalar::f32;
  std::size_t columns = 0;
  bool planar = false;
  std::size_t left_over = 0;  ///< Number of bytes after the last whole row.
  /// Number of bits that the adaptive code needs for the leading bits of all sampled values, plus a penalty
  /// for unusual layouts.
  double bits = 0.0;
  /// `bits` plus the number of lower bits, which are not coded. Layouts of different types can be compared by
  /// this value.
  double all_bits = 0.0;
  bool possible_type = true;  ///< True if the values of every column can have this type.
  std::string fault{};        ///< The reason why the layout is impossible. Empty if it is possible.
  std::vector<ColumnFacts> facts{};
  bool has_normals = false;  ///< True if columns 4 to 6 are normals.

  [[nodiscard]] std::size_t row_bytes() const { return columns * bytes_of(type); }
  [[nodiscard]] bool acceptable() const {
    return fault.empty() && possible_type && columns >= min_columns && columns <= max_columns;
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(columns) + " columns of " + std::string(text_of(type)) + (planar ? ", planar" : "");
  }
};

struct Window {
  /// The offset and the size are multiples of 8, unless the window is the whole file.
  std::size_t offset, bytes;
};

std::vector<Window> windows_of(std::size_t size) {
  constexpr std::size_t whole_bytes = 49'152, count = 12, window_bytes = 4'096;
  if (size <= whole_bytes) return {{0, size}};
  size -= size % 8;
  std::vector<Window> windows;
  for (std::size_t at = 0; at < count; ++at)
    windows.push_back({(size - window_bytes) / (count - 1) * at / 8 * 8, window_bytes});
  return windows;
}

ColumnSamples samples_of(std::span<const std::byte> bytes, const std::vector<Window>& windows,
                         const Candidate& how) {
  const std::size_t width = bytes_of(how.type), rows = bytes.size() / how.row_bytes();
  ColumnSamples columns(how.columns);
  for (const Window& window : windows) {
    for (std::size_t at = window.offset / width; at < (window.offset + window.bytes) / width; ++at) {
      const std::size_t column = how.planar ? std::min(at / rows, how.columns - 1) : at % how.columns;
      columns[column].push_back(bits_at(bytes.data() + (at * width), width));
    }
  }
  return columns;
}

/// Returns how many leading bits of each value are coded: the sign, the exponent and the first bits of the
/// mantissa. The lower bits are not coded, because they are nearly random in every layout.
int leading_bits(Scalar type) {
  constexpr int mantissa = 4;
  return 1 + mantissa + (type == Scalar::f16 ? 5 : type == Scalar::f32 ? 8 : 11);
}

std::uint64_t leading_part(std::uint64_t bits, Scalar type) {
  return bits >> ((8 * bytes_of(type)) - static_cast<unsigned>(leading_bits(type)));
}

double unusual(const Candidate& c, std::string_view file_name) {
  double bits = 0;
  if (c.type == Scalar::f64) bits += 8;
  if (c.type == Scalar::f16) bits += 12;
  if (c.planar) bits += 12;
  if (c.columns > 6) bits += 5;
  if (c.columns == 3) bits += 3;
  if (c.left_over > 0) bits += 10;
  const bool nuscenes = c.type == Scalar::f32 && c.columns == 5 && !c.planar;
  if (file_name.ends_with(".pcd.bin") && !nuscenes) bits += 20;
  return bits;
}

void judge(Candidate& c, std::span<const std::byte> bytes, const std::vector<Window>& windows,
           std::string_view file_name) {
  ColumnSamples columns = samples_of(bytes, windows, c);
  for (std::size_t at = 0; at < c.columns; ++at) {
    c.facts.push_back(facts_of(columns[at], c.type));
    const std::string fault = type_fault(c.facts.back());
    c.possible_type = c.possible_type && fault.empty();
    if (!fault.empty() && c.fault.empty()) c.fault = "column " + std::to_string(at + 1) + " " + fault;
  }
  if (c.fault.empty() && c.columns >= min_columns) c.fault = position_fault(c.facts, columns, c.type);
  constexpr double max_unit = 0.95;
  c.has_normals = c.columns >= 6 && unit_share(columns, 3, c.type) > max_unit;
  const int key_bits = leading_bits(c.type);
  double uncoded = 0;
  c.bits = unusual(c, file_name);
  for (auto& column : columns) {
    for (std::uint64_t& key : column)
      key = leading_part(key, c.type);
    c.bits += code_length(column, key_bits);
    uncoded += static_cast<double>(column.size() * (8 * bytes_of(c.type) - static_cast<unsigned>(key_bits)));
  }
  c.all_bits = c.bits + uncoded;
}

/// Returns true if the values cannot have this type with any number of columns.
bool impossible(Scalar type, std::span<const std::byte> bytes, const std::vector<Window>& windows) {
  const Candidate one{type, 1};
  return bytes.size() < bytes_of(type) ||
         !type_fault(facts_of(samples_of(bytes, windows, one)[0], type)).empty();
}

std::vector<Candidate> candidates_of(std::span<const std::byte> bytes, const std::vector<Window>& windows,
                                     std::string_view file_name) {
  constexpr std::size_t block_bytes = 512;  // A truncated file often ends at the end of a disk block.
  std::vector<Candidate> all;
  for (const Scalar type : types) {
    if (impossible(type, bytes, windows)) continue;
    for (std::size_t columns = 1; columns <= max_rival_columns; ++columns) {
      Candidate c{type, columns};
      if (bytes.size() < c.row_bytes()) break;
      c.left_over = bytes.size() % c.row_bytes();
      if (c.left_over != 0 && bytes.size() % block_bytes != 0)
        c.fault = "leaves " + std::to_string(c.left_over) + " bytes unused";
      all.push_back(c);
      if (columns < min_columns || columns > max_columns || c.left_over != 0) continue;
      c.planar = true;
      all.push_back(c);
    }
  }
  for (Candidate& c : all)
    judge(c, bytes, windows, file_name);
  return all;
}

/// Compares each row with the row that comes `lag` rows later. Returns true if their distance differs between
/// even and odd rows. In this case, two rows may be one row with twice as many columns.
bool comes_in_pairs(std::span<const std::byte> bytes, const Candidate& how, std::size_t lag) {
  constexpr std::size_t max_rows = 4'000;
  const std::size_t rows = std::min(bytes.size() / how.row_bytes(), max_rows);
  const std::size_t width = bytes_of(how.type);
  const auto distance = [&](std::size_t row) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::byte* at = bytes.data() + (row * how.row_bytes()) + (axis * width);
      sum += std::abs(load_scalar(at, how.type) - load_scalar(at + (lag * how.row_bytes()), how.type));
    }
    return sum;
  };
  double less = 0, seen = 0;
  for (std::size_t row = 0; row + lag + 2 < rows; row += 2) {
    const double even = distance(row), odd = distance(row + 1);
    if (!std::isfinite(even + odd) || even == odd) continue;
    seen += 1;
    less += even < odd ? 1 : 0;
  }
  constexpr double sigmas = 5.0;
  return std::abs(less - (seen / 2.0)) > sigmas * std::sqrt(seen) / 2.0;
}

struct Winner {
  const Candidate* best = nullptr;
  /// The number of bits that the code of `best` is shorter than the code of the next candidate of the same
  /// type.
  double margin = std::numeric_limits<double>::infinity();
};

/// Returns true if there are six columns, and columns 4 to 6 look like a second point or are all 0.
bool may_be_two_points(const Candidate& c) {
  if (c.columns != 2 * min_columns) return false;
  const auto later = std::span(c.facts).subspan(min_columns);
  const auto zero = [](const ColumnFacts& facts) { return facts.low == 0.0 && facts.high == 0.0; };
  return (later[0].least < 0.0 && later[1].least < 0.0) || std::all_of(later.begin(), later.end(), zero);
}

/// Returns the candidate with half as many columns as `best` if a row of `best` may consist of two rows. This
/// is possible if the columns of `best` repeat, or if `best` may contain two points per row. Otherwise
/// returns `nullptr`.
const Candidate* half_of(const Candidate& best, const std::vector<Candidate>& all) {
  if (best.planar || best.has_normals) return nullptr;
  for (const Candidate& c : all) {
    if (c.type == best.type && !c.planar && 2 * c.columns == best.columns && c.acceptable() &&
        (repeats(c.facts, best.facts) || may_be_two_points(best)))
      return &c;
  }
  return nullptr;
}

Winner winner_of(Scalar type, const std::vector<Candidate>& all) {
  Winner winner;
  for (const Candidate& c : all) {
    if (c.type == type && c.acceptable() && (winner.best == nullptr || c.bits < winner.best->bits))
      winner.best = &c;
  }
  if (winner.best == nullptr) return winner;
  if (const Candidate* half = half_of(*winner.best, all)) {
    if (half->columns == min_columns)
      winner.margin = 0;  // A row can be two points, or one point with three attributes.
    winner.best = half;
  }
  for (const Candidate& c : all) {
    if (&c == winner.best || c.type != type || !c.possible_type) continue;
    if (c.planar && winner.best->planar) continue;
    const bool multiple = !c.planar && !winner.best->planar && c.columns % winner.best->columns == 0;
    if (multiple && winner.best->columns > min_columns && repeats(winner.best->facts, c.facts)) continue;
    winner.margin = std::min(winner.margin, c.bits - winner.best->bits);
  }
  return winner;
}

/// Returns by how many bits the code of a layout must be shorter than the codes of all other layouts. The
/// minimum grows with the size of the sample, because consecutive values are similar and a small difference
/// per value proves nothing.
double min_margin(const Candidate& c, const std::vector<Window>& windows) {
  constexpr double least = 20.0, min_of_value = 0.05;
  std::size_t bytes = 0;
  for (const Window& window : windows)
    bytes += window.bytes;
  const std::size_t values = bytes / bytes_of(c.type);
  return std::max(least, min_of_value * static_cast<double>(values));
}

/// Returns a text with the best layouts and the faults of the impossible layouts, such as "4 columns of f32;
/// 8 columns of f32 (z extends ...)".
std::string considered(std::vector<Candidate> all) {
  constexpr std::size_t most = 3;
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.possible_type != b.possible_type ? a.possible_type : a.all_bits < b.all_bits;
  });
  std::string text;
  std::size_t listed = 0;
  for (const Candidate& c : all) {
    if (c.columns < min_columns || c.columns > max_columns || listed++ >= most) continue;
    text += (text.empty() ? "" : "; ") + c.text() + (c.fault.empty() ? "" : " (" + c.fault + ")");
  }
  return text;
}

RowVerdict accepted(const Candidate& c, double confidence, const std::string& why) {
  RowVerdict verdict;
  verdict.layout.emplace();
  verdict.layout->type = c.type;
  verdict.layout->columns.resize(c.columns);
  verdict.confidence = confidence;
  verdict.why = c.text() + why;
  return verdict;
}

RowVerdict refused(const std::string& why, const std::vector<Candidate>& all) {
  RowVerdict verdict;
  const std::string list = considered(all);
  verdict.why = why + (list.empty() ? "" : "; considered: " + list);
  return verdict;
}

bool is_zero(const ColumnFacts& facts) {
  return facts.least == 0.0 && facts.most == 0.0;
}

/// Returns true if no coordinate is unusually large or small. If bytes are read as the wrong type, the values
/// have unusual magnitudes. Except for f16, z may be small, because a flat scene that was rotated can have
/// denormal values.
bool has_usual_magnitudes(const Candidate& c) {
  constexpr double max_f16 = 1e3, max_others = 1e7, min_f16 = 1e-3, min_others = 1e-6;
  const bool half = c.type == Scalar::f16;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const ColumnFacts& facts = c.facts[axis];
    if (std::max(std::abs(facts.least), facts.most) > (half ? max_f16 : max_others)) return false;
    if ((axis < 2 || half) && facts.smallest < (half ? min_f16 : min_others)) return false;
  }
  return !is_zero(c.facts[0]) && !is_zero(c.facts[1]);
}

/// Returns true if there are eight columns, and columns 5 to 7 have decimals like coordinates. In that case,
/// each row may be two points with four columns.
bool may_be_two_rows_of_four(const Candidate& c) {
  return c.columns == 8 && !c.planar && !c.facts[4].whole && !c.facts[5].whole && !c.facts[6].whole;
}

/// Finds the layout of a small file. It has too few points for statistics, but often only one usual layout
/// fits.
RowVerdict find_among_usual(const std::vector<Candidate>& all, std::size_t bytes,
                            std::string_view file_name) {
  const Candidate* found = nullptr;
  std::size_t fitting = 0;
  for (const Candidate& c : all) {
    if (c.type != Scalar::f32 || c.planar || c.left_over != 0 || !c.acceptable()) continue;
    if (file_name.ends_with(".pcd.bin") && c.columns != 5) continue;
    if (std::all_of(c.facts.begin(), c.facts.end(), is_zero) || may_be_two_rows_of_four(c)) continue;
    const bool named = c.columns >= 4 && c.columns <= 6;
    if (named && !c.has_normals && !(c.facts[3].least >= 0.0)) continue;
    ++fitting;
    if (named && has_usual_magnitudes(c)) found = &c;
  }
  if (found == nullptr && fitting == 0) return refused("no layout fits", all);
  const std::size_t point_bytes = found == nullptr ? 0 : found->row_bytes();
  const auto is_rival = [&](const Candidate& c) {
    if (!c.acceptable() || c.left_over != 0) return false;
    if (c.planar) return c.type == Scalar::f32 && c.bits < found->bits;
    return c.type == Scalar::f16 && bytes > point_bytes && has_usual_magnitudes(c);
  };
  if (found == nullptr || fitting > 1 || std::any_of(all.begin(), all.end(), is_rival))
    return refused("the file has too few bytes to distinguish the layouts", all);
  return accepted(*found, 0.5, " is the only common layout that fits this file size");
}

}  // namespace

bool is_text(std::span<const std::byte> bytes) noexcept {
  constexpr double least = 0.95;
  std::size_t printable = 0;
  for (const std::byte one : bytes) {
    const auto c = std::to_integer<unsigned char>(one);
    printable += (c >= 0x20U && c < 0x7FU) || (c >= 0x09U && c <= 0x0DU) ? 1 : 0;
  }
  return !bytes.empty() && static_cast<double>(printable) >= least * static_cast<double>(bytes.size());
}

RowVerdict find_row_layout(std::span<const std::byte> bytes, std::string_view file_name) {
  constexpr double min_type_margin = 200.0;
  constexpr std::size_t few_bytes = 192;
  const auto windows = windows_of(bytes.size());
  const auto all = candidates_of(bytes, windows, file_name);
  Winner winner;
  double type_margin = std::numeric_limits<double>::infinity();
  for (const Scalar type : types) {
    const Winner one = winner_of(type, all);
    if (one.best == nullptr) continue;
    if (winner.best != nullptr)
      type_margin = std::min(type_margin, std::abs(winner.best->all_bits - one.best->all_bits));
    if (winner.best == nullptr || one.best->all_bits < winner.best->all_bits) winner = one;
  }
  const double least = winner.best == nullptr ? 0.0 : min_margin(*winner.best, windows);
  if (bytes.size() <= few_bytes) return find_among_usual(all, bytes.size(), file_name);
  if (winner.best == nullptr) return refused("no layout fits", all);
  if (winner.margin < least || type_margin < min_type_margin)
    return refused("no layout fits clearly better than the others", all);
  const Candidate* best = winner.best;
  if (best->planar)
    return refused("the values seem to be stored column by column, but it is not clear where a column ends",
                   all);
  if (best->columns == min_columns && (comes_in_pairs(bytes, *best, 1) || comes_in_pairs(bytes, *best, 2)))
    return refused("3 columns fit, but two adjacent rows may be one point with 6 columns", all);
  constexpr double sure = 0.9;
  return accepted(*best, sure, " fit clearly better than all other layouts");
}

namespace {

/// A table of the base-2 logarithm of the gamma function at n + 1/2 and at n + 1. The Krichevsky-Trofimov
/// estimator needs these values.
class GammaTable {
 public:
  explicit GammaTable(std::size_t size) : half_(size + 2), whole_(size + 2) {
    constexpr double log2_of_root_pi = 0.8257480647361594;
    half_[0] = log2_of_root_pi;
    for (std::size_t n = 0; n + 1 < half_.size(); ++n) {
      half_[n + 1] = half_[n] + std::log2(static_cast<double>(n) + 0.5);
      whole_[n + 1] = whole_[n] + std::log2(static_cast<double>(n) + 1.0);
    }
  }
  /// Returns the code length in bits for a sequence with this number of zeros and ones. The code learns the
  /// frequency of the ones while it codes, so the order of the bits does not matter.
  [[nodiscard]] double bits(std::size_t zeros, std::size_t ones) const {
    return whole_[zeros + ones] + (2.0 * half_[0]) - half_[zeros] - half_[ones];
  }

 private:
  std::vector<double> half_, whole_;
};

/// Returns the mean of two probabilities. The arguments and the result are code lengths in bits, that is,
/// negative logarithms of probabilities.
double mixed(double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  return low + 1.0 - std::log2(1.0 + std::exp2(low - high));
}

double bits_below(std::span<const std::uint64_t> sorted, int bit, const GammaTable& table) {
  double sum = 0.0;
  while (bit > 0 && sorted.size() > 1) {
    --bit;
    const std::uint64_t mask = std::uint64_t{1} << static_cast<unsigned>(bit);
    const auto middle = std::partition_point(sorted.begin(), sorted.end(),
                                             [&](std::uint64_t key) { return (key & mask) == 0; });
    const auto zeros = static_cast<std::size_t>(middle - sorted.begin());
    const std::size_t ones = sorted.size() - zeros;
    sum += mixed(table.bits(zeros, ones), static_cast<double>(sorted.size()));
    const auto smaller = zeros < ones ? sorted.first(zeros) : sorted.subspan(zeros);
    if (!smaller.empty()) sum += bits_below(smaller, bit, table);
    sorted = zeros < ones ? sorted.subspan(zeros) : sorted.first(zeros);
  }
  return sum + (static_cast<double>(bit) * static_cast<double>(sorted.size()));
}

}  // namespace

double code_length(std::span<std::uint64_t> keys, int key_bits) {
  constexpr std::size_t max_keys = 32'768;
  static const GammaTable table(max_keys);
  std::sort(keys.begin(), keys.end());
  double sum = 0.0;
  for (std::size_t at = 0; at < keys.size(); at += max_keys)
    sum += bits_below(std::span<const std::uint64_t>(keys).subspan(at, std::min(max_keys, keys.size() - at)),
                      key_bits, table);
  return sum;
}

}  // namespace spira
