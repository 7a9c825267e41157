#include "app/common/faults.hpp"

#include "app/common/scene_argument.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

namespace spira::app {
namespace {

const char* program_name = "spira";

int end(const char* program, const std::string& line, int exit_code) {
  std::cerr << program << ": " << printable(line) << "\n";
  return exit_code;
}

[[noreturn]] void end_uncaught() {
  if (std::current_exception() == nullptr) std::abort();
  std::_Exit(report_fault(program_name));
}

}  // namespace

void prepare_for_faults(const char* program) {
  program_name = program;
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_uncaught);
}

int report_fault(const char* program) {
  const auto code = [](ErrorKind kind) { return facts(kind).exit_code; };
  try {
    throw;
  } catch (const Error& error) {
    return end(program, error_text(error), code(error.kind()));
  } catch (const std::filesystem::filesystem_error& error) {
    return end(program, error.path1().string() + ": " + error.code().message(), code(ErrorKind::input));
  } catch (const std::bad_alloc&) {
    return end(program, "out of memory", code(ErrorKind::memory));
  } catch (const std::system_error& error) {
    const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
    return end(program,
               no_thread ? "cannot start a thread: the limit on threads or memory is reached" : error.what(),
               code(no_thread ? ErrorKind::device : ErrorKind::internal));
  } catch (const std::exception& error) {
    return end(program, error.what(), code(ErrorKind::internal));
  } catch (...) {
    return end(program, "unknown exception", code(ErrorKind::internal));
  }
}

}  // namespace spira::app
