// Runs long calls of the library without the global interpreter lock, so that other Python threads continue
// and Ctrl-C ends the call.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <pybind11/pybind11.h>
#include <stop_token>

namespace spira::python {

/// The class `Stop` of the module. Any thread can request the stop of the calls that got this object.
struct Stop {
  std::stop_source source;
};

/// Calls `work` with a stop token in another thread, and returns its result. The calling thread waits and
/// looks for signals, because Python handles signals only in its main thread. If a signal handler raises, for
/// example KeyboardInterrupt, the call is stopped and the exception is thrown. `work` must not use Python.
template <class Work> auto long_call(const Stop* stop, const Work& work) {
  constexpr std::chrono::milliseconds poll{20};
  std::stop_source source;
  const std::stop_callback forward(stop == nullptr ? std::stop_token{} : stop->source.get_token(),
                                   [&source] { source.request_stop(); });
  auto result = std::async(std::launch::async, [&] { return work(source.get_token()); });
  const auto finished = [&] {
    const pybind11::gil_scoped_release released;
    return result.wait_for(poll) == std::future_status::ready;
  };
  std::optional<pybind11::error_already_set> raised;
  while (!finished()) {
    if (!raised && PyErr_CheckSignals() != 0) {
      raised.emplace();
      source.request_stop();
    }
  }
  if (raised) throw pybind11::error_already_set(*raised);
  return result.get();
}

}  // namespace spira::python
