#include "engine/base/error.hpp"

#include "app/library/state.hpp"

#include <filesystem>
#include <new>
#include <spira/error.hpp>
#include <system_error>

namespace spira::v0 {

std::string version() {
  return SPIRA_VERSION;
}

}  // namespace spira::v0

namespace spira::library {
namespace {

v0::ErrorKind public_kind(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::undecided:
      return v0::ErrorKind::usage;
    case ErrorKind::input:
      return v0::ErrorKind::input;
    case ErrorKind::does_not_fit:
      return v0::ErrorKind::does_not_fit;
    case ErrorKind::device:
      return v0::ErrorKind::device;
    case ErrorKind::device_memory:
    case ErrorKind::memory:
      return v0::ErrorKind::memory;
    case ErrorKind::cancelled:
      return v0::ErrorKind::cancelled;
    case ErrorKind::failed_check:
    case ErrorKind::slower:
    case ErrorKind::internal:
      break;
  }
  return v0::ErrorKind::internal;
}

}  // namespace

void throw_public_error() {
  try {
    throw;
  } catch (const v0::Error&) {
    throw;
  } catch (const Error& error) {
    throw v0::Error(public_kind(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    throw v0::Error(v0::ErrorKind::memory, "out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    throw v0::Error(v0::ErrorKind::input, error.path1().string() + ": " + error.code().message());
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again)
      throw v0::Error(v0::ErrorKind::internal, error.what());
    throw v0::Error(v0::ErrorKind::device,
                    "cannot start a thread: the limit on threads or memory is reached");
  } catch (const std::exception& error) {
    throw v0::Error(v0::ErrorKind::internal, error.what());
  } catch (...) {
    throw v0::Error(v0::ErrorKind::internal, "unknown exception");
  }
}

}  // namespace spira::library
