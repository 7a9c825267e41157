// Checks whether a device runs the code of this build. Facts from the driver are not enough, because a build
// may lack the architecture of the device.
#pragma once

namespace spira::cuda {

/// Launches one thread on `device` and reads its result back. Throws Error(device) if that fails.
void probe(int device);

/// The copy of our kernels that runs on the current device, as compute capabilities (90 means 9.0).
struct CodePath {
  int binary = 0;  ///< Capability of the machine code.
  int ptx = 0;     ///< Capability of its PTX. Less than `binary` if the driver compiled the PTX.
};
[[nodiscard]] CodePath code_path();

}  // namespace spira::cuda
