// The entropy decoder of LAZ: an adaptive range coder with 32 bits of state, as specified for LASzip.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spira {

/// Probability of a single bit, adapted to the bits that were decoded so far.
class BitModel {
 public:
  [[nodiscard]] std::uint32_t zero_probability() const noexcept { return zero_probability_; }
  void count(bool one) noexcept;

 private:
  void adapt() noexcept;
  std::uint32_t zeros_ = 1, all_ = 2, zero_probability_ = 1U << 12U;
  std::uint32_t cycle_ = 4, until_adaption_ = 4;
};

/// Probabilities of `symbols` values, adapted to the values that were decoded so far.
class SymbolModel {
 public:
  explicit SymbolModel(std::uint32_t symbols);
  [[nodiscard]] std::span<const std::uint32_t> distribution() const noexcept { return distribution_; }
  void count(std::uint32_t symbol) noexcept;

 private:
  void adapt() noexcept;
  std::vector<std::uint32_t> distribution_, counts_;
  std::uint32_t total_ = 0, cycle_, until_adaption_ = 0;
};

class ArithmeticDecoder {
 public:
  /// Starts to decode at byte `at`. Bytes after the end of `bytes` count as 0; overrun() reports them.
  ArithmeticDecoder(std::span<const std::byte> bytes, std::size_t at);

  [[nodiscard]] bool bit(BitModel& model);
  [[nodiscard]] std::uint32_t symbol(SymbolModel& model);
  [[nodiscard]] std::uint32_t bits(unsigned count);  ///< up to 32
  [[nodiscard]] std::size_t position() const noexcept { return at_; }
  [[nodiscard]] bool overrun() const noexcept { return at_ > bytes_.size(); }

 private:
  void refill();
  [[nodiscard]] std::uint32_t next_byte() noexcept;

  std::span<const std::byte> bytes_;
  std::size_t at_;
  std::uint32_t value_ = 0, length_ = 0xFFFF'FFFFU;
};

/// Decodes whole numbers as a prediction and a correction, whose size class has a model per context.
class IntegerDecoder {
 public:
  IntegerDecoder(unsigned bits, std::size_t contexts);
  [[nodiscard]] std::int32_t decode(ArithmeticDecoder& decoder, std::int32_t prediction, std::size_t context);
  /// Size class of the last correction: the number of its bits.
  [[nodiscard]] std::uint32_t last_class() const noexcept { return last_class_; }

 private:
  [[nodiscard]] std::int64_t correction(ArithmeticDecoder& decoder, SymbolModel& classes);
  unsigned bits_;
  std::vector<SymbolModel> classes_;      ///< one per context
  BitModel smallest_;                     ///< corrections of class 0
  std::vector<SymbolModel> corrections_;  ///< of class 1 and above
  std::uint32_t last_class_ = 0;
};

}  // namespace spira
