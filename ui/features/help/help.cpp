#include "ui/features/help/help.hpp"

#include "engine/base/text.hpp"
#include "ui/features/help/command_palette.hpp"
#include "ui/features/help/help_window.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/layout/left_side.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/open_document.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/settings/recent_files.hpp"
#include "ui/settings/settings.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/view_notices.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMainWindow>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QSysInfo>
#include <QTabWidget>
#include <QVBoxLayout>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace spira::ui {
namespace {

constexpr auto help_table = std::to_array<CommandFacts>({
    {"help.palette", QT_TRANSLATE_NOOP("Command", "Find..."), "Ctrl+K; Ctrl+Shift+P; Ctrl+F",
     QT_TRANSLATE_NOOP("Command", "Find commands, layers, settings and recent files"), 1720, Menu::help, 1,
     Opens::dialog},
    {"help.open", QT_TRANSLATE_NOOP("Command", "Help for this view"), "F1; ?",
     QT_TRANSLATE_NOOP("Command", "Show the help page of the focused view"), 1730, Menu::help, 1},
    {"help.diagnostics", QT_TRANSLATE_NOOP("Command", "Copy diagnostics..."), "",
     QT_TRANSLATE_NOOP("Command", "Copy versions, device and settings for a bug report"), 1740, Menu::help, 2,
     Opens::dialog},
    {"help.about", QT_TRANSLATE_NOOP("Command", "About SpiraScope"), "", "", 1750, Menu::help, 2},
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
  return QString("%1, points: %2, voxels: %3 of %4, packing %5")
      .arg(QString::fromStdString(scene.format), QString::fromStdString(count_text(scene.points)),
           QString::fromStdString(count_text(scene.voxels)),
           QString::fromStdString(with_unit(grid_text(scene.voxel_m), scene.unit)),
           QString::fromStdString(scene.pack.text()));
}

std::vector<PaletteItem> items_of(const QList<QAction*>& actions) {
  std::vector<PaletteItem> items;
  for (QAction* action : actions)
    items.push_back({QString(action->text()).replace("&&", "&"), {}, {}, [action] { action->trigger(); }});
  return items;
}

/// Adds the enabled fields, lists and check boxes of a page to `items`. `show` makes the page visible.
void add_controls(std::vector<PaletteItem>& items, const QWidget& page, const QString& title,
                  const std::function<void()>& show) {
  QStringList added;
  for (QWidget* control : page.findChildren<QWidget*>()) {
    const auto* box = qobject_cast<QCheckBox*>(control);
    const bool changeable = box != nullptr || qobject_cast<QAbstractSpinBox*>(control) != nullptr ||
                            qobject_cast<QComboBox*>(control) != nullptr ||
                            qobject_cast<QLineEdit*>(control) != nullptr;
    if (!changeable || !control->isEnabled() || !control->isVisibleTo(&page)) continue;
    QString name = control->accessibleName();
    if (name.isEmpty() && box != nullptr) name = box->text();
    if (name.isEmpty() || added.contains(name)) continue;
    added.append(name);
    items.push_back({name, title, {}, [show, control] {
                       show();
                       control->setFocus(Qt::ShortcutFocusReason);
                     }});
  }
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
  std::vector<PaletteItem> items = items_of(sources_.more_actions());
  for (std::vector<PaletteItem> more : {layerItems(), controlItems(), settingItems(), fileItems()})
    std::move(more.begin(), more.end(), std::back_inserter(items));
  palette.setItems(std::move(items));
  palette.exec();
}

std::vector<PaletteItem> Help::layerItems() {
  std::vector<PaletteItem> items;
  const auto& network = context_.workspace.network();
  if (!network) return items;
  for (std::size_t at = 0; at < network->layers.size(); ++at)
    items.push_back(
        {tr("Layer %1").arg(QString::fromStdString(network->layers[at].name)), tr("Network"), {}, [this, at] {
           context_.commands.trigger("window.show_network");
           context_.selection.setLayer(static_cast<int>(at));
         }});
  return items;
}

std::vector<PaletteItem> Help::controlItems() {
  std::vector<PaletteItem> items;
  const DockLayout& docks = sources_.docks;
  add_controls(items, docks.left(), tr("Scenes"),
               [this] { context_.commands.trigger("window.show_scenes"); });
  for (const auto side : {DockLayout::Side::right, DockLayout::Side::bottom}) {
    const QTabWidget& tabs = docks.tabs(side);
    for (int tab = 0; tab < tabs.count(); ++tab)
      add_controls(items, *tabs.widget(tab), tabs.tabText(tab), [&docks, side, tab] {
        docks.dock(side).show();
        docks.tabs(side).setCurrentIndex(tab);
      });
  }
  return items;
}

std::vector<PaletteItem> Help::settingItems() {
  std::vector<PaletteItem> items;
  for (const SettingFacts& facts : setting_facts())
    items.push_back({tr("Setting: %1").arg(QCoreApplication::translate("Setting", facts.title)),
                     QCoreApplication::translate("Setting", facts.group),
                     {},
                     [this, id = QString::fromLatin1(facts.id)] { emit settingRequested(id); }});
  return items;
}

std::vector<PaletteItem> Help::fileItems() {
  std::vector<PaletteItem> items;
  const QStringList files = sources_.recent.files(), names = distinct_names(files);
  for (qsizetype at = 0; at < files.size(); ++at)
    items.push_back({tr("Open %1").arg(names[at]), tr("Recent"),
                     QFileInfo::exists(files[at]) ? QString() : tr("file not found"),
                     [this, file = files[at]] { emit openRequested(file); }});
  return items;
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
  constexpr int icon_side = 64;
  box.setIconPixmap(QApplication::windowIcon().pixmap(icon_side));
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
  if (const auto& scene = workspace.scene().facts()) add("scene", scene_facts_text(*scene));
  if (const auto& network = workspace.network())
    add("network",
        QString("%1 layers, %2 run").arg(network->layers.size()).arg(workspace.results().layersRun()));
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
  auto* say = new QLabel(tr("Only this text is copied to the clipboard. Nothing is sent."), this);
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
