// Reads NPZ files. An NPZ file is a zip archive of NPY arrays, which are stored or compressed with deflate.
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/formats/npy_table.hpp"
#include "engine/scene/formats/voxel_file.hpp"
#include "engine/scene/reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <zlib.h>

namespace spira {
namespace {

struct Member {
  std::string name;
  std::uint16_t method = 0;  ///< The zip method: 0 is stored, 8 is deflated.
  std::uint32_t crc = 0;     ///< Checksum of the uncompressed bytes.
  std::uint64_t packed = 0, plain = 0, header_offset = 0;
};

constexpr std::size_t step_bytes = 262'144, head_bytes = 65'536;

/// Decompresses an archive member in parts.
class MemberStream {
 public:
  MemberStream(std::span<const std::byte> packed, bool deflated) : packed_(packed), deflated_(deflated) {
    if (deflated_ && inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
      throw Error(ErrorKind::device, "not enough memory for zlib");
  }
  ~MemberStream() {
    if (deflated_) inflateEnd(&stream_);
  }
  MemberStream(const MemberStream&) = delete;
  MemberStream& operator=(const MemberStream&) = delete;

  /// Returns the next decompressed bytes, at most `room.size()`. The result is either in `room` or points to
  /// the archive. Returns an empty span at the end, and an empty optional if the data is damaged.
  [[nodiscard]] std::optional<std::span<const std::byte>> next(std::span<std::byte> room) {
    if (!deflated_) {
      const auto some = packed_.first(std::min(packed_.size(), room.size()));
      packed_ = packed_.subspan(some.size());
      return some;
    }
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(room.size());
    while (!ended_ && stream_.avail_out != 0) {
      const auto fed = packed_.first(std::min(packed_.size(), step_bytes));
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(fed.data()));
      stream_.avail_in = static_cast<uInt>(fed.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      packed_ = packed_.subspan(fed.size() - stream_.avail_in);
      if (result != Z_OK && result != Z_STREAM_END) return std::nullopt;
      ended_ = result == Z_STREAM_END;
    }
    return room.first(room.size() - stream_.avail_out);
  }

 private:
  std::span<const std::byte> packed_;
  bool deflated_, ended_ = false;
  z_stream stream_{};
};

class Archive {
 public:
  Archive(std::span<const std::byte> bytes, std::string_view file_name)
      : bytes_(bytes), file_name_(file_name) {
    read_directory();
  }

  [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }

  /// Returns the first decompressed bytes of a member. They contain at least the header of an array. Their
  /// checksum is not verified.
  [[nodiscard]] std::vector<std::byte> head(const Member& member) const {
    if (member.method != 0 && member.method != 8)
      throw bad("member " + member.name +
                " has an unsupported compression method; save it with np.savez or np.savez_compressed");
    MemberStream stream(packed_bytes(member), member.method == 8);
    std::vector<std::byte> step(head_bytes);
    const auto some = stream.next(step);
    if (!some) throw bad("member " + member.name + " is damaged");
    return {some->begin(), some->end()};
  }

  /// Decompresses a member and verifies its size and checksum. Calls `wanted` with the first bytes; `wanted`
  /// must return how many bytes the caller needs, or throw. The other bytes are decompressed but not stored.
  /// The size in the zip directory can be wrong, so memory is allocated only for bytes that were
  /// decompressed.
  template <class Wanted>
  [[nodiscard]] std::vector<std::byte> extract(const Member& member, const Wanted& wanted, Job& job) const {
    const auto packed = packed_bytes(member);
    if (member.method != 0 && member.method != 8)
      throw bad("member " + member.name +
                " has an unsupported compression method; save it with np.savez or np.savez_compressed");
    if (member.method == 0 && member.packed != member.plain)
      throw bad("member " + member.name +
                " is stored without compression, but its compressed size differs from its size");
    MemberStream stream(packed, member.method == 8);
    std::vector<std::byte> kept, step(step_bytes);
    std::uint64_t keep = 0, seen = 0;
    uLong crc = crc32(0, nullptr, 0);
    while (true) {
      job.checkpoint({"unpacking", static_cast<std::int64_t>(seen), static_cast<std::int64_t>(member.plain)});
      const auto some = stream.next(step);
      if (!some) throw bad("member " + member.name + " is damaged");
      if (some->empty()) break;
      if (seen == 0) keep = wanted(*some);
      crc = crc32(crc, reinterpret_cast<const Bytef*>(some->data()), static_cast<uInt>(some->size()));
      const auto kept_now =
          some->first(static_cast<std::size_t>(std::min<std::uint64_t>(some->size(), keep - kept.size())));
      kept.insert(kept.end(), kept_now.begin(), kept_now.end());
      seen += some->size();
      if (seen > member.plain)
        throw bad("member " + member.name + " is larger than its size in the list of contents");
    }
    if (seen != member.plain) {
      throw bad("member " + member.name + " holds " + std::to_string(seen) +
                " bytes, but its size in the list of contents is " + std::to_string(member.plain));
    }
    if (crc != member.crc) throw bad("member " + member.name + " is damaged: its checksum (CRC) differs");
    return kept;
  }

 private:
  [[nodiscard]] Error bad(const std::string& text) const {
    return Error(ErrorKind::input, std::string(file_name_) + ": NPZ: " + text);
  }

  [[nodiscard]] std::span<const std::byte> packed_bytes(const Member& member) const {
    constexpr std::uint64_t local_header = 30;
    if (member.header_offset > bytes_.size() || bytes_.size() - member.header_offset < local_header)
      throw bad("a member is beyond the end of the file (truncated?)");
    const std::byte* local = bytes_.data() + member.header_offset;
    if (load<std::uint32_t>(local) != 0x04034B50U)
      throw bad("member " + member.name + " has no local header");
    const std::uint64_t begin = member.header_offset + local_header + load<std::uint16_t>(local + 26) +
                                load<std::uint16_t>(local + 28);
    if (begin > bytes_.size() || member.packed > bytes_.size() - begin)
      throw bad("member " + member.name + " is truncated");
    return bytes_.subspan(begin, member.packed);
  }

  void read_directory() {
    constexpr std::size_t end_record = 22, longest_comment = 65'535, entry_bytes = 46;
    if (bytes_.size() < end_record) throw bad("too short for a zip archive");
    const std::size_t last = bytes_.size() - end_record;
    const std::size_t first = last > longest_comment ? last - longest_comment : 0;
    std::optional<std::size_t> found;
    for (std::size_t at = last + 1; at-- > first && !found;) {
      if (load<std::uint32_t>(bytes_.data() + at) == 0x06054B50U) found = at;
    }
    if (!found) throw bad("no zip directory (truncated?)");
    const auto count = load<std::uint16_t>(bytes_.data() + *found + 10);
    std::uint64_t at = load<std::uint32_t>(bytes_.data() + *found + 16);
    for (int member = 0; member < count; ++member) {
      if (at > bytes_.size() || bytes_.size() - at < entry_bytes) throw bad("the zip directory is truncated");
      const std::byte* entry = bytes_.data() + at;
      if (load<std::uint32_t>(entry) != 0x02014B50U) throw bad("the zip directory is damaged");
      const std::uint64_t name_bytes = load<std::uint16_t>(entry + 28);
      if (bytes_.size() - at - entry_bytes < name_bytes) throw bad("the zip directory is truncated");
      Member row;
      row.method = load<std::uint16_t>(entry + 10);
      row.crc = load<std::uint32_t>(entry + 16);
      row.packed = load<std::uint32_t>(entry + 20);
      row.plain = load<std::uint32_t>(entry + 24);
      row.header_offset = load<std::uint32_t>(entry + 42);
      row.name = std::string(text_of(bytes_.subspan(at + entry_bytes, name_bytes)));
      read_zip64(row, bytes_.subspan(at + entry_bytes + name_bytes), load<std::uint16_t>(entry + 30));
      members_.push_back(row);
      at += entry_bytes + name_bytes + load<std::uint16_t>(entry + 30) + load<std::uint16_t>(entry + 32);
    }
  }

  /// Reads the zip64 sizes from an extra field. NumPy writes them for every member. If all bits of a 32-bit
  /// size are set, the 64-bit size must be used.
  void read_zip64(Member& row, std::span<const std::byte> rest, std::size_t extra_bytes) const {
    std::span<const std::byte> extra = rest.first(std::min(rest.size(), extra_bytes));
    while (extra.size() >= 4) {
      const auto id = load<std::uint16_t>(extra.data());
      const std::size_t size = load<std::uint16_t>(extra.data() + 2);
      if (size > extra.size() - 4) return;
      if (id == 1) {
        std::span<const std::byte> values = extra.subspan(4, size);
        for (std::uint64_t* field : {&row.plain, &row.packed, &row.header_offset}) {
          if (*field != 0xFFFFFFFFU) continue;
          if (values.size() < 8) throw bad("the 64-bit sizes of member " + row.name + " are missing");
          *field = load<std::uint64_t>(values.data());
          values = values.subspan(8);
        }
      }
      extra = extra.subspan(4 + size);
    }
  }

  std::span<const std::byte> bytes_;
  std::string_view file_name_;
  std::vector<Member> members_;
};

/// The arrays of an archive. The constructor reads only their headers.
class Arrays {
 public:
  Arrays(Archive archive, std::string_view file_name) : archive_(std::move(archive)), file_name_(file_name) {
    constexpr std::string_view ending = ".npy";
    for (const Member& member : archive_.members()) {
      if (!member.name.ends_with(ending)) continue;
      const std::string name = member.name.substr(0, member.name.size() - ending.size());
      try {
        const auto head = archive_.head(member);
        tables_.push_back(table_of(read_npy_header(head, path_of(member)), name, member.plain));
        members_.push_back(&member);
      } catch (const Error& error) {
        constexpr std::size_t most = 3;
        if (++damaged_ <= most) faults_ += (faults_.empty() ? "" : "; ") + std::string(error.what());
      }
    }
  }
  ~Arrays() = default;
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  [[nodiscard]] std::span<const NpyTable> tables() const noexcept { return tables_; }

  /// Returns the index of the array with this name. If there is none, throws `Error(input)`; the message
  /// lists the arrays.
  [[nodiscard]] std::size_t index_of(std::string_view name) const {
    for (std::size_t at = 0; at < tables_.size(); ++at) {
      if (tables_[at].name == name) return at;
    }
    throw Error(ErrorKind::input, std::string(file_name_) + ": no array is named '" + printable(name) +
                                      "'; the file contains " + list_of(tables_));
  }

  [[nodiscard]] Error no_points() const {
    std::string text =
        std::string(file_name_) + ": the NPZ file has no array of points (N x 3 or more columns)";
    if (!tables_.empty()) text += "; it has " + list_of(tables_);
    std::size_t listed = 0;
    for (const NpyTable& table : tables_) {
      constexpr std::size_t most = 3;
      if (!table.fault.empty() && ++listed <= most)
        text += "; " + shortened(printable(table.name)) + ": " + table.fault;
    }
    if (!faults_.empty()) text += "; " + faults_;
    if (tables_.empty() && faults_.empty()) {
      text += "; it holds ";
      constexpr std::size_t most = 12;
      const std::span members(archive_.members());
      for (const Member& member : members.first(std::min(most, members.size())))
        text += (&member == members.data() ? "" : ", ") + shortened(printable(member.name));
    }
    return Error(ErrorKind::input, text);
  }

  [[nodiscard]] PointCloud points(const std::vector<std::size_t>& chosen, const std::string& format,
                                  const ReadLimits& limits, Job& job) const {
    std::vector<NpyTable> tables;
    std::vector<std::vector<std::byte>> data;
    std::uint64_t left_over = 0;
    for (const std::size_t at : chosen) {
      const NpyTable& table = tables_[at];
      const Member& member = *members_[at];
      if (!table.fault.empty())
        throw Error(ErrorKind::input,
                    path_of(member) + ": array of shape " + shape_text(table.header) + ": " + table.fault);
      if (!table.header.named && table.columns.size() < 3 && chosen.size() < 3)
        throw Error(ErrorKind::input, path_of(member) + ": array of shape " + shape_text(table.header) +
                                          ", expected N x 3 or more columns");
      data.push_back(content_of(at, job));
      tables.push_back(table);
      tables.back().data = std::span<const std::byte>(data.back()).subspan(table.header.data_offset);
      left_over += at == chosen.front() ? member.plain - table.file_bytes() : 0;
    }
    std::vector<const NpyTable*> parts;
    for (const NpyTable& table : tables)
      parts.push_back(&table);
    const NpyTable& first = tables.front();
    const std::string title =
        "NPZ array " + first.name + ", " + type_text(first) + " " + shape_text(first.header);
    PointCloud cloud = points_of(parts, file_name_, format, title, left_over, limits, job);
    add_notes(cloud, chosen);
    return cloud;
  }

  /// Returns the index of the array `name`, or the number of arrays if no readable array has this name.
  [[nodiscard]] std::size_t place(std::string_view name) const {
    return static_cast<std::size_t>(
        std::find_if(tables_.begin(), tables_.end(), [&](const NpyTable& t) { return t.name == name; }) -
        tables_.begin());
  }
  [[nodiscard]] bool has_member(std::string_view name) const {
    const auto& members = archive_.members();
    return std::any_of(members.begin(), members.end(),
                       [&](const Member& member) { return member.name == name; });
  }

  /// Returns the indices of the arrays "coords" and "features" of a voxel file. Returns an empty optional if
  /// the archive is not a voxel file. Throws `Error(input)` if the array "features" exists but cannot be
  /// read.
  [[nodiscard]] std::optional<std::array<std::size_t, 2>> voxel_arrays() const {
    const std::size_t coords = place("coords"), features = place("features");
    if (coords == tables_.size()) return std::nullopt;
    const NpyHeader& header = tables_[coords].header;
    if (header.named || !is_integral(header.fields.front().type)) return std::nullopt;
    if (features != tables_.size()) return std::array{coords, features};
    if (has_member("features.npy")) throw Error(ErrorKind::input, faults_);
    return std::nullopt;
  }

  [[nodiscard]] PointCloud voxels(const std::array<std::size_t, 2>& arrays, const ReadLimits& limits,
                                  Job& job) const {
    VoxelRows rows;
    const auto values = [&](std::size_t at, const char* expected, std::uint64_t least, std::uint64_t most,
                            const auto& add) {
      const NpyHeader& header = tables_[at].header;
      if (header.named || header.shape.size() != 2 || header.shape[1] < least || header.shape[1] > most)
        throw Error(ErrorKind::input, path_of(*members_[at]) + ": array of shape " + shape_text(header) +
                                          ", expected " + expected);
      const auto data = content_of(at, job);
      const NpyField& field = header.fields.front();
      const std::uint64_t voxels = header.shape[0], columns = header.shape[1];
      for (std::uint64_t item = 0; item < voxels * columns; ++item) {
        const std::uint64_t row = item / columns, column = item % columns;
        const std::uint64_t place = header.column_major ? (column * voxels) + row : item;
        add(load_scalar(data.data() + header.data_offset + (place * header.item_bytes), field.type,
                        field.order));
      }
      return static_cast<int>(columns);
    };
    rows.columns = values(arrays[0], "voxels x 3 or voxels x 4", 3, 4, [&](double value) {
      constexpr double most = 9e18;  // Larger values do not fit 64 bits.
      rows.coords.push_back(static_cast<std::int64_t>(std::min(value, most)));
    });
    rows.channels = values(arrays[1], "voxels x channels with 1 to 4,096 channels", 1, 4'096,
                           [&](double value) { rows.features.push_back(static_cast<float>(value)); });
    const std::size_t points = place("points"), features = place("point_features");
    if ((points == tables_.size() && has_member("points.npy")) ||
        (features == tables_.size() && has_member("point_features.npy")))
      throw Error(ErrorKind::input, faults_);
    if (points == tables_.size() && features != tables_.size())
      throw Error(ErrorKind::input,
                  std::string(file_name_) + ": the array point_features needs the array points");
    if (points != tables_.size())
      rows.point_columns = values(points, "points x 3 or points x 4", 3, 4,
                                  [&](double value) { rows.points.push_back(value); });
    if (features != tables_.size())
      rows.point_channels =
          values(features, "points x channels with 1 to 4,096 channels", 1, 4'096,
                 [&](double value) { rows.point_features.push_back(static_cast<float>(value)); });
    return cloud_of_voxels(std::move(rows), file_name_, "npz", limits, job);
  }

 private:
  [[nodiscard]] std::string path_of(const Member& member) const {
    return std::string(file_name_) + ":" + member.name;
  }

  /// Returns the header and the values of an array.
  [[nodiscard]] std::vector<std::byte> content_of(std::size_t at, Job& job) const {
    const Member& member = *members_[at];
    const std::uint64_t wanted = tables_[at].file_bytes();
    auto data = archive_.extract(
        member, [&](std::span<const std::byte>) { return wanted; }, job);
    if (data.size() < wanted)
      throw Error(ErrorKind::input, path_of(member) + ": the array ends before its last value (truncated?)");
    return data;
  }

  void add_notes(PointCloud& cloud, const std::vector<std::size_t>& chosen) const {
    std::string used;
    for (const std::size_t at : chosen)
      used += (used.empty() ? "" : ", ") + printable(tables_[at].name);
    if (chosen.size() > 1) cloud.notes.push_back("the arrays " + used + " were combined");
    if (tables_.size() > chosen.size())
      cloud.notes.push_back(
          "points from " + used + " of the arrays " + list_of(tables_) +
          "; to read another array, use \"Open as...\" in the window or --array NAME on the command "
          "line");
  }

  Archive archive_;
  std::string_view file_name_;
  std::vector<NpyTable> tables_;
  std::vector<const Member*> members_;
  std::string faults_;  ///< The faults of damaged arrays. Only the first faults are listed.
  std::size_t damaged_ = 0;
};

class NpzReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view file_name) const override {
    if (!text_of(bytes).starts_with("PK\x03\x04")) return {};
    const bool arrays = text_of(bytes).find(".npy") != std::string_view::npos;
    return {arrays || file_name.ends_with(".npz") ? 1.0 : 0.0, "a zip archive of .npy members"};
  }

  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    const Arrays arrays(Archive(bytes, file_name), file_name);
    if (const auto voxels = arrays.voxel_arrays()) return arrays.voxels(*voxels, limits, job);
    const auto chosen = tables_of_cloud(arrays.tables());
    if (chosen.empty()) throw arrays.no_points();
    return arrays.points(chosen, "npz", limits, job);
  }

  [[nodiscard]] PointCloud read_as(std::string_view detail, std::span<const std::byte> bytes,
                                   std::string_view file_name, const ReadLimits& limits,
                                   Job& job) const override {
    const Arrays arrays(Archive(bytes, file_name), file_name);
    const std::string format = "npz:" + std::string(detail);
    return arrays.points({arrays.index_of(detail)}, format, limits, job);
  }

  void check_detail(std::string_view detail) const override {
    if (detail.empty())
      throw Error(ErrorKind::usage, "format 'npz:': expected the name of an array, as in npz:points");
  }

  [[nodiscard]] std::vector<std::string> details(std::span<const std::byte> bytes) const override {
    const Arrays arrays(Archive(bytes, "archive"), "archive");
    std::vector<std::string> names;
    for (const NpyTable& table : arrays.tables()) {
      if (table.fault.empty() && (table.header.named || table.columns.size() >= 3))
        names.push_back(table.name);
    }
    return names;
  }
};

}  // namespace

const SceneReader& npz_reader() noexcept {
  static const NpzReader reader;
  return reader;
}

}  // namespace spira
