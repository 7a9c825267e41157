#include "ui/panels/profile/summary_panel.hpp"

#include "engine/base/text.hpp"
#include "engine/run/trust.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/measured/measured_text.hpp"
#include "ui/model/measured/tuning.hpp"
#include "ui/model/scene_statistics.hpp"
#include "ui/panels/profile/advice_list.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/wrapped_label.hpp"

#include <QAbstractTextDocumentLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSplitter>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace spira::ui {
namespace {

using FindAdvice = std::function<std::vector<Advice>()>;

QString text(const std::string& value) {
  return QString::fromStdString(value).toHtmlEscaped();
}
/// Returns name and value of the table row at a position in a label. To find the row, the function lays out
/// the text in the same way as the label.
std::optional<std::pair<QString, QString>> row_at(const QLabel& label, const QPoint& at) {
  QTextDocument text;
  text.setDefaultFont(label.font());
  text.setDocumentMargin(0);
  text.setHtml(label.text());
  text.setTextWidth(label.contentsRect().width());
  const int place = text.documentLayout()->hitTest(at - label.contentsRect().topLeft(), Qt::FuzzyHit);
  if (place < 0) return std::nullopt;
  QTextCursor cursor(&text);
  cursor.setPosition(place);
  QTextTable* table = cursor.currentTable();
  if (table == nullptr) return std::nullopt;
  const int row = table->cellAt(cursor).row();
  const auto text_in = [&](int column) {
    const QTextTableCell cell = table->cellAt(row, column);
    QTextCursor all = cell.firstCursorPosition();
    all.setPosition(cell.lastPosition(), QTextCursor::KeepAnchor);
    return all.selectedText();
  };
  return std::pair(text_in(0), text_in(1));
}

/// Returns the number and its unit at the beginning of `value`. Returns an empty string for dates and
/// packings.
QString number_in(const QString& value) {
  const QLocale locale;
  const QRegularExpression number(QString(R"(^\d+(%1\d{3})*(%2\d+)?( (ms|us|s|[kMG]?B|m))?(?=$|[\s,;]))")
                                      .arg(QRegularExpression::escape(locale.groupSeparator()),
                                           QRegularExpression::escape(locale.decimalPoint())));
  return number.match(value).captured(0);
}

QString line(const QString& name, const QString& value) {
  return QString("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>").arg(name, value);
}

double ms_of(const LayerMeasurement& layer) {
  return layer.stages.sum_of_tops_ms();
}

std::vector<int> slowest_first(const Measurement& measured) {
  std::vector<int> order(measured.layers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return ms_of(measured.layers[static_cast<std::size_t>(a)]) >
           ms_of(measured.layers[static_cast<std::size_t>(b)]);
  });
  return order;
}

}  // namespace

SummaryPanel::SummaryPanel(Tasks& tasks, Workspace* workspace, Selection* selection, Theme* theme,
                           Tuning* tuning, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      tuning_(tuning),
      advice_(new AdviceList),
      lead_(new QLabel),
      scene_(new WrappedLabel),
      run_(new WrappedLabel),
      slowest_(new WrappedLabel),
      note_(faint_label({}, nullptr)),
      samples_(new SamplesPane(theme)),
      adviser_(tasks) {
  auto* inside = new QWidget;
  auto* rows = new QVBoxLayout(inside);
  rows->addWidget(lead_);
  rows->addWidget(advice_);
  auto* columns = new QHBoxLayout;
  rows->addLayout(columns);
  rows->addWidget(note_);
  rows->addStretch(1);
  for (QLabel* label : {scene_, run_, slowest_}) {
    label->setTextFormat(Qt::RichText);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setTextInteractionFlags(Qt::TextBrowserInteraction);
    label->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(label, &QWidget::customContextMenuRequested, this, [this, label](const QPoint& at) {
      if (const auto here = lineAt(label->mapTo(this, at))) emit menuRequested(label->mapToGlobal(at), *here);
    });
    columns->addWidget(label, 1);
  }
  lead_->setObjectName("lead");
  lead_->setTextFormat(Qt::RichText);
  lead_->setToolTip(tr("Show the layer in the timeline. Press F in the timeline to zoom to the layer."));
  for (QLabel* label : {lead_, run_, slowest_}) {
    label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(label, &QLabel::linkActivated, this, &SummaryPanel::followLink);
  }
  run_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  inside->setMinimumWidth(1);  // Lets the texts wrap in a narrow panel.
  auto* scroll = new QScrollArea(body());
  scroll->setAccessibleName(tr("Summary"));
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
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
  connect(workspace_, &Workspace::measurementChanged, this, &SummaryPanel::hideSamples);
  connect(workspace_, &Workspace::voxelsChanged, this, &SummaryPanel::followSoon);
  connect(workspace_, &Workspace::networkChanged, this, &SummaryPanel::followSoon);
  connect(workspace_, &Workspace::layerChanged, this, &SummaryPanel::followSoon);
  connect(workspace_, &Workspace::measurementChanged, this, &SummaryPanel::followSoon);
  connect(workspace_, &Workspace::deviceChanged, this, &SummaryPanel::followSoon);
  connect(theme_, &Theme::changed, this, &SummaryPanel::followSoon);
  connect(workspace_, &Workspace::planChanged, this, [this] {
    if (!workspace_->measurement()) run_->setText(runHtml());  // The precision may have changed.
  });
  connect(workspace_, &Workspace::sweepsChanged, &later_, qOverload<>(&QTimer::start));
  connect(tuning_, &Tuning::changed, &later_, qOverload<>(&QTimer::start));
  connect(&adviser_, &TaskSlot::failed, this, [this](const Error& error) {
    workspace_->addLog(tr("advice: %1").arg(QString::fromStdString(error.what())));
  });
  connect(advice_, &AdviceList::evidenceWanted, this, &SummaryPanel::evidenceWanted);
  connect(advice_, &AdviceList::changeWanted, this, &SummaryPanel::change);
  later_.setSingleShot(true);
  // Waits until no change has arrived for 60 ms (a few frames), because the layers of a run and the times of
  // a sweep arrive faster than the user can read.
  later_.setInterval(60);
  connect(&later_, &QTimer::timeout, this, &SummaryPanel::followAdvice);
  follow();
}

void SummaryPanel::followAdvice() {
  const auto find =
      +[](const FindAdvice& advice, Job&, const Send<std::vector<Advice>>& send) { send(advice()); };
  adviser_.start({}, find, advice_on(*workspace_, *tuning_),
                 [this, scene = workspace_->voxels() != nullptr](const std::vector<Advice>& advice) {
                   advice_->setAdvice(advice, scene);
                   note_->setText(adviceNote(*workspace_, !advice.empty()));
                   note_->setVisible(!note_->text().isEmpty());
                 });
}

void SummaryPanel::change(const Advice& advice) {
  if (advice.change.pack) emit packRequested(*advice.change.pack);
  if (advice.change.thresholds.empty()) return;
  Plan plan = workspace_->plan();
  for (const auto& [layer, t] : advice.change.thresholds)
    plan.layers.at(static_cast<std::size_t>(layer)).threshold = t;
  plan.source = "advice";
  workspace_->setPlan(plan);
}

/// Handles a click on a link: the index of a layer opens the timeline of the layer, "samples:..." shows the
/// samples of a number, and "sort:..." changes the sort order.
void SummaryPanel::followLink(const QString& link) {
  if (link.startsWith("samples:")) return showSamples(link.section(':', 1));
  if (!link.startsWith("sort:")) return emit timeWanted(link.toInt());
  by_time_ = link == "sort:time";
  slowest_->setText(slowestHtml());
}

void SummaryPanel::showSamples(const QString& of) {
  const auto& measured = workspace_->measurement();
  if (!measured) return;
  const auto layer = static_cast<std::size_t>(of.toInt());
  if (of == "wall") {
    samples_->setSeries(tr("wall time"), {{tr("wall time"), measured->wall.ms}});
  } else if (of == "graph") {
    samples_->setSeries(tr("wall time, CUDA graph"),
                        {{tr("wall time, CUDA graph"), measured->compiled_wall.ms}});
  } else if (layer < measured->layers.size()) {
    const LayerMeasurement& shown = measured->layers[layer];
    samples_->setSeries(QString::fromStdString(shown.name), samples_of(shown.stages));
  }
  // Minimum width for text and samples, in pixels. In a narrower panel, the samples replace the text until
  // the user closes the samples.
  constexpr int room_for_both = 900;
  lines_->setVisible(width() >= room_for_both);
  samples_->show();
}

void SummaryPanel::hideSamples() {
  samples_->hide();
  lines_->show();
}

void SummaryPanel::follow() {
  if (!workspace_->sceneFacts())
    return showEmpty(tr("Open a scene to see its size, its packing and the cost of a network run."),
                     "file.open", tr("Open scene..."));
  lead_->setVisible(workspace_->measurement() != nullptr);
  lead_->setText(leadHtml());
  scene_->setText(sceneHtml());
  run_->setText(runHtml());
  const auto& measured = workspace_->measurement();
  run_->setToolTip(measured && !measured->wall.ms.empty() ? missingPercentilesText(measured->wall.ms)
                                                          : QString());
  slowest_->setText(slowestHtml());
  later_.start();
  showBody();
}

std::optional<SummaryLine> SummaryPanel::lineAt(const QPoint& at) const {
  for (const QLabel* label : {scene_, run_, slowest_}) {
    const QPoint inside = label->mapFrom(this, at);
    if (!label->isVisible() || !label->rect().contains(inside)) continue;
    const auto row = row_at(*label, inside);
    if (!row) return std::nullopt;
    return SummaryLine{row->first, row->second, number_in(row->second), subjectOf(label, row->first)};
  }
  return std::nullopt;
}

MeasuredSubject SummaryPanel::subjectOf(const QLabel* label, const QString& name) const {
  MeasuredSubject subject;
  if (label == scene_) subject.kind = MeasuredSubject::Kind::scene;
  if (label != slowest_ || !workspace_->network()) return subject;
  subject.layer = workspace_->network()->index_of(name.toStdString());
  if (subject.layer >= 0) subject.kind = MeasuredSubject::Kind::layer;
  return subject;
}

QString SummaryPanel::sceneHtml() const {
  const SceneFacts& scene = *workspace_->sceneFacts();
  QString html = tr("<h4>Scene</h4><table>");
  html += line(tr("name"), text(scene.name));
  html += line(tr("format"), text(scene.reading.empty() ? scene.format : scene.reading));
  html += line(
      tr("points"),
      onScreen(count_text(scene.points)) +
          (scene.kept == scene.points ? "" : tr(", %1 in the crop").arg(onScreen(count_text(scene.kept)))));
  const double points_in_one =
      static_cast<double>(scene.kept) / static_cast<double>(std::max<std::int64_t>(1, scene.voxels));
  html += line(tr("voxels"), tr("%1 (%2 points per voxel)")
                                 .arg(onScreen(count_text(scene.voxels)), onScreen(fixed(points_in_one, 1))));
  html += line(tr("grid"), gridOnScreen(scene.voxel_m) + " m");
  html += line(tr("packing"), text(scene.pack.text()) + tr(" in %1 bits").arg(scene.pack.word_bits()));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t extent = scene.fit_extent[axis], limit = scene.fit_limit[axis];
    const double share = static_cast<double>(extent) / static_cast<double>(std::max<std::int64_t>(1, limit));
    html += line(tr("%1 axis").arg(QChar("xyz"[axis])),
                 tr("%1 of %2 cells (%3)")
                     .arg(onScreen(count_text(extent)), onScreen(count_text(limit)),
                          onScreen(percent_text(share, 0))));
  }
  if (!workspace_->report() && workspace_->voxels()) {
    for (const auto& [name, range] : attributeRanges(*workspace_->voxels()->cloud))
      html += line(name.toHtmlEscaped(), range.toHtmlEscaped());
    for (const QString& note : notesOf(*workspace_->voxels()))
      html += line(tr("note"), note.toHtmlEscaped());
  }
  return html + "</table>";
}

QString SummaryPanel::runHtml() const {
  const auto& measured = workspace_->measurement();
  const DeviceFacts& device = measured ? measured->device : workspace_->device();
  QString html = tr("<h4>Run</h4><table>");
  if (const auto& report = workspace_->report()) {
    html += line(tr("recorded"),
                 tr("%1 with spira %2").arg(dateText(report->created), text(report->tool_version)));
    html += line(tr("weights"), text(report->weights));
  }
  html += line(tr("device"), text(device.name) + ", " + unitsText(device).toHtmlEscaped());
  if (measured && !device.driver.empty())
    html += line(tr("driver"), text(device.driver) + ", " + text(device.runtime));
  html += line(tr("clock"), text(std::string(clocks_text(device.clock))));
  if (measured) html += line(tr("caches"), tr("warm (not flushed between repetitions)"));
  if (workspace_->network())
    html += line(tr("network"), text(workspace_->network()->title) +
                                    tr(", %1 of %2 run")
                                        .arg(workspace_->layersRun())
                                        .arg(counted(std::ssize(workspace_->network()->layers), tr("1 layer"),
                                                     tr("%1 layers"))));
  if (measured && measured->wall.ms.empty()) {
    html += line(tr("wall time"), tr("lost: the report is cut off"));
    html +=
        line(tr("sum of stages"),
             tr("%1 (medians of the complete stages)").arg(onScreen(ms_text(measured->sum_of_stages_ms()))));
    html += line(tr("precision"), text(std::string(text_of(measured->plan.precision))));
  } else if (measured) {
    const Statistics wall = measured->wall.stats();
    html += line(tr("wall time"), tr("<b>%1</b>, median of %2, IQR %3")
                                      .arg(numberHtml(wall.median, "wall"))
                                      .arg(wall.n)
                                      .arg(onScreen(ms_text(wall.iqr()))));
    // The tooltip of this line explains the dashes.
    html += line(tr("percentiles"), percentilesText(measured->wall.ms));
    if (!measured->compiled_wall.ms.empty()) {
      const Statistics whole = measured->compiled_wall.stats();
      html +=
          line(tr("CUDA graph"), tr("<b>%1</b>, median of %2, IQR %3, starting with points on the device; %4")
                                     .arg(numberHtml(whole.median, "graph"))
                                     .arg(whole.n)
                                     .arg(onScreen(ms_text(whole.iqr())), text(measured->compiled_how)));
    } else if (measured->device.kind == BackendKind::cuda) {
      html += line(tr("CUDA graph"), tr("not compiled: %1").arg(text(measured->compiled_how)));
    }
    html += line(tr("sum of stages"),
                 tr("%1 (medians, isolated pass)").arg(onScreen(sum_of_stages_text(*measured))));
    html += line(tr("peak memory"),
                 tr("%1 of buffers in one run").arg(onScreen(bytes_text(measured->peak_bytes))));
    if (measured->searches)
      html += line(tr("searches"), onScreen(searchesText(*measured->searches).toStdString()));
    html += line(tr("precision"), text(std::string(text_of(measured->plan.precision))));
    html += line(tr("trust"), onScreen(trust_of(*measured).text()));
  } else {
    html += line(tr("precision"), text(std::string(text_of(workspace_->plan().precision))) +
                                      (workspace_->chosenPrecision() ? QString() : tr(" (automatic)")));
    html += line(tr("times"), tr("single runs; press Measure (Ctrl+M) for medians"));
  }
  return html + "</table>";
}

QString SummaryPanel::numberHtml(double ms, const QString& samples) const {
  const QString colour = times_are_void(*workspace_)
                             ? QString(" style='color:%1'").arg(theme_->palette().faint_text.name())
                             : QString();
  return QString("<a href='samples:%1'%2>%3</a>").arg(samples, colour, onScreen(ms_text(ms)));
}

/// Returns the line that names the slowest layer.
QString SummaryPanel::leadHtml() const {
  const auto& measured = workspace_->measurement();
  if (!measured || measured->layers.empty()) return {};
  const int slowest = slowest_first(*measured).front();
  const LayerMeasurement& layer = measured->layers[static_cast<std::size_t>(slowest)];
  const auto& stages = layer.stages.nodes;
  const double sum = measured->sum_of_stages_ms();
  return tr("Slowest layer: <a href='%1'>%2</a>, <b>%3</b> of %4 in all stages (%5), medians of n = %6")
      .arg(slowest)
      .arg(text(layer.name), numberHtml(ms_of(layer), QString::number(slowest)), onScreen(ms_text(sum)),
           onScreen(percent_text(sum > 0 ? ms_of(layer) / sum : 0, 0)))
      .arg(stages.empty() ? 0 : stages.front().samples_ms.size());
}

QString SummaryPanel::slowestHtml() const {
  const auto& measured = workspace_->measurement();
  if (!measured) return tr("<h4>Slowest layers</h4>Press Measure to list the five slowest layers.");
  std::vector<int> order = slowest_first(*measured);
  constexpr std::size_t most = 5;
  order.resize(std::min(most, order.size()));
  if (!by_time_) std::sort(order.begin(), order.end());
  const auto heading = [](const QString& name, const char* how, bool used) {
    return used ? QString("<b>%1</b>").arg(name) : QString("<a href='sort:%1'>%2</a>").arg(how, name);
  };
  QString html = tr("<h4>Slowest layers</h4><table>");
  html +=
      line(heading(tr("in network order"), "network", !by_time_), heading(tr("by time"), "time", by_time_));
  for (const int layer : order) {
    const LayerMeasurement& shown = measured->layers[static_cast<std::size_t>(layer)];
    html += line(QString("<a href='%1'>%2</a>").arg(layer).arg(text(shown.name)),
                 numberHtml(ms_of(shown), QString::number(layer)));
  }
  return html + "</table>";
}

}  // namespace spira::ui
