// The extension module `_spira` of the Python package `spira` (docs/python.md). It uses only the public
// headers of the library.
#include "app/python/module/arrays.hpp"
#include "app/python/module/errors.hpp"
#include "app/python/module/long_call.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <spira/compiled_runner.hpp>
#include <spira/device.hpp>
#include <spira/error.hpp>
#include <spira/profile.hpp>
#include <spira/runner.hpp>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace spira::python {
namespace {

using File = std::optional<std::filesystem::path>;

std::string name_of(const File& file) {
  return file ? file->string() : std::string{};
}

/// Returns the value with the name `text`. Throws `Error(usage)` if no value has it.
template <class Value>
Value value_of(const std::string& argument, const std::string& text,
               const std::vector<std::pair<std::string, Value>>& values) {
  std::string names;
  for (const auto& [name, value] : values) {
    if (name == text) return value;
    names += (names.empty() ? "" : name == values.back().first ? " or " : ", ") + name;
  }
  throw Error(ErrorKind::usage, argument + ": is '" + text + "'; expected " + names);
}

DeviceKind device_of(const std::string& text) {
  return value_of<DeviceKind>(
      "device", text,
      {{"automatic", DeviceKind::automatic}, {"cpu", DeviceKind::cpu}, {"cuda", DeviceKind::cuda}});
}

/// Returns the edges of a voxel from `None`, a number or three numbers.
std::array<double, 3> edges_of(const py::object& voxel_m) {
  if (voxel_m.is_none()) return {};
  try {
    if (PyNumber_Check(voxel_m.ptr()) != 0 && PySequence_Check(voxel_m.ptr()) == 0) {
      const auto edge = py::cast<double>(voxel_m);
      return {edge, edge, edge};
    }
    return py::cast<std::array<double, 3>>(voxel_m);
  } catch (const py::cast_error&) {
    throw py::type_error("voxel_m: is " + std::string(py::repr(voxel_m)) +
                         "; expected a number, or 3 numbers along x, y and z");
  }
}

py::object from_json(const std::string& text) {
  return py::module_::import("json").attr("loads")(text);
}

void add_networks(py::module_& module) {
  py::class_<LayerInfo>(module, "LayerInfo")
      .def_readonly("name", &LayerInfo::name)
      .def_readonly("operation", &LayerInfo::operation)
      .def_readonly("inputs", &LayerInfo::inputs)
      .def_readonly("kernel_size", &LayerInfo::kernel_size)
      .def_readonly("stride", &LayerInfo::stride)
      .def_readonly("transposed", &LayerInfo::transposed)
      .def_readonly("in_channels", &LayerInfo::in_channels)
      .def_readonly("out_channels", &LayerInfo::out_channels);
  py::class_<Network>(module, "Network")
      .def(py::init([](const std::filesystem::path& preset_or_file) {
             const py::gil_scoped_release released;
             return Network(preset_or_file.string());
           }),
           py::arg("preset_or_file"))
      .def_property_readonly("name", &Network::name)
      .def_property_readonly("input_channels", &Network::input_channels)
      .def_property_readonly("layers", &Network::layers)
      .def_property_readonly("outputs", &Network::outputs)
      .def_property_readonly("voxel_m", &Network::voxel_m);
}

void add_models(py::module_& module) {
  py::class_<DeviceInfo>(module, "DeviceInfo")
      .def_property_readonly(
          "kind", [](const DeviceInfo& device) { return device.kind == DeviceKind::cuda ? "cuda" : "cpu"; })
      .def_readonly("name", &DeviceInfo::name)
      .def_readonly("threads", &DeviceInfo::threads)
      .def_readonly("memory_bytes", &DeviceInfo::memory_bytes)
      .def_readonly("usable", &DeviceInfo::usable)
      .def_readonly("why_not", &DeviceInfo::why_not);
  module.def("devices", &devices, py::call_guard<py::gil_scoped_release>());
  py::class_<Model>(module, "Model")
      .def(py::init([](const Network& network, const std::string& device, int threads,
                       std::size_t memory_limit_bytes, const File& weights, std::uint64_t seed,
                       const std::string& precision, const File& plan, bool deterministic, int device_index) {
             const py::gil_scoped_release released;
             ModelOptions options;
             options.device = {device_of(device), threads, memory_limit_bytes, device_index};
             options.weights = name_of(weights);
             options.seed = seed;
             options.precision = value_of<DataType>(
                 "precision", precision, {{"float32", DataType::float32}, {"float16", DataType::float16}});
             options.plan = name_of(plan);
             options.deterministic = deterministic;
             return Model(network, options);
           }),
           py::arg("network"), py::kw_only(), py::arg("device") = "automatic", py::arg("threads") = 0,
           py::arg("memory_limit_bytes") = 0, py::arg("weights") = py::none(), py::arg("seed") = 1,
           py::arg("precision") = "float32", py::arg("plan") = py::none(), py::arg("deterministic") = true,
           py::arg("device_index") = 0)
      .def_property_readonly("network", &Model::network)
      .def_property_readonly("device", &Model::device);
}

void add_scenes(py::module_& module) {
  py::class_<Scene>(module, "Scene")
      .def_static(
          "points",
          [](const py::object& positions, const py::object& intensity, const std::string& name) {
            const Tensor points = tensor_from(positions, "positions");
            const Tensor values = intensity.is_none() ? Tensor() : tensor_from(intensity, "intensity");
            const py::gil_scoped_release released;
            return Scene::points(points, values, name);
          },
          py::arg("positions"), py::arg("intensity") = py::none(), py::kw_only(), py::arg("name") = "")
      .def_static(
          "voxels",
          [](const py::object& coordinates, const py::object& features, const std::string& name) {
            const Tensor cells = tensor_from(coordinates, "coordinates");
            const Tensor values = tensor_from(features, "features");
            const py::gil_scoped_release released;
            return Scene::voxels(cells, values, name);
          },
          py::arg("coordinates"), py::arg("features"), py::kw_only(), py::arg("name") = "")
      .def_property_readonly("size", &Scene::size)
      .def_property_readonly("has_voxels", &Scene::has_voxels);
  module.def(
      "read_scene",
      [](const std::filesystem::path& file, const std::string& format, const Stop* stop) {
        return long_call(
            stop, [&](std::stop_token token) { return read_scene(file.string(), format, std::move(token)); });
      },
      py::arg("file"), py::kw_only(), py::arg("format") = "", py::arg("stop") = py::none());
  py::class_<Voxels>(module, "Voxels")
      .def_readonly("coordinates", &Voxels::coordinates)
      .def_readonly("features", &Voxels::features)
      .def_readonly("voxel_of_point", &Voxels::voxel_of_point);
  module.def(
      "voxelize",
      [](const py::object& positions, const py::object& voxel_m, const py::object& features,
         const Stop* stop) {
        const Tensor points = tensor_from(positions, "positions");
        const Tensor values = features.is_none() ? Tensor() : tensor_from(features, "features");
        const std::array<double, 3> edges = edges_of(voxel_m);
        return long_call(
            stop, [&](std::stop_token token) { return voxelize(points, edges, values, std::move(token)); });
      },
      py::arg("positions"), py::arg("voxel_m"), py::arg("features") = py::none(), py::kw_only(),
      py::arg("stop") = py::none());
}

/// A runner that refuses a second call during a run. Without the interpreter lock, another thread or a signal
/// handler could make one.
struct OneCallRunner {
  explicit OneCallRunner(const Model& model) : runner(model) {}
  Runner runner;
  std::atomic_flag running;
};

/// Marks the runner as running. Throws `Error(usage)` if it is already running.
class RunningCall {
 public:
  explicit RunningCall(std::atomic_flag& running) : running_(running) {
    if (running_.test_and_set())
      throw Error(ErrorKind::usage, "runner: another call is running; use a separate runner for each thread");
  }
  ~RunningCall() { running_.clear(); }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  std::atomic_flag& running_;
};

void add_runners(py::module_& module) {
  py::class_<Output>(module, "Output")
      .def_readonly("layer", &Output::layer)
      .def_readonly("features", &Output::features)
      .def_readonly("coordinates", &Output::coordinates);
  py::class_<Result>(module, "Result")
      .def_readonly("outputs", &Result::outputs)
      .def_readonly("shift", &Result::shift);
  py::class_<OneCallRunner>(module, "Runner")
      .def(py::init<const Model&>(), py::arg("model"), py::call_guard<py::gil_scoped_release>())
      .def(
          "run",
          [](OneCallRunner& one, const Scene& scene, const py::object& voxel_m,
             const std::vector<std::string>& outputs, const std::string& memory, const Stop* stop) {
            RunOptions options;
            options.voxel_m = edges_of(voxel_m);
            options.outputs = outputs;
            options.memory =
                value_of<Memory>("memory", memory, {{"host", Memory::host}, {"cuda", Memory::cuda}});
            const RunningCall call(one.running);
            return long_call(stop, [&](std::stop_token token) {
              options.stop = std::move(token);
              return one.runner.run(scene, options);
            });
          },
          py::arg("scene"), py::kw_only(), py::arg("voxel_m") = py::none(),
          py::arg("outputs") = std::vector<std::string>{}, py::arg("memory") = "host",
          py::arg("stop") = py::none());
}

/// Returns a CUDA stream. As in the array API standard, 0 and 1 are the default stream, and 2 is the default
/// stream of the thread. Other numbers are addresses.
void* stream_of(const py::object& stream) {
  const auto number = stream.is_none() ? std::uintptr_t{0} : py::cast<std::uintptr_t>(stream);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python describes addresses as numbers.
  return reinterpret_cast<void*>(number);
}

/// A compiled runner that refuses a second call during a call. Its destructor waits for runs without the
/// interpreter lock, because a host function in a stream could need the lock.
struct OneCallCompiledRunner {
  OneCallCompiledRunner(const Model& model, const Scene& example, const CompileOptions& options)
      : runner(std::in_place, model, example, options) {}
  // NOLINTNEXTLINE(bugprone-exception-escape): releasing the lock fails only in a broken interpreter.
  ~OneCallCompiledRunner() {
    const py::gil_scoped_release released;
    runner.reset();
  }
  OneCallCompiledRunner(const OneCallCompiledRunner&) = delete;
  OneCallCompiledRunner& operator=(const OneCallCompiledRunner&) = delete;
  std::optional<CompiledRunner> runner;
  std::atomic_flag running;
};

void add_compiled_runners(py::module_& module) {
  py::class_<CompiledOutput>(module, "CompiledOutput")
      .def_readonly("layer", &CompiledOutput::layer)
      .def_readonly("features", &CompiledOutput::features)
      .def_readonly("coordinates", &CompiledOutput::coordinates)
      .def_readonly("rows", &CompiledOutput::rows);
  py::class_<OneCallCompiledRunner>(module, "CompiledRunner")
      .def(py::init([](const Model& model, const Scene& example, const py::object& voxel_m,
                       const std::vector<std::string>& outputs, double headroom,
                       const std::array<double, 3>& low, const std::array<double, 3>& high) {
             const CompileOptions options{edges_of(voxel_m), outputs, headroom, low, high};
             const py::gil_scoped_release released;
             return std::make_unique<OneCallCompiledRunner>(model, example, options);
           }),
           py::arg("model"), py::arg("example"), py::kw_only(), py::arg("voxel_m") = py::none(),
           py::arg("outputs") = std::vector<std::string>{}, py::arg("headroom") = 1.0,
           py::arg("low") = std::array<double, 3>{}, py::arg("high") = std::array<double, 3>{})
      .def(
          "enqueue",
          [](OneCallCompiledRunner& one, const py::object& positions, const py::object& values,
             const py::object& stream) {
            const RunningCall call(one.running);
            const Tensor points = tensor_from(positions, "positions");
            const Tensor features = values.is_none() ? Tensor() : tensor_from(values, "values");
            void* const on = stream_of(stream);
            const py::gil_scoped_release released;
            one.runner->enqueue(points, features, on);
          },
          py::arg("positions"), py::arg("values") = py::none(), py::kw_only(), py::arg("stream") = py::none())
      .def("wait",
           [](OneCallCompiledRunner& one) {
             const RunningCall call(one.running);
             const py::gil_scoped_release released;
             one.runner->wait();
           })
      .def_property_readonly("outputs",
                             [](const OneCallCompiledRunner& one) { return one.runner->outputs(); })
      .def_property_readonly("shift", [](const OneCallCompiledRunner& one) { return one.runner->shift(); });
}

void add_profiles(py::module_& module) {
  module.def(
      "profile",
      [](const Model& model, const Scene& scene, const py::object& voxel_m, int repetitions, int warmup,
         const Stop* stop) {
        ProfileOptions options{edges_of(voxel_m), repetitions, warmup, {}};
        return from_json(long_call(stop, [&](std::stop_token token) {
          options.stop = std::move(token);
          return profile(model, scene, options);
        }));
      },
      py::arg("model"), py::arg("scene"), py::kw_only(), py::arg("voxel_m") = py::none(),
      py::arg("repetitions") = ProfileOptions{}.repetitions, py::arg("warmup") = ProfileOptions{}.warmup,
      py::arg("stop") = py::none());
  module.def(
      "tune",
      [](const Model& model, const std::vector<Scene>& scenes, const py::object& voxel_m, double budget_s,
         const Stop* stop) {
        TuneOptions options{edges_of(voxel_m), budget_s, {}};
        return from_json(long_call(stop, [&](std::stop_token token) {
          options.stop = std::move(token);
          return tune(model, scenes, options);
        }));
      },
      py::arg("model"), py::arg("scenes"), py::kw_only(), py::arg("voxel_m") = py::none(),
      py::arg("budget_s") = TuneOptions{}.budget_s, py::arg("stop") = py::none());
  module.def(
      "compare",
      [](const py::dict& baseline, const py::dict& current) {
        const py::object to_json = py::module_::import("json").attr("dumps");
        const auto before = py::cast<std::string>(to_json(baseline));
        const auto after = py::cast<std::string>(to_json(current));
        return from_json([&] {
          const py::gil_scoped_release released;
          return compare(before, after);
        }());
      },
      py::arg("baseline"), py::arg("current"));
}

}  // namespace
}  // namespace spira::python

// NOLINTNEXTLINE(modernize-use-trailing-return-type)
PYBIND11_MODULE(_spira, module) {
  using namespace spira::python;  // NOLINT(google-build-using-namespace)
  module.def("version", &spira::version);
  add_errors(module);
  py::class_<Stop>(module, "Stop").def(py::init<>()).def("request", [](Stop& stop) {
    stop.source.request_stop();
  });
  add_tensor(module);
  add_networks(module);
  add_models(module);
  add_scenes(module);
  add_runners(module);
  add_compiled_runners(module);
  add_profiles(module);
}
