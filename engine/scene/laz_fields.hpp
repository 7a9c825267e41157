// The decoders of the fields of a LAZ record. Each field is predicted from earlier records of its chunk.
#pragma once

#include "engine/scene/arithmetic_decoder.hpp"
#include "engine/scene/bytes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace spira {

/// Writes a little-endian number into a record.
template <class Number> void store(std::byte* to, Number value) noexcept {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(to, &value, sizeof value);
}

/// Median of five values that arrive one by one: each replaces the largest or the smallest one in turn.
class RunningMedian {
 public:
  [[nodiscard]] std::int32_t value() const noexcept { return sorted_[2]; }
  void add(std::int32_t value) noexcept {
    if (drops_largest_) {
      drops_largest_ = value < sorted_[2];
      sorted_[4] = value;
    } else {
      drops_largest_ = sorted_[2] >= value;
      sorted_[0] = value;
    }
    std::sort(sorted_.begin(), sorted_.end());
  }

 private:
  std::array<std::int32_t, 5> sorted_{};
  bool drops_largest_ = true;
};

/// A byte with a model per value of the previous one.
class ByteByPrevious {
 public:
  [[nodiscard]] std::byte decode(ArithmeticDecoder& decoder, std::byte previous) {
    auto& model = models_.at(std::to_integer<std::size_t>(previous));
    if (!model) model.emplace(256);
    return static_cast<std::byte>(decoder.symbol(*model));
  }

 private:
  std::array<std::optional<SymbolModel>, 256> models_;
};

inline std::byte sum_of(std::uint32_t correction, std::uint32_t prediction) {
  return static_cast<std::byte>((correction + prediction) & 0xFFU);
}

/// Context of a return by [number of returns][number of this return].
inline constexpr std::array<std::array<std::uint8_t, 8>, 8> return_context{{{15, 14, 13, 12, 11, 10, 9, 8},
                                                                            {14, 0, 1, 3, 6, 10, 10, 9},
                                                                            {13, 1, 2, 4, 7, 11, 11, 10},
                                                                            {12, 3, 4, 5, 8, 12, 12, 11},
                                                                            {11, 6, 7, 8, 9, 13, 13, 12},
                                                                            {10, 10, 11, 12, 13, 14, 14, 13},
                                                                            {9, 10, 11, 12, 13, 14, 15, 14},
                                                                            {8, 9, 10, 11, 12, 13, 14, 15}}};

/// The 20 bytes that all point formats have: coordinates, intensity, returns, class, angle, user data,
/// source.
class CommonDecoder {
 public:
  explicit CommonDecoder(std::byte* record) : record_(record) {
    store(record + intensity_at, std::uint16_t{0});
  }

  void next(ArithmeticDecoder& decoder) {
    const std::uint32_t changed = decoder.symbol(changed_);
    if ((changed & 32U) != 0) record_[14] = returns_.decode(decoder, record_[14]);
    const auto returns = std::to_integer<std::uint32_t>(record_[14]);
    const std::uint32_t number = returns & 7U, of = (returns >> 3U) & 7U;
    const std::size_t context = return_context.at(of).at(number);
    if (changed != 0) {
      read_changed(decoder, changed, context, (returns >> 6U) & 1U);
    }
    read_position(decoder, context, of > number ? of - number : number - of, of == 1 ? 1U : 0U);
  }

 private:
  static constexpr std::size_t intensity_at = 12;

  void read_changed(ArithmeticDecoder& decoder, std::uint32_t changed, std::size_t context,
                    std::size_t direction) {
    std::uint16_t& intensity = last_intensity_.at(context);
    if ((changed & 16U) != 0)
      intensity = static_cast<std::uint16_t>(
          intensity_.decode(decoder, intensity, std::min<std::size_t>(context, 3)));
    store(record_ + intensity_at, intensity);
    if ((changed & 8U) != 0) record_[15] = class_.decode(decoder, record_[15]);
    if ((changed & 4U) != 0)
      record_[16] = sum_of(decoder.symbol(angle_.at(direction)), std::to_integer<std::uint32_t>(record_[16]));
    if ((changed & 2U) != 0) record_[17] = user_.decode(decoder, record_[17]);
    if ((changed & 1U) != 0)
      store(record_ + 18,
            static_cast<std::uint16_t>(source_.decode(decoder, load<std::uint16_t>(record_ + 18), 0)));
  }

  void read_position(ArithmeticDecoder& decoder, std::size_t context, std::size_t level,
                     std::uint32_t single) {
    const auto add_to = [&](std::size_t at, std::int32_t difference) {
      store(record_ + at, static_cast<std::uint32_t>(difference) + load<std::uint32_t>(record_ + at));
    };
    const auto even = [](std::uint32_t size, std::uint32_t most) { return size < most ? size & ~1U : most; };
    const std::int32_t dx = x_.decode(decoder, median_x_.at(context).value(), single);
    add_to(0, dx);
    median_x_.at(context).add(dx);
    const std::int32_t dy =
        y_.decode(decoder, median_y_.at(context).value(), single + even(x_.last_class(), 20));
    add_to(4, dy);
    median_y_.at(context).add(dy);
    const std::uint32_t size = (x_.last_class() + y_.last_class()) / 2;
    std::int32_t& height = last_height_.at(level);
    height = z_.decode(decoder, height, single + even(size, 18));
    store(record_ + 8, height);
  }

  std::byte* record_;
  SymbolModel changed_{64};
  ByteByPrevious returns_, class_, user_;
  std::array<SymbolModel, 2> angle_{SymbolModel(256), SymbolModel(256)};
  IntegerDecoder intensity_{16, 4}, source_{16, 1}, x_{32, 2}, y_{32, 22}, z_{32, 20};
  std::array<RunningMedian, 16> median_x_, median_y_;
  std::array<std::uint16_t, 16> last_intensity_{};
  std::array<std::int32_t, 8> last_height_{};
};

/// GPS times: up to four sequences, each with its usual difference from one time to the next.
class GpsTimeDecoder {
 public:
  explicit GpsTimeDecoder(std::byte* field) : field_(field) { sequence().time = load<std::uint64_t>(field); }

  void next(ArithmeticDecoder& decoder) {
    while (switches_sequence(decoder)) {
      if (decoder.overrun()) return;
    }
    store(field_, sequence().time);
  }

 private:
  struct Sequence {
    std::uint64_t time = 0;
    std::int32_t difference = 0;
    int unusual = 0;  ///< how often in a row the usual difference was far off
  };
  static constexpr std::int32_t most = 500, least = -10;
  static constexpr std::uint32_t unchanged = 511, new_sequence = 512;

  [[nodiscard]] Sequence& sequence() { return sequences_.at(current_); }

  /// Reads one code. Returns true if it only selects another sequence, whose code follows.
  bool switches_sequence(ArithmeticDecoder& decoder) {
    Sequence& now = sequence();
    if (now.difference != 0) return switches_known(decoder);
    const std::uint32_t code = decoder.symbol(first_code_);
    if (code == 1) {
      now.difference = difference_.decode(decoder, 0, 0);
      add(now, now.difference);
      now.unusual = 0;
    } else if (code == 2) {
      begin_sequence(decoder);
    } else if (code > 2) {
      current_ = (current_ + code - 2) % sequences_.size();
      return true;
    }
    return false;
  }

  bool switches_known(ArithmeticDecoder& decoder) {
    Sequence& now = sequence();
    const std::uint32_t code = decoder.symbol(code_);
    if (code == new_sequence) {
      begin_sequence(decoder);
    } else if (code > new_sequence) {
      current_ = (current_ + code - new_sequence) % sequences_.size();
      return true;
    } else if (code == 1) {
      add(now, difference_.decode(decoder, now.difference, 1));
      now.unusual = 0;
    } else if (code != unchanged) {
      add_multiple(decoder, now, static_cast<std::int32_t>(code));
    }
    return false;
  }

  /// The time grew by about `code` times the usual difference.
  void add_multiple(ArithmeticDecoder& decoder, Sequence& now, std::int32_t code) {
    std::int32_t factor = code <= most ? code : most - code;
    std::size_t context = 7;
    if (code > most) {
      context = factor > least ? 5 : 6;
      factor = std::max(factor, least);
    } else if (code > 0) {
      context = code == most ? 4 : code < 10 ? 2 : 3;
    }
    const auto prediction = static_cast<std::int32_t>(static_cast<std::uint32_t>(factor) *
                                                      static_cast<std::uint32_t>(now.difference));
    const std::int32_t difference = difference_.decode(decoder, prediction, context);
    add(now, difference);
    if (factor != 0 && factor != most && factor != least) return;
    constexpr int most_unusual = 3;
    if (++now.unusual <= most_unusual) return;
    now.difference = difference;
    now.unusual = 0;
  }

  void begin_sequence(ArithmeticDecoder& decoder) {
    const auto high = static_cast<std::int32_t>(sequence().time >> 32U);
    newest_ = (newest_ + 1) % sequences_.size();
    current_ = newest_;
    const auto upper = static_cast<std::uint32_t>(difference_.decode(decoder, high, 8));
    sequence() = {(std::uint64_t{upper} << 32U) | decoder.bits(32), 0, 0};
  }

  static void add(Sequence& to, std::int32_t difference) {
    to.time += static_cast<std::uint64_t>(std::int64_t{difference});
  }

  std::byte* field_;
  SymbolModel code_{516}, first_code_{6};
  IntegerDecoder difference_{32, 9};
  std::array<Sequence, 4> sequences_{};
  std::size_t current_ = 0, newest_ = 0;
};

/// Three channels of 16 bits; green and blue are predicted from the change of the channels before them.
class ColourDecoder {
 public:
  using Field = std::array<std::byte, 6>;
  [[nodiscard]] static Field load(const std::byte* from) {
    Field field{};
    std::copy_n(from, field.size(), field.begin());
    return field;
  }

  /// Replaces the last colour in `field` by the next one.
  void next(ArithmeticDecoder& decoder, Field& field) {
    const Field last = field;
    const std::uint32_t changed = decoder.symbol(changed_);
    const auto value = [](std::byte one) { return std::to_integer<int>(one); };
    const auto read = [&](std::size_t model, std::size_t byte, int prediction) {
      if ((changed & (1U << model)) == 0) return;
      const int shifted = std::clamp(value(last.at(byte)) + prediction, 0, 255);
      field.at(byte) = sum_of(decoder.symbol(byte_.at(model)), static_cast<std::uint32_t>(shifted));
    };
    read(0, 0, 0);
    read(1, 1, 0);
    constexpr std::uint32_t coloured = 1U << 6U;
    if ((changed & coloured) == 0) {
      for (std::size_t byte = 2; byte < 6; ++byte)
        field.at(byte) = field.at(byte % 2);
      return;
    }
    for (std::size_t half = 0; half < 2; ++half) {
      const int red = value(field.at(half)) - value(last.at(half));
      read(2 + half, 2 + half, red);
      const int green = value(field.at(2 + half)) - value(last.at(2 + half));
      read(4 + half, 4 + half, (red + green) / 2);
    }
  }

 private:
  SymbolModel changed_{128};
  std::vector<SymbolModel> byte_{6, SymbolModel(256)};
};

class ExtraBytesDecoder {
 public:
  ExtraBytesDecoder(std::byte* field, std::size_t bytes) : field_(field), models_(bytes, SymbolModel(256)) {}
  void next(ArithmeticDecoder& decoder) {
    for (std::size_t at = 0; at < models_.size(); ++at)
      field_[at] = sum_of(decoder.symbol(models_[at]), std::to_integer<std::uint32_t>(field_[at]));
  }

 private:
  std::byte* field_;
  std::vector<SymbolModel> models_;
};

}  // namespace spira
