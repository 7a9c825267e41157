#include "ui/panels/profile/summary_panel.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/lesson/facts/density_facts.hpp"
#include "engine/run/trust.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/voxel/fit_meter.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/model/scene_statistics.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/profile/advice_list.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"

#include <QAbstractTextDocumentLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QTableWidget>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QTextTable>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace spira::ui {
namespace {

using FindAdvice = std::function<std::vector<Advice>()>;

QString text(const std::string& value) {
  return QString::fromStdString(value).toHtmlEscaped();
}
/// Returns the row of the table at a position in a label. To find this row, lays out the text in the same way
/// as the label.
std::optional<std::size_t> row_at(const QLabel& label, const QPoint& at) {
  QTextDocument text;
  text.setDefaultFont(label.font());
  text.setDocumentMargin(0);
  text.setHtml(label.text());
  text.setTextWidth(label.contentsRect().width());
  const int place = text.documentLayout()->hitTest(at - label.contentsRect().topLeft(), Qt::FuzzyHit);
  if (place < 0) return std::nullopt;
  QTextCursor cursor(&text);
  cursor.setPosition(place);
  const QTextTable* table = cursor.currentTable();
  if (table == nullptr) return std::nullopt;
  return static_cast<std::size_t>(table->cellAt(cursor).row());
}

QString html_of(const QString& title, const std::vector<SummaryLine>& lines) {
  QString html = QString("<h4>%1</h4><table>").arg(title);
  for (const SummaryLine& line : lines)
    html += QString("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>")
                .arg(line.name, keepUnits(line.value));
  return html + "</table>";
}

}  // namespace

/// Adds rows to one of the two tables. All rows belong to the same subject.
class SummaryPanel::Lines {
 public:
  explicit Lines(MeasuredSubject::Kind kind) : kind_(kind) {}
  /// `number` is the part of `value` that the user can copy separately. The caller must escape texts that
  /// come from files.
  void add(const QString& name, const QString& value, const QString& number = {}) {
    MeasuredSubject subject;
    subject.kind = kind_;
    lines_.push_back({name, value, number, subject});
  }
  [[nodiscard]] std::vector<SummaryLine> take() { return std::move(lines_); }

 private:
  MeasuredSubject::Kind kind_;
  std::vector<SummaryLine> lines_;
};

SummaryPanel::SummaryPanel(Tasks& tasks, Workspace* workspace, Selection* selection, Theme* theme,
                           Tuning* tuning, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      tuning_(tuning),
      advice_(new AdviceList),
      overview_(new RunOverview(workspace, theme)),
      scene_(new WrappedLabel),
      pairs_(new WrappedLabel),
      run_(new WrappedLabel),
      note_(faint_label({}, nullptr)),
      samples_(new SamplesPane(theme)),
      adviser_(tasks),
      counter_(tasks) {
  auto* inside = new QWidget;
  auto* rows = new QVBoxLayout(inside);
  rows->addWidget(overview_);
  rows->addWidget(advice_);
  auto* columns = new QHBoxLayout;
  rows->addLayout(columns);
  rows->addWidget(note_);
  rows->addStretch(1);
  for (QLabel* label : {scene_, run_}) {
    label->setTextFormat(Qt::RichText);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setTextInteractionFlags(Qt::TextBrowserInteraction);
    label->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(label, &QWidget::customContextMenuRequested, this, [this, label](const QPoint& at) {
      if (const auto here = lineAt(label->mapTo(this, at))) emit menuRequested(label->mapToGlobal(at), *here);
    });
    columns->addWidget(label, 3);
  }
  columns->insertWidget(1, pairs_, 2);
  preparePairs();
  serve(*overview_);
  inside->setMinimumWidth(1);  // Lets the texts wrap in a narrow panel.
  auto* scroll = new WholeRowScroll(body());
  scroll->setAccessibleName(tr("Summary"));
  scroll->setContent(inside);
  auto* layout = new QHBoxLayout(body());
  layout->setContentsMargins(4, 4, 4, 4);
  auto* halves = new QSplitter(Qt::Horizontal, body());
  halves->addWidget(scroll);
  halves->addWidget(samples_);
  halves->setChildrenCollapsible(false);
  halves->setStretchFactor(0, 1);
  layout->addWidget(halves);
  samples_->hide();
  lines_ = scroll;
  connect(samples_, &SamplesPane::closeRequested, this, &SummaryPanel::hideSamples);
  connect(&workspace_->results(), &RunResults::measurementChanged, this, &SummaryPanel::hideSamples);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &SummaryPanel::followSoon);
  connect(workspace_, &Workspace::networkChanged, this, &SummaryPanel::followSoon);
  connect(&workspace_->results(), &RunResults::layerChanged, this, &SummaryPanel::followSoon);
  connect(&workspace_->results(), &RunResults::measurementChanged, this, &SummaryPanel::followSoon);
  connect(workspace_, &Workspace::deviceChanged, this, &SummaryPanel::followSoon);
  connect(theme_, &Theme::changed, this, &SummaryPanel::followSoon);
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, &SummaryPanel::followSoon);
  connect(&workspace_->results(), &RunResults::sweepsChanged, &later_, qOverload<>(&QTimer::start));
  connect(tuning_, &Tuning::changed, &later_, qOverload<>(&QTimer::start));
  connect(&adviser_, &TaskSlot::failed, this, [this](const Error& error) {
    workspace_->addLog(tr("advice: %1").arg(QString::fromStdString(error.what())));
  });
  connect(advice_, &AdviceList::evidenceWanted, this, &SummaryPanel::evidenceWanted);
  connect(advice_, &AdviceList::changeWanted, this, &SummaryPanel::change);
  later_.setSingleShot(true);
  // Waits until no change has arrived for 60 ms (a few frames). The layers of a run and the times of a sweep
  // arrive faster than the user can read.
  later_.setInterval(60);
  connect(&later_, &QTimer::timeout, this, &SummaryPanel::followAdvice);
  follow();
}

void SummaryPanel::preparePairs() {
  pairs_->setObjectName("pairs");
  pairs_->setTextFormat(Qt::RichText);
  pairs_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  pairs_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  pairs_->setToolTip(
      tr("Pairs per voxel of a submanifold layer: pairs of its kernel map divided by its voxels. No run is "
         "required. The pairs are counted while the 3D view does not move and no job runs; \u2026 marks "
         "values that are not "
         "counted yet."));
  counted_.idle.setSingleShot(true);
  counted_.idle.setInterval(400);  // Longer than the pauses within one movement of the camera.
  connect(&counted_.idle, &QTimer::timeout, this, &SummaryPanel::countPairs);
}

void SummaryPanel::followAdvice() {
  const auto find =
      +[](const FindAdvice& advice, Job&, const Send<std::vector<Advice>>& send) { send(advice()); };
  adviser_.start({}, find, advice_on(*workspace_, *tuning_),
                 [this, scene = workspace_->scene().voxels() != nullptr](const std::vector<Advice>& advice) {
                   advice_->setAdvice(advice, scene);
                   note_->setText(adviceNote(*workspace_, !advice.empty()));
                   note_->setVisible(!note_->text().isEmpty());
                 });
}

void SummaryPanel::change(const Advice& advice) {
  if (advice.change.pack) emit packRequested(*advice.change.pack);
  if (advice.change.thresholds.empty()) return;
  Plan plan = workspace_->requested().plan();
  for (const auto& [layer, t] : advice.change.thresholds)
    plan.layers.at(static_cast<std::size_t>(layer)).set_threshold(t);
  plan.source = "advice";
  workspace_->setPlan(plan);
}

void SummaryPanel::serve(RunOverview& overview) {
  connect(&overview, &RunOverview::layerWanted, this, &SummaryPanel::timeWanted);
  connect(&overview, &RunOverview::samplesWanted, this, &SummaryPanel::showLayerSamples);
  connect(&overview, &RunOverview::wallSamplesWanted, this, &SummaryPanel::showWallSamples);
  connect(&overview, &RunOverview::stageWanted, this, [this](StageGroup stage) {
    selection_->setPhase(selection_->phase() == stage ? std::nullopt : std::optional(stage));
  });
  connect(overview.slowest(), &QWidget::customContextMenuRequested, this,
          [this, &overview](const QPoint& at) {
            const QTableWidget& table = *overview.slowest();
            const auto line = overview.lineAt(table.rowAt(at.y()));
            if (line) emit menuRequested(table.viewport()->mapToGlobal(at), *line);
          });
}

void SummaryPanel::showLayerSamples(int layer) {
  const auto& measured = workspace_->results().measurement();
  if (!measured || static_cast<std::size_t>(layer) >= measured->layers.size()) return;
  const LayerMeasurement& shown = measured->layers[static_cast<std::size_t>(layer)];
  showSamples(tr("%1: map and features").arg(QString::fromStdString(shown.name)), samples_of(shown.stages));
}

void SummaryPanel::showWallSamples(bool graph) {
  const auto& measured = workspace_->results().measurement();
  if (!measured) return;
  const QString title = graph ? tr("wall time, CUDA graph") : tr("wall time");
  showSamples(title, {{title, graph ? measured->compiled_wall.ms : measured->wall.ms}});
}

void SummaryPanel::showSamples(const QString& title, std::vector<SampleSeries> series) {
  samples_->setSeries(title, std::move(series));
  // Minimum width at which the text and the samples fit next to each other, in pixels. In a narrower panel,
  // the samples replace the text until the user closes them.
  constexpr int min_width_for_both = 900;
  lines_->setVisible(width() >= min_width_for_both);
  samples_->show();
}

void SummaryPanel::hideSamples() {
  samples_->hide();
  lines_->show();
}

void SummaryPanel::follow() {
  if (!workspace_->scene().facts())
    return showEmpty(tr("Open a scene to see its size, its packing and the cost of a network run."),
                     "file.open", tr("Open scene..."));
  // For a recorded run, the centre of the window shows the layers and stages. For a graph, it shows the
  // relations.
  const auto& triples = workspace_->scene().facts()->triples;
  const bool in_centre = workspace_->results().report() && (!triples || triples->each.empty());
  overview_->setParts(in_centre ? RunOverview::Parts::total : RunOverview::Parts::all);
  overview_->follow();
  showScene();
  showRun();
  const auto& measured = workspace_->results().measurement();
  run_->setToolTip(measured && !measured->wall.ms.empty() ? missingPercentilesText(measured->wall.ms)
                                                          : QString());
  later_.start();
  followPairs();
  showBody();
}

namespace {

constexpr std::array kernel_sizes{3, 5, 7};

using AllPairs = std::vector<LevelPairs>;

/// Returns the levels of a scene before the count.
AllPairs uncounted(const VoxelScene& scene) {
  constexpr std::int64_t most_voxels = 1'000'000;  // Counting takes about 2 s for this number of voxels.
  AllPairs all;
  for (const auto& level : scene.levels) {
    if (level->stride >= first_numbered_level) continue;
    const std::int64_t voxels = size_of(*level);
    all.push_back({level->stride, voxels, voxels == 0 || voxels > most_voxels, {}});
  }
  return all;
}

/// Fills in values from the kernel maps of the layers that have run. Returns true if a value was missing.
bool fill_from_run(const Workspace& workspace, AllPairs& levels) {
  bool filled = false;
  const int layers = workspace.network() ? static_cast<int>(workspace.network()->layers.size()) : 0;
  for (int layer = 0; layer < layers; ++layer) {
    const auto& result = workspace.results().layer(layer, RunResults::Rows::shown);
    if (!result || !result->map || !result->levels.map.submanifold()) continue;
    const MapKey& map = result->levels.map;
    const auto size = std::find(kernel_sizes.begin(), kernel_sizes.end(), map.kernel.cube());
    const auto level = std::find_if(levels.begin(), levels.end(),
                                    [&](const LevelPairs& one) { return one.stride == map.stride_out; });
    if (size == kernel_sizes.end() || level == levels.end() || map.kernel != KernelShape(*size)) continue;
    auto& value = level->per_voxel.at(static_cast<std::size_t>(size - kernel_sizes.begin()));
    if (value || level->voxels == 0 || result->map->outputs != level->voxels) continue;
    value = static_cast<double>(result->densities.pairs) / static_cast<double>(level->voxels);
    filled = true;
  }
  return filled;
}

bool is_missing(const LevelPairs& level) {
  return !level.skipped && std::any_of(level.per_voxel.begin(), level.per_voxel.end(),
                                       [](const auto& pairs) { return !pairs; });
}

struct CountArgs {
  std::shared_ptr<const VoxelScene> scene;
  AllPairs levels;
};

/// Counts the missing values. Sends the table after each level, so that an interrupted count continues with
/// the level at which it ended.
void count_pairs(const CountArgs& args, Job& job, const Send<AllPairs>& send) {
  AllPairs levels = args.levels;
  for (LevelPairs& here : levels) {
    if (!is_missing(here)) continue;
    const SortedVoxels voxels = sorted_voxels(args.scene->level(here.stride));
    for (std::size_t at = 0; at < kernel_sizes.size(); ++at) {
      if (here.per_voxel.at(at)) continue;
      const KernelOffsets offsets(KernelShape(kernel_sizes.at(at)), here.stride);
      const auto matches = count_matches(voxels, voxels, offsets, job);
      here.per_voxel.at(at) =
          static_cast<double>(std::accumulate(matches.begin(), matches.end(), std::int64_t{0})) /
          static_cast<double>(here.voxels);
    }
    send(levels);
  }
}

}  // namespace

/// Shows the table of a new scene without values. Their places are reserved, so that nothing moves when the
/// count ends. Values that a run has already computed are shown immediately.
void SummaryPanel::followPairs() {
  const auto& scene = workspace_->results().report() ? nullptr : workspace_->scene().voxels();
  pairs_->setVisible(scene != nullptr);
  if (counted_.scene == scene) {
    if (scene && fill_from_run(*workspace_, counted_.levels)) showPairs();
    return;
  }
  counter_.cancel();
  counted_.scene = scene;
  counted_.levels = scene ? uncounted(*scene) : AllPairs();
  if (scene) static_cast<void>(fill_from_run(*workspace_, counted_.levels));
  counted_.idle.start();
  showPairs();
}

void SummaryPanel::yieldToFrames() {
  counter_.cancel();
  counted_.idle.start();
}

void SummaryPanel::pauseCount(bool paused) {
  if (std::exchange(counted_.paused, paused) != paused) yieldToFrames();
}

void SummaryPanel::countPairs() {
  if (counted_.paused) return;
  if (std::none_of(counted_.levels.begin(), counted_.levels.end(), is_missing)) return;
  counter_.start({}, count_pairs, {counted_.scene, counted_.levels}, [this](const AllPairs& levels) {
    counted_.levels = levels;
    static_cast<void>(fill_from_run(*workspace_, counted_.levels));
    showPairs();
  });
}

bool SummaryPanel::counting() const {
  return pairs_->isVisible() && std::any_of(counted_.levels.begin(), counted_.levels.end(), is_missing);
}

void SummaryPanel::showPairs() {
  const bool coming = std::any_of(counted_.levels.begin(), counted_.levels.end(), is_missing);
  QString html = QString("<h4>%1</h4><table><tr><td style='padding-right:12px'>%2</td>")
                     .arg(workspace_->scene().voxels() && workspace_->scene().voxels()->batch
                              ? tr("Pairs per voxel, frame %1").arg(workspace_->scene().voxels()->frame)
                          : coming ? tr("Pairs per voxel, being counted")
                                   : tr("Pairs per voxel"),
                          tr("stride"));
  const QString cell = "<td align='right' style='padding-right:12px'>%1</td>";
  html += cell.arg(tr("voxels"));
  for (const int size : kernel_sizes)
    html += cell.arg(QString("%1x%1x%1").arg(size));
  html += "</tr>";
  for (const LevelPairs& level : counted_.levels) {
    html += "<tr>" + QString("<td>%1</td>").arg(level.stride) + cell.arg(onScreen(count_text(level.voxels)));
    for (const auto& pairs : level.per_voxel)
      html += cell.arg(pairs           ? onScreen(fixed(*pairs, 1))
                       : level.skipped ? QString(QChar(0x2013))
                                       : QString(QChar(0x2026)));
    html += "</tr>";
  }
  pairs_->setText(html + "</table>");
}

/// Returns the name of the scene. A long name is elided, so that it leaves space for the other columns.
QString SummaryPanel::shownName() const {
  return scene_->fontMetrics().elidedText(QString::fromStdString(workspace_->scene().facts()->name),
                                          Qt::ElideMiddle, width() / 4);
}

void SummaryPanel::showScene() {
  scene_lines_ = sceneLines();
  scene_->setText(html_of(tr("Scene"), scene_lines_));
  const QString name = QString::fromStdString(workspace_->scene().facts()->name);
  scene_->setToolTip(shownName() == name ? QString() : name);
}

void SummaryPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  if (workspace_->scene().facts() && !scene_lines_.empty() &&
      scene_lines_.front().value != shownName().toHtmlEscaped())
    showScene();
}

void SummaryPanel::showRun() {
  run_lines_ = runLines();
  run_->setText(html_of(tr("Run"), run_lines_));
}

std::optional<SummaryLine> SummaryPanel::lineAt(const QPoint& at) const {
  for (const auto& [label, lines] : {std::pair(scene_, &scene_lines_), std::pair(run_, &run_lines_)}) {
    const QPoint inside = label->mapFrom(this, at);
    if (!label->isVisible() || !label->rect().contains(inside)) continue;
    const auto row = row_at(*label, inside);
    if (!row || *row >= lines->size()) return std::nullopt;
    SummaryLine line = (*lines)[*row];
    line.value = QTextDocumentFragment::fromHtml(line.value).toPlainText();
    return line;
  }
  return std::nullopt;
}

void SummaryPanel::addGraph(const TripleFacts& graph, Lines& lines) {
  const auto add = [&](const QString& name, std::int64_t count, const QString& more = {}) {
    const QString number = onScreen(count_text(count));
    lines.add(name, number + more, number);
  };
  add(tr("nodes"), graph.nodes);
  add(tr("triples"), graph.triples,
      graph.duplicates == 0
          ? QString()
          : tr(" after %1 duplicates were removed").arg(onScreen(count_text(graph.duplicates))));
  add(tr("self-loops"), graph.self_loops);
  add(tr("relations"), graph.relations, graph.inverse ? tr(" including inverse relations") : QString());
  add(tr("rows"), graph.rows, tr(" pairs (node, relation) with at least one source"));
  add(tr("maximum sources"), graph.most_sources, tr(" in one row"));
  lines.add(tr("normalisation"),
            graph.normalise == Normalise::mean ? tr("mean of the sources") : tr("none (sum of the sources)"));
}

std::vector<SummaryLine> SummaryPanel::sceneLines() const {
  const SceneFacts& scene = *workspace_->scene().facts();
  Lines lines(MeasuredSubject::Kind::scene);
  const QString name = QString::fromStdString(scene.name);
  // The menu of the line copies the full name if it is elided.
  lines.add(tr("name"), shownName().toHtmlEscaped(), shownName() == name ? QString() : name);
  lines.add(tr("format"), text(scene.reading.empty() ? scene.format : scene.reading));
  if (scene.triples) {
    addGraph(*scene.triples, lines);
    return lines.take();
  }
  const QString points = onScreen(count_text(scene.points)), voxels = onScreen(count_text(scene.voxels));
  const QString cropped =
      scene.kept == scene.points ? QString() : tr(", %1 in the crop").arg(onScreen(count_text(scene.kept)));
  lines.add(tr("points"), points + cropped, points);
  const double points_in_one =
      static_cast<double>(scene.kept) / static_cast<double>(std::max<std::int64_t>(1, scene.voxels));
  lines.add(tr("voxels"), tr("%1 (%2 points per voxel)").arg(voxels, onScreen(fixed(points_in_one, 1))),
            voxels);
  if (scene.batch > 1)
    lines.add(tr("batch"),
              tr("batch of %1: all frames in one run; the frame index uses %2 bits of each word")
                  .arg(scene.batch)
                  .arg(scene.pack.batch_bits),
              QString::number(scene.batch));
  lines.add(tr("voxel size"), withUnit(gridOnScreen(scene.voxel_m), scene.unit));
  lines.add(tr("packing"), text(scene.pack.text()) + tr(" in %1 bits").arg(scene.pack.word_bits()));
  const auto free = free_cells(scene.fit_extent, scene.pack);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const QString cells = onScreen(count_text(scene.fit_extent[axis]));
    lines.add(tr("%1 axis").arg(QChar("xyz"[axis])),
              tr("%1 cells, %2 free").arg(cells, onScreen(count_text(std::max<std::int64_t>(0, free[axis])))),
              cells);
  }
  if (!workspace_->results().report() && workspace_->scene().voxels()) {
    const VoxelScene& all = *whole_scene(workspace_->scene().voxels());
    for (const auto& [attribute, range] : attributeRanges(*all.cloud))
      lines.add(attribute.toHtmlEscaped(), range.toHtmlEscaped());
    for (const QString& note : notesOf(all))
      lines.add(tr("note"), note.toHtmlEscaped());
  }
  return lines.take();
}

std::vector<SummaryLine> SummaryPanel::runLines() const {
  const auto& measured = workspace_->results().measurement();
  const DeviceFacts& device = measured ? measured->device : workspace_->device();
  Lines lines(MeasuredSubject::Kind::run);
  if (const auto& report = workspace_->results().report()) {
    lines.add(report->graph ? tr("measured") : tr("recorded"),
              tr("%1 with spira %2").arg(dateText(report->created), text(report->tool_version)));
    lines.add(tr("weights"), text(report->weights));
  }
  lines.add(tr("device"), text(device.name) + ", " + unitsText(device).toHtmlEscaped());
  if (measured && !device.driver.empty())
    lines.add(tr("driver"), text(device.driver) + ", " + text(device.runtime));
  lines.add(tr("clock"), text(std::string(clocks_text(device.clock))));
  if (measured) lines.add(tr("caches"), tr("warm (not flushed between repetitions)"));
  if (workspace_->network())
    lines.add(tr("network"), networkText(*workspace_->network()).toHtmlEscaped() +
                                 tr(", %1 of %2 run")
                                     .arg(workspace_->results().layersRun())
                                     .arg(counted(std::ssize(workspace_->network()->layers), tr("1 layer"),
                                                  tr("%1 layers"))));
  const Precision precision = measured ? measured->plan.precision : workspace_->requested().plan().precision;
  const bool automatic = !measured && !workspace_->requested().chosenPrecision();
  lines.add(tr("precision"), text(std::string(text_of(precision))) + (automatic ? tr(" (automatic)") : ""));
  if (const QString former = formerSettingsText(*workspace_); !former.isEmpty())
    lines.add(tr("out of date"), former);
  if (!measured) {
    const auto times = run_times(*workspace_);
    lines.add(tr("times"), workspace_->results().layersRun() > 0
                               ? tr("single runs; press Measure (Ctrl+M) for medians")
                               : tr("none; press Run or Measure"));
    if (times && times->single_wall_ms)
      lines.add(tr("wall time"),
                tr("%1 for the layers alone, without indexing").arg(msOnScreen(*times->single_wall_ms, 1)));
  } else if (measured->wall.ms.empty()) {
    lines.add(tr("wall time"), tr("missing: the report is truncated"));
    const QString sum = onScreen(ms_text(measured->sum_of_stages_ms()));
    lines.add(tr("sum of stages"), tr("%1 (medians of the complete stages)").arg(sum), sum);
  } else {
    addTimes(*measured, lines);
  }
  return lines.take();
}

/// Adds the rows of a complete measurement.
void SummaryPanel::addTimes(const Measurement& measured, Lines& lines) const {
  const auto add = [&](const QString& name, const Statistics& times, const QString& more = {}) {
    const QString median = onScreen(ms_text(times.median));
    lines.add(name,
              tr("<b>%1</b>, median of %2, IQR %3")
                      .arg(timeHtml(median))
                      .arg(counted(times.n, tr("1 sample"), tr("%1 samples")))
                      .arg(onScreen(ms_text(times.iqr()))) +
                  more,
              median);
  };
  const SceneFacts* const scene = workspace_->scene().facts() ? &*workspace_->scene().facts() : nullptr;
  const int batch = scene == nullptr ? 1 : scene->batch;
  const auto per_frame = [&](const QString& name, const Statistics& times) {
    if (batch == 1) return;
    const QString one = onScreen(ms_text(times.median / batch));
    lines.add(name, tr("%1 (median of the batch, divided by its %2 frames)").arg(one).arg(batch), one);
  };
  add(tr("wall time"), measured.wall.stats(),
      measured.compiled_wall.ms.empty() ? QString() : tr(", layer by layer, including the kernel launches"));
  per_frame(tr("wall time per frame"), measured.wall.stats());
  // The tooltip of this row explains the dashes. Fewer samples than any percentile needs have no row.
  if (const auto all = percentiles(measured.wall.ms);
      std::any_of(all.begin(), all.end(), [](const Percentile& one) { return one.ms.has_value(); }))
    lines.add(tr("percentiles"), percentilesText(measured.wall.ms));
  if (!measured.compiled_wall.ms.empty()) {
    add(tr("CUDA graph"), measured.compiled_wall.stats(),
        tr(", with the points already on the device; %1").arg(text(measured.compiled_how)));
    per_frame(tr("CUDA graph per frame"), measured.compiled_wall.stats());
  } else if (measured.device.kind == BackendKind::cuda) {
    lines.add(tr("CUDA graph"), tr("not compiled: %1").arg(text(measured.compiled_how)));
  }
  const double indexing_ms = measured.indexing.sum_of_tops_ms();
  lines.add(tr("sum of stages"),
            tr("%1 (each stage timed separately, medians; indexing %2, maps and features %3)")
                .arg(onScreen(sum_of_stages_text(measured)), onScreen(ms_text(indexing_ms)),
                     onScreen(ms_text(measured.sum_of_stages_ms() - indexing_ms))),
            onScreen(ms_text(measured.sum_of_stages_ms())));
  const QString peak = onScreen(bytes_text(measured.peak_bytes));
  lines.add(tr("peak memory"), tr("%1 for the buffers of one run").arg(peak), peak);
  if (measured.searches) lines.add(tr("searches"), onScreen(searchesText(*measured.searches).toStdString()));
  const Trust trust = trust_of(measured);
  lines.add(tr("trust"), onScreen(trust.text()) + ". " + text(std::string(meaning_of(trust.grade))));
}

QString SummaryPanel::timeHtml(const QString& time) const {
  if (!times_are_void(*workspace_)) return time;
  return QString("<span style='color:%1'>%2</span>").arg(theme_->palette().faint_text.name(), time);
}

}  // namespace spira::ui
