#include "tests/bench/window_blocks.hpp"

#include "engine/measure/statistics.hpp"
#include "tests/bench/gui_watch.hpp"
#include "ui/jobs/frame_player.hpp"
#include "ui/jobs/frame_prefetch.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/main_window.hpp"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace spira::ui {
namespace {

constexpr int repetitions = 7, frames = 8;

class Blocks {
 public:
  explicit Blocks(MainWindow& window) : window_(window) {}

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
        "  %-10s longest turn: median %6.1f ms   max %6.1f ms   processor: median %6.1f ms   max %6.1f ms"
        "   n %d\n",
        what, statistics(wall).median, *std::max_element(wall.begin(), wall.end()), statistics(cpu).median,
        *std::max_element(cpu.begin(), cpu.end()), times);
    for (const auto& [step, ms] : worst.steps)
      std::printf("      %s %.1f\n", step.c_str(), ms);
  }
  [[nodiscard]] bool idle() const {
    const EngineJobs& jobs = window_.jobs();
    return !jobs.runner()->busy() && !jobs.prefetch().busy() && !window_.sceneView().building() &&
           !window_.sceneView().canvas()->framePending();
  }

 private:
  /// Waits until the window was idle for 300 ms, so that delayed counts, advice and frames are finished.
  void rest() const {
    constexpr int quiet_ms = 300;
    QElapsedTimer quiet;
    quiet.start();
    while (quiet.elapsed() < quiet_ms) {
      QApplication::processEvents();
      if (!idle()) quiet.restart();
    }
  }
  MainWindow& window_;
};

}  // namespace

void print_blocks(MainWindow& window, const QString& scene) {
  Blocks blocks(window);
  EngineJobs& jobs = window.jobs();
  const auto idle = [&] { return blocks.idle(); };
  QTemporaryDir folder;
  for (int frame = 0; frame < frames; ++frame)
    QFile::copy(scene, folder.filePath(QString("%1.%2").arg(frame).arg(QFileInfo(scene).suffix())));
  blocks.print(
      "open", repetitions, [&] { window.open(scene); }, idle);
  blocks.print(
      "run", repetitions, [&] { window.commands().trigger("run.run"); }, idle);
  window.selection().setLayer(1);
  blocks.print(
      "sweep t", 3, [&] { jobs.sweepThresholds(); }, idle);
  window.open(folder.path());
  window.player().setRate(30);
  blocks.print(
      "playback", repetitions, [&] { window.player().setPlaying(true); },
      [&] { return !window.player().playing() && idle(); });
}

}  // namespace spira::ui
