#include "ui/features/export/export_files.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto export_table = std::to_array<CommandFacts>({
    {"file.screenshot", QT_TRANSLATE_NOOP("Command", "Save screenshot..."), "F12",
     QT_TRANSLATE_NOOP("Command", "Save the window or the 3D view as a picture"), 60, Menu::file, 1,
     Opens::dialog},
    {"file.copy_screenshot", QT_TRANSLATE_NOOP("Command", "Copy screenshot"), "Ctrl+F12",
     QT_TRANSLATE_NOOP("Command", "Copy a screenshot with the last settings"), 70, Menu::file, 1},
    {"export.chart", QT_TRANSLATE_NOOP("Command", "Export chart..."), "Ctrl+E",
     QT_TRANSLATE_NOOP("Command", "Save a chart as PNG, SVG or PDF, with a caption"), 80, Menu::export_files,
     1, Opens::dialog},
    {"export.pdf", QT_TRANSLATE_NOOP("Command", "Export PDF report..."), "",
     QT_TRANSLATE_NOOP("Command", "Save the run as PDF: verdict, layers, densities, notes"), 90,
     Menu::export_files, 1, Opens::dialog},
    {"export.report", QT_TRANSLATE_NOOP("Command", "Export report (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save the run with all samples; the file opens on any machine"), 100,
     Menu::export_files, 1, Opens::dialog},
    {"export.summary", QT_TRANSLATE_NOOP("Command", "Export summary (Markdown)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save advice, environment, totals, slowest layers and fastest settings"),
     110, Menu::export_files, 1, Opens::dialog},
    {"export.trace", QT_TRANSLATE_NOOP("Command", "Export trace (Perfetto)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save stages and timeline for Perfetto or chrome://tracing"), 120,
     Menu::export_files, 1, Opens::dialog},
    {"export.csv", QT_TRANSLATE_NOOP("Command", "Export stages (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per stage, with statistics"), 130, Menu::export_files, 2,
     Opens::dialog},
    {"export.samples", QT_TRANSLATE_NOOP("Command", "Export samples (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per sample, in the order of measurement"), 140,
     Menu::export_files, 2, Opens::dialog},
    {"export.timeline", QT_TRANSLATE_NOOP("Command", "Export timeline (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per span of the timeline"), 150, Menu::export_files, 2,
     Opens::dialog},
    {"export.sweeps", QT_TRANSLATE_NOOP("Command", "Export sweeps (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per swept setting"), 160, Menu::export_files, 2,
     Opens::dialog},
    {"export.densities", QT_TRANSLATE_NOOP("Command", "Export densities (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per offset of each kernel map, with its number of matches"),
     170, Menu::export_files, 2, Opens::dialog},
    {"export.outputs", QT_TRANSLATE_NOOP("Command", "Export features of the layer..."), "",
     QT_TRANSLATE_NOOP("Command",
                       "Save the output of the selected layer with coordinates, as .safetensors or .npz"),
     180, Menu::export_files, 2, Opens::dialog},
    {"export.compare_json", QT_TRANSLATE_NOOP("Command", "Export comparison (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command",
                       "Save all compared rows (both runs, ratio and verdict) and the unmatched rows"),
     190, Menu::export_files, 3, Opens::dialog},
    {"export.compare_csv", QT_TRANSLATE_NOOP("Command", "Export comparison (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one row per compared stage, with its verdict"), 200,
     Menu::export_files, 3, Opens::dialog},
    {"export.compare_markdown", QT_TRANSLATE_NOOP("Command", "Export comparison (Markdown)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save notes and a table as readable text"), 210, Menu::export_files, 3,
     Opens::dialog},
    {"reproduce.copy", QT_TRANSLATE_NOOP("Command", "Copy measurement command"), "Ctrl+Shift+C",
     QT_TRANSLATE_NOOP("Command",
                       "Copy the spira command that measures the chosen layer, the network or the scene"),
     1150, Menu::run, 7},
    {"reproduce.show", QT_TRANSLATE_NOOP("Command", "Show measurement command..."), "",
     QT_TRANSLATE_NOOP("Command", "Show the spira command with its files and settings"), 1160, Menu::run, 7,
     Opens::dialog},
});

}  // namespace

std::span<const CommandFacts> export_commands() noexcept {
  return export_table;
}

}  // namespace spira::ui
