// Writes files of named arrays for NumPy and PyTorch programs: .safetensors and .npz.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace spira {

enum class ArrayType : std::uint8_t { f16, f32, i32, u8 };

/// A row-major, little-endian array. `bytes` refers to memory that must outlive this object.
struct NamedArray {
  std::string name;
  ArrayType type = ArrayType::f32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Returns the bytes of an .npy file before its data.
[[nodiscard]] std::string npy_header(const NamedArray& array);

/// Returns the content of a .safetensors file. `facts` become the "__metadata__" of the file.
[[nodiscard]] std::string safetensors_bytes(std::span<const NamedArray> arrays,
                                            const std::map<std::string, std::string>& facts);

/// Returns the content of an uncompressed .npz file. `facts` become a JSON object in UTF-8, in the uint8
/// array "metadata". Throws `Error(input)` with the name of `file` if the content is larger than the 4 GB of
/// a zip archive, or if a name is longer than 65,000 bytes.
[[nodiscard]] std::string npz_bytes(std::span<const NamedArray> arrays,
                                    const std::map<std::string, std::string>& facts, const std::string& file);

}  // namespace spira
