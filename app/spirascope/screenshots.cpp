#include "app/spirascope/screenshots.hpp"

#include "app/common/scene_argument.hpp"
#include "app/spirascope/scripted.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/file.hpp"
#include "ui/charts/chart.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/matrix_pane.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/features/tune/tune_panel.hpp"
#include "ui/jobs/selection_jobs.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"

#include <QApplication>
#include <QBuffer>
#include <QDir>
#include <QPushButton>
#include <QTabWidget>
#include <QTimer>

#include <cstdio>

namespace spira::app {
namespace {

constexpr int max_polls = 90'000 / poll_ms;

}  // namespace

Screenshots::Screenshots(ui::Application* app, QString folder, bool all, QObject* parent)
    : QObject(parent), app_(app), folder_(std::move(folder)) {
  if (!QDir().mkpath(folder_))
    throw Error(ErrorKind::input, folder_.toStdString() + ": the folder cannot be created");
  require_writable((folder_ + "/opened.png").toStdString());
  connect(&app_->jobs().lane(), &ui::EngineLane::failed, this, [this](const Error& error) {
    fail(facts(error.kind()).exit_code, QString::fromStdString(error_text(error)));
  });
  // Errors end the run only before the scene is open, because some later steps show error messages on
  // purpose.
  connect(
      &app_->notices(), &ui::Notices::errorShown, this,
      [this](const Error& error) {
        if (!has_opened(*app_))
          fail(facts(error.kind()).exit_code, QString::fromStdString(error_text(error)));
      },
      Qt::QueuedConnection);
  add([] {}, "opened",
      [this] {
        return app_->workspace().results().report() || app_->workspace().shownMap(-1).map != nullptr;
      });
  // This step adds the remaining steps. They depend on whether a scene or a report is open, so this step runs
  // after the file has been opened.
  add([this, all] {
    if (app_->workspace().results().report()) return addReportSteps();
    if (!all) return addOverviewSteps();
    addExploreSteps();
    addRunSteps();
    addLookSteps();
    addSweepSteps();
    addProfileSteps();
    addLayoutSteps();
    addLessonSteps();
  });
}

void Screenshots::add(std::function<void()> act, const QString& picture, std::function<bool()> done) {
  if (!done) done = [] { return true; };
  steps_.push_back(
      {std::move(act), [this, done = std::move(done)] { return at_rest(*app_) && done(); }, picture});
}

void Screenshots::addCommand(const char* id, const QString& picture, std::function<bool()> done) {
  add([this, id] { app_->commands().trigger(id); }, picture, std::move(done));
}

void Screenshots::showTab(const QString& name) {
  QTabWidget& tabs = app_->docks().tabs(ui::DockLayout::Side::bottom);
  for (int tab = 0; tab < tabs.count(); ++tab)
    if (tabs.tabText(tab) == name) tabs.setCurrentIndex(tab);
}

/// Adds the steps that run and measure the network and show the main views: totals, stages, the roofline, a
/// kernel map, a voxel, a short tuning and a lesson.
void Screenshots::addOverviewSteps() {
  addCommand("layout.profile");
  addRunStep();
  add([this] { app_->docks().show("summary"); }, "summary");
  add([this] { showTab("Breakdown"); }, "breakdown");
  addCommand("run.measure", {}, [this] { return app_->workspace().results().measurement() != nullptr; });
  addRooflineStep();
  addLookSteps();
  addTuneSteps();
  ui::Lessons& lessons = app_->lessons();
  add(
      [&lessons] {
        lessons.player().setCalm(true);
        lessons.start(lessons.all().front(), 0);
      },
      "lesson", [&lessons] { return lessons.pages().settled(); });
}

void Screenshots::addRunStep() {
  addCommand("run.run", {}, [this] {
    return app_->workspace().results().layersRun() ==
           static_cast<int>(app_->workspace().network()->layers.size());
  });
}

/// Adds the steps for all views that need no network. The steps do not change the scene.
void Screenshots::addExploreSteps() {
  addCommand("layout.explore", "layout-explore");
  const auto counted = [this] { return app_->cropBox().kept().has_value(); };
  addCommand("crop.box", "crop-box", counted);
  add([this] { cropMiddle(); }, "crop", counted);
  addCommand("view.clear");
  addCommand("crop.reset");
  addCommand("view.reset");
  addBesideSteps();
  addSelectSteps();
  addColourSteps();
}

/// Adds the steps that show the open scene next to a built-in scene.
void Screenshots::addBesideSteps() {
  ui::BesideWindow& beside = *app_->window().findChild<ui::BesideWindow*>();
  const auto settled = [&beside] { return beside.settled(); };
  addCommand("view.beside", "beside-one", settled);
  add([&beside] { beside.add({"room"}); }, "beside", settled);
  add([&beside] { beside.close(); });
}

void Screenshots::addSelectSteps() {
  const auto chosen = [this] { return app_->selection().rows() && !app_->selectionJobs().busy(); };
  add([this] {
    app_->docks().show("density");
    chooseMiddleRows();
  });
  addCommand("select.lasso", "selection", chosen);
  add([this] { app_->docks().show("points"); }, "selection-points");
  addCommand("view.depth", "depth");
  addCommand("view.depth");
  add([this] {
    app_->docks().show("density");
    app_->commands().trigger("select.lasso");
    app_->commands().trigger("select.clear");
  });
}

void Screenshots::addColourSteps() {
  add([this] { app_->docks().show("colour"); });
  addCommand("colour.bands", "colour-bands");
  addCommand("colour.cividis");
  addCommand("colour.range_view");
  addCommand("view.top", "colour-in-view");
  add([this] {
    app_->selection().look().setColours({});
    app_->commands().trigger("view.reset");
    if (!app_->workspace().scene().cloud()->label.empty())
      app_->selection().look().setColourBy(ui::ColourBy::label);
  });
  add(
      [this] {
        const auto& labels = app_->workspace().scene().cloud()->label;
        if (!labels.empty()) app_->selection().look().setHiddenLabels({labels.front()});
      },
      "colour-labels");
  addCommand("colour.show_classes");
  addCommand("view.slab", "slab");
  addCommand("view.slab");
  add([this] {
    app_->selection().look().setColourBy(ui::ColourBy::height);
    app_->docks().show("density");
  });
}

void Screenshots::addRunSteps() {
  addCommand("layout.profile");
  addRunStep();
  addCommand("run.measure", "summary-measured",
             [this] { return app_->workspace().results().measurement() != nullptr; });
  add([this] { showTab("Breakdown"); }, "breakdown");
  addRooflineStep();
  addTimelineSteps();
  add([this] { app_->docks().show("summary"); }, "summary");
}

void Screenshots::addRooflineStep() {
  add([this] { app_->docks().show("roofline"); }, "roofline");
}

/// Adds the step that shows the tuning matrix, or the matrix of the sweep in a report.
void Screenshots::addMatrixStep() {
  ui::MatrixPane& matrix = *app_->profileTools().tunePanel()->matrix();
  add(
      [this] {
        app_->docks().show("tune");
        app_->selection().setLayer(1);
      },
      "matrix", [&matrix] { return !matrix.busy() && matrix.chart()->hasContent(); });
}

void Screenshots::addTimelineSteps() {
  ui::TimelinePanel& panel = *app_->window().findChild<ui::TimelinePanel*>();
  add([this] { app_->docks().show("timeline"); }, "timeline");
  if (app_->workspace().results().report() && app_->workspace().results().measurement()->timeline.empty())
    return;
  add(
      [this, &panel] {
        app_->selection().setLayer(1);
        panel.chart()->takeArea();
        panel.chart()->takeArea();
      },
      "timeline-area");
  add(
      [&panel] {
        panel.chart()->toggleKeys();
        panel.chart()->fitOrFocus();
      },
      "timeline-keys");
  add([&panel] {
    panel.chart()->toggleKeys();
    panel.chart()->fitOrFocus();
  });
}

void Screenshots::addLookSteps() {
  add([this] { app_->selection().setLayer(1); }, "layer");
  add([this] { chooseOffsets(2); }, "density");
  add([this] {
    app_->selection().setColumns({});
    app_->selection().look().setColourBy(ui::ColourBy::match_count);
  });
  add([this] { chooseMiddleVoxel(); }, "voxel");
}

void Screenshots::addSweepSteps() {
  const auto measured = [](const std::shared_ptr<const Sweep>& sweep) {
    return sweep && sweep->fastest() >= 0;
  };
  addCommand("sweep.thresholds", "sweep-threshold",
             [this, measured] { return measured(app_->workspace().results().thresholdSweep()); });
  addCommand("sweep.packings", "sweep-packing",
             [this, measured] { return measured(app_->workspace().results().packSweep()); });
  addCommand("view.stride_4");
  add([this] { showTab("Log"); }, "log");
  add([this] { showTab("Survey"); }, "survey-empty");
  add([this] {
    app_->selection().setVoxel(std::nullopt);
    app_->selection().look().setColourBy(ui::ColourBy::height);
    app_->commands().trigger("view.stride_1");
    app_->docks().show("density");
  });
}

/// Adds the steps that show the other dock layouts and themes.
void Screenshots::addLayoutSteps() {
  if (!app_->workspace().results().report()) {
    add([this] { showTab("Compare"); });
    addCommand("layout.compare", "layout-compare");
    add([this] { chooseMiddleVoxel(); });
    addCommand("layout.learn", "layout-learn");
    add([this] { app_->selection().setVoxel(std::nullopt); });
  }
  addCommand("layout.profile");
  add(
      [this] {
        app_->docks().show("density");
        showTab("Breakdown");
        app_->theme().choose(ui::ThemeChoice::contrast);
      },
      "layout-profile-contrast");
  add([this, before = app_->theme().choice()] { app_->theme().choose(before); });
}

/// Adds the steps that show every page of every lesson after its animation, and one page in classroom mode.
void Screenshots::addLessonSteps() {
  ui::Lessons& lessons = app_->lessons();
  const auto settled = [&lessons] { return lessons.pages().settled(); };
  add([&lessons] {
    lessons.leave();  // Leave the lesson that --lesson started, because earlier steps have changed its docks.
    lessons.player().setCalm(true);
  });
  for (const auto& lesson : lessons.all()) {
    const QString id = QString::fromStdString(lesson->id);
    const int pages = static_cast<int>(lesson->steps.size() + 1);
    for (int page = 0; page < pages; ++page) {
      const QString name = page + 1 < pages
                               ? QString::fromStdString(lesson->steps[static_cast<std::size_t>(page)].id)
                               : "questions";
      add([&lessons, lesson, page] { lessons.start(lesson, page); },
          QString("lesson-%1-%2-%3").arg(id).arg(page + 1).arg(name), settled);
    }
  }
  addCommand("lesson.classroom", "lesson-classroom", settled);
  addCommand("lesson.leave");
}

/// Adds the steps that compare a measurement with the previous measurement, and the steps of a short tuning.
void Screenshots::addProfileSteps() {
  ui::ProfileTools& tools = app_->profileTools();
  add([this] { app_->docks().show("summary"); }, "advice");
  add([this] { showTab("Kernel map"); }, "kernel-map");
  addCommand("compare.set_baseline", "compare-baseline");
  addCommand("run.measure");
  addCommand("compare.show", "compare", [&tools] { return tools.comparing()->comparison() != nullptr; });
  addTuneSteps();
}

void Screenshots::addTuneSteps() {
  ui::ProfileTools& tools = app_->profileTools();
  addCommand("tune.open", "tune-setup");
  add([&tools] { tools.tunePanel()->startButton()->click(); }, "tune",
      [&tools] { return tools.tuning()->profile() != nullptr; });
  addMatrixStep();
}

void Screenshots::addReportSteps() {
  if (const ui::ProfileTools& tools = app_->profileTools(); !tools.comparing()->baselines().empty())
    addCommand("compare.show", "compare", [&tools] { return tools.comparing()->comparison() != nullptr; });
  add([this] { app_->docks().show("summary"); }, "summary");
  add([this] { app_->docks().show("breakdown"); }, "breakdown");
  addRooflineStep();
  addTimelineSteps();
  add([this] { app_->selection().setLayer(1); }, "density");
  const auto sweep = [this](bool packings) {
    app_->docks().show("sweeps");
    app_->window().findChild<ui::SweepPanel*>()->showKind(packings ? ui::SweepPanel::Kind::packings
                                                                   : ui::SweepPanel::Kind::thresholds);
  };
  add([sweep] { sweep(false); }, "sweep-threshold");
  add([sweep] { sweep(true); }, "sweep-packing");
  if (app_->profileTools().tunePanel()->matrix()->hasResults()) addMatrixStep();
  add([this] { app_->docks().show("voxel"); }, "voxel");
  addLayoutSteps();
}

void Screenshots::chooseOffsets(int l1) {
  std::vector<int> columns;
  for (const auto& column : app_->workspace().shownMap(app_->selection().layer()).densities->columns) {
    if (column.l1 == l1) columns.push_back(column.column);
  }
  app_->selection().setColumns(columns);
}

void Screenshots::chooseMiddleVoxel() {
  const CoordSet& level = app_->workspace().scene().voxels()->level(app_->selection().stride());
  app_->selection().setVoxel(ui::ChosenVoxel{voxel_at(level, size_of(level) / 2), level.stride});
}

/// Selects the middle quarter of the scene in x, and the whole scene in y and z.
void Screenshots::chooseMiddleRows() {
  const auto find = [scene = app_->workspace().scene().voxels()](const std::stop_token&) {
    const CoordSet& level = scene->level(1);
    const std::int64_t low = scene->span[0] * 3 / 8, high = scene->span[0] * 5 / 8;
    std::vector<std::int32_t> rows;
    for (std::int64_t row = 0; row < size_of(level); ++row) {
      const std::int64_t x = voxel_at(level, row)[0];
      if (x >= low && x < high) rows.push_back(static_cast<std::int32_t>(row));
    }
    return rows;
  };
  app_->selectionJobs().choose(1, find, ui::Combine::replace);
}

/// Crops to the middle half of the scene in x and y, and to the whole scene in z.
void Screenshots::cropMiddle() {
  Bounds box = app_->cropBox().box().value();
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double quarter = (box.high.at(axis) - box.low.at(axis)) / 4;
    box.low.at(axis) += quarter;
    box.high.at(axis) -= quarter;
  }
  app_->cropBox().setBox(box);
  app_->cropBox().commit();
}

void Screenshots::start() {
  QTimer::singleShot(poll_ms, this, &Screenshots::next);
}

void Screenshots::next() {
  if (failed_) return;
  if (steps_.empty()) return QApplication::exit(0);
  Step& step = steps_.front();
  if (polls_ == 0) step.act();
  ++polls_;
  // A step is finished if done() returns true in two consecutive polls. Between these polls, the window
  // paints the results.
  said_done_ = step.done() ? said_done_ + 1 : 0;
  if (said_done_ >= 2) {
    const QString picture = step.picture;
    steps_.pop_front();
    polls_ = said_done_ = 0;
    if (!picture.isEmpty()) save(picture);
  } else if (polls_ > max_polls) {
    return fail(1, tr("a step took too long (%1 steps left)").arg(steps_.size()));
  }
  QTimer::singleShot(poll_ms, this, &Screenshots::next);
}

void Screenshots::save(const QString& name) {
  const QString file = folder_ + "/" + name + ".png";
  ui::BesideWindow& beside = *app_->window().findChild<ui::BesideWindow*>();
  QWidget& shown = beside.isVisible() ? static_cast<QWidget&>(beside) : app_->window();
  ui::replot_charts(shown);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  shown.grab().save(&buffer, "PNG");
  try {
    write_file(file.toStdString(), {bytes.constData(), static_cast<std::size_t>(bytes.size())});
  } catch (const Error& error) {
    return fail(facts(error.kind()).exit_code, QString::fromStdString(error.what()));
  }
  std::printf("%s\n", file.toLocal8Bit().constData());
  std::fflush(stdout);
}

void Screenshots::fail(int code, const QString& text) {
  failed_ = true;
  std::fprintf(stderr, "spirascope: %s\n", text.toLocal8Bit().constData());
  QApplication::exit(code);
}

}  // namespace spira::app
