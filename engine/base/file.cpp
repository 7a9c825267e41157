#include "engine/base/file.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace spira {
namespace {

namespace fs = std::filesystem;

Error cannot(const fs::path& file, const std::string& what) {
  return Error(ErrorKind::input, file.string() + ": " + what);
}

constexpr std::uint64_t part_bytes = 8ULL << 20U;  // even a slow disk reads one part within milliseconds

template <class Bytes>
Bytes read_whole(const fs::path& file, std::uint64_t max_bytes, const BetweenParts& between) {
  std::error_code fault;
  const auto status = fs::status(file, fault);
  if (status.type() == fs::file_type::not_found) throw cannot(file, "file not found");
  if (status.type() == fs::file_type::none) throw cannot(file, "cannot be read: " + fault.message());
  if (fs::is_directory(status)) throw cannot(file, "is a folder, expected a file");
  if (!fs::is_regular_file(status)) throw cannot(file, "is a pipe or a device, expected a regular file");
  const std::uint64_t size = fs::file_size(file, fault);
  if (fault) throw cannot(file, "cannot be read: " + fault.message());
  if (size > max_bytes)
    throw cannot(file, "has " + bytes_text(size) + "; the limit is " + bytes_text(max_bytes));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw cannot(file, std::string("cannot be opened: ") + std::strerror(errno));
  Bytes bytes(size, typename Bytes::value_type{});
  for (std::uint64_t done = 0; done < size; done += part_bytes) {
    if (done > 0 && between) between(static_cast<std::int64_t>(done), static_cast<std::int64_t>(size));
    const std::uint64_t part = std::min(part_bytes, size - done);
    stream.read(reinterpret_cast<char*>(bytes.data()) + done, static_cast<std::streamsize>(part));
    if (static_cast<std::uint64_t>(stream.gcount()) != part)
      throw cannot(file, "became shorter while it was read");
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> read_file(const fs::path& file, std::uint64_t max_bytes, const BetweenParts& between) {
  return read_whole<std::vector<std::byte>>(file, max_bytes, between);
}

std::string read_text_file(const fs::path& file, std::uint64_t max_bytes) {
  return read_whole<std::string>(file, max_bytes, {});
}

}  // namespace spira
