// Asynchronous bulk copies into shared memory, and the barriers that signal their completion (sm_90).
#pragma once

#include <cstdint>

namespace spira::cuda {

using Barrier = std::uint64_t;

#if __CUDA_ARCH__ >= 900

__device__ inline unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
__device__ inline void init_barrier(Barrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}
/// Makes the barriers that this thread has initialised visible to the copy engine. Must be followed by
/// __syncthreads().
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
// The parameter `barrier` of the functions below is the address of a barrier in shared memory. A loop can
// keep this address in a register.

/// Signals the arrival of the calling thread at the barrier.
__device__ inline void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void arrive_and_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Returns true if the barrier phase with this parity has ended. Does not wait. Must be called by all lanes
/// of a warp together.
__device__ inline bool ended(unsigned barrier, unsigned parity) {
  unsigned result = 0;
  asm volatile(
      "{\n"
      ".reg .pred ended;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
      "selp.u32 %0, 1, 0, ended;\n"
      "}"
      : "=r"(result)
      : "r"(barrier), "r"(parity)
      : "memory");
  return __all_sync(0xFFFFFFFFU, static_cast<int>(result)) != 0;
}
/// Waits until the barrier phase with this parity has ended.
__device__ inline void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred ended;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@ended bra done;\n"
      "bra again;\n"
      "done:\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
/// Starts to copy `bytes` bytes to shared memory. `bytes` and both addresses must be multiples of 16. The
/// barrier counts the copied bytes.
__device__ inline void copy_bulk(unsigned to_shared, const void* from, unsigned bytes, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          to_shared),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ inline void arrive(Barrier* barrier) {
  arrive(shared_address(barrier));
}
__device__ inline void arrive_and_expect(Barrier* barrier, unsigned bytes) {
  arrive_and_expect(shared_address(barrier), bytes);
}
__device__ inline void wait(Barrier* barrier, unsigned parity) {
  wait(shared_address(barrier), parity);
}
__device__ inline void copy_bulk(void* to_shared, const void* from, unsigned bytes, Barrier* barrier) {
  copy_bulk(shared_address(to_shared), from, bytes, shared_address(barrier));
}

#endif

}  // namespace spira::cuda
