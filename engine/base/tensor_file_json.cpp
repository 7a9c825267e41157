// Parses the JSON header of a .safetensors file and checks every length.
#include "engine/base/fields_json.hpp"
#include "engine/base/fp16.hpp"
#include "engine/base/tensor_file.hpp"
#include "engine/base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <utility>

namespace spira {
namespace {

using Json = nlohmann::json;
static_assert(std::endian::native == std::endian::little,
              "tensors are little-endian and are copied as they are");

/// Returns the bytes of one value, or 0 for a type that this program does not read.
std::uint64_t bytes_of_type(const std::string& type) {
  if (type == "F32" || type == "I32") return 4;
  if (type == "F16") return 2;
  return type == "I64" ? 8 : 0;
}

class HeaderReader {
 public:
  HeaderReader(const TensorFile& file, std::uint64_t file_bytes, std::uint64_t data_bytes)
      : file_(file), file_bytes_(file_bytes), data_bytes_(data_bytes) {}

  [[nodiscard]] Tensor tensor(const std::string& key, const Json& value) const {
    const auto bad = [&](const std::string& why) {
      return file_.fault("tensor " + shortened(key) + ": " + why);
    };
    if (!value.is_object() || !value.contains("dtype") || !value["dtype"].is_string() ||
        !value.contains("shape") || !value.contains("data_offsets")) {
      throw bad("expected dtype, shape and data_offsets");
    }
    Tensor result;
    constexpr std::size_t max_sizes = 9;  // A dense output has up to 8, and a batch one more.
    const Json &shape = value["shape"], &offsets = value["data_offsets"];
    result.type = value["dtype"].get<std::string>();
    std::uint64_t count = 1;
    if (!shape.is_array() || shape.size() > max_sizes) throw bad("shape must be an array of up to 9 sizes");
    for (const Json& size : shape) {
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() > file_bytes_)
        throw bad("a size is larger than the file");
      result.shape.push_back(size.get<std::int64_t>());
      if (size.get<std::uint64_t>() != 0 && count > file_bytes_ / size.get<std::uint64_t>())
        throw bad("the tensor is larger than the file");
      count *= size.get<std::uint64_t>();
    }
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned()) {
      throw bad("data_offsets must be [begin, end]");
    }
    result.begin = offsets[0].get<std::uint64_t>();
    result.end = offsets[1].get<std::uint64_t>();
    if (result.begin > result.end || result.end > data_bytes_)
      throw bad("data_offsets are invalid or beyond the end of the file");
    const std::uint64_t value_bytes = bytes_of_type(result.type);
    if (value_bytes != 0 && result.end - result.begin != count * value_bytes)
      throw bad("data_offsets do not match the shape");
    return result;
  }

 private:
  const TensorFile& file_;
  std::uint64_t file_bytes_, data_bytes_;
};

// The pickle is the first member of an archive that torch.save writes.
constexpr std::size_t checkpoint_start_bytes = 4'096;

}  // namespace

std::string checkpoint_fault(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, checkpoint_start_bytes);
  const bool archive = start.starts_with("PK") && start.find("data.pkl") != std::string_view::npos;
  // A pickle begins with the byte 0x80, its protocol and the code of its first operation. Scans can begin
  // with any two bytes, so the third byte is checked, too.
  constexpr std::string_view operations = "(]}c\x8a\x95";
  const bool pickle = start.size() > 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5 &&
                      operations.find(start[2]) != std::string_view::npos;
  if (!archive && !pickle) return {};
  return "is a PyTorch checkpoint or another Python pickle, which is not read because it can execute code; "
         "export the model with the "
         "Python package spira_export";
}

std::string checkpoint_fault(const std::filesystem::path& file) {
  std::string start(checkpoint_start_bytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return checkpoint_fault(std::string_view(start).substr(0, static_cast<std::size_t>(stream.gcount())));
}

TensorFile::TensorFile(std::span<const std::byte> bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {
  std::uint64_t header_bytes = 0;
  if (bytes_.size() < 8)
    throw fault("has " + std::to_string(bytes_.size()) + " bytes; a .safetensors file has at least 8");
  std::memcpy(&header_bytes, bytes_.data(), 8);
  if (header_bytes > bytes_.size() - 8) {
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    if (const std::string checkpoint = checkpoint_fault(text); !checkpoint.empty()) throw fault(checkpoint);
    throw fault("the header has " + std::to_string(header_bytes) + " bytes, but only " +
                std::to_string(bytes_.size() - 8) + " bytes follow");
  }
  data_ = 8 + header_bytes;
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + 8, header_bytes);
  const Json header = parse_json_object(text, name_ + ": header");
  const HeaderReader reader(*this, bytes_.size(), bytes_.size() - data_);
  for (const auto& [key, value] : header.items()) {
    if (key != "__metadata__") {
      tensors_[key] = reader.tensor(key, value);
    } else if (value.is_object()) {
      for (const auto& [fact, content] : value.items())
        if (content.is_string()) metadata_[fact] = content.get<std::string>();
    }
  }
  require_disjoint();
}

void TensorFile::require_disjoint() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const auto& [key, tensor] : tensors_)
    ranges.emplace_back(tensor.begin, tensor.end);
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t at = 1; at < ranges.size(); ++at) {
    if (ranges[at].first < ranges[at - 1].second) throw fault("tensors overlap");
  }
}

Error TensorFile::fault(const std::string& text) const {
  return Error(ErrorKind::input, name_ + ": " + text);
}

const Tensor* TensorFile::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

std::vector<float> TensorFile::floats(const Tensor& tensor) const {
  SPIRA_ASSERT(tensor.type == "F32" || tensor.type == "F16", "the tensor has a different type");
  const bool half = tensor.type == "F16";
  const std::size_t count = (tensor.end - tensor.begin) / (half ? 2 : 4);
  std::vector<float> values(count);
  const std::byte* from = bytes_.data() + data_ + tensor.begin;
  if (!half) {
    if (count != 0) std::memcpy(values.data(), from, count * 4);
    return values;
  }
  for (std::size_t at = 0; at < count; ++at) {
    Fp16 value = 0;
    std::memcpy(&value, from + (at * 2), 2);
    values[at] = fp16_to_float(value);
  }
  return values;
}

std::vector<std::int64_t> TensorFile::integers(const Tensor& tensor) const {
  SPIRA_ASSERT(tensor.type == "I32" || tensor.type == "I64", "the tensor has a different type");
  const std::size_t value_bytes = tensor.type == "I32" ? 4 : 8;
  std::vector<std::int64_t> values((tensor.end - tensor.begin) / value_bytes);
  const std::byte* from = bytes_.data() + data_ + tensor.begin;
  for (std::size_t at = 0; at < values.size(); ++at) {
    std::int32_t narrow = 0;
    if (value_bytes == 4) {
      std::memcpy(&narrow, from + (at * 4), 4);
      values[at] = narrow;
    } else {
      std::memcpy(&values[at], from + (at * 8), 8);
    }
  }
  return values;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t at = 0; at < shape.size(); ++at)
    text += (at == 0 ? "" : ", ") + std::to_string(shape[at]);
  return text + "]";
}

}  // namespace spira
