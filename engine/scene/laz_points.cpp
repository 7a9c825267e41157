#include "engine/scene/laz_points.hpp"

#include "engine/base/error.hpp"
#include "engine/scene/laz_fields.hpp"
#include "engine/scene/laz_layers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace spira {
namespace {

constexpr std::size_t common_bytes = 20, gps_time_bytes = 8, colour_bytes = 6;

/// The content of the record "laszip encoded", which describes the compression; empty if there is none.
std::span<const std::byte> laz_record(std::span<const std::byte> file, std::size_t header_bytes,
                                      std::size_t offset) {
  constexpr std::size_t record_header = 54;
  constexpr std::uint16_t laz_id = 22204;
  const std::size_t end = std::min(offset, file.size());
  for (std::size_t at = header_bytes; at < end && end - at >= record_header;) {
    const auto bytes = load<std::uint16_t>(&file[at + 20]);
    if (bytes > end - at - record_header) return {};
    const bool found = load<std::uint16_t>(&file[at + 18]) == laz_id &&
                       text_of(file.subspan(at + 2, 16)).starts_with("laszip encoded");
    if (found) return file.subspan(at + record_header, bytes);
    at += record_header + bytes;
  }
  return {};
}

/// A chunk of version 2: all fields of a record share one decoder.
class PointwiseChunk final : public LazChunk {
 public:
  PointwiseChunk(std::span<const std::byte> file, std::size_t at, std::byte* record, const LazItems& items)
      : decoder_(file, at), common_(record) {
    std::byte* field = record + common_bytes;
    if (items.gps_time) gps_time_.emplace(field);
    field += items.gps_time ? gps_time_bytes : 0;
    if (items.colour) {
      colour_.emplace();
      last_colour_ = ColourDecoder::load(field);
      colour_field_ = field;
      field += colour_bytes;
    }
    if (items.extra_bytes > 0) extra_.emplace(field, items.extra_bytes);
  }
  [[nodiscard]] bool next() override {
    common_.next(decoder_);
    if (gps_time_) gps_time_->next(decoder_);
    if (colour_) {
      colour_->next(decoder_, last_colour_);
      std::copy(last_colour_.begin(), last_colour_.end(), colour_field_);
    }
    if (extra_) extra_->next(decoder_);
    return !decoder_.overrun();
  }
  [[nodiscard]] std::size_t end() const override { return decoder_.position(); }

 private:
  ArithmeticDecoder decoder_;
  CommonDecoder common_;
  std::optional<GpsTimeDecoder> gps_time_;
  std::optional<ColourDecoder> colour_;
  ColourDecoder::Field last_colour_{};
  std::byte* colour_field_ = nullptr;
  std::optional<ExtraBytesDecoder> extra_;
};

}  // namespace

LazPoints::LazPoints(std::span<const std::byte> file, std::size_t header_bytes, std::size_t offset,
                     std::size_t record_bytes, std::string_view file_name)
    : file_(file), at_(offset + 8), record_bytes_(record_bytes), file_name_(file_name) {
  read_items(laz_record(file, header_bytes, offset));  // the points begin with the position of a table
  record_.resize(record_bytes);
}

LazPoints::~LazPoints() = default;

Error LazPoints::refusal(const std::string& why) const {
  return {ErrorKind::input, file_name_ + ": LAZ with " + why +
                                " cannot be read; decompress it, for instance with pdal translate " +
                                file_name_ + " scan.las"};
}

Error LazPoints::truncation() const {
  return {ErrorKind::input, file_name_ + ": the compressed points end after " + std::to_string(read_) +
                                " of the promised ones (truncated?)"};
}

void LazPoints::read_items(std::span<const std::byte> record) {
  constexpr std::size_t fixed_bytes = 34, item_bytes = 6;
  if (record.size() < fixed_bytes) throw refusal("no or an incomplete record \"laszip encoded\"");
  constexpr unsigned pointwise = 2, layered = 3;
  const unsigned compressor = load<std::uint16_t>(record.data());
  items_.layered = compressor == layered;
  if ((compressor != pointwise && compressor != layered) || load<std::uint16_t>(&record[2]) != 0)
    throw refusal("compressor " + std::to_string(compressor));
  chunk_size_ = load<std::uint32_t>(&record[12]);
  if (!items_.layered && (chunk_size_ < 2 || chunk_size_ == 0xFFFF'FFFFU))
    throw refusal("chunks of varying sizes");
  const std::size_t count = load<std::uint16_t>(&record[32]);
  if (record.size() < fixed_bytes + (count * item_bytes)) throw refusal("an incomplete list of items");
  std::size_t sum = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const std::byte* item = &record[fixed_bytes + (at * item_bytes)];
    const unsigned type = load<std::uint16_t>(item), version = load<std::uint16_t>(item + 4);
    const std::size_t bytes = load<std::uint16_t>(item + 2);
    if (!items_.add({type, version, bytes}))
      throw refusal("item " + std::to_string(type) + " of version " + std::to_string(version));
    sum += bytes;
  }
  if (sum != record_bytes_)
    throw refusal("items of " + std::to_string(sum) + " bytes in points of " + std::to_string(record_bytes_));
}

bool LazItems::add(const LazItem& item) {
  constexpr unsigned extra = 0, common = 6, gps = 7, rgb = 8, wave = 9;  // of point formats 0 to 5
  constexpr unsigned common_14 = 10, rgb_14 = 11, rgb_nir_14 = 12, wave_14 = 13, extra_14 = 14;
  const bool first = std::exchange(any_, true) == false;
  if (item.version != (layered ? 3U : 2U) || extra_bytes > 0 || item.type == wave) return false;
  if (first)
    return item.type == (layered ? common_14 : common) && item.bytes == (layered ? 30U : common_bytes);
  if (item.type == (layered ? extra_14 : extra)) {
    extra_bytes = item.bytes;
    return item.bytes > 0;
  }
  if (layered && item.type == wave_14) {
    layers_after_colour += 1;
    return true;
  }
  if (!layered && item.type == gps) {
    const bool fits = !gps_time && !colour && item.bytes == gps_time_bytes;
    gps_time = true;
    return fits;
  }
  const bool with_nir = layered && item.type == rgb_nir_14;
  if (colour || layers_after_colour > 0 || (item.type != (layered ? rgb_14 : rgb) && !with_nir)) return false;
  colour = true;
  layers_after_colour += with_nir ? 1 : 0;
  return item.bytes == colour_bytes + (with_nir ? 2U : 0U);
}

void LazPoints::begin_chunk() {
  if (chunk_) at_ = chunk_->end();
  chunk_.reset();
  if (at_ > file_.size() || file_.size() - at_ < record_bytes_) throw truncation();
  std::copy_n(file_.begin() + static_cast<std::ptrdiff_t>(at_), record_bytes_, record_.begin());
  in_chunk_ = 0;
  if (!items_.layered) return;
  auto chunk = std::make_unique<LayeredChunk>(file_, at_ + record_bytes_, record_.data(), items_);
  chunk_size_ = chunk->points();
  if (chunk_size_ == 0 || chunk->end() > file_.size()) throw truncation();
  chunk_ = std::move(chunk);
}

const std::byte* LazPoints::next() {
  if (in_chunk_ == chunk_size_ || read_ == 0) {
    begin_chunk();
  } else {
    if (!chunk_)
      chunk_ = std::make_unique<PointwiseChunk>(file_, at_ + record_bytes_, record_.data(), items_);
    if (!chunk_->next()) throw truncation();
  }
  ++in_chunk_;
  ++read_;
  return record_.data();
}

}  // namespace spira
