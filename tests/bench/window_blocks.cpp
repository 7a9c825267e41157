#include "tests/bench/window_blocks.hpp"

#include "engine/measure/statistics.hpp"
#include "engine/network/network.hpp"
#include "tests/bench/gui_watch.hpp"
#include "ui/features/beside/scenes_beside.hpp"
#include "ui/jobs/engine/frame_prefetch.hpp"
#include "ui/jobs/frame_player.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/application.hpp"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spira::ui {
namespace {

constexpr int repetitions = 7, frames = 8;

Network deep_network(int layers) {
  Network network;
  network.name = network.title = "deep";
  for (int at = 0; at < layers; ++at) {
    Layer layer;
    layer.name = "conv" + std::to_string(at);
    layer.inputs = {at == 0 ? std::string("input") : network.layers.back().name};
    layer.in_channels = layer.out_channels = network.in_channels;
    network.layers.push_back(std::move(layer));
  }
  return network;
}

class Blocks {
 public:
  explicit Blocks(Application& app) : app_(app) {}

  void print(const char* what, int times, const std::function<void()>& begin,
             const std::function<bool()>& done) {
    std::vector<double> wall, cpu;
    Turn worst;
    for (int at = 0; at < times; ++at) {
      rest();
      static_cast<void>(watch().take_longest());
      as_step(begin);
      while (!done())
        QApplication::processEvents();
      rest();
      const auto longest = watch().take_longest();
      wall.push_back(longest.by_wall.wall_ms);
      cpu.push_back(longest.by_cpu.cpu_ms);
      if (longest.by_cpu.cpu_ms > worst.cpu_ms) worst = longest.by_cpu;
    }
    std::fflush(stdout);
    std::printf(
        "  %-20s longest block: median %6.1f ms   max %6.1f ms   CPU time: median %6.1f ms   max %6.1f ms"
        "   n %d\n",
        what, statistics(wall).median, *std::max_element(wall.begin(), wall.end()), statistics(cpu).median,
        *std::max_element(cpu.begin(), cpu.end()), times);
    for (const auto& [step, ms] : worst.steps)
      std::printf("      %s %.1f\n", step.c_str(), ms);
  }
  [[nodiscard]] bool idle() const {
    EngineJobs& jobs = app_.jobs();
    return !jobs.lane().busy() && !jobs.scenes().prefetch().busy() && !app_.sceneView().building() &&
           !app_.sceneView().canvas()->framePending();
  }

 private:
  /// Waits until the window has been idle for 300 ms, so that delayed counts, advice and frames are finished.
  void rest() const {
    constexpr int quiet_ms = 300;
    QElapsedTimer quiet;
    quiet.start();
    while (quiet.elapsed() < quiet_ms) {
      QApplication::processEvents();
      if (!idle()) quiet.restart();
    }
  }
  Application& app_;
};

}  // namespace

void print_blocks(Application& app, const QString& scene) {
  Blocks blocks(app);
  EngineJobs& jobs = app.jobs();
  const auto idle = [&] { return blocks.idle(); };
  QTemporaryDir folder;
  for (int frame = 0; frame < frames; ++frame)
    QFile::copy(scene, folder.filePath(QString("%1.%2").arg(frame).arg(QFileInfo(scene).suffix())));
  blocks.print(
      "open", repetitions, [&] { app.opening().open(scene); }, idle);
  blocks.print(
      "run", repetitions, [&] { app.commands().trigger("run.run"); }, idle);
  app.selection().setLayer(1);
  blocks.print(
      "sweep t", 3, [&] { jobs.sweeps().sweepThresholds(); }, idle);
  app.opening().open(folder.path());
  app.window().findChild<FramePlayer*>()->setRate(30);
  blocks.print(
      "playback", repetitions, [&] { app.window().findChild<FramePlayer*>()->setPlaying(true); },
      [&] { return !app.window().findChild<FramePlayer*>()->playing() && idle(); });
  auto& beside = *app.window().findChild<BesideWindow*>();
  const auto settled = [&beside] { return beside.settled(); };
  blocks.print(
      "side by side", repetitions,
      [&] {
        app.window().findChild<ScenesBeside*>()->showScenes({scene, scene, "street", "room"});
      },
      settled);
  blocks.print(
      "colour side by side", repetitions,
      [&beside] {
        const bool heights = beside.selection().look().colourBy() == ColourBy::height;
        beside.selection().look().setColourBy(heights ? ColourBy::points_per_voxel : ColourBy::height);
      },
      settled);
  beside.close();
}

void print_many_blocks(Application& app, const QString& scene) {
  constexpr int many_frames = 10'000, many_layers = 1'000;
  Blocks blocks(app);
  EngineJobs& jobs = app.jobs();
  const auto idle = [&] { return blocks.idle(); };
  QTemporaryDir folder;
  const QString frame = QFileInfo(scene).absoluteFilePath(), suffix = QFileInfo(scene).suffix();
  for (int at = 0; at < many_frames; ++at)
    QFile::link(frame, folder.filePath(QString("frame%1.%2").arg(at).arg(suffix)));
  for (int at = 0; at < repetitions; ++at) {
    blocks.print(
        "open one", 1, [&] { app.opening().open(frame); }, idle);
    blocks.print(
        "open 10,000 frames", 1, [&] { app.opening().open(folder.path()); }, idle);
  }
  blocks.print(
      "next frame", 3 * repetitions, [&] { app.commands().trigger("frame.next"); }, idle);
  app.opening().open(frame);
  const auto network = std::make_shared<const Network>(deep_network(many_layers));
  blocks.print(
      "choose 1,000 layers", repetitions, [&] { jobs.runs().useNetwork(network); }, idle);
  blocks.print(
      "run 1,000 layers", repetitions, [&] { app.commands().trigger("run.run"); }, idle);
  int layer = 0;
  blocks.print(
      "choose a layer", repetitions, [&] { app.selection().setLayer(layer += 100); }, idle);
}

}  // namespace spira::ui
