#include "engine/scene/arithmetic_decoder.hpp"

#include <algorithm>

namespace spira {
namespace {

constexpr std::uint32_t shortest_length = 1U << 24U;
constexpr unsigned bit_shift = 13, symbol_shift = 15;
constexpr std::uint32_t most_bits_counted = 1U << bit_shift, most_symbols_counted = 1U << symbol_shift;
constexpr std::uint32_t one = 1U << 31U;
constexpr unsigned bits_of_a_plain_class = 8;  // above, the low bits of a correction have no model

std::uint32_t longer(std::uint32_t cycle) {
  return cycle * 5 / 4;
}

}  // namespace

void BitModel::count(bool one_bit) noexcept {
  if (!one_bit) ++zeros_;
  if (--until_adaption_ == 0) adapt();
}

void BitModel::adapt() noexcept {
  all_ += cycle_;
  if (all_ > most_bits_counted) {
    all_ = (all_ + 1) / 2;
    zeros_ = (zeros_ + 1) / 2;
    if (zeros_ == all_) ++all_;
  }
  zero_probability_ = (zeros_ * (one / all_)) >> (31 - bit_shift);
  constexpr std::uint32_t longest_cycle = 64;
  cycle_ = until_adaption_ = std::min(longer(cycle_), longest_cycle);
}

SymbolModel::SymbolModel(std::uint32_t symbols)
    : distribution_(symbols), counts_(symbols, 1), cycle_(symbols) {
  adapt();
  cycle_ = until_adaption_ = (symbols + 6) / 2;
}

void SymbolModel::count(std::uint32_t symbol) noexcept {
  ++counts_[symbol];
  if (--until_adaption_ == 0) adapt();
}

void SymbolModel::adapt() noexcept {
  total_ += cycle_;
  if (total_ > most_symbols_counted) {
    total_ = 0;
    for (std::uint32_t& count : counts_)
      total_ += count = (count + 1) / 2;
  }
  const std::uint32_t scale = one / total_;
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < counts_.size(); ++at) {
    distribution_[at] = (scale * sum) >> (31 - symbol_shift);
    sum += counts_[at];
  }
  const auto longest_cycle = static_cast<std::uint32_t>((counts_.size() + 6) * 8);
  cycle_ = until_adaption_ = std::min(longer(cycle_), longest_cycle);
}

ArithmeticDecoder::ArithmeticDecoder(std::span<const std::byte> bytes, std::size_t at)
    : bytes_(bytes), at_(at) {
  for (int byte = 0; byte < 4; ++byte)
    value_ = (value_ << 8U) | next_byte();
}

std::uint32_t ArithmeticDecoder::next_byte() noexcept {
  const std::size_t at = at_++;
  return at < bytes_.size() ? std::to_integer<std::uint32_t>(bytes_[at]) : 0U;
}

void ArithmeticDecoder::refill() {
  while (length_ < shortest_length) {
    value_ = (value_ << 8U) | next_byte();
    length_ <<= 8U;
  }
}

bool ArithmeticDecoder::bit(BitModel& model) {
  const std::uint32_t zeros = model.zero_probability() * (length_ >> bit_shift);
  const bool one_bit = value_ >= zeros;
  if (one_bit) {
    value_ -= zeros;
    length_ -= zeros;
  } else {
    length_ = zeros;
  }
  refill();
  model.count(one_bit);
  return one_bit;
}

std::uint32_t ArithmeticDecoder::symbol(SymbolModel& model) {
  const auto distribution = model.distribution();
  const std::uint32_t unit = length_ >> symbol_shift;
  const auto after =
      std::upper_bound(distribution.begin(), distribution.end(), value_,
                       [&](std::uint32_t value, std::uint32_t part) { return value < part * unit; });
  const auto found = static_cast<std::size_t>(after - distribution.begin()) - 1;  // the first part is 0
  const std::uint32_t begin = distribution[found] * unit;
  const std::uint32_t end = found + 1 < distribution.size() ? distribution[found + 1] * unit : length_;
  value_ -= begin;
  length_ = end - begin;
  refill();
  const auto symbol = static_cast<std::uint32_t>(found);
  model.count(symbol);
  return symbol;
}

std::uint32_t ArithmeticDecoder::bits(unsigned count) {
  constexpr unsigned most_at_once = 19, half = 16;
  if (count > most_at_once) {
    const std::uint32_t low = bits(half);
    return (bits(count - half) << half) | low;
  }
  length_ >>= count;
  const std::uint32_t value = std::min(value_ / length_, (1U << count) - 1U);
  value_ -= value * length_;
  refill();
  return value;
}

IntegerDecoder::IntegerDecoder(unsigned bits, std::size_t contexts)
    : bits_(bits), classes_(contexts, SymbolModel(bits + 1)) {
  for (unsigned size = 1; size <= bits; ++size)
    corrections_.emplace_back(1U << std::min(size, bits_of_a_plain_class));
}

std::int64_t IntegerDecoder::correction(ArithmeticDecoder& decoder, SymbolModel& classes) {
  const std::uint32_t size = last_class_ = decoder.symbol(classes);
  if (size == 0) return decoder.bit(smallest_) ? 1 : 0;
  constexpr std::uint32_t whole_range = 32;
  if (size == whole_range) return -(std::int64_t{1} << 31U);
  std::uint32_t value = decoder.symbol(corrections_[size - 1]);
  if (size > bits_of_a_plain_class) {
    const unsigned low = size - bits_of_a_plain_class;
    value = (value << low) | decoder.bits(low);
  }
  const std::int64_t half = std::int64_t{1} << (size - 1);
  return value >= half ? std::int64_t{value} + 1 : std::int64_t{value} - ((2 * half) - 1);
}

std::int32_t IntegerDecoder::decode(ArithmeticDecoder& decoder, std::int32_t prediction,
                                    std::size_t context) {
  const std::int64_t value = prediction + correction(decoder, classes_[context]);
  const std::int64_t range = std::int64_t{1} << bits_;
  if (bits_ == 32) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return static_cast<std::int32_t>(value < 0 ? value + range : value >= range ? value - range : value);
}

}  // namespace spira
