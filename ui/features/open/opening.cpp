#include "ui/features/open/opening.hpp"

#include "engine/base/text.hpp"
#include "engine/scene/reader.hpp"
#include "ui/features/export/screenshot_dialog.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/open/open_as_dialog.hpp"
#include "ui/features/recent/recents.hpp"
#include "ui/features/session/closing.hpp"
#include "ui/features/session/sessions.hpp"
#include "ui/features/survey/surveys.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/open_document.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QMainWindow>
#include <QTabWidget>
#include <QUrl>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto open_table = std::to_array<CommandFacts>({
    {"file.open", QT_TRANSLATE_NOOP("Command", "Open scene..."), "Ctrl+O",
     QT_TRANSLATE_NOOP("Command", "Open a point cloud file; several files become a sequence of frames"), 10,
     Menu::file, 1, Opens::dialog},
    {"file.open_as", QT_TRANSLATE_NOOP("Command", "Open as..."), "",
     QT_TRANSLATE_NOOP("Command", "Open a file as a format that you choose"), 20, Menu::file, 1,
     Opens::dialog},
    {"file.open_folder", QT_TRANSLATE_NOOP("Command", "Open folder of frames..."), "Ctrl+Shift+O",
     QT_TRANSLATE_NOOP("Command", "Open the files of a folder as a sequence of frames"), 30, Menu::file, 1,
     Opens::dialog},
    {"file.open_batch", QT_TRANSLATE_NOOP("Command", "Open scenes as one batch..."), "",
     QT_TRANSLATE_NOOP("Command",
                       "Open several files as the frames of one batch; a run computes all frames together"),
     35, Menu::file, 1, Opens::dialog},
    {"frame.batch", QT_TRANSLATE_NOOP("Command", "Open the frames as one batch"), "",
     QT_TRANSLATE_NOOP("Command", "Join all open frames into one batch; a run computes all frames together"),
     380, Menu::scene, 3},
    {"scene.street", QT_TRANSLATE_NOOP("Command", "Built-in street"), "",
     QT_TRANSLATE_NOOP("Command", "Open a street scanned by a simulated 64-beam lidar"), 320, Menu::built_in,
     1},
    {"scene.room", QT_TRANSLATE_NOOP("Command", "Built-in room"), "",
     QT_TRANSLATE_NOOP("Command", "Open a room scanned by a simulated RGB-D camera"), 330, Menu::built_in, 1},
    {"scene.random", QT_TRANSLATE_NOOP("Command", "Built-in random"), "",
     QT_TRANSLATE_NOOP("Command", "Open uniformly distributed random points, for comparison"), 340,
     Menu::built_in, 1},
});

}  // namespace

std::span<const CommandFacts> open_commands() noexcept {
  return open_table;
}

Opening::Opening(const FeatureContext& context, const Parts& parts)
    : QObject(&context.window), context_(context), parts_(parts) {
  bind();
  connect(&parts.jobs.scenes(), &SceneJobs::opened, this, &Opening::opened);
  connect(&parts.jobs.scenes(), &SceneJobs::leftOut, this, &Opening::showLeftOut);
  connect(&parts.jobs.scenes(), &SceneJobs::storedFilesDiffer, this, [this](const QStringList& faults) {
    context_.notices.showNote(tr("Files of the session are missing or have changed"), faults.join("; "));
  });
  connect(&parts.jobs.scenes(), &SceneJobs::networkOpened, this, &Opening::networkOpened);
}

void Opening::bind() {
  CommandSet& commands = context_.commands;
  commands.bind("file.open", [this] { openDialog(); });
  commands.bind("file.open_as", [this] { openAs({}); });
  commands.bind("file.open_folder", [this] {
    const QString folder = context_.dialogs.openFolder(&context_.window, tr("Open folder of frames"));
    if (!folder.isEmpty()) open(folder);
  });
  commands.bind("file.open_batch", [this] {
    const QStringList files =
        context_.dialogs.openFiles(&context_.window, tr("Open scenes as one batch"), sceneFilters());
    if (!files.isEmpty()) openBatch(files);
  });
  commands.bind(
      "frame.batch", [this] { openBatch(framesOpen()); }, [this] { return whyNoBatch(); });
  for (const char* id : {"street", "room", "random"})
    commands.bind(QString("scene.") + id, [this, id] { open(id); });
}

void Opening::openDialog() {
  const QStringList files =
      context_.dialogs.openFiles(&context_.window, tr("Open scenes, reports or a session"), sceneFilters());
  if (!files.isEmpty()) openAll(files);
}

void Opening::openAs(QString file) {
  if (file.isEmpty()) file = context_.dialogs.openFile(&context_.window, tr("Open as"));
  if (file.isEmpty()) return;
  OpenAsDialog dialog(context_.tasks, file, &context_.window);
  if (dialog.exec() == QDialog::Accepted && !dialog.format().isEmpty()) open(file, dialog.format());
}

void Opening::leaveScene() {
  parts_.sessions.remember();
  context_.notices.clear();
  parts_.sessions.abandon();
}

bool Opening::mayReplaceScene() {
  return parts_.unsaved.mayClose(UnsavedResults::Closing::scene, tr("Open another scene?"));
}

void Opening::open(const QString& scene, const QString& format) {
  leaveScene();
  picked_.clear();
  profile_.clear();
  // The name means standard input, even if a file with this name exists.
  const bool piped = is_standard_input(scene.toStdString());
  if (!piped && refusesPipe({scene})) return;
  if (!piped && offerPicture(scene)) return;
  if (!piped && format.isEmpty() && (parts_.profiles.takes({scene}) || parts_.surveys.takes(scene))) return;
  if (!mayReplaceScene()) return;
  if (!piped && Sessions::isSession(scene)) {
    asked_for_.clear();
    return parts_.sessions.open(scene);
  }
  asked_for_ = scene;
  if (!piped && format.isEmpty() && parts_.sessions.openAsLeft(scene)) return;
  parts_.jobs.scenes().open(scene, format);
}

void Opening::openAll(const QStringList& files, const QString& format) {
  if (files.size() == 1) return open(files.front(), format);
  if (refusesPipe(files)) return;
  QStringList others = files;
  if (const QString profile = ProfileTools::takeProfileFrom(others); !profile.isEmpty()) {
    openAll(others, format);
    profile_ = profile;
    return;
  }
  leaveScene();
  profile_.clear();
  if (format.isEmpty() && parts_.profiles.takes(files)) return;
  if (!mayReplaceScene()) return;
  asked_for_ = files.front();
  picked_ = files;
  parts_.jobs.scenes().openSequence(files, format);
}

void Opening::measureTriples(const RelationChoice& choice) {
  context_.notices.clear();
  // Only this request uses the choice. If it succeeds, later graphs use it too.
  RelationChoice& option = parts_.jobs.scenes().options().relations;
  const RelationChoice before = std::exchange(option, choice);
  parts_.jobs.scenes().open(opened_);
  option = before;
}

void Opening::openBatch(const QStringList& files) {
  if (files.size() == 1) return open(files.front());
  if (refusesPipe(files)) return;
  leaveScene();
  profile_.clear();
  picked_.clear();
  if (!mayReplaceScene()) return;
  asked_for_ = files.front();
  parts_.jobs.scenes().openSequence(files, {}, SceneJobs::Together::batch);
}

QStringList Opening::framesOpen() const {
  QStringList files;
  for (const auto& frame : context_.workspace.scene().frames())
    files += QString::fromStdString(frame.string());
  return files;
}

QString Opening::whyNoBatch() const {
  const auto frames = static_cast<int>(context_.workspace.scene().frames().size());
  if (frames < 2) return tr("open several files as frames first");
  return frames > max_batch ? tr("a batch has at most %1 frames").arg(max_batch) : QString();
}

void Opening::addAll(const QStringList& files) {
  const QString why = parts_.jobs.scenes().whyNoFramesAdded();
  if (!why.isEmpty()) {
    context_.workspace.addLog(
        tr("frames cannot be added (%1); the files were opened as a new scene").arg(why));
    return openAll(files);
  }
  if (!parts_.unsaved.mayClose(UnsavedResults::Closing::scene, tr("Add frames to the open scene?"))) return;
  leaveScene();
  asked_for_ = files.front();
  parts_.jobs.scenes().addFrames(files);
}

bool Opening::refusesPipe(const QStringList& files) {
  for (const QString& file : files) {
    const QFileInfo info(file);
    if (!info.exists() || info.isFile() || info.isDir()) continue;
    emit failed(
        Error(ErrorKind::input, file.toStdString() +
                                    ": is a pipe or a device, expected a regular file. To read a stream, "
                                    "pipe it into spirascope -"));
    return true;
  }
  return false;
}

/// Checks whether the picture is a screenshot of this program that contains a session. If so, asks whether to
/// open the session or the picture.
bool Opening::offerPicture(const QString& file) {
  const QString session = state_of_picture(file);
  if (session.isEmpty()) return false;
  context_.notices.show(
      {Notice::Kind::question,
       tr("%1 is a screenshot of SpiraScope").arg(QFileInfo(file).fileName()),
       tr("The picture contains the session: scene, settings, colours and camera."),
       {{tr("Open session"), [this, session, file] { openPictured(session, file); }},
        {tr("Show picture"), [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); }}}});
  return true;
}

void Opening::openPictured(const QString& session, const QString& file) {
  if (!mayReplaceScene()) return;
  const QFileInfo info(file);
  try {
    parts_.sessions.arrive(parse_session(session.toStdString(), info.filePath().toStdString(),
                                         info.absolutePath().toStdString()));
  } catch (const Error& error) {
    emit failed(error);
  }
}

void Opening::opened(const QString& scene, const QString& reopen) {
  opened_ = scene;
  const bool piped = is_standard_input(scene.toStdString());
  const bool first = parts_.document.names().reopen.isEmpty();
  const auto& cloud = context_.workspace.scene().cloud();
  const bool joined = cloud && !cloud->frame_sources.empty();
  parts_.document.setTitle(tr("%1 - SpiraScope")
                               .arg(piped    ? tr("standard input")
                                    : joined ? tr("batch of %1").arg(cloud->batch())
                                             : QFileInfo(scene).fileName()));
  focusOpened(first);
  parts_.sessions.takeOpened(reopen);
  if (!piped && QFileInfo::exists(reopen)) {
    context_.dialogs.used(reopen);
    // The list of recent files contains single files and folders.
    if (!joined) parts_.recents.add(reopen, openWith());
  }
  showLostParts();
  if (!profile_.isEmpty()) parts_.profiles.openAndApply(std::exchange(profile_, {}));
  if (picked_.isEmpty()) return offerNetworkOf(scene);
  // If the files are not frames, they are a network and its scene.
  const QStringList files = std::exchange(picked_, {});
  if (context_.workspace.scene().frames().size() > 1) emit filesOpened(files);
}

void Opening::offerNetworkOf(const QString& scene) {
  const QString network = network_next_to(scene);
  if (network.isEmpty() || network == network_file_ || context_.workspace.results().report()) return;
  // If the network comes from a session, the name of its file is not known.
  const auto& open_network = context_.workspace.network();
  if (open_network && QFileInfo(network).completeBaseName() == QString::fromStdString(open_network->name))
    return;
  const QString name = QFileInfo(network).fileName();
  context_.notices.show({Notice::Kind::question,
                         tr("Open the network %1 too?").arg(name),
                         tr("%1 contains the voxels of this network.").arg(QFileInfo(scene).fileName()),
                         {{tr("Open network"), [this, network] { open(network); }}}});
}

/// Shows why the network cannot run: the weights do not fit, or the voxels of the network are missing.
void Opening::networkOpened(const OpenedNetwork& opened) {
  picked_.clear();
  if (!opened.file.isEmpty()) {
    network_file_ = opened.file;
    context_.dialogs.used(opened.file);
  }
  if (!opened.weights_fault.isEmpty()) {
    context_.notices.showNote(tr("The network has random weights"), opened.weights_fault);
    return;
  }
  const QString voxels = voxels_next_to(opened.file);
  const auto& cloud = context_.workspace.scene().cloud();
  if (voxels.isEmpty() || (cloud && cloud->source == voxels.toStdString())) return;
  context_.notices.show({Notice::Kind::question,
                         tr("Open the voxel file %1 too?").arg(QFileInfo(voxels).fileName()),
                         tr("The file contains the input of %1.").arg(QFileInfo(opened.file).fileName()),
                         {{tr("Open voxels"), [this, voxels] { open(voxels); }}}});
}

/// Moves the keyboard focus to the opened scene or report, so that its shortcuts work immediately. Does not
/// move the focus if the user works in a panel.
void Opening::focusOpened(bool first) {
  const QWidget* focused = QApplication::focusWidget();
  if (context_.workspace.results().report()) return parts_.docks.tabs(DockLayout::Side::bottom).setFocus();
  if (first || focused == nullptr || focused == &context_.window || parts_.empty.isAncestorOf(focused))
    parts_.view.canvas()->setFocus();
}

/// Returns the text about the network and the voxel size for the list of recent files.
QString Opening::openWith() const {
  const Workspace& workspace = context_.workspace;
  if (workspace.results().report() || !workspace.network() || !workspace.scene().voxels()) return {};
  return tr("%1, voxel size %2")
      .arg(networkText(*workspace.network()),
           withUnit(gridOnScreen(workspace.scene().voxels()->grid.voxel_m), unit_of(workspace)));
}

void Opening::showLeftOut(const QStringList& files, const QStringList& why) {
  for (const QString& line : why)
    context_.workspace.addLog(tr("not opened: %1").arg(line));
  constexpr qsizetype most = 6;
  QString names = files.mid(0, most).join(", ");
  if (files.size() > most) names += tr(" and %1 more (see Log)").arg(files.size() - most);
  context_.notices.showNote(counted(files.size(), tr("1 file is not a scene and was not opened"),
                                    tr("%1 files are not scenes and were not opened")),
                            names);
}

/// Shows which parts of a report are missing. Parts are missing if the report is truncated or was written by
/// a later version.
void Opening::showLostParts() {
  const auto& report = context_.workspace.results().report();
  if (!report) return;
  const QString name = QFileInfo(parts_.document.names().reopen).fileName();
  const auto listed = [](const std::vector<std::string>& parts, std::size_t most) {
    QStringList shown;
    for (std::size_t at = 0; at < std::min(parts.size(), most); ++at)
      shown += QString::fromStdString(parts[at]);
    QString text = shown.join("; ");
    if (parts.size() > most) text += tr("; and %1 more (see Log)").arg(parts.size() - most);
    return text;
  };
  constexpr std::size_t max_fields = 8;
  QString title, text;
  if (!report->lost.empty()) {
    title = tr("The report is truncated");
    text = tr("The complete parts of %1 are shown. Missing: %2.")
               .arg(name, listed(report->lost, report->lost.size()));
  }
  if (!report->notes.empty()) {  // The report contains notes if a later minor version wrote it.
    if (title.isEmpty()) title = tr("Written by a newer version of SpiraScope");
    if (!text.isEmpty()) text += "\n";
    text += report->ignored.empty()
                ? tr("%1 was written by a newer version of SpiraScope. All its fields are shown.").arg(name)
                : tr("Unknown fields of %1 are ignored: %2.").arg(name, listed(report->ignored, max_fields));
  }
  if (!title.isEmpty()) context_.notices.showNote(title, text);
}

}  // namespace spira::ui
