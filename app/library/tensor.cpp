#include <spira/error.hpp>
#include <spira/tensor.hpp>
#include <utility>

namespace spira::v0 {
namespace {

std::int64_t product_of(const std::vector<std::int64_t>& shape) {
  std::int64_t values = 1;
  for (const std::int64_t length : shape)
    values *= length;
  return values;
}

/// Returns a list as "[3, 4]".
std::string list_text(const std::vector<std::int64_t>& list) {
  std::string text = "[";
  for (const std::int64_t value : list)
    text += (text.size() == 1 ? "" : ", ") + std::to_string(value);
  return text + "]";
}

void require_shape(const std::vector<std::int64_t>& shape) {
  constexpr std::int64_t most = std::int64_t{1} << 48U;
  std::int64_t values = 1;
  for (const std::int64_t length : shape) {
    if (length < 0 || length > most || (length > 0 && values > most / length))
      throw Error(ErrorKind::usage, "tensor: the shape " + list_text(shape) + " is not possible");
    values *= length;
  }
  if (shape.empty()) throw Error(ErrorKind::usage, "tensor: the shape must have at least one dimension");
}

/// Throws unless these are the strides of an array in row-major order without gaps. The stride of a dimension
/// with at most one element has no effect.
void require_row_major(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
  std::vector<std::int64_t> wanted(shape.size());
  std::int64_t values = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; values *= shape[axis])
    wanted[axis] = values;
  bool right = strides.size() == shape.size();
  for (std::size_t axis = 0; right && values > 0 && axis < shape.size(); ++axis)
    right = shape[axis] <= 1 || strides[axis] == wanted[axis];
  if (!right)
    throw Error(ErrorKind::usage, "tensor: the strides are " + list_text(strides) + ", but the shape " +
                                      list_text(shape) + " needs " + list_text(wanted) +
                                      " (row-major order, no gaps); copy the array first");
}

}  // namespace

std::size_t size_of(DataType type) noexcept {
  switch (type) {
    case DataType::float16:
      return 2;
    case DataType::float64:
      return 8;
    case DataType::float32:
    case DataType::int32:
      break;
  }
  return 4;
}

std::string text_of(DataType type) {
  switch (type) {
    case DataType::float16:
      return "float16";
    case DataType::float32:
      return "float32";
    case DataType::float64:
      return "float64";
    case DataType::int32:
      break;
  }
  return "int32";
}

Tensor::Tensor(Tensor&& other) noexcept
    : owner_(std::move(other.owner_)),
      data_(std::exchange(other.data_, nullptr)),
      shape_(std::exchange(other.shape_, {})),
      type_(std::exchange(other.type_, DataType::float32)),
      memory_(std::exchange(other.memory_, Memory::host)) {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  Tensor moved(std::move(other));
  std::swap(owner_, moved.owner_);
  std::swap(data_, moved.data_);
  std::swap(shape_, moved.shape_);
  std::swap(type_, moved.type_);
  std::swap(memory_, moved.memory_);
  return *this;
}

Tensor Tensor::view(const void* data, DataType type, std::vector<std::int64_t> shape, Memory memory,
                    const std::vector<std::int64_t>& strides) {
  if (!strides.empty()) {
    require_shape(shape);
    require_row_major(shape, strides);
  }
  return owning({}, data, type, std::move(shape), memory);
}

Tensor Tensor::owning(std::shared_ptr<const void> owner, const void* data, DataType type,
                      std::vector<std::int64_t> shape, Memory memory) {
  require_shape(shape);
  Tensor tensor;
  tensor.owner_ = std::move(owner);
  tensor.data_ = data;
  tensor.type_ = type;
  tensor.shape_ = std::move(shape);
  tensor.memory_ = memory;
  if (data == nullptr && !tensor.empty())
    throw Error(ErrorKind::usage,
                "tensor: the address is a null pointer, but the shape is " + list_text(tensor.shape_));
  return tensor;
}

Tensor Tensor::view_of(const void* data, std::size_t values, DataType type,
                       const std::vector<std::int64_t>& shape) {
  Tensor tensor = view(data, type, shape);
  if (static_cast<std::size_t>(tensor.size()) != values)
    throw Error(ErrorKind::usage, "tensor: the shape " + list_text(tensor.shape_) + " needs " +
                                      std::to_string(tensor.size()) + " values, but there are " +
                                      std::to_string(values));
  return tensor;
}

const std::vector<std::int64_t>& Tensor::shape() const noexcept {
  static const std::vector<std::int64_t> nothing{0};
  return shape_.empty() ? nothing : shape_;
}

std::int64_t Tensor::size() const noexcept {
  return product_of(shape());
}

void Tensor::require(DataType type) const {
  if (type != type_)
    throw Error(ErrorKind::usage,
                "tensor: the values are " + text_of(type_) + ", but the program reads " + text_of(type));
  if (memory_ != Memory::host)
    throw Error(ErrorKind::usage, "tensor: the values are in GPU memory, but the program reads host memory");
}

}  // namespace spira::v0
