#include "engine/base/file.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>

namespace spira {
namespace {

namespace fs = std::filesystem;

Error cannot(const fs::path& file, const std::string& what) {
  return Error(ErrorKind::input, file.string() + ": " + what);
}

template <class Bytes> Bytes read_whole(const fs::path& file, std::uint64_t max_bytes) {
  std::error_code fault;
  const auto status = fs::status(file, fault);
  if (status.type() == fs::file_type::not_found) throw cannot(file, "there is no such file");
  if (status.type() == fs::file_type::none) throw cannot(file, "cannot be read: " + fault.message());
  if (fs::is_directory(status)) throw cannot(file, "is a folder, expected a file");
  if (!fs::is_regular_file(status)) throw cannot(file, "is not a regular file");
  const std::uint64_t size = fs::file_size(file, fault);
  if (fault) throw cannot(file, "cannot be read: " + fault.message());
  if (size > max_bytes)
    throw cannot(file, "has " + bytes_text(size) + ", " + bytes_text(max_bytes) + " at the most");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw cannot(file, std::string("cannot be opened: ") + std::strerror(errno));
  Bytes bytes(size, typename Bytes::value_type{});
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (static_cast<std::uint64_t>(stream.gcount()) != size)
    throw cannot(file, "became shorter while it was read");
  return bytes;
}

}  // namespace

std::vector<std::byte> read_file(const fs::path& file, std::uint64_t max_bytes) {
  return read_whole<std::vector<std::byte>>(file, max_bytes);
}

std::string read_text_file(const fs::path& file, std::uint64_t max_bytes) {
  return read_whole<std::string>(file, max_bytes);
}

void write_file(const fs::path& file, std::string_view bytes) {
  fs::path temporary = file;
  temporary += ".part" + std::to_string(std::random_device{}());
  const auto give_up = [&](const std::string& why) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return cannot(file, "cannot be written: " + why);
  };
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    if (!stream) throw give_up(std::strerror(errno));
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.flush();
    if (!stream) throw give_up(std::strerror(errno));
  }
  std::error_code fault;
  fs::rename(temporary, file, fault);
  if (fault) throw give_up(fault.message());
}

}  // namespace spira
