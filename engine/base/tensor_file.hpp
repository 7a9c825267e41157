// Reads .safetensors files: 8 bytes of header length, a JSON header, then the tensors.
#pragma once

#include "engine/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct Tensor {
  std::string type;  ///< Example: "F32".
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< Byte positions in the data section.
};

/// The header of a .safetensors file. The bytes of the file must outlive this object.
class TensorFile {
 public:
  /// Checks the header: every tensor lies inside the file, no two tensors overlap, and the sizes of tensors
  /// of known types agree with their shapes. Throws Error(input) whose message begins with `name`.
  TensorFile(std::span<const std::byte> bytes, std::string name);

  [[nodiscard]] const std::map<std::string, Tensor>& tensors() const noexcept { return tensors_; }
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const noexcept { return metadata_; }
  /// Returns the tensor with this name, or `nullptr` if there is none.
  [[nodiscard]] const Tensor* find(const std::string& name) const;
  /// Returns the values of a tensor of the type F32 or F16.
  [[nodiscard]] std::vector<float> floats(const Tensor& tensor) const;
  /// Returns the values of a tensor of the type I32 or I64.
  [[nodiscard]] std::vector<std::int64_t> integers(const Tensor& tensor) const;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Error fault(const std::string& text) const;

 private:
  void require_disjoint() const;

  std::span<const std::byte> bytes_;
  std::string name_;
  std::uint64_t data_ = 0;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
};

/// Returns what to do instead of reading the file, if its bytes are a PyTorch checkpoint (a ZIP archive with
/// a pickle, or a pickle): such files can execute code, so they are never read. Returns an empty text for
/// all other files.
[[nodiscard]] std::string checkpoint_fault(std::string_view bytes);
/// The same for a file. Returns an empty text if the file cannot be read.
[[nodiscard]] std::string checkpoint_fault(const std::filesystem::path& file);

/// Returns the shape as text, such as "[27, 16, 32]".
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace spira
