// Matrix products of a warpgroup (four warps, 64 rows), whose factors are both in shared memory, and
// asynchronous copies into shared memory. The products exist only on sm_90a.
#pragma once

#include "kernels/cuda/conv_fp16/bulk_copy.cuh"

#include <cstdint>

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define SPIRA_WARPGROUP_PRODUCTS 1
#endif

namespace spira::cuda {

#ifdef SPIRA_WARPGROUP_PRODUCTS

/// Starts to copy 16 bytes to shared memory. If `there` is false, writes zeros instead.
__device__ inline void copy_piece(unsigned to_shared, const void* from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to_shared), "l"(from),
               "r"(there ? 16 : 0)
               : "memory");
}
__device__ inline void commit_pieces() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most `behind` commit groups of this thread's copies are in flight.
template <int behind> __device__ inline void wait_for_pieces() {
  asm volatile("cp.async.wait_group %0;" ::"n"(behind) : "memory");
}
/// Makes the writes of this thread to shared memory visible to the matrix units.
__device__ inline void publish_pieces() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Returns the lower half of the matrix descriptor of a factor in shared memory. The rows of the factor are
/// contiguous and have `atom_bytes` bytes (128 or 64); their 16-byte pieces are swizzled. The factor must
/// start at a multiple of 1024 bytes. kind_of_factor is the upper half, which is the same for all factors
/// with the same `atom_bytes`.
__device__ inline unsigned factor(unsigned shared) {
  return ((shared & 0x3FFFFU) >> 4U) | (1U << 16U);
}
template <int atom_bytes>
constexpr unsigned kind_of_factor = (atom_bytes == 128 ? 1U << 30U : 2U << 30U) | (8U * atom_bytes / 16U);

__device__ inline void start_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until all products are complete, except the products of the last commit group. The factors of the
/// completed products may then be overwritten.
__device__ inline void wait_for_products_before() {
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}
/// Waits until all products are complete. `sums` may be read afterwards.
template <int tiles> __device__ inline void wait_for_products(float (&sums)[tiles][4]) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (auto& tile : sums)
    asm volatile("" : "+f"(tile[0]), "+f"(tile[1]), "+f"(tile[2]), "+f"(tile[3])::"memory");
}

#define SPIRA_TILE(at) "+f"(s[at][0]), "+f"(s[at][1]), "+f"(s[at][2]), "+f"(s[at][3])

/// Starts sums += (64 rows x 16 channels) * (16 channels x 8 * tiles columns). Does not wait for the product.
template <int atom_bytes>
__device__ void multiply_warpgroup(float (&s)[4][4], unsigned rows, unsigned weights) {
  asm volatile(
      "{\n.reg .b64 a, b;\nmov.b64 a, {%16, %18};\nmov.b64 b, {%17, %18};\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, a, b, 1, 1, 1, 0, 0;\n}"
      : SPIRA_TILE(0), SPIRA_TILE(1), SPIRA_TILE(2), SPIRA_TILE(3)
      : "r"(rows), "r"(weights), "n"(kind_of_factor<atom_bytes>));
}
template <int atom_bytes>
__device__ void multiply_warpgroup(float (&s)[8][4], unsigned rows, unsigned weights) {
  asm volatile(
      "{\n.reg .b64 a, b;\nmov.b64 a, {%32, %34};\nmov.b64 b, {%33, %34};\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, a, b, 1, 1, 1, 0, 0;\n}"
      : SPIRA_TILE(0), SPIRA_TILE(1), SPIRA_TILE(2), SPIRA_TILE(3), SPIRA_TILE(4), SPIRA_TILE(5),
        SPIRA_TILE(6), SPIRA_TILE(7)
      : "r"(rows), "r"(weights), "n"(kind_of_factor<atom_bytes>));
}
template <int atom_bytes>
__device__ void multiply_warpgroup(float (&s)[12][4], unsigned rows, unsigned weights) {
  asm volatile(
      "{\n.reg .b64 a, b;\nmov.b64 a, {%48, %50};\nmov.b64 b, {%49, %50};\n"
      "wgmma.mma_async.sync.aligned.m64n96k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47}, a, b, 1, 1, 1, 0, 0;\n}"
      : SPIRA_TILE(0), SPIRA_TILE(1), SPIRA_TILE(2), SPIRA_TILE(3), SPIRA_TILE(4), SPIRA_TILE(5),
        SPIRA_TILE(6), SPIRA_TILE(7), SPIRA_TILE(8), SPIRA_TILE(9), SPIRA_TILE(10), SPIRA_TILE(11)
      : "r"(rows), "r"(weights), "n"(kind_of_factor<atom_bytes>));
}
template <int atom_bytes>
__device__ void multiply_warpgroup(float (&s)[16][4], unsigned rows, unsigned weights) {
  asm volatile(
      "{\n.reg .b64 a, b;\nmov.b64 a, {%64, %66};\nmov.b64 b, {%65, %66};\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
      "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, a, b, 1, 1, 1, 0, 0;\n}"
      : SPIRA_TILE(0), SPIRA_TILE(1), SPIRA_TILE(2), SPIRA_TILE(3), SPIRA_TILE(4), SPIRA_TILE(5),
        SPIRA_TILE(6), SPIRA_TILE(7), SPIRA_TILE(8), SPIRA_TILE(9), SPIRA_TILE(10), SPIRA_TILE(11),
        SPIRA_TILE(12), SPIRA_TILE(13), SPIRA_TILE(14), SPIRA_TILE(15)
      : "r"(rows), "r"(weights), "n"(kind_of_factor<atom_bytes>));
}

#undef SPIRA_TILE

#endif

}  // namespace spira::cuda
