// Does a device run the code of this build? Facts from the driver do not tell (a build may lack its
// architecture).
#pragma once

namespace spira::cuda {

/// Launches one thread on `device` and reads its answer back. Throws Error(device) where that fails.
void probe(int device);

}  // namespace spira::cuda
