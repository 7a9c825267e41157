#include "engine/base/file.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <random>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace spira {
namespace {

namespace fs = std::filesystem;

Error cannot(const fs::path& file, const std::string& what) {
  return Error(ErrorKind::input, file.string() + ": " + what);
}

constexpr std::uint64_t part_bytes = 8ULL << 20U;  // Even a slow disk reads one part within milliseconds.

template <class Bytes>
Bytes read_whole(const fs::path& file, std::uint64_t max_bytes, const BetweenParts& between) {
  std::error_code fault;
  const auto status = fs::status(file, fault);
  if (status.type() == fs::file_type::not_found) throw cannot(file, "file not found");
  if (status.type() == fs::file_type::none) throw cannot(file, "cannot be read: " + fault.message());
  if (fs::is_directory(status)) throw cannot(file, "is a folder, expected a file");
  if (!fs::is_regular_file(status)) throw cannot(file, "is a pipe or a device, expected a regular file");
  const std::uint64_t size = fs::file_size(file, fault);
  if (fault) throw cannot(file, "cannot be read: " + fault.message());
  if (size > max_bytes)
    throw cannot(file, "has " + bytes_text(size) + "; the limit is " + bytes_text(max_bytes));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw cannot(file, std::string("cannot be opened: ") + std::strerror(errno));
  Bytes bytes(size, typename Bytes::value_type{});
  for (std::uint64_t done = 0; done < size; done += part_bytes) {
    if (done > 0 && between) between(static_cast<std::int64_t>(done), static_cast<std::int64_t>(size));
    const std::uint64_t part = std::min(part_bytes, size - done);
    stream.read(reinterpret_cast<char*>(bytes.data()) + done, static_cast<std::streamsize>(part));
    if (static_cast<std::uint64_t>(stream.gcount()) != part)
      throw cannot(file, "was truncated while it was read; read it again");
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> read_file(const fs::path& file, std::uint64_t max_bytes, const BetweenParts& between) {
  return read_whole<std::vector<std::byte>>(file, max_bytes, between);
}

std::string read_text_file(const fs::path& file, std::uint64_t max_bytes) {
  return read_whole<std::string>(file, max_bytes, {});
}

namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& file, const std::string& why) {
  return Error(ErrorKind::input, file.string() + ": cannot be written: " + why);
}

Error cannot_write(const fs::path& file, int fault) {
  return cannot_write(file, std::strerror(fault));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool open() const noexcept { return number_ >= 0; }
  /// Closes the descriptor. Returns 0, or errno after a failure. The result matters, because some file
  /// systems report a full disk only when a file is closed.
  int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

/// The file to which a path leads after all symbolic links have been followed.
struct Target {
  fs::path path;
  /// The descriptor N if the path is /dev/fd/N or /proc/self/fd/N, otherwise -1.
  int descriptor = -1;
  bool exists = false;
  struct stat status {};

  [[nodiscard]] bool stream() const noexcept {
    return descriptor >= 0 || (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
  }
};

/// Returns N for /dev/fd/N and /proc/self/fd/N, otherwise -1.
int descriptor_named_by(const fs::path& path) {
  const std::string name = path.filename().string();
  constexpr std::size_t max_digits = 6;
  if (name.empty() || name.size() > max_digits || name.find_first_not_of("0123456789") != std::string::npos)
    return -1;
  std::error_code fault;
  return fs::equivalent(path.parent_path(), "/dev/fd", fault) && !fault ? std::stoi(name) : -1;
}

/// Returns the target of a path. Follows the links one by one, because the last link can lead to a file that
/// does not exist yet.
Target target_of(const fs::path& file) {
  constexpr int max_links = 40;
  Target target{.path = file};
  for (int links = 0;; ++links) {
    if (links > max_links) throw cannot_write(file, ELOOP);
    target.descriptor = descriptor_named_by(target.path);
    if (target.descriptor >= 0) return target;
    std::error_code not_a_link;
    const fs::path next = fs::read_symlink(target.path, not_a_link);
    if (not_a_link) break;
    target.path = target.path.parent_path() / next;
  }
  target.exists = ::stat(target.path.c_str(), &target.status) == 0;
  return target;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool may(const fs::path& path, int access) {
  return ::faccessat(AT_FDCWD, path.c_str(), access, AT_EACCESS) == 0;
}

/// Throws `Error(input)` if writing to the target is not permitted. A file without any write permission is
/// read-only, even for root.
void require_permission(const fs::path& file, const Target& target) {
  if (target.descriptor >= 0) {
    const int flags = ::fcntl(target.descriptor, F_GETFL);
    if (flags < 0) throw cannot_write(file, errno);
    if ((flags & O_ACCMODE) == O_RDONLY)
      throw cannot_write(file, "its file descriptor is open for reading only");
    return;
  }
  if (!target.exists) return;
  if (S_ISDIR(target.status.st_mode)) throw cannot_write(file, "it is a folder");
  constexpr mode_t any_write = S_IWUSR | S_IWGRP | S_IWOTH;
  if (S_ISREG(target.status.st_mode) && (target.status.st_mode & any_write) == 0)
    throw cannot_write(file, "it is read-only");
  if (!may(target.path, W_OK)) throw cannot_write(file, errno);
}

/// A temporary file next to the target. It replaces the target or is removed.
class Replacement {
 public:
  explicit Replacement(const Target& target)
      : name_(unused_name(target.path)),
        file_(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)),
        fault_(file_.open() ? 0 : errno) {}
  ~Replacement() {
    if (fault_ == 0 && !name_.empty()) ::unlink(name_.c_str());
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Returns the errno of the attempt to create the file, or 0 if it succeeded.
  [[nodiscard]] int fault() const noexcept { return fault_; }
  /// Returns true if this user may not create files in the folder. The target itself can still be writable.
  [[nodiscard]] bool forbidden() const noexcept {
    return fault_ == EACCES || fault_ == EPERM || fault_ == EROFS;
  }
  [[nodiscard]] int descriptor() const noexcept { return file_.number(); }

  /// Gives the temporary file the owner and mode of another file. Returns false if this is not permitted.
  [[nodiscard]] bool take_owner_and_mode(const struct stat& of) const {
    struct stat mine {};
    if (::fstat(descriptor(), &mine) != 0) return false;
    const bool same_owner = mine.st_uid == of.st_uid && mine.st_gid == of.st_gid;
    if (!same_owner && ::fchown(descriptor(), of.st_uid, of.st_gid) != 0) return false;
    constexpr mode_t permissions = 07777;
    return ::fchmod(descriptor(), of.st_mode & permissions) == 0;
  }

  /// Renames the temporary file to `target`. Returns 0, or errno after a failure.
  int move_to(const fs::path& target) {
    if (const int fault = file_.close(); fault != 0) return fault;
    if (::rename(name_.c_str(), target.c_str()) != 0) return errno;
    name_.clear();
    const Descriptor folder(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.open()) ::fsync(folder.number());
    return 0;
  }

 private:
  static fs::path unused_name(const fs::path& target) {
    constexpr std::size_t max_kept = 200;  // At most 255 bytes with the suffix.
    const std::string name = target.filename().string().substr(0, max_kept);
    return folder_of(target) / (name + ".part" + std::to_string(std::random_device{}()));
  }

  fs::path name_;
  Descriptor file_;
  int fault_;
};

/// Writes all bytes to a descriptor. Returns 0, or errno after a failure.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int flush_to_disk(int descriptor) {
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

/// Overwrites an existing file. Reserves the space first, so that a full disk leaves the old content
/// unchanged. Returns 0, or errno after a failure.
int write_in_place(const fs::path& path, off_t old_size, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.open()) return errno;
  const auto size = static_cast<off_t>(bytes.size());
  if (size > old_size) {
    if (const int fault = ::posix_fallocate(file.number(), 0, size); fault != 0) {
      return ::ftruncate(file.number(), old_size) == 0 ? fault : errno;
    }
  }
  if (const int fault = write_all(file.number(), bytes); fault != 0) return fault;
  if (::ftruncate(file.number(), size) != 0) return errno;
  if (const int fault = flush_to_disk(file.number()); fault != 0) return fault;
  return file.close();
}

int write_regular(const Target& target, std::string_view bytes) {
  const auto in_place = [&] { return write_in_place(target.path, target.status.st_size, bytes); };
  if (target.exists && target.status.st_nlink > 1) return in_place();
  Replacement replacement(target);
  if (target.exists && replacement.forbidden()) return in_place();
  if (replacement.fault() != 0) return replacement.fault();
  if (target.exists && !replacement.take_owner_and_mode(target.status)) return in_place();
  if (const int fault = write_all(replacement.descriptor(), bytes); fault != 0) return fault;
  if (const int fault = flush_to_disk(replacement.descriptor()); fault != 0) return fault;
  const int fault = replacement.move_to(target.path);
  // EBUSY means that the target is a mount point. Such a file cannot be replaced, so overwrite it.
  return fault == EBUSY && target.exists ? in_place() : fault;
}

constexpr int wait_ms = 50;  // Time between two checks of the stop token.

/// Opens a device or a pipe. A pipe cannot be opened before it has a reader, so the function waits for the
/// reader. Returns -1 after a stop request.
int open_stream(const fs::path& file, const Target& target, const std::stop_token& stop) {
  if (target.descriptor >= 0) {
    const int copy = ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0);
    return copy >= 0 ? copy : throw cannot_write(file, errno);
  }
  while (!stop.stop_requested()) {
    const int opened = ::open(target.path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (opened >= 0) return opened;
    if (!S_ISFIFO(target.status.st_mode) || (errno != ENXIO && errno != EINTR))
      throw cannot_write(file, errno);
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
  }
  return -1;
}

void write_stream(const fs::path& file, const Target& target, std::string_view bytes,
                  const std::stop_token& stop) {
  const Descriptor stream(open_stream(file, target, stop));
  // A writable pipe accepts this number of bytes without blocking.
  constexpr std::size_t part = 4096;
  while (!bytes.empty() && !stop.stop_requested()) {
    pollfd ready{stream.number(), POLLOUT, 0};
    if (::poll(&ready, 1, wait_ms) <= 0) continue;
    const ssize_t written = ::write(stream.number(), bytes.data(), std::min(part, bytes.size()));
    if (written < 0 && errno != EINTR && errno != EAGAIN) throw cannot_write(file, errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!bytes.empty()) throw Error(ErrorKind::cancelled, file.string() + ": writing was cancelled");
}

}  // namespace

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code fault;
  return fs::equivalent(a, b, fault) && !fault;
}

bool is_stream(const fs::path& file) {
  return target_of(file).stream();
}

void require_writable(const fs::path& file) {
  const Target target = target_of(file);
  require_permission(file, target);
  if (target.stream() || (target.exists && target.status.st_nlink > 1)) return;
  const Replacement trial(target);
  if (trial.fault() != 0 && !(target.exists && trial.forbidden())) throw cannot_write(file, trial.fault());
}

void write_file(const fs::path& file, std::string_view bytes, const std::stop_token& stop) {
  const Target target = target_of(file);
  require_permission(file, target);
  if (target.stream()) return write_stream(file, target, bytes, stop);
  if (const int fault = write_regular(target, bytes); fault != 0) throw cannot_write(file, fault);
}

FileVersion version_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          (status.st_ctim.tv_sec * ns_per_s) + status.st_ctim.tv_nsec};
}

bool write_file_if_unchanged(const fs::path& file, const FileVersion& expected, std::string_view bytes) {
  const Descriptor folder(
      ::open(folder_of(target_of(file).path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.open()) ::flock(folder.number(), LOCK_EX);  // Closing the folder releases the lock.
  if (version_of(file) != expected) return false;
  write_file(file, bytes);
  return true;
}

}  // namespace spira
