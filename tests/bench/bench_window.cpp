// Measures response times of the real window: the first frame of a scene, frames during and after camera
// motion, and the update of linked views after a selection. Prints medians of repetitions. It does not pass
// or fail.
//   spira_bench_window SCENE [--grid M] [--network NAME] [--explore] [--sequence]
//                            [--lessons] [--motions NAME] [--blocks | --many [--above MS]]
// Requires a display, which may be virtual. --explore ends before the network runs. --sequence opens the
// scene as frames, one after another. --lessons measures the frames of the lessons' animations, and --motions
// only the animations whose name contains NAME. --blocks measures only the longest blocks of the GUI thread
// and lists each block above MS. --many does the same for a sequence of 10,000 frames and a network of 1,000
// layers.
#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "tests/bench/gui_watch.hpp"
#include "tests/bench/window_blocks.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/application.hpp"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

namespace {

using namespace spira;
using namespace spira::ui;

constexpr int repetitions = 15;

/// Prints the longest event-loop iteration of the GUI thread, excluding drawing, and resets the measurement.
void print_longest() {
  const auto longest = watch().take_longest();
  std::printf("   longest block %.1f, CPU time %.1f\n", longest.by_wall.wall_ms, longest.by_cpu.cpu_ms);
}

void print_row(const char* what, const Statistics& s) {
  std::printf("  %-38s median %8.1f ms   q1 %8.1f   q3 %8.1f   n %d", what, s.median, s.q1, s.q3,
              static_cast<int>(s.n));
}

double since(const QElapsedTimer& timer) {
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

class WindowBench {
 public:
  explicit WindowBench(Application& app) : app_(app) {}

  bool open(const QString& scene) {
    QSignalSpy opened(&app_.jobs().scenes(), &SceneJobs::opened),
        picture(&app_.sceneView(), &SceneView::pictureReady);
    QElapsedTimer timer;
    timer.start();
    // Discard the iterations that created the window.
    static_cast<void>(watch().take_longest());
    app_.opening().open(scene);
    if (!QTest::qWaitFor([&] { return picture.count() > 0; }, 120'000)) return false;
    settle();
    print_row("open until the first frame", statistics(std::vector{since(timer)}));
    print_longest();
    return QTest::qWaitFor([&] { return !app_.jobs().lane().busy(); }, 120'000);
  }

  void frames() {
    VtkWidget* canvas = app_.sceneView().canvas();
    const QPointF middle = canvas->rect().center();
    send(QEvent::MouseButtonPress, middle, Qt::LeftButton);
    measure(
        "frame while moving",
        [&](int at) { send(QEvent::MouseMove, middle + QPointF(9.0 * (at + 1), 2.0 * at), Qt::NoButton); },
        false);
    send(QEvent::MouseButtonRelease, middle + QPointF(200, 40), Qt::LeftButton);
    static_cast<void>(QTest::qWaitFor([&] { return app_.sceneView().settled(); }, 10'000));
    settle();
    measure("frame when still", [&](int) { canvas->redraw(); });
  }

  /// Measures the time from the request for a frame of the sequence until this frame is painted. This
  /// simulates playback, so the point clouds are prefetched.
  void sequence(const QString& scene) {
    app_.opening().openAll(QStringList(repetitions + 1, scene));
    static_cast<void>(QTest::qWaitFor([&] { return !app_.jobs().lane().busy(); }, 120'000));
    settle();
    std::vector<double> ms;
    static_cast<void>(watch().take_longest());
    for (int frame = 1; frame <= repetitions; ++frame) {
      QSignalSpy picture(&app_.sceneView(), &SceneView::pictureReady);
      QElapsedTimer timer;
      timer.start();
      app_.jobs().scenes().showFrame(frame);
      static_cast<void>(QTest::qWaitFor([&] { return picture.count() > 0; }, 60'000));
      ms.push_back(since(timer));
      static_cast<void>(QTest::qWaitFor([&] { return !app_.jobs().lane().busy(); }, 60'000));
    }
    print_row("next frame of a sequence", statistics(ms));
    print_longest();
  }

  /// Measures the views of the scene's kernel map, which do not require a network run.
  void explore() {
    Selection& chosen = app_.selection();
    DensityChart& chart = *app_.window().findChild<DensityPanel*>()->chart();
    const CoordSet& level = app_.workspace().scene().voxels()->level(1);
    const auto place = [&](int at) {
      return app_.sceneView().pointer().positionOf(voxel_at(level, (size_of(level) / 20) * (at + 1)));
    };
    measure("hover over a voxel", [&](int at) { send(QEvent::MouseMove, place(at), Qt::NoButton); });
    measure("hover over an offset bar", [&](int at) { move(&chart, chart.barCentre((7 * at) % 27)); });
    move(&chart, {1, 1});
    settle();
    measure("click an offset bar", [&](int at) { click(&chart, chart.barCentre(at % 27)); });
    measure("click an L1 group", [&](int at) { click(&chart, chart.groupLabelCentre(1 + (at % 3))); });
    chosen.setColumns({});
    settle();
    measure("click a voxel", [&](int at) { click(app_.sceneView().canvas(), place(at)); });
    chosen.setVoxel(std::nullopt);
    measure("lasso a fifth of the view", [&](int) { lasso(); });
    chosen.setRows(nullptr);
    settle();
  }

  /// Runs the network once. Prints the time until the panels show the result.
  void run() {
    QElapsedTimer timer;
    timer.start();
    app_.commands().trigger("run.run");
    static_cast<void>(QTest::qWaitFor([&] { return !app_.jobs().lane().busy(); }, 600'000));
    settle();
    print_row("run the network", statistics(std::vector{since(timer)}));
    print_longest();
  }

  void layers() {
    Selection& chosen = app_.selection();
    DensityChart& chart = *app_.window().findChild<DensityPanel*>()->chart();
    measure("choose a layer of the same stride", [&](int at) { chosen.setLayer(at % 2); });
    measure("choose a layer of another stride", [&](int at) { chosen.setLayer(at % 2 == 0 ? 5 : 1); });
    chosen.setLayer(1);
    measure("drag t", [&](int at) {
      QTest::mousePress(&chart, Qt::LeftButton, {}, chart.dividerAt(at % 2 == 0 ? 4 : 2));
      QTest::mouseMove(&chart, chart.dividerAt(at % 2 == 0 ? 2 : 4));
      QTest::mouseRelease(&chart, Qt::LeftButton, {}, chart.dividerAt(at % 2 == 0 ? 2 : 4));
    });
  }

  /// Measures the time between the frames of each animation at speed 1x. If `only` is not empty, measures
  /// only animations whose name contains it.
  void lessons(const QString& only) {
    Lessons& lessons = app_.lessons();
    for (const auto& lesson : lessons.all()) {
      for (int page = 0; page < static_cast<int>(lesson->steps.size()); ++page) {
        const std::string name = lesson->id + ", " + lesson->steps[static_cast<std::size_t>(page)].id;
        if (!QString::fromStdString(name).contains(only)) continue;
        lessons.start(lesson, page);
        static_cast<void>(QTest::qWaitFor([&] { return lessons.pages().settled(); }, 60'000));
        motion(name.c_str());
      }
    }
    lessons.leave();
  }

 private:
  /// Waits until all requested frames are painted and the worker thread has delivered all meshes.
  void settle() {
    do {
      QApplication::sendPostedEvents();
      QApplication::processEvents();
    } while (app_.sceneView().canvas()->framePending() || app_.sceneView().building());
  }
  /// Measures the time until the next frame and the time until the complete picture. During camera motion, a
  /// large scene is drawn with fewer points. After the motion, all points are drawn.
  void measure(const char* what, const std::function<void(int)>& act, bool rests = true) {
    std::vector<double> answered, whole;
    for (int at = 0; at < repetitions; ++at) {
      double first = 0;
      QElapsedTimer timer;
      timer.start();
      const auto painted = QObject::connect(app_.sceneView().canvas(), &QOpenGLWidget::frameSwapped,
                                            [&] { first = first > 0 ? first : since(timer); });
      act(at);
      while (first == 0 && since(timer) < 2000) {
        QApplication::sendPostedEvents();
        QApplication::processEvents();
      }
      QObject::disconnect(painted);
      answered.push_back(first);
      while (rests && !app_.sceneView().settled())
        QApplication::processEvents();
      settle();
      whole.push_back(since(timer));
    }
    print_row(what, statistics(answered));
    print_longest();
    if (rests) print_row("   complete frame", statistics(whole));
    if (rests) std::printf("\n");
  }
  /// Prints the time between two frames, the share of this time that VTK uses, and the CPU time of the whole
  /// process. The CPU time estimates the frame time on a machine without other load.
  void motion(const char* what) {
    LessonPlayer& player = app_.lessons().player();
    std::vector<double> between, drawn;
    QElapsedTimer timer;
    std::clock_t cpu = 0;
    const VtkWidget* canvas = app_.sceneView().canvas();
    const auto painted = QObject::connect(canvas, &QOpenGLWidget::frameSwapped, [&] {
      if (!timer.isValid()) cpu = std::clock();
      if (timer.isValid() && player.part() > 0) {
        between.push_back(since(timer));
        drawn.push_back(canvas->frameMs());
      }
      timer.start();
    });
    static_cast<void>(watch().take_longest());
    // An event loop is used because the wait functions of QTest sleep for 10 ms.
    QEventLoop loop;
    const auto over = QObject::connect(&player, &LessonPlayer::phaseChanged, [&] {
      if (player.phase() == LessonPhase::shown) loop.quit();
    });
    player.go();
    loop.exec();
    QObject::disconnect(over);
    QObject::disconnect(painted);
    if (between.empty()) return;
    const double cpu_ms = 1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    std::vector<double> sorted = between;
    std::sort(sorted.begin(), sorted.end());
    std::printf("  %-24s median %6.1f ms   p95 %6.1f ms   VTK %6.1f ms   processor %6.1f ms   n %d", what,
                statistics(between).median, quantile(sorted, 0.95), statistics(drawn).median,
                cpu_ms / static_cast<double>(between.size()), static_cast<int>(between.size()));
    print_longest();
  }
  void lasso() {
    app_.commands().trigger("select.box");
    const QRect all = app_.sceneView().canvas()->rect();
    send(QEvent::MouseButtonPress, QPointF(all.width() * 0.4, all.height() * 0.4), Qt::LeftButton);
    send(QEvent::MouseMove, QPointF(all.width() * 0.6, all.height() * 0.6), Qt::NoButton);
    send(QEvent::MouseButtonRelease, QPointF(all.width() * 0.6, all.height() * 0.6), Qt::LeftButton);
    app_.commands().trigger("select.box");
    while (app_.selectionJobs().busy())
      QApplication::processEvents();
  }
  void move(QWidget* on, const QPoint& to) {
    QMouseEvent event(QEvent::MouseMove, to, on->mapToGlobal(to), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(on, &event);
  }
  void click(QWidget* on, const QPoint& at) { QTest::mouseClick(on, Qt::LeftButton, {}, at); }
  void send(QEvent::Type type, const QPointF& at, Qt::MouseButton button) {
    VtkWidget* canvas = app_.sceneView().canvas();
    const Qt::MouseButtons held = type == QEvent::MouseButtonPress ? button : held_;
    QMouseEvent event(type, at, canvas->mapToGlobal(at), button, held, Qt::NoModifier);
    QApplication::sendEvent(canvas, &event);
    held_ = type == QEvent::MouseButtonRelease ? Qt::MouseButtons() : held;
  }

  Application& app_;
  Qt::MouseButtons held_;
};

}  // namespace

int main(int argc, char** argv) {
  setSurfaceFormat();
  WatchedApplication application(argc, argv);
  QApplication::setStyle("Fusion");
  const QStringList arguments = QApplication::arguments();
  const auto option = [&](const QString& name, const QString& otherwise) {
    const auto at = arguments.indexOf(name);
    return at > 0 && at + 1 < arguments.size() ? arguments[at + 1] : otherwise;
  };
  const QString scene = arguments.size() > 1 ? arguments[1] : "street";
  Application app(std::make_shared<const Registry>(app::make_registry()), QString());
  MainWindow& window = app.window();
  window.resize(1440, 900);
  window.show();
  static_cast<void>(QTest::qWaitForWindowExposed(&window));
  if (const QString grid = option("--grid", {}); !grid.isEmpty()) {
    app.workspace().requested().setGrid(parse_grid(grid.toStdString()));
    app.jobs().scenes().options().keep_grid = true;
  }
  app.jobs().runs().chooseNetwork(option("--network", "resn21"));
  watch().print_above(option("--above", "0").toDouble());
  if (arguments.contains("--many")) {
    print_many_blocks(app, scene);
    return 0;
  }
  if (arguments.contains("--blocks")) {
    print_blocks(app, scene);
    return 0;
  }
  WindowBench bench(app);
  if (!bench.open(scene)) return 1;
  std::printf("%s: %s voxels\n", scene.toLocal8Bit().constData(),
              count_text(size_of(app.workspace().scene().voxels()->level(1))).c_str());
  if (const QString only = option("--motions", {}); !only.isEmpty()) {
    bench.lessons(only);
    return 0;
  }
  bench.frames();
  bench.explore();
  if (arguments.contains("--lessons")) bench.lessons({});
  if (arguments.contains("--sequence")) bench.sequence(scene);
  if (arguments.contains("--explore")) return 0;
  bench.run();
  bench.layers();
  return 0;
}
