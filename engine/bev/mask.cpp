#include "engine/bev/mask.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/formats/npy_header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace spira {
namespace {

constexpr std::array<std::pair<MaskSource, std::string_view>, 8> source_names{
    {{MaskSource::all, "all"},
     {MaskSource::occupied, "occupied"},
     {MaskSource::label, "label"},
     {MaskSource::height, "height"},
     {MaskSource::selection, "selection"},
     {MaskSource::file, "file"},
     {MaskSource::top_left, "top-left"},
     {MaskSource::blobs, "blobs"}}};

std::string_view name_of(MaskSource source) {
  return std::find_if(source_names.begin(), source_names.end(),
                      [&](const auto& one) { return one.first == source; })
      ->second;
}

/// Parses the text of a mask without its dilation.
class MaskParser {
 public:
  explicit MaskParser(std::string_view whole) : whole_(whole) {}

  MaskSpec parse() {
    std::string_view text = whole_;
    MaskSpec spec;
    const auto plus = text.rfind('+');
    // A path can contain a plus sign, so only a number after it is a dilation.
    const auto dilation = plus == std::string_view::npos ? std::nullopt : parse_int(text.substr(plus + 1));
    if (dilation) {
      spec.dilation = static_cast<int>(within(dilation, 0, max_dilation, "a dilation of 0 to 1,000 cells"));
      text = text.substr(0, plus);
    }
    const auto colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto* const known = std::find_if(source_names.begin(), source_names.end(),
                                           [&](const auto& one) { return one.second == name; });
    if (known == source_names.end()) fail("unknown source '" + shortened(name) + "'");
    spec.source = known->first;
    argument_ =
        colon == std::string_view::npos ? std::nullopt : std::optional(std::string(text.substr(colon + 1)));
    read_argument(spec);
    return spec;
  }

 private:
  static constexpr std::int64_t max_dilation = 1'000;

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::usage,
                "mask '" + shortened(whole_) + "': " + why +
                    "; expected all, occupied[:POINTS], label:A,B, height:LOW,HIGH, "
                    "file:MASK.npy, top-left:SHARE or blobs:SHARE[:CELLS], each with +CELLS to "
                    "add cells around it");
  }
  std::int64_t within(const std::optional<std::int64_t>& value, std::int64_t low, std::int64_t high,
                      const std::string& expected) const {
    if (!value || *value < low || *value > high) fail("expected " + expected);
    return *value;
  }
  double share(const std::string& text) const {
    const auto value = parse_double(text);
    if (!value || !(*value >= 0 && *value <= 1)) fail("expected a share from 0 to 1");
    return *value;
  }

  void read_argument(MaskSpec& spec) const {
    constexpr std::int64_t many = 1'000'000'000;
    const std::string argument = argument_.value_or("");
    const auto colon = argument.find(':');
    switch (spec.source) {
      case MaskSource::all:
      case MaskSource::selection:
        if (argument_) fail("'" + std::string(name_of(spec.source)) + "' has no argument");
        return;
      case MaskSource::occupied:
        if (argument_) spec.points = within(parse_int(argument), 1, many, "a number of points, at least 1");
        return;
      case MaskSource::label:
        for (const std::string& one : split_list(argument))
          spec.labels.push_back(
              static_cast<std::uint32_t>(within(parse_int(one), 0, std::numeric_limits<std::uint32_t>::max(),
                                                "labels, which are whole numbers")));
        if (spec.labels.empty()) fail("expected at least one label");
        std::sort(spec.labels.begin(), spec.labels.end());
        return;
      case MaskSource::height: {
        const auto range = parse_range(argument);
        if (!range) fail("expected two heights in metres, low then high");
        spec.low_m = (*range)[0];
        spec.high_m = (*range)[1];
        return;
      }
      case MaskSource::file:
        if (argument.empty()) fail("expected the name of an NPY file");
        spec.file = argument;
        return;
      case MaskSource::top_left:
        spec.density = share(argument);
        return;
      case MaskSource::blobs:
        spec.density = share(argument.substr(0, colon));
        if (colon != std::string::npos)
          spec.radius = static_cast<int>(
              within(parse_int(argument.substr(colon + 1)), 1, max_dilation, "a radius of 1 to 1,000 cells"));
        return;
    }
  }

  std::string_view whole_;
  std::optional<std::string> argument_;
};

constexpr std::int64_t points_per_checkpoint = 1 << 16;

/// Calls `visit(point, row)` for each point in the area.
template <class Visit>
void for_each_point(const PointCloud& cloud, const Area& area, Job& job, const Visit& visit) {
  for (std::int64_t at = 0; at < cloud.size(); ++at) {
    if (at % points_per_checkpoint == 0) job.checkpoint({"making the mask", at, cloud.size()});
    const std::int64_t row = area.row_of(cloud.positions[static_cast<std::size_t>(at)]);
    if (row >= 0) visit(static_cast<std::size_t>(at), static_cast<std::size_t>(row));
  }
}

/// Calls `visit` for each point in the area that is in its range of z.
template <class Visit>
void for_each_point_in_range(const PointCloud& cloud, const Area& area, Job& job, const Visit& visit) {
  for_each_point(cloud, area, job, [&](std::size_t point, std::size_t row) {
    if (area.has_height(cloud.positions[point])) visit(point, row);
  });
}

void add_occupied(const PointCloud& cloud, std::int64_t points, Mask& mask, Job& job) {
  if (points == 1) {
    for_each_point_in_range(cloud, mask.area, job,
                            [&](std::size_t, std::size_t row) { mask.cells[row] = 1; });
    return;
  }
  std::vector<std::int32_t> counts(mask.cells.size());
  for_each_point_in_range(cloud, mask.area, job, [&](std::size_t, std::size_t row) {
    if (++counts[row] == points) mask.cells[row] = 1;
  });
}

void add_labels(const PointCloud& cloud, const std::vector<std::uint32_t>& labels, Mask& mask, Job& job) {
  if (cloud.label.empty())
    throw Error(ErrorKind::input,
                cloud.name + ": the scene has no labels, so a mask of labels is not possible");
  for_each_point_in_range(cloud, mask.area, job, [&](std::size_t point, std::size_t row) {
    if (std::binary_search(labels.begin(), labels.end(), cloud.label[point])) mask.cells[row] = 1;
  });
}

/// The lowest point of each cell that has points, and the lowest point around it.
class LowestPoints {
 public:
  explicit LowestPoints(const Area& area) : area_(area), places_(static_cast<std::size_t>(area.size())) {}

  void add(std::size_t row, double z) {
    std::uint32_t& place = places_[row];
    if (place == 0) {
      rows_.push_back(static_cast<std::int64_t>(row));
      lowest_.push_back(z);
      place = static_cast<std::uint32_t>(rows_.size());
    }
    lowest_[place - 1] = std::min(lowest_[place - 1], z);
  }
  void find_lowest_around() {
    for (const std::int64_t row : rows_)
      around_.push_back(lowest_around(row));
  }
  /// Returns the lowest value in the 5 x 5 cells around a cell that has points.
  [[nodiscard]] double around(std::size_t row) const { return around_[places_[row] - 1]; }

 private:
  [[nodiscard]] double lowest_around(std::int64_t row) const {
    constexpr std::int64_t radius = 2;
    const std::int64_t columns = area_.columns(), x = row / columns, y = row % columns;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::int64_t u = std::max<std::int64_t>(0, x - radius); u <= std::min(area_.rows() - 1, x + radius);
         ++u) {
      for (std::int64_t v = std::max<std::int64_t>(0, y - radius); v <= std::min(columns - 1, y + radius);
           ++v) {
        const std::uint32_t place = places_[static_cast<std::size_t>(u * columns + v)];
        if (place != 0) lowest = std::min(lowest, lowest_[place - 1]);
      }
    }
    return lowest;
  }

  const Area& area_;
  std::vector<std::uint32_t> places_;    // 1 + the index of each cell in the vectors below, or 0
  std::vector<std::int64_t> rows_;       // of the cells that have points
  std::vector<double> lowest_, around_;  // z
};

void add_heights(const PointCloud& cloud, double low_m, double high_m, Mask& mask, Job& job) {
  LowestPoints lowest(mask.area);
  for_each_point(cloud, mask.area, job,
                 [&](std::size_t point, std::size_t row) { lowest.add(row, cloud.positions[point][2]); });
  lowest.find_lowest_around();
  for_each_point(cloud, mask.area, job, [&](std::size_t point, std::size_t row) {
    const double height = cloud.positions[point][2] - lowest.around(row);
    if (height >= low_m && height <= high_m) mask.cells[row] = 1;
  });
}

void add_file(const std::string& file, Mask& mask) {
  constexpr std::uint64_t max_bytes = (std::uint64_t{1} << 31U) + (1U << 20U);
  const std::vector<std::byte> bytes = read_file(file, max_bytes);
  const NpyHeader header = read_npy_header(bytes, file);
  const auto rows = static_cast<std::uint64_t>(mask.area.rows()),
             columns = static_cast<std::uint64_t>(mask.area.columns());
  if (header.shape != std::vector{rows, columns})
    throw Error(ErrorKind::input, file + ": the mask has the shape " + shape_text(header) +
                                      ", but the area has " + std::to_string(rows) + " x " +
                                      std::to_string(columns) +
                                      " cells; use the crop and the cells of the mask");
  if (header.fields.size() != 1 || header.item_bytes != 1)
    throw Error(ErrorKind::input, file + ": expected a mask of bool or uint8");
  if (bytes.size() - header.data_offset != mask.cells.size())
    throw Error(ErrorKind::input, file + ": the file has " +
                                      std::to_string(bytes.size() - header.data_offset) + " of " +
                                      std::to_string(mask.cells.size()) + " cells");
  for (std::size_t at = 0; at < mask.cells.size(); ++at) {
    const std::size_t from = header.column_major ? (at % columns) * rows + at / columns : at;
    mask.cells[at] = bytes[header.data_offset + from] != std::byte{0} ? 1 : 0;
  }
}

void add_top_left(double density, Mask& mask) {
  const double edge = std::sqrt(density);
  const auto part = [&](std::int64_t cells) {
    return static_cast<std::int64_t>(std::ceil(edge * static_cast<double>(cells)));
  };
  const std::int64_t columns = mask.area.columns();
  for (std::int64_t x = 0; x < part(mask.area.rows()); ++x)
    std::fill_n(mask.cells.begin() + x * columns, part(columns), std::uint8_t{1});
}

/// Adds disks with random centres until the mask has at least the wanted share of the cells.
void add_blobs(double density, std::int64_t radius, Mask& mask, Job& job) {
  constexpr std::uint64_t seed = 1;
  Random random(seed);
  const std::int64_t rows = mask.area.rows(), columns = mask.area.columns();
  const auto wanted =
      static_cast<std::int64_t>(std::llround(density * static_cast<double>(mask.area.size())));
  std::int64_t set = 0;
  while (set < wanted) {
    job.checkpoint({"making the mask", set, wanted});
    const auto x0 = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows)));
    const auto y0 = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(columns)));
    for (std::int64_t x = std::max<std::int64_t>(0, x0 - radius); x <= std::min(rows - 1, x0 + radius); ++x) {
      for (std::int64_t y = std::max<std::int64_t>(0, y0 - radius); y <= std::min(columns - 1, y0 + radius);
           ++y) {
        std::uint8_t& cell = mask.cells[static_cast<std::size_t>(x * columns + y)];
        if (cell != 0 || (x - x0) * (x - x0) + (y - y0) * (y - y0) > radius * radius) continue;
        cell = 1;
        ++set;
      }
    }
  }
}

/// Sets each cell if a cell of its row within `radius` is set.
std::vector<std::uint8_t> spread_along_y(const std::vector<std::uint8_t>& cells, std::int64_t columns,
                                         std::int64_t radius) {
  std::vector<std::uint8_t> result(cells.size());
  const std::int64_t window = 2 * radius + 1;
  std::vector<std::uint8_t> line(static_cast<std::size_t>(columns + 2 * radius));
  for (auto row = cells.begin(); row != cells.end(); row += columns) {
    std::fill(line.begin(), line.end(), std::uint8_t{0});
    std::copy_n(row, columns, line.begin() + radius);
    // Each cell of the line is the union of `length` cells from it on. The union with the cell `more` cells
    // later is longer.
    for (std::int64_t length = 1, more = 0; length < window; length += more) {
      more = std::min(length, window - length);
      const auto later = static_cast<std::size_t>(more);
      for (std::size_t y = 0; y + later < line.size(); ++y)
        line[y] |= line[y + later];
    }
    std::copy_n(line.begin(), columns, result.begin() + (row - cells.begin()));
  }
  return result;
}

/// Sets each cell if a cell of its column within `radius` is set.
std::vector<std::uint8_t> spread_along_x(const std::vector<std::uint8_t>& cells, std::int64_t rows,
                                         std::int64_t columns, std::int64_t radius) {
  std::vector<std::uint8_t> result(cells.size());
  // The number of set cells of each column in the rows x - radius to x + radius.
  std::vector<std::int32_t> counts(static_cast<std::size_t>(columns));
  const auto add = [&](std::int64_t x, std::int32_t factor) {
    if (x < 0 || x >= rows) return;
    const std::uint8_t* const row = cells.data() + x * columns;
    for (std::size_t y = 0; y < counts.size(); ++y)
      counts[y] += factor * row[y];
  };
  for (std::int64_t x = 0; x < std::min(radius, rows); ++x)
    add(x, 1);
  for (std::int64_t x = 0; x < rows; ++x) {
    add(x + radius, 1);
    add(x - radius - 1, -1);
    std::uint8_t* const to = result.data() + x * columns;
    for (std::size_t y = 0; y < counts.size(); ++y)
      to[y] = counts[y] > 0 ? 1 : 0;
  }
  return result;
}

}  // namespace

MaskSpec parse_mask(std::string_view text) {
  return MaskParser(text).parse();
}

std::string text_of(const MaskSpec& spec) {
  std::string text(name_of(spec.source));
  switch (spec.source) {
    case MaskSource::all:
    case MaskSource::selection:
      break;
    case MaskSource::occupied:
      if (spec.points != 1) text += ":" + std::to_string(spec.points);
      break;
    case MaskSource::label:
      for (std::size_t at = 0; at < spec.labels.size(); ++at)
        text += (at == 0 ? ":" : ",") + std::to_string(spec.labels[at]);
      break;
    case MaskSource::height:
      text += ":" + shortest(spec.low_m) + "," + shortest(spec.high_m);
      break;
    case MaskSource::file:
      text += ":" + spec.file;
      break;
    case MaskSource::top_left:
      text += ":" + shortest(spec.density);
      break;
    case MaskSource::blobs:
      text += ":" + shortest(spec.density) + ":" + std::to_string(spec.radius);
      break;
  }
  // Without a dilation, the end of a file name such as "a+1" would be read as one.
  const auto plus = text.rfind('+');
  const bool ends_like_dilation = plus != std::string::npos && parse_int(text.substr(plus + 1));
  if (spec.dilation > 0 || ends_like_dilation) text += "+" + std::to_string(spec.dilation);
  return text;
}

Mask make_mask(const PointCloud& cloud, const Area& area, const MaskSpec& spec, Job& job) {
  Mask mask{area, text_of(spec), std::vector<std::uint8_t>(static_cast<std::size_t>(area.size()))};
  switch (spec.source) {
    case MaskSource::all:
      std::fill(mask.cells.begin(), mask.cells.end(), std::uint8_t{1});
      return mask;
    case MaskSource::selection:
      throw Error(ErrorKind::usage,
                  "mask 'selection': only the window has a selection; save it there and use file:MASK.npy");
    case MaskSource::occupied:
      add_occupied(cloud, spec.points, mask, job);
      break;
    case MaskSource::label:
      add_labels(cloud, spec.labels, mask, job);
      break;
    case MaskSource::height:
      add_heights(cloud, spec.low_m, spec.high_m, mask, job);
      break;
    case MaskSource::file:
      add_file(spec.file, mask);
      break;
    case MaskSource::top_left:
      add_top_left(spec.density, mask);
      break;
    case MaskSource::blobs:
      add_blobs(spec.density, spec.radius, mask, job);
      break;
  }
  return spec.dilation == 0 ? mask : dilate(mask, spec.dilation);
}

Mask dilate(const Mask& mask, int cells) {
  const std::int64_t rows = mask.area.rows(), columns = mask.area.columns();
  return {mask.area, mask.text,
          spread_along_x(spread_along_y(mask.cells, columns, cells), rows, columns, cells)};
}

void write_mask(const Mask& mask, const std::filesystem::path& file) {
  const auto bytes = std::as_bytes(std::span(mask.cells));
  std::string content = npy_header({"", ArrayType::u8, {mask.area.rows(), mask.area.columns()}, bytes});
  content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_file(file, content);
}

std::vector<std::uint8_t> cells_at(const Mask& mask, int stride) {
  if (stride == 1) return mask.cells;
  const std::int64_t columns = mask.area.columns(stride);
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(mask.area.size(stride)));
  std::vector<std::uint8_t> row(static_cast<std::size_t>(mask.area.columns()));
  for (std::int64_t x = 0; x < mask.area.rows(stride); ++x) {
    std::fill(row.begin(), row.end(), std::uint8_t{0});
    const std::uint8_t* from = mask.cells.data() + x * stride * mask.area.columns();
    for (int line = 0; line < stride; ++line, from += mask.area.columns()) {
      for (std::size_t y = 0; y < row.size(); ++y)
        row[y] |= from[y];
    }
    for (std::int64_t y = 0; y < columns; ++y) {
      const auto group = row.begin() + y * stride;
      cells[static_cast<std::size_t>(x * columns + y)] = *std::max_element(group, group + stride);
    }
  }
  return cells;
}

std::int64_t count_cells(std::span<const std::uint8_t> cells) {
  return std::count(cells.begin(), cells.end(), std::uint8_t{1});
}

void require_same_area(const Area& mask, const Area& image) {
  if (mask == image) return;
  throw Error(ErrorKind::usage, "the mask is of another area: the mask has " + text_of(mask) +
                                    ", but the image has " + text_of(image));
}

}  // namespace spira
