// A LAZ chunk of point formats 6 to 10: each field is a layer with a separate decoder.
#pragma once

#include "engine/scene/laz_fields.hpp"
#include "engine/scene/laz_points.hpp"

#include <array>
#include <memory>
#include <optional>

namespace spira {

class LayeredChunk final : public LazChunk {
 public:
  /// `at` is the byte after the first record, which is in `record`.
  LayeredChunk(std::span<const std::byte> file, std::size_t at, std::byte* record, const LazItems& items);
  ~LayeredChunk() override;
  [[nodiscard]] bool next() override;
  [[nodiscard]] std::size_t end() const override { return end_; }
  [[nodiscard]] std::uint32_t points() const noexcept { return points_; }

 private:
  struct Channel;
  void read_layers(std::span<const std::byte> file, std::size_t at, const LazItems& items);
  void select_channel(std::size_t number);
  void read_returns(std::uint32_t changed, bool new_time);
  void read_position(std::size_t context, std::size_t level, std::uint32_t single);
  void read_attributes(std::size_t position_in_returns, bool new_time);
  void read_colour(std::size_t channel);

  std::byte* record_;
  std::byte* colour_field_;
  std::uint32_t points_ = 0;
  std::size_t end_ = 0;
  std::optional<ArithmeticDecoder> position_, height_, class_, intensity_, colour_;
  std::array<std::unique_ptr<Channel>, 4> channels_;  ///< One per channel of the scanner.
  std::size_t channel_ = 0;
  struct ColourChannel {
    ColourDecoder decoder;
    ColourDecoder::Field last;
  };
  std::array<std::unique_ptr<ColourChannel>, 4> colour_channels_;
  std::size_t colour_channel_ = 0;
};

}  // namespace spira
