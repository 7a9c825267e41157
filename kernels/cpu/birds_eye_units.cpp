// Units of bird's-eye view networks. All methods compute each output with the same kernel and in the same
// order, so their results are equal bit for bit. They only differ in the rectangles of cells that they
// compute together, and in where they keep the inner images.
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "kernels/cpu/cells.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/cpu/panel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spira::cpu {
namespace {

/// A rectangle of cells: rows [first_row, end_row) and columns [first_column, end_column) of an image.
struct Cells {
  std::int64_t first_row = 0, end_row = 0, first_column = 0, end_column = 0;

  [[nodiscard]] std::int64_t rows() const { return end_row - first_row; }
  [[nodiscard]] std::int64_t columns() const { return end_column - first_column; }
  [[nodiscard]] std::int64_t size() const { return rows() * columns(); }
  bool operator==(const Cells&) const = default;
};

struct TileSize {
  std::int64_t rows, columns;
};

Cells intersection(const Cells& a, const Cells& b) {
  return {std::max(a.first_row, b.first_row), std::min(a.end_row, b.end_row),
          std::max(a.first_column, b.first_column), std::min(a.end_column, b.end_column)};
}

/// Some cells of an image in fp32. `data` points to the first of them.
template <class Value> struct PatchOf {
  Cells cells;
  Value* data = nullptr;
  std::int64_t row = 0;  ///< Number of values between two rows.
  int channels = 0;

  [[nodiscard]] Value* at(std::int64_t x, std::int64_t y) const {
    return data + (x - cells.first_row) * row + (y - cells.first_column) * channels;
  }
};
using Patch = PatchOf<const float>;
using WritablePatch = PatchOf<float>;

WritablePatch patch_in(float* data, const Cells& cells, int channels) {
  return {cells, data, cells.columns() * channels, channels};
}
Patch read_only(const WritablePatch& patch) {
  return {patch.cells, patch.data, patch.row, patch.channels};
}

/// Scratch memory of one worker: the part of the input of a unit, the outputs of its inner layers, and the
/// results in fp32.
struct Scratch {
  std::vector<float> loaded, result;
  std::vector<std::vector<float>> inner;
};
float* room_in(std::vector<float>& values, std::int64_t count) {
  if (std::ssize(values) < count) values.resize(static_cast<std::size_t>(count));
  return values.data();
}

/// The geometry and the layers of a unit.
class Unit {
 public:
  explicit Unit(const UnitRequest& request) : request_(request) {
    const auto outputs = output_cells(request);
    input_ = {0, request.cells[0], 0, request.cells[1]};
    output_ = {0, outputs[0], 0, outputs[1]};
  }

  [[nodiscard]] std::size_t layers() const { return request_.layers.size(); }
  [[nodiscard]] const UnitRequest& request() const { return request_; }
  [[nodiscard]] const Cells& output() const { return output_; }
  /// Returns the channels of the input of a layer. For layers(), returns the channels of the result.
  [[nodiscard]] int channels(std::size_t layer) const {
    return layer == layers() ? request_.layers.back().weights->out_channels
                             : request_.layers[layer].weights->in_channels;
  }
  /// Returns the cells of the image that a layer reads. Only the first layer can have a step.
  [[nodiscard]] const Cells& image_cells(std::size_t layer) const { return layer == 0 ? input_ : output_; }
  [[nodiscard]] std::int64_t step(std::size_t layer) const { return layer == 0 ? request_.step : 1; }
  [[nodiscard]] std::int64_t halo(std::size_t layer) const {
    return (request_.layers[layer].kernel_size - 1) / 2;
  }
  /// Returns the inputs of a layer for some of its outputs. They can be outside the image.
  [[nodiscard]] Cells inputs(std::size_t layer, const Cells& outputs) const {
    const std::int64_t s = step(layer), h = halo(layer);
    return {outputs.first_row * s - h, (outputs.end_row - 1) * s + 1 + h, outputs.first_column * s - h,
            (outputs.end_column - 1) * s + 1 + h};
  }
  /// Returns the inputs of a layer for some outputs of the unit.
  [[nodiscard]] Cells inputs_for(std::size_t layer, Cells outputs) const {
    for (std::size_t at = layers(); at-- > layer;)
      outputs = inputs(at, outputs);
    return outputs;
  }
  /// Returns the core of a block without the cells outside the image.
  [[nodiscard]] Cells core(std::int64_t block) const {
    const std::int64_t edge = request_.blocks->shape.core, columns = request_.blocks->grid[1];
    const std::int64_t x = block / columns * edge, y = block % columns * edge;
    return intersection({x, x + edge, y, y + edge}, output_);
  }
  /// Returns the number of values of the inputs of a layer for a tile of outputs.
  [[nodiscard]] std::int64_t values_per_tile(std::size_t layer, const TileSize& size) const {
    return inputs_for(layer, {0, size.rows, 0, size.columns}).size() * channels(layer);
  }
  [[nodiscard]] TileSize core_size() const {
    return {request_.blocks->shape.core, request_.blocks->shape.core};
  }
  /// True if the result is written to the memory of the input.
  [[nodiscard]] bool in_place() const { return request_.residual && !request_.keep_input; }

 private:
  const UnitRequest& request_;
  Cells input_, output_;
};

/// Reads an image, computes layers on parts of it, and writes parts of the result.
class UnitKernels {
 public:
  /// `result` can be `image`.
  UnitKernels(const Unit& unit, const Features& image, Features& result)
      : unit_(unit), image_(image), result_(result) {}

  /// Copies a part of the image. Cells outside the image are 0.
  void load(const WritablePatch& to) const {
    const Cells inside = intersection(to.cells, unit_.image_cells(0));
    if (inside != to.cells) std::fill_n(to.data, to.cells.size() * to.channels, 0.0F);
    if (inside.rows() <= 0 || inside.columns() <= 0) return;
    for (std::int64_t x = inside.first_row; x < inside.end_row; ++x)
      widen(x, inside.first_column, inside.columns() * to.channels, to.at(x, inside.first_column));
  }

  /// Computes the outputs of an inner layer. Cells outside the image become 0.
  void compute(std::size_t layer, const Patch& in, const WritablePatch& out) const {
    const Cells inside = intersection(out.cells, unit_.output());
    if (inside != out.cells) std::fill_n(out.data, out.cells.size() * out.channels, 0.0F);
    if (inside.rows() <= 0 || inside.columns() <= 0) return;
    CellRect rect = rect_of(layer, in, inside);
    rect.relu = unit_.request().layers[layer].relu;
    rect.out = out.at(inside.first_row, inside.first_column);
    rect.out_row = out.row;
    kernels_.convolve(rect);
    if (image_.precision == Precision::fp32) return;
    for (std::int64_t x = inside.first_row; x < inside.end_row; ++x)
      kernels_.round(out.at(x, inside.first_column), inside.columns() * out.channels);
  }

  /// Computes the inputs of the last layer for some outputs of the unit. `to` has space for them; if it is
  /// `nullptr`, they stay in the scratch memory or in the image.
  [[nodiscard]] Patch prepare(const Cells& outputs, Scratch& scratch, float* to) const {
    const std::size_t last = unit_.layers() - 1;
    scratch.inner.resize(last);
    Patch current = last == 0 && to != nullptr ? loaded(outputs, to) : input_for(outputs, scratch);
    for (std::size_t layer = 0; layer < last; ++layer) {
      const Cells cells = unit_.inputs_for(layer + 1, outputs);
      const int channels = unit_.channels(layer + 1);
      float* const data =
          layer + 1 == last && to != nullptr ? to : room_in(scratch.inner[layer], cells.size() * channels);
      const WritablePatch out = patch_in(data, cells, channels);
      compute(layer, current, out);
      current = read_only(out);
    }
    return current;
  }

  /// Computes outputs of the last layer, and writes them to the result.
  void finish(const Patch& in, const Cells& outputs, Scratch& scratch) const {
    const std::size_t last = unit_.layers() - 1;
    const int channels = result_.channels;
    const std::int64_t row = outputs.columns() * channels;
    CellRect rect = rect_of(last, in, outputs);
    rect.relu = unit_.request().layers[last].relu;
    if (result_.precision == Precision::fp32) {
      rect.out_row = rect.residual_row = unit_.output().columns() * channels;
      const std::int64_t first = offset(outputs.first_row, outputs.first_column);
      rect.out = result_.data.host_span<float>().data() + first;
      if (adds_input()) rect.residual = image_.data.host_span<float>().data() + first;
      kernels_.convolve(rect);
      return;
    }
    rect.out = room_in(scratch.result, outputs.rows() * row);
    rect.out_row = rect.residual_row = row;
    if (adds_input()) {
      rect.residual = rect.out;
      for (std::int64_t x = 0; x < outputs.rows(); ++x)
        widen(outputs.first_row + x, outputs.first_column, row, rect.out + x * row);
    }
    kernels_.convolve(rect);
    for (std::int64_t x = 0; x < outputs.rows(); ++x)
      kernels_.narrow(rect.out + x * row, row, half(outputs.first_row + x, outputs.first_column));
  }

  /// Computes outputs of the last layer without residual and, if there is one, without ReLU.
  void compute_sums(const Patch& in, const Cells& outputs, const WritablePatch& out) const {
    const std::size_t last = unit_.layers() - 1;
    CellRect rect = rect_of(last, in, outputs);
    rect.relu = !adds_input() && unit_.request().layers[last].relu;
    rect.out = out.at(outputs.first_row, outputs.first_column);
    rect.out_row = out.row;
    kernels_.convolve(rect);
  }

  /// Adds the residual to sums, and writes them to the result.
  void scatter(const Patch& sums, const Cells& outputs, Scratch& scratch) const {
    const std::int64_t row = outputs.columns() * result_.channels;
    const bool wide = result_.precision == Precision::fp32, relu = unit_.request().layers.back().relu;
    float* const added = room_in(scratch.loaded, row);
    for (std::int64_t x = outputs.first_row; x < outputs.end_row; ++x) {
      const float* from = sums.at(x, outputs.first_column);
      float* const to = wide ? result_.data.host_span<float>().data() + offset(x, outputs.first_column)
                             : room_in(scratch.result, row);
      if (adds_input()) {
        widen(x, outputs.first_column, row, added);
        // The comparison is false for NaN, so NaN stays NaN.
        std::transform(from, from + row, added, to, [relu](float sum, float value) {
          const float both = sum + value;
          return relu && both < 0.0F ? 0.0F : both;
        });
      } else {
        std::copy_n(from, row, to);
      }
      if (!wide) kernels_.narrow(to, row, half(x, outputs.first_column));
    }
  }

  /// Sets outputs that are not computed: copies the input of a unit with a residual, or sets them to 0.
  void set_base(const Cells& outputs) const {
    const std::size_t bytes = bytes_of(result_.precision),
                      row = static_cast<std::size_t>(outputs.columns() * result_.channels) * bytes;
    for (std::int64_t x = outputs.first_row; x < outputs.end_row; ++x) {
      const std::size_t first = static_cast<std::size_t>(offset(x, outputs.first_column)) * bytes;
      std::byte* const to = static_cast<std::byte*>(result_.data.data()) + first;
      if (adds_input()) {
        std::memcpy(to, static_cast<const std::byte*>(image_.data.data()) + first, row);
      } else {
        std::memset(to, 0, row);
      }
    }
  }

 private:
  /// True if the last layer adds the input of the unit.
  [[nodiscard]] bool adds_input() const { return unit_.request().residual; }
  /// Returns what a layer reads for some outputs. The caller sets where it writes them.
  [[nodiscard]] CellRect rect_of(std::size_t layer, const Patch& in, const Cells& outputs) const {
    const UnitLayer& of = unit_.request().layers[layer];
    const Cells inputs = unit_.inputs(layer, outputs);
    CellRect rect;
    rect.rows = outputs.rows();
    rect.columns = outputs.columns();
    rect.kernel_size = of.kernel_size;
    rect.step = static_cast<int>(unit_.step(layer));
    rect.in_channels = of.weights->in_channels;
    rect.out_channels = of.weights->out_channels;
    rect.in = in.at(inputs.first_row, inputs.first_column);
    rect.in_row = in.row;
    rect.weight = of.weights->weight.host_span<float>().data();
    rect.bias = of.weights->bias.host_span<float>().data();
    return rect;
  }
  /// Returns the input of the unit for some outputs: the image itself if it is in fp32 and contains all
  /// cells.
  [[nodiscard]] Patch input_for(const Cells& outputs, Scratch& scratch) const {
    const Cells cells = unit_.inputs_for(0, outputs), image = unit_.image_cells(0);
    // The first layer only computes cells of the image, so it does not read beyond the halo of these cells.
    const Cells computed = intersection(unit_.inputs_for(1, outputs), unit_.output());
    const Cells read = unit_.layers() == 1 ? cells : unit_.inputs(0, computed);
    if (image_.precision == Precision::fp32 && intersection(read, image) == read)
      return {image, image_.data.host_span<float>().data(), image.columns() * image_.channels,
              image_.channels};
    return loaded(outputs, room_in(scratch.loaded, cells.size() * image_.channels));
  }
  [[nodiscard]] Patch loaded(const Cells& outputs, float* to) const {
    const WritablePatch patch = patch_in(to, unit_.inputs_for(0, outputs), image_.channels);
    load(patch);
    return read_only(patch);
  }
  /// Returns the position of an output in the result and in the residual, in values.
  [[nodiscard]] std::int64_t offset(std::int64_t x, std::int64_t y) const {
    return (x * unit_.output().columns() + y) * result_.channels;
  }
  [[nodiscard]] std::uint16_t* half(std::int64_t x, std::int64_t y) const {
    return result_.data.host_span<std::uint16_t>().data() + offset(x, y);
  }
  /// Copies values of one row of the image as fp32.
  void widen(std::int64_t x, std::int64_t y, std::int64_t count, float* to) const {
    const std::int64_t first = (x * unit_.image_cells(0).columns() + y) * image_.channels;
    if (image_.precision == Precision::fp32) {
      std::copy_n(image_.data.host_span<float>().data() + first, count, to);
    } else {
      kernels_.widen(image_.data.host_span<std::uint16_t>().data() + first, count, to);
    }
  }

  const Unit& unit_;
  const Features& image_;
  Features& result_;
  const CellKernels& kernels_ = cell_kernels();
};

/// Tiles of the output image, in the order of their rows.
struct Tiling {
  TileSize size;  ///< Size of a tile. Tiles at the end of the image can be smaller.
  std::vector<Cells> tiles;
};

/// Divides the image into tiles for the dense method. A tile is large, to compute few cells of halos, but its
/// inner images fit the second-level cache, and there are several tiles for each thread.
Tiling dense_tiling(const Unit& unit, int threads) {
  constexpr std::int64_t cache_values = 131'072;  // 512 KB
  constexpr std::array<TileSize, 4> sizes{{{16, 64}, {16, 32}, {16, 16}, {8, 16}}};
  const auto fits = [&](const TileSize& size) {
    std::int64_t values = 0;
    // Layers with K = 1 read the image itself.
    for (std::size_t layer = unit.halo(0) == 0 ? 1 : 0; layer < unit.layers(); ++layer)
      values += unit.values_per_tile(layer, size);
    return values <= cache_values && unit.output().size() >= size.rows * size.columns * 4 * threads;
  };
  const auto* const found = std::find_if(sizes.begin(), sizes.end(), fits);
  Tiling tiling{found == sizes.end() ? sizes.back() : *found, {}};
  const Cells& all = unit.output();
  for (std::int64_t x = 0; x < all.rows(); x += tiling.size.rows) {
    for (std::int64_t y = 0; y < all.columns(); y += tiling.size.columns)
      tiling.tiles.push_back(intersection({x, x + tiling.size.rows, y, y + tiling.size.columns}, all));
  }
  return tiling;
}
Tiling block_tiling(const Unit& unit, std::span<const std::int32_t> blocks) {
  Tiling tiling{unit.core_size(), {}};
  for (const std::int32_t block : blocks)
    tiling.tiles.push_back(unit.core(block));
  return tiling;
}

/// Divides the tiles of a unit that works in place into parts. The unit reads part i + 1 before it writes
/// part i. A part has at least as many rows as the halo. Therefore part i + 1 reads no cells of part i - 1,
/// whose inputs are already overwritten. A part also has several tiles for each thread.
class Parts {
 public:
  Parts(const Unit& unit, const TileSize& size, int threads)
      : min_tiles_(std::int64_t{4} * threads), min_rows_(unit.inputs_for(0, {0, 1, 0, 1}).end_row - 1) {
    const std::int64_t across = (unit.output().columns() + size.columns - 1) / size.columns;
    const std::int64_t down = std::max<std::int64_t>(1, (min_rows_ + size.rows - 1) / size.rows);
    max_tiles_ = std::max(min_tiles_ - 1 + across, down * across);
  }
  /// Returns an upper bound of the number of tiles of a part.
  [[nodiscard]] std::int64_t max_tiles() const { return max_tiles_; }
  /// Returns the index of the first tile of each part, followed by the number of tiles.
  [[nodiscard]] std::vector<std::int64_t> begins(const std::vector<Cells>& tiles) const {
    std::vector<std::int64_t> begins{0};
    for (std::int64_t at = 1; at < std::ssize(tiles); ++at) {
      const Cells &first = tiles[static_cast<std::size_t>(begins.back())],
                  &here = tiles[static_cast<std::size_t>(at)];
      const bool new_row = here.first_row != tiles[static_cast<std::size_t>(at) - 1].first_row;
      if (new_row && at - begins.back() >= min_tiles_ && here.first_row - first.first_row >= min_rows_)
        begins.push_back(at);
    }
    if (!tiles.empty()) begins.push_back(std::ssize(tiles));
    return begins;
  }

 private:
  std::int64_t min_tiles_, min_rows_, max_tiles_ = 0;
};

/// Runs a unit on all threads.
class UnitRun {
 public:
  UnitRun(ThreadPool& threads, std::shared_ptr<MemoryPool> pool, const Unit& unit, const UnitKernels& kernels,
          Job& job)
      : threads_(threads),
        pool_(std::move(pool)),
        unit_(unit),
        kernels_(kernels),
        job_(job),
        scratch_(static_cast<std::size_t>(threads.threads())) {}

  /// Computes all layers of one tile after the other, for the methods dense and fused.
  void fused(const Tiling& tiling) {
    const auto stage = job_.stage("dense");
    name_kernel();
    record_traffic(tiling, 0, image_bytes(), unit_.layers(), image_bytes());
    if (unit_.in_place()) return in_place(tiling);
    for_each(tiling.tiles, [&](std::int64_t, const Cells& outputs, Scratch& mine) {
      kernels_.finish(kernels_.prepare(outputs, mine, nullptr), outputs, mine);
    });
  }

  /// Gathers the blocks, computes one layer after the other on all blocks, and scatters the cores.
  void gathered(const Tiling& tiling) {
    Buffer in = buffer(tiling, 0);
    {
      const auto stage = job_.stage("gather");
      record_traffic(tiling, 0, image_bytes(), 0, sizeof(float));
      for_each(tiling.tiles, [&](std::int64_t at, const Cells& outputs, Scratch&) {
        kernels_.load(patch(in, at, 0, outputs));
      });
    }
    {
      const auto stage = job_.stage("dense");
      name_kernel();
      for (std::size_t layer = 0; layer < unit_.layers(); ++layer) {
        record_traffic(tiling, layer, sizeof(float), layer + 1, sizeof(float));
        Buffer out = buffer(tiling, layer + 1);
        for_each(tiling.tiles, [&](std::int64_t at, const Cells& outputs, Scratch&) {
          const Patch from = read_only(patch(in, at, layer, outputs));
          const WritablePatch to = patch(out, at, layer + 1, outputs);
          layer + 1 < unit_.layers() ? kernels_.compute(layer, from, to)
                                     : kernels_.compute_sums(from, outputs, to);
        });
        in = std::move(out);
      }
    }
    const auto stage = job_.stage("scatter");
    record_traffic(tiling, unit_.layers(), sizeof(float), unit_.layers(), image_bytes());
    for_each(tiling.tiles, [&](std::int64_t at, const Cells& outputs, Scratch& mine) {
      kernels_.scatter(read_only(patch(in, at, unit_.layers(), outputs)), outputs, mine);
    });
  }

  /// Sets the cells of all blocks that are not active.
  void set_base(std::span<const std::int32_t> blocks) {
    const auto stage = job_.stage("scatter");
    const auto& grid = unit_.request().blocks->grid;
    for_each(grid[0], [&](std::int64_t x, Scratch&) {
      auto next = std::lower_bound(blocks.begin(), blocks.end(), x * grid[1]);
      for (std::int64_t block = x * grid[1]; block < (x + 1) * grid[1]; ++block) {
        if (next != blocks.end() && *next == block) {
          ++next;
        } else {
          kernels_.set_base(unit_.core(block));
        }
      }
    });
  }

 private:
  [[nodiscard]] std::size_t image_bytes() const {
    return bytes_of(unit_.request().layers[0].weights->precision);
  }
  /// Records that all tiles read the inputs of one layer and write the inputs of another layer.
  void record_traffic(const Tiling& tiling, std::size_t read, std::size_t read_bytes, std::size_t written,
                      std::size_t written_bytes) {
    const auto bytes = [&](std::size_t layer, std::size_t per_value) {
      std::int64_t cells = 0;
      for (const Cells& outputs : tiling.tiles)
        cells += unit_.inputs_for(layer, outputs).size();
      return cells * unit_.channels(layer) * static_cast<std::int64_t>(per_value);
    };
    job_.traffic(bytes(read, read_bytes), bytes(written, written_bytes));
  }
  void name_kernel() { job_.kernel(std::string(panel_kernels().instructions) + " cells"); }

  /// Computes the inputs of the last layer for a part of the image, and then the outputs of the part before.
  /// The last layer only reads a cell of the image directly before it writes the cell.
  void in_place(const Tiling& tiling) {
    const std::size_t last = unit_.layers() - 1;
    const std::int64_t values = unit_.values_per_tile(last, tiling.size);
    const auto begins = Parts(unit_, tiling.size, threads_.threads()).begins(tiling.tiles);
    std::int64_t most = 0;
    for (std::size_t part = 1; part < begins.size(); ++part)
      most = std::max(most, begins[part] - begins[part - 1]);
    Buffer staged(pool_, static_cast<std::size_t>(2 * most * values) * sizeof(float));
    float* const staged_values = staged.host_span<float>().data();
    // The inputs of two parts are stored at the same time.
    const auto inputs_of = [&](std::size_t part, std::int64_t tile) {
      const std::int64_t at = static_cast<std::int64_t>(part % 2) * most + tile - begins[part];
      return staged_values + at * values;
    };
    const auto for_part = [&](std::size_t part, const auto& body) {
      for_each(begins[part + 1] - begins[part], [&](std::int64_t at, Scratch& mine) {
        const std::int64_t tile = begins[part] + at;
        body(tiling.tiles[static_cast<std::size_t>(tile)], inputs_of(part, tile), mine);
      });
    };
    for (std::size_t part = 0; part < begins.size(); ++part) {
      if (part + 1 < begins.size())
        for_part(part, [&](const Cells& outputs, float* inputs, Scratch& mine) {
          static_cast<void>(kernels_.prepare(outputs, mine, inputs));
        });
      if (part > 0)
        for_part(part - 1, [&](const Cells& outputs, float* inputs, Scratch& mine) {
          const WritablePatch in = patch_in(inputs, unit_.inputs(last, outputs), unit_.channels(last));
          kernels_.finish(read_only(in), outputs, mine);
        });
    }
  }
  /// Returns a buffer for the inputs of a layer for all tiles.
  [[nodiscard]] Buffer buffer(const Tiling& tiling, std::size_t layer) const {
    return {pool_, tiling.tiles.size() * static_cast<std::size_t>(unit_.values_per_tile(layer, tiling.size)) *
                       sizeof(float)};
  }
  /// Returns the inputs of a layer for one block.
  [[nodiscard]] WritablePatch patch(Buffer& buffer, std::int64_t at, std::size_t layer,
                                    const Cells& outputs) const {
    return patch_in(buffer.host_span<float>().data() + at * unit_.values_per_tile(layer, unit_.core_size()),
                    unit_.inputs_for(layer, outputs), unit_.channels(layer));
  }
  template <class Body> void for_each(std::int64_t count, const Body& body) {
    threads_.for_blocks(
        count, 1,
        [&](std::int64_t begin, std::int64_t end, int worker) {
          for (std::int64_t at = begin; at < end; ++at)
            body(at, scratch_[static_cast<std::size_t>(worker)]);
        },
        job_.stop_token());
    job_.checkpoint({"computing a unit", 0, 0});
  }
  template <class Body> void for_each(const std::vector<Cells>& tiles, const Body& body) {
    for_each(std::ssize(tiles),
             [&](std::int64_t at, Scratch& mine) { body(at, tiles[static_cast<std::size_t>(at)], mine); });
  }

  ThreadPool& threads_;
  std::shared_ptr<MemoryPool> pool_;
  const Unit& unit_;
  const UnitKernels& kernels_;
  Job& job_;
  std::vector<Scratch> scratch_;
};

}  // namespace

Features CpuBirdsEye::run_unit(Features& image, const UnitRequest& request, Job& job) {
  require_sound(image, request);
  const Unit unit(request);
  const bool in_place = unit.in_place();
  Features result;
  if (!in_place) {
    const int channels = unit.channels(unit.layers());
    result = {unit.output().size(), channels, image.precision,
              Buffer(pool_, static_cast<std::size_t>(unit.output().size()) *
                                static_cast<std::size_t>(channels) * bytes_of(image.precision))};
  }
  Features& target = in_place ? image : result;
  const UnitKernels kernels(unit, image, target);
  UnitRun run(threads_, pool_, unit, kernels, job);
  if (request.blocks == nullptr) {
    run.fused(dense_tiling(unit, threads_.threads()));
  } else {
    const auto active = static_cast<std::size_t>(request.blocks->count.host_span<std::int64_t>().front());
    const auto blocks = request.blocks->numbers.host_span<std::int32_t>().first(active);
    const Tiling tiling = block_tiling(unit, blocks);
    request.method == UnitMethod::gathered ? run.gathered(tiling) : run.fused(tiling);
    if (!in_place) run.set_base(blocks);
  }
  if (in_place) return std::move(image);
  if (!request.keep_input) image = {};
  return result;
}

UploadedWeights CpuBirdsEye::upload_weights(const LayerWeights& weights, Precision precision) {
  UploadedWeights uploaded = upload(pool_, weights, Precision::fp32);
  uploaded.precision = precision;
  const CellKernels& kernels = cell_kernels();
  const auto values = uploaded.weight.host_span<float>();
  if (precision == Precision::fp16) kernels.round(values.data(), std::ssize(values));
  const std::int64_t inner = std::int64_t{weights.columns} * weights.in_channels;
  Buffer packed(pool_,
                static_cast<std::size_t>(kernels.packed_size(inner, weights.out_channels)) * sizeof(float));
  kernels.pack(values.data(), inner, weights.out_channels, packed.host_span<float>().data());
  uploaded.weight = std::move(packed);
  return uploaded;
}

std::size_t CpuBirdsEye::scratch_bytes(const UnitRequest& request, Precision /*precision*/) const {
  const Unit unit(request);
  const bool dense = request.blocks == nullptr;
  const TileSize size = dense ? dense_tiling(unit, threads_.threads()).size : unit.core_size();
  const auto bytes = [&](std::size_t layer, std::int64_t tiles) {
    return static_cast<std::size_t>(tiles * unit.values_per_tile(layer, size)) * sizeof(float);
  };
  if (request.method != UnitMethod::gathered)
    return unit.in_place() ? bytes(unit.layers() - 1, 2 * Parts(unit, size, threads_.threads()).max_tiles())
                           : 0;
  const std::int64_t blocks = request.blocks->grid[0] * request.blocks->grid[1];
  std::size_t most = 0;
  for (std::size_t layer = 0; layer < unit.layers(); ++layer)
    most = std::max(most, bytes(layer, blocks) + bytes(layer + 1, blocks));
  return most;
}

}  // namespace spira::cpu
