// The points of a LAZ file: compressed LAS with point formats 0 to 3 and 6 to 10.
#pragma once

#include "engine/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// A group of fields, as the file lists it.
struct LazItem {
  unsigned type, version;
  std::size_t bytes;
};

/// The fields of a record.
struct LazItems {
  bool layered = false;  ///< Point formats 6 to 10: each field has a separate decoder.
  bool gps_time = false, colour = false;
  std::size_t layers_after_colour = 0, extra_bytes = 0;
  /// Returns false for an item that is unknown, or that comes in an unknown order.
  [[nodiscard]] bool add(const LazItem& item);

 private:
  bool any_ = false;
};

/// The decoders of one chunk of points.
class LazChunk {
 public:
  LazChunk() = default;
  virtual ~LazChunk() = default;
  LazChunk(const LazChunk&) = delete;
  LazChunk& operator=(const LazChunk&) = delete;
  /// Decodes the next record in place. Returns false if the compressed bytes are exhausted.
  [[nodiscard]] virtual bool next() = 0;
  [[nodiscard]] virtual std::size_t end() const = 0;  ///< The next chunk begins at this byte.
};

/// Decompresses records one after the other.
class LazPoints {
 public:
  /// `file` is the whole file, whose points begin at `offset` and have `record_bytes` when decompressed.
  /// Throws Error(input) if the file does not describe its compression, or describes one that is not known.
  LazPoints(std::span<const std::byte> file, std::size_t header_bytes, std::size_t offset,
            std::size_t record_bytes, std::string_view file_name);
  ~LazPoints();
  LazPoints(const LazPoints&) = delete;
  LazPoints& operator=(const LazPoints&) = delete;

  /// The next record, valid until the next call. Of point formats 6 to 10 only coordinates, returns,
  /// intensity, classification and colour are decoded. Throws Error(input) at the end of the file.
  [[nodiscard]] const std::byte* next();

 private:
  [[nodiscard]] Error refusal(const std::string& why) const;
  [[nodiscard]] Error truncation() const;
  void read_items(std::span<const std::byte> record);
  void begin_chunk();

  std::span<const std::byte> file_;
  std::size_t at_, record_bytes_;
  std::string file_name_;
  LazItems items_;
  std::uint32_t chunk_size_ = 0, in_chunk_ = 0;
  std::uint64_t read_ = 0;
  std::vector<std::byte> record_;
  std::unique_ptr<LazChunk> chunk_;
};

}  // namespace spira
