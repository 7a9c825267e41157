#include "engine/memory/buffer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira {
namespace {

TEST(Buffer, CountsUseAndPeak) {
  const auto pool = make_host_pool();
  {
    const Buffer first(pool, 1000);
    const Buffer second(pool, 24);
    EXPECT_EQ(pool->used_bytes(), 1024U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % 256, 0U);
  }
  EXPECT_EQ(pool->used_bytes(), 0U);
  EXPECT_EQ(pool->peak_bytes(), 1024U);
  pool->reset_peak();
  EXPECT_EQ(pool->peak_bytes(), 0U);
  pool->raise_peak(512);
  pool->raise_peak(100);
  EXPECT_EQ(pool->peak_bytes(), 512U);
}

TEST(Buffer, MovesOwnership) {
  const auto pool = make_host_pool();
  Buffer from(pool, 16);
  from.host_span<int>()[3] = 7;
  Buffer to = std::move(from);
  EXPECT_EQ(to.host_span<int>()[3], 7);
  to = Buffer(pool, 32);
  EXPECT_EQ(pool->used_bytes(), 32U);
  EXPECT_EQ(Buffer().space(), std::nullopt);
}

TEST(Buffer, LargeBlocksAreKeptForTheNextRequestOfTheirSize) {
  const auto pool = make_host_pool();
  const std::size_t bytes = (std::size_t{5} << 20) + 1000;
  const void* first = nullptr;
  {
    const Buffer buffer(pool, bytes);
    first = buffer.data();
  }
  EXPECT_EQ(pool->used_bytes(), 0U);
  const Buffer other(pool, std::size_t{9} << 20), again(pool, bytes - 500);
  EXPECT_EQ(again.data(), first);
  EXPECT_NE(other.data(), first);
  EXPECT_EQ(again.bytes(), bytes - 500);
  EXPECT_EQ(pool->used_bytes(), again.bytes() + other.bytes());
}

TEST(Buffer, ANarrowedBufferKeepsItsAllocation) {
  const auto pool = make_host_pool();
  {
    Buffer buffer(pool, 1000);
    const void* data = buffer.data();
    buffer.narrow(300);
    EXPECT_EQ(buffer.bytes(), 300U);
    EXPECT_EQ(buffer.data(), data);
    const Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.bytes(), 300U);
    EXPECT_EQ(pool->used_bytes(), 1000U);
  }
  EXPECT_EQ(pool->used_bytes(), 0U);
  Buffer small(pool, 10);
  EXPECT_THROW(small.narrow(11), Error);
}

TEST(Buffer, LimitIsAnErrorThatNamesTheBytes) {
  const auto pool = make_host_pool(1000);
  const Buffer kept(pool, 900);
  try {
    const Buffer over(pool, 101);
    FAIL() << "the allocation must throw, because it exceeds the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device_memory);
    EXPECT_THAT(error.what(), testing::HasSubstr("101 B requested"));
  }
  EXPECT_EQ(pool->used_bytes(), 900U);
}

}  // namespace
}  // namespace spira
