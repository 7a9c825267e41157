#include "app/spirascope/screenshots.hpp"

#include "engine/backend/host_read.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/view3d/scene_view.hpp"

#include <QApplication>
#include <QDir>
#include <QTabWidget>
#include <QTimer>

#include <cstdio>

namespace spira::app {
namespace {

constexpr int poll_ms = 40, most_polls = 90'000 / poll_ms;

}  // namespace

Screenshots::Screenshots(ui::MainWindow* window, QString folder, QObject* parent)
    : QObject(parent), window_(window), folder_(std::move(folder)) {
  connect(&window_->jobs(), &ui::EngineJobs::failed, this, [this](const Error& error) {
    fail(facts(error.kind()).exit_code, QString::fromStdString(error.what()));
  });
  addSteps();
}

void Screenshots::addSteps() {
  ui::MainWindow& w = *window_;
  const auto command = [this](const char* id) { return [this, id] { window_->commands().trigger(id); }; };
  const auto idle = [this] {
    return !window_->jobs().runner()->busy() &&
           (!window_->workspace().voxels() || window_->sceneView().settled());
  };
  const auto opened = [this, idle] { return window_->workspace().shownMap(-1).map != nullptr && idle(); };
  const auto tab = [this](int bottom) {
    return [this, bottom] { window_->bottomTabs().setCurrentIndex(bottom); };
  };
  steps_.push_back({[] {}, opened, "opened"});
  steps_.push_back({command("layout.explore"), idle, "layout-explore"});
  steps_.push_back({command("layout.profile"), idle, {}});
  steps_.push_back({command("run.run"),
                    [this, idle] {
                      return idle() && window_->workspace().layersRun() ==
                                           static_cast<int>(window_->workspace().network()->layers.size());
                    },
                    {}});
  steps_.push_back({command("run.measure"),
                    [this, idle] { return idle() && window_->workspace().measurement() != nullptr; },
                    "breakdown"});
  steps_.push_back({tab(0), idle, "summary"});
  steps_.push_back({[&w] { w.selection().setLayer(1); }, idle, "layer"});
  steps_.push_back({[this] {
                      const auto shown = window_->workspace().shownMap(window_->selection().layer());
                      std::vector<int> columns;
                      for (const auto& column : shown.densities->columns) {
                        if (column.l1 == 2) columns.push_back(column.column);
                      }
                      window_->selection().setColumns(columns);
                    },
                    idle, "density"});
  steps_.push_back({[&w] {
                      w.selection().setColumns({});
                      w.selection().setColourBy(ui::ColourBy::match_count);
                    },
                    idle,
                    {}});
  steps_.push_back(
      {[this] {
         const CoordSet& level = window_->workspace().voxels()->level(window_->selection().stride());
         window_->selection().setVoxel(ui::ChosenVoxel{voxel_at(level, size_of(level) / 2), level.stride});
       },
       idle, "voxel"});
  steps_.push_back({command("sweep.thresholds"),
                    [this, idle] {
                      return idle() && window_->workspace().thresholdSweep() &&
                             window_->workspace().thresholdSweep()->fastest() >= 0;
                    },
                    "sweep-threshold"});
  steps_.push_back({command("sweep.packings"),
                    [this, idle] {
                      return idle() && window_->workspace().packSweep() &&
                             window_->workspace().packSweep()->fastest() >= 0;
                    },
                    "sweep-packing"});
  steps_.push_back({command("view.stride_4"), idle, {}});
  steps_.push_back({tab(3), idle, "log"});
  steps_.push_back({[this] {
                      window_->selection().setVoxel(std::nullopt);
                      window_->selection().setColourBy(ui::ColourBy::height);
                      window_->commands().trigger("view.stride_1");
                      window_->rightTabs().setCurrentIndex(0);
                      window_->bottomTabs().setCurrentIndex(1);
                      window_->commands().trigger(window_->theme().dark() ? "theme.light" : "theme.dark");
                    },
                    idle, "layout-profile-other-theme"});
}

void Screenshots::start() {
  QDir().mkpath(folder_);
  QTimer::singleShot(poll_ms, this, &Screenshots::next);
}

void Screenshots::next() {
  if (failed_) return;
  if (steps_.empty()) return QApplication::exit(0);
  Step& step = steps_.front();
  if (polls_ == 0) step.act();
  ++polls_;
  // A step is done when it says so twice: the picture in between has been painted then.
  if (polls_ > 2 && step.done()) {
    const QString picture = step.picture;
    steps_.pop_front();
    polls_ = 0;
    if (!picture.isEmpty()) save(picture);
  } else if (polls_ > most_polls) {
    return fail(1, tr("a step took too long (%1 left)").arg(steps_.size()));
  }
  QTimer::singleShot(poll_ms, this, &Screenshots::next);
}

void Screenshots::save(const QString& name) {
  const QString file = folder_ + "/" + name + ".png";
  if (!window_->grab().save(file))
    return fail(facts(ErrorKind::input).exit_code, file + ": cannot be written");
  std::printf("%s\n", file.toLocal8Bit().constData());
  std::fflush(stdout);
}

void Screenshots::fail(int code, const QString& text) {
  failed_ = true;
  std::fprintf(stderr, "spirascope: %s\n", text.toLocal8Bit().constData());
  QApplication::exit(code);
}

}  // namespace spira::app
