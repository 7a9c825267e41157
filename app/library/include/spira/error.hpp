// The only exception of the library.
//
//   try {
//     spira::Network network("backbone.json");
//   } catch (const spira::Error& error) {
//     std::cerr << error.what() << "\n";  // backbone.json: layers[2].kernel_size: 4 is not one of 1, 2, 3,
//     5, 7
//   }
#pragma once

#include <cstdint>
#include <spira/version.hpp>
#include <stdexcept>
#include <string>

namespace spira::v0 {

/// The cause of an error, so that a program can react to it.
enum class ErrorKind : std::uint8_t {
  usage,         ///< An argument is wrong: a name, a shape, a data type, or a plan of another network.
  input,         ///< A file or the given data cannot be read or is not valid.
  does_not_fit,  ///< The scene is too large for packed coordinates. A larger voxel size helps.
  device,        ///< The device does not exist or failed.
  memory,        ///< The host or the device has too little memory.
  cancelled,     ///< The stop token of the call requested a stop.
  internal       ///< A fault of the library.
};

/// Thrown by every function of the library that can fail. The message is one line. It is the text that the
/// program `spira` prints for the same fault, and it names the file or the argument, the fault and the
/// expected value. After an error, all objects are unchanged and can be used further, unless a function says
/// otherwise.
// The attribute lets programs that hide their symbols catch it.
class [[gnu::visibility("default")]] Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept {
    return kind_;
  }

 private:
  ErrorKind kind_;
};

}  // namespace spira::v0
