#include "engine/scene/laz_layers.hpp"

#include <algorithm>
#include <utility>

namespace spira {
namespace {

constexpr std::size_t returns_at = 14, flags_at = 15, class_at = 16, colour_at = 30;

/// Context of a position by [number of returns][number of this return].
constexpr std::array<std::array<std::uint8_t, 16>, 16> position_context{{
    {0, 1, 2, 3, 4, 5, 3, 4, 4, 5, 5, 5, 5, 5, 5, 5},
    {1, 0, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3},
    {2, 1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3},
    {3, 3, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    {4, 3, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    {5, 3, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    {3, 3, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4},
    {4, 3, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4},
    {4, 3, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4},
    {5, 3, 4, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4},
    {5, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 4, 4, 4},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 4, 4},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 4},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5},
    {5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5},
}};

/// Models of `symbols` values that are made when they are needed.
class Models {
 public:
  Models(std::size_t count, std::uint32_t symbols) : models_(count), symbols_(symbols) {}
  SymbolModel& operator[](std::size_t at) {
    auto& model = models_.at(at);
    if (!model) model.emplace(symbols_);
    return *model;
  }

 private:
  std::vector<std::optional<SymbolModel>> models_;
  std::uint32_t symbols_;
};

}  // namespace

/// The last point and the models of one channel of the scanner.
struct LayeredChunk::Channel {
  std::int32_t x, y, z;
  std::uint16_t intensity;
  std::byte classification;
  std::uint32_t number, of;  ///< Number of the last return, and of how many.
  bool new_time = false;     ///< the last point had another time than the one before it
  Models changed{8, 128}, numbers_of_returns{16, 16}, numbers{16, 16}, classes{64, 256};
  SymbolModel next_channel{3}, same_time_number{13};
  IntegerDecoder dx{32, 2}, dy{32, 22}, height{32, 20}, intensities{16, 4};
  std::array<RunningMedian, 12> median_x, median_y;
  std::array<std::int32_t, 8> last_height{};
  std::array<std::uint16_t, 8> last_intensity{};

  explicit Channel(const std::byte* record)
      : x(load<std::int32_t>(record)),
        y(load<std::int32_t>(record + 4)),
        z(load<std::int32_t>(record + 8)),
        intensity(load<std::uint16_t>(record + 12)),
        classification(record[class_at]),
        number(std::to_integer<std::uint32_t>(record[returns_at]) & 15U),
        of(std::to_integer<std::uint32_t>(record[returns_at]) >> 4U) {
    last_height.fill(z);
    last_intensity.fill(intensity);
  }
};

LayeredChunk::LayeredChunk(std::span<const std::byte> file, std::size_t at, std::byte* record,
                           const LazItems& items)
    : record_(record), colour_field_(items.colour ? record + colour_at : nullptr) {
  read_layers(file, at, items);
  channel_ = (std::to_integer<std::size_t>(record[flags_at]) >> 4U) & 3U;
  select_channel(channel_);
  colour_channel_ = channel_;
  if (colour_field_ != nullptr)
    colour_channels_.at(channel_) =
        std::make_unique<ColourChannel>(ColourChannel{{}, ColourDecoder::load(colour_field_)});
}

LayeredChunk::~LayeredChunk() = default;

/// Sizes of all layers come first, then the layers.
void LayeredChunk::read_layers(std::span<const std::byte> file, std::size_t at, const LazItems& items) {
  constexpr std::size_t common_layers = 9, word = 4;
  const std::size_t layers =
      common_layers + (items.colour ? 1 : 0) + items.layers_after_colour + items.extra_bytes;
  end_ = file.size() + 1;
  if (at > file.size() || file.size() - at < word * (layers + 1)) return;
  points_ = load<std::uint32_t>(&file[at]);
  const std::array<std::pair<std::size_t, std::optional<ArithmeticDecoder>*>, 5> used{
      {{0, &position_}, {1, &height_}, {2, &class_}, {4, &intensity_}, {common_layers, &colour_}}};
  std::size_t begin = at + (word * (layers + 1));
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const std::size_t bytes = load<std::uint32_t>(&file[at + (word * (layer + 1))]);
    if (bytes > file.size() - begin) return;
    for (const auto& [number, decoder] : used) {
      const bool read = number < common_layers || items.colour;
      if (number == layer && read && bytes > 0) decoder->emplace(file.subspan(begin, bytes), 0);
    }
    begin += bytes;
  }
  end_ = begin;
}

void LayeredChunk::select_channel(std::size_t number) {
  channel_ = number;
  if (!channels_.at(number)) channels_.at(number) = std::make_unique<Channel>(record_);
}

bool LayeredChunk::next() {
  if (!position_) return false;
  const Channel& last = *channels_.at(channel_);
  const std::size_t context =
      (last.number == 1 ? 1U : 0U) + (last.number >= last.of ? 2U : 0U) + (last.new_time ? 4U : 0U);
  Channel& before = *channels_.at(channel_);
  const std::uint32_t changed = position_->symbol(before.changed[context]);
  constexpr std::uint32_t other_channel = 1U << 6U, other_time = 1U << 4U;
  if ((changed & other_channel) != 0)
    select_channel((channel_ + position_->symbol(before.next_channel) + 1) % channels_.size());
  const bool new_time = (changed & other_time) != 0;
  read_returns(changed, new_time);
  Channel& now = *channels_.at(channel_);
  const std::size_t by_returns = position_context.at(now.of).at(now.number);
  const std::uint32_t level = now.of > now.number ? now.of - now.number : now.number - now.of;
  read_position((by_returns * 2) + (new_time ? 1 : 0), std::min(level, 7U), now.of == 1 ? 1U : 0U);
  read_attributes((now.number == 1 ? 2U : 0U) + (now.number >= now.of ? 1U : 0U), new_time);
  now.new_time = new_time;
  read_colour((changed & other_channel) != 0 ? channel_ : 0);
  return !position_->overrun();
}

void LayeredChunk::read_returns(std::uint32_t changed, bool new_time) {
  Channel& now = *channels_.at(channel_);
  constexpr std::uint32_t other_count = 1U << 2U, kind = 3, all = 16;
  if ((changed & other_count) != 0) now.of = position_->symbol(now.numbers_of_returns[now.of]);
  switch (changed & kind) {
    case 0:
      break;
    case 1:
      now.number = (now.number + 1) % all;
      break;
    case 2:
      now.number = (now.number + all - 1) % all;
      break;
    default:
      now.number = new_time ? position_->symbol(now.numbers[now.number])
                            : (now.number + position_->symbol(now.same_time_number) + 2) % all;
  }
  record_[returns_at] = static_cast<std::byte>(now.number | (now.of << 4U));
}

void LayeredChunk::read_position(std::size_t context, std::size_t level, std::uint32_t single) {
  Channel& now = *channels_.at(channel_);
  const auto sum = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  };
  const auto even = [](std::uint32_t size, std::uint32_t most) { return size < most ? size & ~1U : most; };
  const std::int32_t dx = now.dx.decode(*position_, now.median_x.at(context).value(), single);
  now.median_x.at(context).add(dx);
  now.x = sum(now.x, dx);
  const std::int32_t dy =
      now.dy.decode(*position_, now.median_y.at(context).value(), single + even(now.dx.last_class(), 20));
  now.median_y.at(context).add(dy);
  now.y = sum(now.y, dy);
  if (height_) {
    const std::uint32_t size = (now.dx.last_class() + now.dy.last_class()) / 2;
    std::int32_t& height = now.last_height.at(level);
    height = now.height.decode(*height_, height, single + even(size, 18));
    now.z = height;
  }
  store(record_, now.x);
  store(record_ + 4, now.y);
  store(record_ + 8, now.z);
}

void LayeredChunk::read_attributes(std::size_t position_in_returns, bool new_time) {
  Channel& now = *channels_.at(channel_);
  if (class_) {
    constexpr std::size_t single = 3;
    const std::size_t context = ((std::to_integer<std::size_t>(now.classification) & 31U) * 2) +
                                (position_in_returns == single ? 1 : 0);
    now.classification = static_cast<std::byte>(class_->symbol(now.classes[context]));
  }
  if (intensity_) {
    std::uint16_t& intensity = now.last_intensity.at((position_in_returns * 2) + (new_time ? 1 : 0));
    intensity =
        static_cast<std::uint16_t>(now.intensities.decode(*intensity_, intensity, position_in_returns));
    now.intensity = intensity;
  }
  record_[class_at] = now.classification;
  store(record_ + 12, now.intensity);
}

/// Version 3 of the format has two peculiarities, which writers and readers share: the channel is only known
/// to the colours of points that begin a channel, else it counts as 0; and the first colour after a return to
/// a channel continues, and replaces, the last colour of the channel before it.
void LayeredChunk::read_colour(std::size_t channel) {
  if (colour_field_ == nullptr) return;
  ColourChannel* last = colour_channels_.at(colour_channel_).get();
  auto& now = colour_channels_.at(channel);
  colour_channel_ = channel;
  if (!now) {
    now = std::make_unique<ColourChannel>(ColourChannel{{}, last->last});
    last = now.get();
  }
  if (colour_) now->decoder.next(*colour_, last->last);
  std::copy(last->last.begin(), last->last.end(), colour_field_);
}

}  // namespace spira
