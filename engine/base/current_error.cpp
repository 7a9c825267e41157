#include "engine/base/current_error.hpp"

#include <new>

namespace spira {

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::memory, "not enough memory is left for this; what was open stays open"};
  } catch (const std::exception& error) {
    return {ErrorKind::internal, error.what()};
  } catch (...) {
    return {ErrorKind::internal, "an exception of an unknown type"};
  }
}

}  // namespace spira
