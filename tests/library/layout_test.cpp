// Tests that the classes that programs create and read have the layout of the binary interface. If a
// static_assert of this file fails, programs that were compiled with older headers do not work with the
// library. Then increase SPIRA_INTERFACE in app/library/CMakeLists.txt, unless no version with this number
// has been released, and correct the numbers here.
#include <gtest/gtest.h>

#include <cstddef>
#include <spira/compiled_runner.hpp>
#include <spira/error.hpp>
#include <spira/profile.hpp>
#include <spira/runner.hpp>
#include <type_traits>

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // Supported by GCC and Clang, also for these classes.
#endif

namespace spira::test {
namespace {

// Objects behind a pointer: only the library knows their content.
static_assert(sizeof(Network) == 16 && sizeof(Model) == 16 && sizeof(Scene) == 16 && sizeof(Runner) == 8 &&
              sizeof(CompiledRunner) == 8);

static_assert(sizeof(Tensor) == 56 && sizeof(Error) == 24);
static_assert(sizeof(DataType) == 1 && sizeof(Memory) == 1 && sizeof(DeviceKind) == 1);
static_assert(sizeof(ErrorKind) == 1 && static_cast<int>(ErrorKind::internal) == 6);
static_assert(static_cast<int>(DataType::int32) == 3 && static_cast<int>(Memory::cuda) == 1 &&
              static_cast<int>(DeviceKind::cuda) == 2);

// Structs with public members. The offset of the last member also notices a change of the order.
static_assert(sizeof(LayerInfo) == 128 && offsetof(LayerInfo, out_channels) == 120);
static_assert(sizeof(DeviceOptions) == 24 && offsetof(DeviceOptions, index) == 16);
static_assert(sizeof(DeviceInfo) == 96 && offsetof(DeviceInfo, why_not) == 64);
static_assert(sizeof(ModelOptions) == 112 && offsetof(ModelOptions, deterministic) == 104);
static_assert(sizeof(RunOptions) == 64 && offsetof(RunOptions, stop) == 56);
static_assert(sizeof(Output) == 144 && offsetof(Output, coordinates) == 88);
static_assert(sizeof(Result) == 48 && offsetof(Result, shift) == 24);
static_assert(sizeof(Voxels) == 168 && offsetof(Voxels, voxel_of_point) == 112);
static_assert(sizeof(CompileOptions) == 104 && offsetof(CompileOptions, high) == 80);
static_assert(sizeof(CompiledOutput) == 200 && offsetof(CompiledOutput, rows) == 144);
static_assert(sizeof(ProfileOptions) == 40 && offsetof(ProfileOptions, stop) == 32);
static_assert(sizeof(TuneOptions) == 40 && offsetof(TuneOptions, stop) == 32);

TEST(LibraryLayout, ClassesMoveWithoutExceptions) {
  // Programs keep these objects in vectors, which move elements only if moves cannot throw.
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Tensor> && std::is_nothrow_move_assignable_v<Tensor>);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Output> && std::is_nothrow_move_constructible_v<Result>);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Runner> && std::is_nothrow_move_assignable_v<Runner>);
}

}  // namespace
}  // namespace spira::test
