#include "ui/features/help/help.hpp"

#include "engine/base/text.hpp"
#include "ui/features/help/command_palette.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/open_document.hpp"
#include "ui/model/workspace.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/settings/recent_files.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_notices.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QLocale>
#include <QMainWindow>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QSysInfo>
#include <QVBoxLayout>
#include <QtGlobal>

#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto help_table = std::to_array<CommandFacts>({
    {"help.palette", QT_TRANSLATE_NOOP("Command", "Find a command..."), "Ctrl+K; Ctrl+Shift+P; Ctrl+F",
     QT_TRANSLATE_NOOP("Command", "Search all commands"), 1720, Menu::help, 1, Opens::dialog},
    {"help.open", QT_TRANSLATE_NOOP("Command", "Help for this view"), "F1; ?",
     QT_TRANSLATE_NOOP("Command", "Show the help page of the focused view"), 1730, Menu::help, 1},
    {"help.diagnostics", QT_TRANSLATE_NOOP("Command", "Copy diagnostics..."), "",
     QT_TRANSLATE_NOOP("Command", "Copy versions, device and settings for a bug report"), 1740, Menu::help, 1,
     Opens::dialog},
    {"help.about", QT_TRANSLATE_NOOP("Command", "About SpiraScope"), "", "", 1750, Menu::help, 1},
});

}  // namespace

std::span<const CommandFacts> help_commands() noexcept {
  return help_table;
}

namespace {

QString screens() {
  QStringList all;
  for (const QScreen* screen : QGuiApplication::screens())
    all.append(QString("%1x%2 at %3")
                   .arg(screen->size().width())
                   .arg(screen->size().height())
                   .arg(screen->devicePixelRatio()));
  return all.join(", ");
}

QString scene_facts_text(const SceneFacts& scene) {
  return QString("%1, %2 points, %3 voxels of %4 m, packing %5")
      .arg(QString::fromStdString(scene.format), QString::fromStdString(count_text(scene.points)),
           QString::fromStdString(count_text(scene.voxels)),
           QString::fromStdString(shortest(scene.voxel_m[0])), QString::fromStdString(scene.pack.text()));
}

}  // namespace

Help::Help(const FeatureContext& context, Sources sources)
    : QObject(&context.window), context_(context), sources_(std::move(sources)) {
  CommandSet& commands = context.commands;
  commands.bind("help.palette", [this] { showPalette(); });
  commands.bind("help.open", [this] { showHelp(); });
  commands.bind("help.diagnostics", [this] { DiagnosticsDialog(diagnostics(), &context_.window).exec(); });
  commands.bind("help.about", [this] { showAbout(); });
}

void Help::showPalette() {
  CommandPalette palette(&context_.commands, &context_.window);
  palette.setFiles(sources_.recent.files());
  palette.setActions(sources_.more_actions());
  connect(&palette, &CommandPalette::openRequested, this, &Help::openRequested);
  palette.exec();
}

void Help::showHelp() {
  if (window_ == nullptr) window_ = new HelpWindow(&context_.commands, &context_.window);
  window_->showFor(QApplication::focusWidget());
}

void Help::showAbout() {
  const DeviceFacts& d = context_.workspace.device();
  const QString facts =
      tr("SpiraScope %1\nQt %2\n%3\ndevice: %4\n\nlicence: %5")
          .arg(SPIRA_VERSION, qVersion(), sources_.view.canvas()->driverText(),
               d.name.empty() ? tr("not used yet") : QString::fromStdString(d.name),
               tr("Apache License 2.0 (GNU GPL 3 for this program, because it links QCustomPlot)"));
  QMessageBox box(QMessageBox::NoIcon, tr("About SpiraScope"), facts, QMessageBox::Close, &context_.window);
  QPushButton* more = box.addButton(tr("Diagnostics..."), QMessageBox::ActionRole);
  box.exec();
  if (box.clickedButton() == more) context_.commands.trigger("help.diagnostics");
}

Diagnostics Help::diagnostics() const {
  const Workspace& workspace = context_.workspace;
  QStringList lines;
  const auto add = [&](const char* name, const QString& text) {
    lines.append(QString("%1: %2").arg(QLatin1String(name), text));
  };
  add("SpiraScope", SPIRA_VERSION);
  add("Qt", QString("%1, built with %2, platform %3")
                .arg(qVersion(), QT_VERSION_STR, QGuiApplication::platformName()));
  add("system", QString("%1, %2").arg(QSysInfo::prettyProductName(), QSysInfo::currentCpuArchitecture()));
  add("session", qEnvironmentVariable("XDG_SESSION_TYPE", "unknown"));
  add("drawing", openGlFault().isEmpty() ? sources_.view.canvas()->driverText() : openGlFault());
  add("screens", screens());
  add("locale", QLocale().name());
  const DeviceFacts& device = workspace.device();
  add("device", device.name.empty()
                    ? QString("not used yet")
                    : QString("%1, %2").arg(QString::fromStdString(device.name), unitsText(device)));
  if (const auto& scene = workspace.sceneFacts()) add("scene", scene_facts_text(*scene));
  if (const auto& network = workspace.network())
    add("network", QString("%1 layers, %2 run").arg(network->layers.size()).arg(workspace.layersRun()));
  add("layout", QString("%1, window %2x%3")
                    .arg(sources_.docks.name())
                    .arg(context_.window.width())
                    .arg(context_.window.height()));
  for (const SettingFacts& setting : setting_facts()) {
    if (!context_.settings.isInitial(setting.id))
      add(setting.id, context_.settings.value(setting.id).toVariant().toString());
  }
  add("changed keys", QString::number(context_.commands.changedKeys().size()));
  const QString& reopen = sources_.document.names().reopen;
  QStringList files{QString("open: %1").arg(reopen.isEmpty() ? "nothing" : reopen)};
  for (const QString& file : sources_.recent.files())
    files.append("recent: " + file);
  files.append(sources_.log.text());
  return {lines.join("\n") + "\n", files.join("\n")};
}

DiagnosticsDialog::DiagnosticsDialog(Diagnostics what, QWidget* parent)
    : QDialog(parent),
      what_(std::move(what)),
      text_(new QPlainTextEdit(this)),
      with_files_(new QCheckBox(tr("Include file names, paths and the log"), this)) {
  setWindowTitle(tr("Copy diagnostics"));
  resize(620, 460);
  auto* layout = new QVBoxLayout(this);
  auto* say = new QLabel(tr("Only this text is copied. Nothing is sent."), this);
  say->setWordWrap(true);
  layout->addWidget(say);
  layout->addWidget(text_, 1);
  layout->addWidget(with_files_);
  text_->setReadOnly(true);
  text_->setAccessibleName(tr("Diagnostics"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  auto* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::AcceptRole);
  copy->setDefault(true);
  layout->addWidget(buttons);
  connect(with_files_, &QCheckBox::toggled, this, &DiagnosticsDialog::fill);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    QApplication::clipboard()->setText(text_->toPlainText());
    accept();
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  fill();
}

/// Shows the facts in the text field. Replaces the home folder by "~", because its path contains the user
/// name.
void DiagnosticsDialog::fill() {
  QString text = what_.facts;
  if (with_files_->isChecked()) text += "\n" + what_.files;
  text_->setPlainText(text.replace(QDir::homePath(), "~"));
}

}  // namespace spira::ui
