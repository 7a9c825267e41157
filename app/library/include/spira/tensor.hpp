// Arrays of numbers that programs give to the library and get from it.
//
//   std::vector<float> positions = ...;  // x, y, z of each point
//   auto tensor = spira::Tensor::view(positions, {points, 3});
//   std::span<const float> values = output.features.values<float>();
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <spira/version.hpp>
#include <string>
#include <vector>

namespace spira::v0 {

enum class DataType : std::uint8_t { float16, float32, float64, int32 };
/// Returns the size of a value in bytes.
[[nodiscard]] std::size_t size_of(DataType type) noexcept;
/// Returns "float16", "float32", "float64" or "int32".
[[nodiscard]] std::string text_of(DataType type);

/// The memory of a tensor.
enum class Memory : std::uint8_t { host, cuda };

/// The DataType of a C++ type. float16 has no C++ type, so its values are their 16 bits.
template <class T> struct DataTypeOf;
template <> struct DataTypeOf<std::uint16_t> { static constexpr DataType value = DataType::float16; };
template <> struct DataTypeOf<float> { static constexpr DataType value = DataType::float32; };
template <> struct DataTypeOf<double> { static constexpr DataType value = DataType::float64; };
template <> struct DataTypeOf<std::int32_t> { static constexpr DataType value = DataType::int32; };

/// An array in row-major order: the last dimension is contiguous, and there are no gaps. It either owns its
/// values or is a view of memory of the program. The values cannot be changed through a tensor. Copies share
/// the values, so a copy costs as much as a copy of a pointer. Any thread may read and destroy any copy.
class Tensor {
 public:
  /// An empty tensor of the shape [0] and the type float32 in host memory. A tensor becomes this tensor when
  /// its content is moved to another one.
  Tensor() noexcept = default;
  Tensor(const Tensor& other) = default;
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other) = default;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() = default;
  /// A view of `data`, which must stay valid and unchanged as long as a copy of the tensor exists. `strides`
  /// are the distances between neighbours along each dimension, in values; an empty list means row-major
  /// order. Throws `Error(usage)` if a dimension is negative, if `data` is `nullptr` although the tensor has
  /// values, or if the strides describe another order or gaps.
  [[nodiscard]] static Tensor view(const void* data, DataType type, std::vector<std::int64_t> shape,
                                   Memory memory = Memory::host,
                                   const std::vector<std::int64_t>& strides = {});
  /// A view of values in host memory. Throws `Error(usage)` also if `values` and `shape` have different
  /// sizes.
  template <class T>
  [[nodiscard]] static Tensor view(const std::vector<T>& values, const std::vector<std::int64_t>& shape) {
    return view_of(values.data(), values.size(), DataTypeOf<T>::value, shape);
  }
  /// Like the first view(), but every copy shares the ownership of `owner`, which keeps `data` valid.
  [[nodiscard]] static Tensor owning(std::shared_ptr<const void> owner, const void* data, DataType type,
                                     std::vector<std::int64_t> shape, Memory memory = Memory::host);

  /// The address of the first value. Can be `nullptr` if the tensor is empty. If memory() is `cuda`, only the
  /// device can read it.
  [[nodiscard]] const void* data() const noexcept { return data_; }
  [[nodiscard]] DataType type() const noexcept { return type_; }
  [[nodiscard]] Memory memory() const noexcept { return memory_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const noexcept;
  /// The first dimension. For features, this is the number of voxels.
  [[nodiscard]] std::int64_t rows() const noexcept { return shape().front(); }
  /// The number of values: the product of all dimensions.
  [[nodiscard]] std::int64_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// The values in row-major order. Valid as long as a copy of the tensor exists. Throws `Error(usage)` if
  /// the values have another type or are not in host memory.
  template <class T> [[nodiscard]] std::span<const T> values() const {
    require(DataTypeOf<T>::value);
    return {static_cast<const T*>(data_), static_cast<std::size_t>(size())};
  }

 private:
  static Tensor view_of(const void* data, std::size_t values, DataType type,
                        const std::vector<std::int64_t>& shape);
  void require(DataType type) const;

  std::shared_ptr<const void> owner_;
  const void* data_ = nullptr;
  std::vector<std::int64_t> shape_;  ///< No dimension means [0], so that moves need no memory.
  DataType type_ = DataType::float32;
  Memory memory_ = Memory::host;
};

}  // namespace spira::v0
