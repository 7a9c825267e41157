// Copies from device memory to shared memory that threads start and wait for, and reads of matrices from
// shared memory for the matrix units.
#pragma once

#include <cuda_fp16.h>

namespace spira::cuda {

__device__ inline unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// Starts to copy 16 bytes to shared memory, or writes zeros if `there` is false. On devices before sm_80,
/// waits for the copy.
__device__ inline void copy_piece(void* to, const void* from, bool there) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(there ? 16 : 0)
               : "memory");
#else
  *static_cast<uint4*>(to) = there ? __ldg(static_cast<const uint4*>(from)) : uint4{};
#endif
}
/// Closes the group of the copies that this thread has started since the last call.
__device__ inline void commit_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits until at most `behind` groups of copies of this thread are in flight.
template <int behind> __device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(behind) : "memory");
#endif
}

// The functions below read 8x8 matrices of fp16 values, one after another. Lane i passes the address of row
// i % 8 of matrix i / 8, which has 16 bytes. All lanes must call them together. Without transposing, a lane
// receives two adjacent values of row lane / 4 of each matrix, and otherwise of column lane / 4.

__device__ inline void read_matrices(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}
__device__ inline void read_transposed_matrices(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}
/// Reads two matrices. The addresses of lanes 16 to 31 are not used.
__device__ inline void read_transposed_matrices(unsigned (&to)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(to[0]), "=r"(to[1])
               : "r"(shared_address(row))
               : "memory");
}

}  // namespace spira::cuda
