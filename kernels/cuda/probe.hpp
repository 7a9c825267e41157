// Does a device run the code of this build? Facts from the driver do not tell (a build may lack its
// architecture).
#pragma once

namespace spira::cuda {

/// Launches one thread on `device` and reads its answer back. Throws Error(device) where that fails.
void probe(int device);

/// The copy of our kernels that runs on the present device, as compute capabilities (90 for 9.0).
struct CodePath {
  int binary = 0;  ///< of the machine code
  int ptx = 0;     ///< of the PTX that it was made of; below `binary` where the driver compiled it
};
[[nodiscard]] CodePath code_path();

}  // namespace spira::cuda
