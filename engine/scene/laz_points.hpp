// The points of a LAZ file: compressed LAS with point formats 0 to 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// Decompresses records one after the other.
class LazPoints {
 public:
  /// `file` is the whole file, whose points begin at `offset` and have `record_bytes` when decompressed.
  /// Throws Error(input) if the file has no LAZ record or uses a scheme other than chunks of version 2.
  LazPoints(std::span<const std::byte> file, std::size_t header_bytes, std::size_t offset,
            std::size_t record_bytes, std::string_view file_name);
  ~LazPoints();
  LazPoints(const LazPoints&) = delete;
  LazPoints& operator=(const LazPoints&) = delete;

  /// The next record, valid until the next call. Throws Error(input) at the end of the file.
  [[nodiscard]] const std::byte* next();

 private:
  class Chunk;
  struct Items {
    bool gps_time = false, colour = false;
    std::size_t extra_bytes = 0;
  };
  [[nodiscard]] Items items_of(std::span<const std::byte> record);
  void begin_chunk();

  std::span<const std::byte> file_;
  std::size_t at_, record_bytes_;
  std::string file_name_;
  Items items_;
  std::uint32_t chunk_size_ = 0, in_chunk_ = 0;
  std::uint64_t read_ = 0;
  std::vector<std::byte> record_;
  std::unique_ptr<Chunk> chunk_;
};

}  // namespace spira
