#include "engine/base/error.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/base/text.hpp"

#include <nlohmann/json.hpp>

#include <bit>
#include <limits>
#include <string_view>
#include <utility>
#include <zlib.h>

namespace spira {
namespace {

using Json = nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little, "arrays are written as they are in memory");

std::string_view characters_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Number> void put(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Returns a JSON document as text. Replaces invalid UTF-8, which file names can contain.
std::string json_text(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const char* safetensors_type(ArrayType type) {
  constexpr std::array names{"F16", "F32", "I32", "U8"};
  return names.at(static_cast<std::size_t>(type));
}

/// Builds a zip archive of uncompressed members.
class Archive {
 public:
  explicit Archive(std::string file) : file_(std::move(file)) {}

  void add(const NamedArray& array) {
    const std::string name = array.name + ".npy", header = npy_header(array);
    const std::string_view data = characters_of(array.bytes);
    constexpr std::size_t longest_name = 65'000;
    if (name.size() > longest_name)
      throw fault("the name of an array has " + count_text(static_cast<std::int64_t>(name.size())) +
                  " bytes, which is too long for an .npz file. Write a .safetensors file instead");
    require_small(header.size() + data.size());
    uLong crc = crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size()));
    if (!data.empty())  // For empty data, crc32() would return its initial value instead of `crc`.
      crc = crc32(crc, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size()));
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    std::string facts;                      // Fields that occur in both the local header and the directory.
    put<std::uint16_t>(facts, 20);          // Version needed.
    put<std::uint16_t>(facts, 0x0800);      // Names are UTF-8.
    put<std::uint16_t>(facts, 0);           // Method: not compressed.
    put<std::uint32_t>(facts, 0x00210000);  // A fixed date, 1980-01-01, so that equal runs write equal files.
    put<std::uint32_t>(facts, static_cast<std::uint32_t>(crc));
    put<std::uint32_t>(facts, static_cast<std::uint32_t>(header.size() + data.size()));
    put<std::uint32_t>(facts, static_cast<std::uint32_t>(header.size() + data.size()));
    put<std::uint16_t>(facts, static_cast<std::uint16_t>(name.size()));
    put<std::uint16_t>(facts, 0);  // Length of the extra field.
    put<std::uint32_t>(bytes_, 0x04034B50);
    bytes_.append(facts).append(name).append(header).append(data);
    put<std::uint32_t>(directory_, 0x02014B50);
    put<std::uint16_t>(directory_, 20);  // Version made by.
    directory_.append(facts);
    directory_.append(10, '\0');  // Comment, disk and attributes.
    put<std::uint32_t>(directory_, offset);
    directory_.append(name);
    ++members_;
  }

  [[nodiscard]] std::string take() {
    require_small(directory_.size());
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(directory_);
    put<std::uint32_t>(bytes_, 0x06054B50);
    put<std::uint32_t>(bytes_, 0);  // Numbers of disks.
    put<std::uint16_t>(bytes_, members_);
    put<std::uint16_t>(bytes_, members_);
    put<std::uint32_t>(bytes_, static_cast<std::uint32_t>(directory_.size()));
    put<std::uint32_t>(bytes_, offset);
    put<std::uint16_t>(bytes_, 0);  // Length of the comment.
    return std::move(bytes_);
  }

 private:
  [[nodiscard]] Error fault(const std::string& what) const {
    return Error(ErrorKind::input, file_ + ": " + what);
  }
  void require_small(std::size_t more) const {
    constexpr std::size_t some_headers = 1'000'000;
    const bool fits =
        bytes_.size() + directory_.size() + more + some_headers < std::numeric_limits<std::uint32_t>::max();
    if (!fits || members_ == std::numeric_limits<std::uint16_t>::max())
      throw fault(
          "the arrays exceed the limit of an .npz file (4 GB). Write a .safetensors file, or select fewer "
          "layers");
  }

  std::string file_, bytes_, directory_;
  std::uint16_t members_ = 0;
};

}  // namespace

std::string npy_header(const NamedArray& array) {
  constexpr std::array types{"<f2", "<f4", "<i4", "|u1"};
  std::string shape;
  for (const std::int64_t size : array.shape)
    shape += std::to_string(size) + ", ";
  std::string header = std::string("{'descr': '") + types.at(static_cast<std::size_t>(array.type)) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t prefix = 10, alignment = 64;
  header.resize(((header.size() + prefix + 1 + alignment - 1) / alignment * alignment) - prefix - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  put(bytes, static_cast<std::uint16_t>(header.size()));
  return bytes + header;
}

std::string safetensors_bytes(std::span<const NamedArray> arrays,
                              const std::map<std::string, std::string>& facts) {
  Json header = Json::object();
  if (!facts.empty()) header["__metadata__"] = facts;
  std::size_t end = 0;
  for (const NamedArray& array : arrays) {
    const std::size_t begin = end;
    end += array.bytes.size();
    header[array.name] = {
        {"dtype", safetensors_type(array.type)}, {"shape", array.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = json_text(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string bytes;
  bytes.reserve(8 + text.size() + end);
  put<std::uint64_t>(bytes, text.size());
  bytes += text;
  for (const NamedArray& array : arrays)
    bytes += characters_of(array.bytes);
  return bytes;
}

std::string npz_bytes(std::span<const NamedArray> arrays, const std::map<std::string, std::string>& facts,
                      const std::string& file) {
  Archive archive(file);
  for (const NamedArray& array : arrays)
    archive.add(array);
  const std::string text = json_text(facts);
  archive.add(
      {"metadata", ArrayType::u8, {static_cast<std::int64_t>(text.size())}, std::as_bytes(std::span(text))});
  return archive.take();
}

}  // namespace spira
