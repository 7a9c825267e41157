#include "engine/base/current_error.hpp"

#include <new>

namespace spira {

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::memory, "not enough memory; open data is unchanged"};
  } catch (const std::exception& error) {
    return {ErrorKind::internal, error.what()};
  } catch (...) {
    return {ErrorKind::internal, "unknown exception"};
  }
}

}  // namespace spira
