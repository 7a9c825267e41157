#include "ui/features/session/sessions.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/base/file.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/layers/captured_layers.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/reasons.hpp"
#include "ui/features/recent/recents.hpp"
#include "ui/features/session/closing.hpp"
#include "ui/features/settings/preferences.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/jobs/file_jobs.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/model/open_document.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene_view.hpp"

#include <QFileInfo>
#include <QMainWindow>
#include <QtGlobal>

#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto session_table = std::to_array<CommandFacts>({
    {"file.reload", QT_TRANSLATE_NOOP("Command", "Reload"), "Ctrl+R",
     QT_TRANSLATE_NOOP("Command", "Read the scene file again, but keep camera, colours and crop"), 40,
     Menu::file, 2},
    {"file.watch", QT_TRANSLATE_NOOP("Command", "Reload when the file changes"), "",
     QT_TRANSLATE_NOOP("Command", "Reload the scene when its file changes"), 50, Menu::file, 2},
    {"file.save_session", QT_TRANSLATE_NOOP("Command", "Save session"), "Ctrl+S",
     QT_TRANSLATE_NOOP("Command", "Save scene, settings and view to a file"), 220, Menu::file, 3},
    {"file.save_session_as", QT_TRANSLATE_NOOP("Command", "Save session as..."), "Ctrl+Shift+S",
     QT_TRANSLATE_NOOP("Command", "Save the session under another name"), 230, Menu::file, 3, Opens::dialog},
    {"file.recover", QT_TRANSLATE_NOOP("Command", "Restore after a crash..."), "",
     QT_TRANSLATE_NOOP("Command", "Restore or discard the scenes of windows that did not shut down properly"),
     240, Menu::file, 3, Opens::dialog},
    {"file.close", QT_TRANSLATE_NOOP("Command", "Close"), "Ctrl+W",
     QT_TRANSLATE_NOOP("Command", "Close the scene or report. In a lesson, leave the lesson."), 260,
     Menu::file, 5},
    {"file.quit", QT_TRANSLATE_NOOP("Command", "Quit"), "Ctrl+Q", "", 270, Menu::file, 6},
});

}  // namespace

std::span<const CommandFacts> session_commands() noexcept {
  return session_table;
}

namespace {

constexpr const char* session_ending = ".spirasession";

/// Returns true if the open scene is a batch that was joined from several scenes.
bool joined_batch(const Workspace& workspace) {
  return workspace.scene().cloud() && !workspace.scene().cloud()->frame_sources.empty();
}

/// Stores the open scene or report in the session. `reopen` is its file, folder or built-in name.
void set_open(SessionState& session, const Workspace& workspace, const QString& reopen) {
  const bool built_in = names_built_in_scene(reopen.toStdString());
  const bool folder = QFileInfo(reopen).isDir();
  session.kind = built_in ? OpenKind::built_in : folder ? OpenKind::folder : OpenKind::file;
  session.open = {built_in ? reopen.toStdString() : QFileInfo(reopen).absoluteFilePath().toStdString()};
  session.frame = workspace.scene().voxels() && workspace.scene().voxels()->batch
                      ? workspace.scene().voxels()->frame
                      : workspace.scene().frame();
  session.batch = joined_batch(workspace);
  if (session.batch) {
    session.kind = OpenKind::files;
    session.open.clear();
    for (const auto& source : workspace.scene().cloud()->frame_sources)
      session.open.push_back(std::filesystem::absolute(source).string());
    return;
  }
  if (built_in || folder || workspace.scene().frames().size() < 2) return;
  session.kind = OpenKind::files;
  session.open.clear();
  for (const auto& frame : workspace.scene().frames())
    session.open.push_back(std::filesystem::absolute(frame).string());
}

}  // namespace

Sessions::Sessions(const FeatureContext& context, const Parts& parts, Recents& recents, SceneMemory& memory)
    : QObject(&context.window), context_(context), parts_(parts), recents_(recents), memory_(memory) {
  bind();
  // If the GPU is lost while a scene is being opened, do not abandon the session, because the CPU continues
  // to open the scene.
  connect(&parts.jobs.lane(), &EngineLane::failed, this, [this] {
    if (!parts_.jobs.lane().opening()) abandon();
  });
  connect(&parts.jobs.lane().task(), &TaskSlot::finished, this, [this](const QString&, bool cancelled) {
    if (cancelled) abandon();
  });
}

void Sessions::bind() {
  const auto has_something = [this] { return whyNone(); };
  context_.commands.bind(
      "file.save_session",
      [this] {
        const QString& file = parts_.document.names().session;
        if (file.isEmpty()) return saveDialog();
        save(file);
      },
      has_something);
  context_.commands.bind(
      "file.save_session_as", [this] { saveDialog(); }, has_something);
}

bool Sessions::isSession(const QString& file) {
  return file.endsWith(session_ending, Qt::CaseInsensitive) && QFileInfo(file).isFile();
}

QString Sessions::whyNone() const {
  const Workspace& workspace = context_.workspace;
  const QString& reopen = parts_.document.names().reopen;
  if (reopen.isEmpty() || (!workspace.results().report() && !workspace.scene().voxels()))
    return tr("open a scene or a report first");
  return is_standard_input(reopen.toStdString())
             ? tr("the scene came from standard input; a session cannot open it again")
             : QString();
}

SessionState Sessions::state() const {
  const Workspace& workspace = context_.workspace;
  const Selection& selection = context_.selection;
  SessionState session;
  set_open(session, workspace, parts_.document.names().reopen);
  if (workspace.results().report()) session.kind = OpenKind::report;
  session.format = parts_.jobs.scenes().source().format.toStdString();
  session.every = parts_.jobs.scenes().source().every;
  session.parameters = parameters_of(workspace, selection, parts_.parts);
  if (const auto& weights = workspace.weights()) {
    session.weights_file = weights->source;
    session.weights_fingerprint = weights->fingerprint;
  }
  session.scene_fingerprint = sceneFingerprint(workspace.scene().cloud());
  // Uses the grid and packing of the open voxels, and not requested values that have not been applied yet.
  if (const auto& voxels = workspace.scene().voxels()) {
    session.parameters.grid = voxels->grid;
    session.parameters.pack = voxels->pack;
  }
  if (const auto* whole = captured_ != nullptr ? captured_->whole() : nullptr) {
    session.captured_layer = whole->layer;
    const Layer& layer = workspace.network()->layers.back();
    const LayerPlan& plan = workspace.requested().plan().layers.back();
    session.captured_threshold = plan.threshold;
    if (layer.convolution() && !divides_at_threshold(layer, plan))
      session.captured_dataflow = dataflow_text(layer, plan);
    session.parameters.network = whole->network;
    session.parameters.plan = whole->plan;
    session.parameters.grid = whole->voxels->grid;
    session.parameters.pack = whole->voxels->pack;
    session.weights_file = whole->weights ? whole->weights->source : "";
    session.weights_fingerprint = whole->weights ? whole->weights->fingerprint : 0;
    session.scene_fingerprint = sceneFingerprint(whole->cloud);
  }
  session.layer = selection.layer();
  session.stride = floor_stride(selection);
  session.columns = selection.columns();
  if (selection.stride() == session.stride) session.voxel = selection.voxel();
  session.camera = workspace.scene().voxels() ? parts_.view.camera().pose() : std::nullopt;
  session.layout = parts_.docks.name().toStdString();
  return session;
}

/// Returns the fingerprint of an open voxel file. Computes it only once, because recovery copies are written
/// every few seconds.
std::uint64_t Sessions::sceneFingerprint(const std::shared_ptr<const PointCloud>& cloud) const {
  // The features of other scenes are computed and not read.
  const bool single =
      cloud && context_.workspace.scene().frames().size() < 2 && !parts_.jobs.scenes().source().scan;
  if (!single) return 0;
  if (hashed_.cloud.lock() != cloud) hashed_ = {cloud, voxels_fingerprint(*cloud)};
  return hashed_.fingerprint;
}

std::string Sessions::text(const std::filesystem::path& folder) const {
  return whyNone().isEmpty() ? session_json(state(), folder) : std::string();
}

bool Sessions::save(const QString& file) {
  try {
    const std::filesystem::path folder = QFileInfo(file).absolutePath().toStdString();
    write_file(file.toStdString(), session_json(state(), folder));
  } catch (const Error& error) {
    emit failed(error);
    return false;
  }
  parts_.document.setSession(file);
  context_.workspace.addLog(tr("session saved: %1").arg(file));
  recents_.add(file);
  return true;
}

void Sessions::saveDialog() {
  const auto& [reopen, session, title] = parts_.document.names();
  const QString name = QFileInfo(reopen).completeBaseName() + session_ending;
  QString file =
      context_.dialogs.saveFile(&context_.window, tr("Save session"), session.isEmpty() ? name : session,
                                tr("Sessions (*%1)").arg(session_ending));
  if (file.isEmpty()) return;
  if (!file.endsWith(session_ending)) file += session_ending;
  save(file);
}

void Sessions::open(const QString& file) {
  try {
    arrive(read_session(file.toStdString()), file);
    recents_.add(file);
  } catch (const Error& error) {
    emit failed(error);
  }
}

void Sessions::arrive(const SessionState& session, const QString& file, std::function<void()> arrived) {
  EngineJobs& jobs = parts_.jobs;
  QStringList files;
  for (const std::string& path : session.open)
    files.append(QString::fromStdString(path));
  if (session.kind != OpenKind::built_in && !QFileInfo::exists(files.front()))
    return arriveWithoutScene(session);
  if (!session.note.empty()) context_.workspace.addLog(QString::fromStdString(session.note));
  const bool report = session.kind == OpenKind::report;
  const auto& network = session.parameters.network;
  StoredFile weights;
  if (!report && network && network != context_.workspace.network()) {
    jobs.runs().useNetwork(network);
    weights = {QString::fromStdString(session.weights_file), session.weights_fingerprint};
  }
  // `arriving_` must be set before the scene is opened, because a failure during opening clears it.
  arriving_ = {session, file, std::move(arrived)};
  if (report) return jobs.scenes().open(files.front());
  jobs.scenes().reopen({files, QString::fromStdString(session.format), session.every, session.frame,
                        session.parameters.grid, session.parameters.pack, weights, session.scene_fingerprint,
                        session.batch});
}

/// Restores the network and its weights if no other scene is open. Throws an error that names the missing
/// files.
void Sessions::arriveWithoutScene(const SessionState& session) {
  std::string missing = session.open.front();
  const auto& network = session.parameters.network;
  Workspace& workspace = context_.workspace;
  if (session.kind != OpenKind::report && network && !workspace.scene().voxels() &&
      !workspace.results().report()) {
    parts_.jobs.runs().useNetwork(network);
    Plan plan = session.parameters.plan;
    plan.precision = workspace.requested().plan().precision;
    workspace.setPlan(plan);
    const QString weights = QString::fromStdString(session.weights_file);
    if (QFileInfo(weights).isFile()) {
      parts_.jobs.scenes().reopen({{}, {}, 1, 0, {}, {}, {weights, session.weights_fingerprint}});
    } else if (!weights.isEmpty()) {
      missing += ", " + session.weights_file;
    }
  }
  const bool several = missing != session.open.front();
  throw Error(ErrorKind::input, missing + (several ? ": files not found; the session needs them"
                                                   : ": file not found; the session needs it"));
}

void Sessions::takeOpened(const QString& reopen) {
  if (reopen != parts_.document.names().reopen && !arriving_) {
    parts_.document.setSession({});  // The session file belongs to the previous scene.
    forgetLook();
  }
  parts_.document.setReopen(reopen);
  takeArrived();
}

void Sessions::takeArrived() {
  if (!arriving_) return;
  const auto [session, file, arrived, look_only, scene] = *std::exchange(arriving_, std::nullopt);
  // Does nothing if the user has opened another scene in the meantime.
  if (look_only && scene != parts_.document.names().reopen) return;
  parts_.document.setSession(file);
  if (look_only) {
    look_was_left_ = true;
    takeLook(session);
    return parts_.history.begin();
  }
  takeParameters(session);
  parts_.history.begin();
  if (!session.captured_layer.empty()) openCapturedLayer(session);
  if (arrived) arrived();
}

void Sessions::takeParameters(const SessionState& session) {
  Workspace& workspace = context_.workspace;
  Selection& selection = context_.selection;
  const Parameters& wanted = session.parameters;
  if (!workspace.results().report()) {
    workspace.choosePrecision(wanted.precision);
    if (wanted.network) {
      Plan plan = wanted.plan;
      plan.precision = workspace.requested().plan().precision;
      workspace.setPlan(plan);
    }
    workspace.requested().setSceneKernelSize(wanted.scene_kernel_size);
  }
  takeLook(session);
  selection.look().setVoxelStyle(wanted.voxel_style);
  parts_.parts.set(wanted.parts);
  if (session.captured_layer.empty()) takeSelection(session);
  if (!session.layout.empty()) parts_.docks.arrange(QString::fromStdString(session.layout));
}

void Sessions::takeSelection(const SessionState& session) {
  Workspace& workspace = context_.workspace;
  Selection& selection = context_.selection;
  const int layers = workspace.network() ? static_cast<int>(workspace.network()->layers.size()) : 0;
  selection.setLayer(session.layer < layers ? session.layer : -1);
  selection.setStride(session.stride);
  selection.setColumns(session.columns);
  selection.setVoxel(session.voxel);
}

/// Opens the layer that was open from its captured input, and restores its t, the selection and the camera.
/// If the capture does not contain the layer, CapturedLayers shows an error and the whole network stays open.
void Sessions::openCapturedLayer(const SessionState& session) {
  if (captured_ == nullptr) return;
  captured_->open(QString::fromStdString(session.captured_layer), [this, session] {
    Workspace& workspace = context_.workspace;
    Plan plan = workspace.requested().plan();
    const Layer& layer = workspace.network()->layers.back();
    LayerPlan& own = plan.layers.back();
    if (why_not_threshold(layer, session.captured_threshold).empty())
      own.set_threshold(session.captured_threshold);
    if (can_run_dataflow(layer, session.captured_dataflow))
      own = with_dataflow(layer, own, session.captured_dataflow);
    workspace.setPlan(plan);
    takeLook(session);
    takeSelection(session);
    parts_.history.begin();
  });
}

void Sessions::takeLook(const SessionState& session) {
  Selection& selection = context_.selection;
  const Parameters& wanted = session.parameters;
  selection.look().setColourBy(wanted.colour_by);
  selection.look().setColours(wanted.look);
  selection.look().setHiddenLabels(wanted.hidden_labels);
  selection.look().setSlab(wanted.slab_m);
  if (session.camera) parts_.view.camera().setPose(*session.camera, true);
}

/// Stores the camera, the colours and the crop of the open scene. Does nothing for a report, because its file
/// contains its whole state, and for files that were selected together, because they have no common name.
/// Also does nothing during a lesson, because the lesson and not the user sets the camera and the colours.
void Sessions::remember() {
  const Workspace& workspace = context_.workspace;
  const QString reopen = parts_.document.names().reopen;
  const bool file = workspace.scene().voxels() && !workspace.results().report() && QFileInfo::exists(reopen);
  const bool picked =
      (workspace.scene().frames().size() > 1 && !QFileInfo(reopen).isDir()) || joined_batch(workspace);
  if (!file || picked || parts_.history.paused()) return;
  if (!context_.settings.truth("scenes.remember") || !whyNone().isEmpty()) return;
  SessionState look = state();
  look.parameters.network.reset();  // The network may be large and does not belong to one scene.
  look.parameters.plan = {};
  look.captured_layer.clear();
  memory_.keep(reopen, QString::fromStdString(session_json(look, {})));
}

bool Sessions::openAsLeft(const QString& scene) {
  const QString kept = context_.settings.truth("scenes.remember") ? memory_.of(scene) : QString();
  if (kept.isEmpty() || parts_.jobs.scenes().options().every > 1) return false;
  try {
    arriving_ = Arriving{parse_session(kept.toStdString(), "scenes.json", {}), {}, {}, true, scene};
  } catch (const Error& error) {  // The stored entry is unreadable because a later version wrote it.
    context_.workspace.addLog(tr("view not restored: %1").arg(QString::fromStdString(error.what())));
    return false;
  }
  const Grid grid = arriving_->session.parameters.grid;
  context_.workspace.addLog(grid.crop_m
                                ? tr("%1: restored camera, colours and crop").arg(QFileInfo(scene).fileName())
                                : tr("%1: restored camera and colours").arg(QFileInfo(scene).fileName()));
  parts_.jobs.scenes().open(scene, {}, grid);
  return true;
}

void Sessions::forgetLook() {
  if (!std::exchange(look_was_left_, false)) return;
  context_.selection.look().setColours(usual_look(context_.settings));
  context_.selection.look().setHiddenLabels({});
  context_.selection.look().setSlab(std::nullopt);
}

namespace {

/// Returns the file of a scene, or the first file of a batch.
QString file_of(const PointCloud& cloud) {
  return QString::fromStdString(cloud.frame_sources.empty() ? cloud.source : cloud.frame_sources.front());
}

}  // namespace

Reloading::Reloading(const FeatureContext& context, Sessions& sessions, UnsavedResults& unsaved,
                     const OpenDocument& document)
    : QObject(&context.window), context_(context), sessions_(sessions), document_(document) {
  context.commands.bind(
      "file.reload",
      [this, &unsaved] {
        if (unsaved.mayClose(UnsavedResults::Closing::scene, tr("Read the file again?"))) reload();
      },
      [this] { return unavailableReason(); });
  bindWatch(unsaved);
}

void Reloading::bindWatch(UnsavedResults& unsaved) {
  QAction* action = context_.commands.action("file.watch");
  action->setCheckable(true);
  auto* watch = new FileWatch(this);
  const auto follow = [this, watch, action] {
    const auto& cloud = context_.workspace.scene().cloud();
    const QString file = cloud ? file_of(*cloud) : QString();
    watch->follow(action->isChecked() && unavailableReason().isEmpty() ? file : QString());
  };
  context_.commands.bind("file.watch", follow, [this] { return unavailableReason(); });
  connect(&context_.workspace.scene(), &OpenScene::cloudChanged, watch, follow);
  connect(watch, &FileWatch::changed, this, [this, &unsaved](const QString& file) {
    context_.workspace.addLog(tr("%1 has changed: reading it again").arg(QFileInfo(file).fileName()));
    unsaved.keep(UnsavedResults::Closing::scene);
    reload();
  });
}

QString Reloading::unavailableReason() const {
  QString why = why_no_scene(context_.workspace);
  if (!why.isEmpty()) return why;
  const QString file = file_of(*context_.workspace.scene().cloud());
  if (is_standard_input(file.toStdString()))
    return tr("the scene came from standard input and cannot be read again");
  return QFileInfo(file).isFile() ? QString() : tr("the scene file is missing");
}

void Reloading::reload() {
  try {
    sessions_.arrive(sessions_.state(), document_.names().session);
  } catch (const Error& error) {
    emit failed(error);
  }
}

}  // namespace spira::ui
