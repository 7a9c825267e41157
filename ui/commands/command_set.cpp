#include "ui/commands/command_set.hpp"

#include "engine/base/error.hpp"

#include <QCoreApplication>

#include <array>

namespace spira::ui {

namespace {

constexpr auto table = std::to_array<CommandFacts>({
    {"file.open", QT_TRANSLATE_NOOP("Command", "Open scene..."), "Ctrl+O",
     QT_TRANSLATE_NOOP("Command", "Open a point cloud file")},
    {"file.open_as", QT_TRANSLATE_NOOP("Command", "Open as..."), "",
     QT_TRANSLATE_NOOP("Command", "Open a file in a selected format")},
    {"file.open_folder", QT_TRANSLATE_NOOP("Command", "Open folder of frames..."), "Ctrl+Shift+O",
     QT_TRANSLATE_NOOP("Command", "Open a folder as a sequence")},
    {"file.reload", QT_TRANSLATE_NOOP("Command", "Reload"), "Ctrl+R",
     QT_TRANSLATE_NOOP("Command", "Read the file of the scene again; keeps camera, colours and crop")},
    {"file.watch", QT_TRANSLATE_NOOP("Command", "Reload when the file changes"), "",
     QT_TRANSLATE_NOOP("Command", "Reload the scene when its file changes")},
    {"file.screenshot", QT_TRANSLATE_NOOP("Command", "Save screenshot..."), "F12",
     QT_TRANSLATE_NOOP("Command", "Save the window or the 3D view as a picture")},
    {"file.copy_screenshot", QT_TRANSLATE_NOOP("Command", "Copy screenshot"), "Ctrl+F12",
     QT_TRANSLATE_NOOP("Command", "Copy a screenshot with the last settings")},
    {"export.chart", QT_TRANSLATE_NOOP("Command", "Export chart..."), "Ctrl+E",
     QT_TRANSLATE_NOOP("Command", "Save a chart as PNG, SVG or PDF, with a caption")},
    {"export.pdf", QT_TRANSLATE_NOOP("Command", "Export PDF report..."), "",
     QT_TRANSLATE_NOOP("Command", "Save the run as PDF: verdict, layers, densities, notes")},
    {"export.report", QT_TRANSLATE_NOOP("Command", "Export report (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save all samples of the run; opens on any machine")},
    {"export.summary", QT_TRANSLATE_NOOP("Command", "Export summary (Markdown)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save advice, environment, totals, slowest layers and fastest settings")},
    {"export.trace", QT_TRANSLATE_NOOP("Command", "Export trace (Perfetto)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save stages and timeline for Perfetto or chrome://tracing")},
    {"export.csv", QT_TRANSLATE_NOOP("Command", "Export stages (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "One row per stage, with statistics")},
    {"export.samples", QT_TRANSLATE_NOOP("Command", "Export samples (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "One row per sample, in measuring order")},
    {"export.timeline", QT_TRANSLATE_NOOP("Command", "Export timeline (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "One row per span of the timeline")},
    {"export.sweeps", QT_TRANSLATE_NOOP("Command", "Export sweeps (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "One row per setting of the sweeps")},
    {"export.densities", QT_TRANSLATE_NOOP("Command", "Export densities (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "One row per column of each kernel map, with its matches")},
    {"export.outputs", QT_TRANSLATE_NOOP("Command", "Export features of the layer..."), "",
     QT_TRANSLATE_NOOP("Command",
                       "Save the output of the selected layer with coordinates, as .safetensors or .npz")},
    {"export.compare_json", QT_TRANSLATE_NOOP("Command", "Export comparison (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "All rows with both runs, ratio and verdict, and unmatched rows")},
    {"export.compare_csv", QT_TRANSLATE_NOOP("Command", "Export comparison (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "One row per compared stage, with its verdict")},
    {"export.compare_markdown", QT_TRANSLATE_NOOP("Command", "Export comparison (Markdown)..."), "",
     QT_TRANSLATE_NOOP("Command", "Notes and a table, for reading")},
    {"file.save_session", QT_TRANSLATE_NOOP("Command", "Save session"), "Ctrl+S",
     QT_TRANSLATE_NOOP("Command", "Save scene, settings and view to a file")},
    {"file.save_session_as", QT_TRANSLATE_NOOP("Command", "Save session as..."), "Ctrl+Shift+S",
     QT_TRANSLATE_NOOP("Command", "Save the session under another name")},
    {"file.recover", QT_TRANSLATE_NOOP("Command", "Restore after a crash..."), "",
     QT_TRANSLATE_NOOP("Command",
                       "Restore or discard the scenes of windows that did not shut down properly")},
    {"file.clear_recent", QT_TRANSLATE_NOOP("Command", "Clear recent files"), "",
     QT_TRANSLATE_NOOP("Command", "Remove all files that are not pinned from the list")},
    {"file.close", QT_TRANSLATE_NOOP("Command", "Close"), "Ctrl+W",
     QT_TRANSLATE_NOOP("Command", "Close the scene or report; in a lesson, leave the lesson")},
    {"file.quit", QT_TRANSLATE_NOOP("Command", "Quit"), "Ctrl+Q", ""},
    {"edit.undo", QT_TRANSLATE_NOOP("Command", "Undo"), "Ctrl+Z",
     QT_TRANSLATE_NOOP("Command", "Undo the last change")},
    {"edit.redo", QT_TRANSLATE_NOOP("Command", "Redo"), "Ctrl+Shift+Z; Ctrl+Y",
     QT_TRANSLATE_NOOP("Command", "Redo the last undone change")},
    {"edit.shortcuts", QT_TRANSLATE_NOOP("Command", "Keyboard shortcuts..."), "Ctrl+Alt+K",
     QT_TRANSLATE_NOOP("Command", "Show, search and change all keys")},
    {"edit.settings", QT_TRANSLATE_NOOP("Command", "Settings..."), "Ctrl+,",
     QT_TRANSLATE_NOOP("Command", "Change theme, text size, motion, measuring and recovery")},
    {"scene.street", QT_TRANSLATE_NOOP("Command", "Built-in street"), "",
     QT_TRANSLATE_NOOP("Command", "Open a simulated 64-beam sweep")},
    {"scene.room", QT_TRANSLATE_NOOP("Command", "Built-in room"), "",
     QT_TRANSLATE_NOOP("Command", "Open surfaces as seen by an RGB-D camera")},
    {"scene.random", QT_TRANSLATE_NOOP("Command", "Built-in random"), "",
     QT_TRANSLATE_NOOP("Command", "Open uniform noise, for comparison")},
    {"frame.previous", QT_TRANSLATE_NOOP("Command", "Previous frame"), "Left", ""},
    {"frame.next", QT_TRANSLATE_NOOP("Command", "Next frame"), "Right", ""},
    {"frame.play", QT_TRANSLATE_NOOP("Command", "Play or pause the frames"), "Space",
     QT_TRANSLATE_NOOP("Command", "Show the frames in sequence")},
    {"survey.run", QT_TRANSLATE_NOOP("Command", "Survey this folder"), "",
     QT_TRANSLATE_NOOP("Command", "Measure all frames; shows statistics and outliers")},
    {"survey.stop", QT_TRANSLATE_NOOP("Command", "Stop the survey"), "",
     QT_TRANSLATE_NOOP("Command", "Stop and keep the finished frames")},
    {"survey.save", QT_TRANSLATE_NOOP("Command", "Save survey (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save all rows and the summary")},
    {"crop.box", QT_TRANSLATE_NOOP("Command", "Crop box"), "C",
     QT_TRANSLATE_NOOP("Command", "Show the crop as a box with handles, and the removed points")},
    {"crop.reset", QT_TRANSLATE_NOOP("Command", "Remove crop"), "Shift+C",
     QT_TRANSLATE_NOOP("Command", "Use all points of the scene")},
    {"select.box", QT_TRANSLATE_NOOP("Command", "Select with a rectangle"), "R",
     QT_TRANSLATE_NOOP("Command", "Drag a rectangle around voxels; Ctrl adds, Shift removes")},
    {"select.lasso", QT_TRANSLATE_NOOP("Command", "Select with a lasso"), "L",
     QT_TRANSLATE_NOOP("Command", "Draw around voxels; Ctrl adds, Shift removes")},
    {"select.voxel", QT_TRANSLATE_NOOP("Command", "Choose the centre voxel"), "P",
     QT_TRANSLATE_NOOP("Command", "Choose the visible voxel nearest to the centre of the view")},
    {"select.next_voxel", QT_TRANSLATE_NOOP("Command", "Next voxel"), "N",
     QT_TRANSLATE_NOOP("Command", "In the order of packed keys: z first")},
    {"select.previous_voxel", QT_TRANSLATE_NOOP("Command", "Previous voxel"), "Shift+N", ""},
    {"select.voxel_at", QT_TRANSLATE_NOOP("Command", "Choose voxel by coordinates..."), "Shift+P",
     QT_TRANSLATE_NOOP("Command", "Choose the occupied voxel at x, y, z of the visible stride")},
    {"select.grow", QT_TRANSLATE_NOOP("Command", "Grow the selection"), "Ctrl+G",
     QT_TRANSLATE_NOOP("Command", "Add all voxels that touch the selection, or the chosen voxel")},
    {"select.invert", QT_TRANSLATE_NOOP("Command", "Invert the selection"), "Ctrl+I",
     QT_TRANSLATE_NOOP("Command", "Select all other visible voxels")},
    {"select.clear", QT_TRANSLATE_NOOP("Command", "Clear selection"), "Ctrl+Shift+A", ""},
    {"select.save", QT_TRANSLATE_NOOP("Command", "Save the selection..."), "Ctrl+Shift+E",
     QT_TRANSLATE_NOOP("Command", "Write the selected voxels as PLY, NPY or CSV")},
    {"select.back", QT_TRANSLATE_NOOP("Command", "Previous selection"), "Alt+Left",
     QT_TRANSLATE_NOOP("Command", "Restore the previous layer, stride, offsets and voxels")},
    {"select.forward", QT_TRANSLATE_NOOP("Command", "Next selection"), "Alt+Right", ""},
    {"view.stride_1", QT_TRANSLATE_NOOP("Command", "Show stride 1"), "1", ""},
    {"view.stride_2", QT_TRANSLATE_NOOP("Command", "Show stride 2"), "2", ""},
    {"view.stride_4", QT_TRANSLATE_NOOP("Command", "Show stride 4"), "3", ""},
    {"view.stride_8", QT_TRANSLATE_NOOP("Command", "Show stride 8"), "4", ""},
    {"view.stride_16", QT_TRANSLATE_NOOP("Command", "Show stride 16"), "5", ""},
    {"view.next_colour", QT_TRANSLATE_NOOP("Command", "Next colouring"), "S", ""},
    {"colour.viridis", QT_TRANSLATE_NOOP("Command", "Colour map: viridis"), "", ""},
    {"colour.cividis", QT_TRANSLATE_NOOP("Command", "Colour map: cividis"), "",
     QT_TRANSLATE_NOOP("Command", "Suitable for red-green colour blindness")},
    {"colour.bands", QT_TRANSLATE_NOOP("Command", "Colour map: projector, 7 bands"), "",
     QT_TRANSLATE_NOOP("Command", "Seven colours with names, for a lecture room")},
    {"colour.range_all", QT_TRANSLATE_NOOP("Command", "Colour range: all voxels"), "",
     QT_TRANSLATE_NOOP("Command", "In a sequence: range of the current frame, kept for other frames")},
    {"colour.range_view", QT_TRANSLATE_NOOP("Command", "Colour range: voxels in view"), "V",
     QT_TRANSLATE_NOOP("Command", "The range follows the camera")},
    {"colour.show_classes", QT_TRANSLATE_NOOP("Command", "Show all classes"), "", ""},
    {"view.slab", QT_TRANSLATE_NOOP("Command", "Show z slab"), "Z",
     QT_TRANSLATE_NOOP("Command", "Show only voxels between two heights")},
    {"view.frame", QT_TRANSLATE_NOOP("Command", "Zoom to selection"), "F",
     QT_TRANSLATE_NOOP("Command", "Zoom to the chosen voxel or selection, or show all")},
    {"view.reset", QT_TRANSLATE_NOOP("Command", "Reset camera"), "Home", ""},
    {"view.top", QT_TRANSLATE_NOOP("Command", "View from above"), "Num+7", ""},
    {"view.front", QT_TRANSLATE_NOOP("Command", "View from the front"), "Num+1", ""},
    {"view.side", QT_TRANSLATE_NOOP("Command", "View from the side"), "Num+3", ""},
    {"view.below", QT_TRANSLATE_NOOP("Command", "View from below"), "Num+9", ""},
    {"view.orthographic", QT_TRANSLATE_NOOP("Command", "Parallel projection"), "Num+5",
     QT_TRANSLATE_NOOP("Command", "Near and far objects have the same size")},
    {"view.automatic", QT_TRANSLATE_NOOP("Command", "Voxels as cubes or points, by size"), "",
     QT_TRANSLATE_NOOP("Command", "Cubes from three pixels, points below")},
    {"view.points", QT_TRANSLATE_NOOP("Command", "Voxels as points"), "", ""},
    {"view.cubes", QT_TRANSLATE_NOOP("Command", "Voxels as cubes"), "",
     QT_TRANSLATE_NOOP("Command", "Draw all voxels as cubes, whatever their size")},
    {"view.outlined", QT_TRANSLATE_NOOP("Command", "Voxels as cubes with edges"), "",
     QT_TRANSLATE_NOOP("Command", "Draw all voxels as cubes, whatever their size")},
    {"view.depth", QT_TRANSLATE_NOOP("Command", "Depth shading"), "D",
     QT_TRANSLATE_NOOP("Command", "Darken edges in front of distant voxels")},
    {"view.voxels", QT_TRANSLATE_NOOP("Command", "Voxels"), "",
     QT_TRANSLATE_NOOP("Command", "Show or hide the voxels in the 3D view")},
    {"view.highlights", QT_TRANSLATE_NOOP("Command", "Highlights"), "",
     QT_TRANSLATE_NOOP("Command", "Show or hide the highlights; the selection does not change")},
    {"view.axes", QT_TRANSLATE_NOOP("Command", "Axes and scale bar"), "X", ""},
    {"view.grid", QT_TRANSLATE_NOOP("Command", "Grid on the ground"), "G",
     QT_TRANSLATE_NOOP("Command", "Show lines on whole metres below the voxels")},
    {"view.part", QT_TRANSLATE_NOOP("Command", "Show or hide selected part"), "Shift+H",
     QT_TRANSLATE_NOOP("Command", "The selected row with an eye in Scenes")},
    {"view.part_alone", QT_TRANSLATE_NOOP("Command", "Show only selected part"), "Ctrl+Shift+H",
     QT_TRANSLATE_NOOP("Command", "Alt+click on its eye; repeat to show the others")},
    {"view.measure", QT_TRANSLATE_NOOP("Command", "Measure a distance"), "M",
     QT_TRANSLATE_NOOP("Command", "Click two voxels to show the distance in metres and voxels")},
    {"view.up_z", QT_TRANSLATE_NOOP("Command", "Up is z"), "",
     QT_TRANSLATE_NOOP("Command", "Turn the camera around z, as for most scans")},
    {"view.up_y", QT_TRANSLATE_NOOP("Command", "Up is y"), "",
     QT_TRANSLATE_NOOP("Command", "Turn the camera around y")},
    {"view.up_minus_y", QT_TRANSLATE_NOOP("Command", "Up is minus y"), "",
     QT_TRANSLATE_NOOP("Command", "For points in camera coordinates")},
    {"view.clear", QT_TRANSLATE_NOOP("Command", "Clear highlights"), "Esc", ""},
    {"view.table", QT_TRANSLATE_NOOP("Command", "Chart as table"), "Ctrl+Shift+T",
     QT_TRANSLATE_NOOP("Command", "Show the visible chart as a table or as a chart")},
    {"view.in_situ", QT_TRANSLATE_NOOP("Command", "In-situ or isolated times"), "",
     QT_TRANSLATE_NOOP("Command", "In Breakdown: stage times inside the run, or of each stage alone")},
    {"view.full_screen", QT_TRANSLATE_NOOP("Command", "Full screen"), "F11", ""},
    {"network.resn21", QT_TRANSLATE_NOOP("Command", "SparseResNet-21"), "", ""},
    {"network.minkunet42", QT_TRANSLATE_NOOP("Command", "MinkUNet-42"), "", ""},
    {"network.resnl20", QT_TRANSLATE_NOOP("Command", "CenterPoint-Large-like, 20 layers"), "", ""},
    {"network.file", QT_TRANSLATE_NOOP("Command", "Network from file..."), "", ""},
    {"layer.next", QT_TRANSLATE_NOOP("Command", "Next layer"), "]", ""},
    {"layer.previous", QT_TRANSLATE_NOOP("Command", "Previous layer"), "[", ""},
    {"t.down", QT_TRANSLATE_NOOP("Command", "Threshold down"), "-", ""},
    {"t.up", QT_TRANSLATE_NOOP("Command", "Threshold up"), "=", ""},
    {"run.run", QT_TRANSLATE_NOOP("Command", "Run network"), "F5",
     QT_TRANSLATE_NOOP("Command", "Run all layers once")},
    {"run.step_forward", QT_TRANSLATE_NOOP("Command", "Step forward"), "F10",
     QT_TRANSLATE_NOOP("Command", "Run the next layer")},
    {"run.step_back", QT_TRANSLATE_NOOP("Command", "Step back"), "Shift+F10",
     QT_TRANSLATE_NOOP("Command", "Go to the previous layer")},
    {"run.measure", QT_TRANSLATE_NOOP("Command", "Measure"), "Ctrl+M",
     QT_TRANSLATE_NOOP("Command", "Repeat the network to get medians and spread")},
    {"run.map", QT_TRANSLATE_NOOP("Command", "Build the kernel map"), "",
     QT_TRANSLATE_NOOP("Command", "Build the kernel map of the open scene after it was stopped")},
    {"run.stop", QT_TRANSLATE_NOOP("Command", "Stop"), "Shift+F5",
     QT_TRANSLATE_NOOP("Command", "Cancel the running job")},
    {"precision.auto", QT_TRANSLATE_NOOP("Command", "Precision: automatic"), "",
     QT_TRANSLATE_NOOP("Command", "fp16 on a GPU, fp32 on a CPU")},
    {"precision.fp16", QT_TRANSLATE_NOOP("Command", "Precision: fp16"), "",
     QT_TRANSLATE_NOOP("Command", "16-bit features and weights, 32-bit sums")},
    {"precision.fp32", QT_TRANSLATE_NOOP("Command", "Precision: fp32"), "",
     QT_TRANSLATE_NOOP("Command", "32-bit features and weights")},
    {"device.auto", QT_TRANSLATE_NOOP("Command", "Device: automatic"), "",
     QT_TRANSLATE_NOOP("Command", "GPU if available, otherwise the CPU")},
    {"device.cpu", QT_TRANSLATE_NOOP("Command", "Device: CPU"), "",
     QT_TRANSLATE_NOOP("Command", "All threads of this machine")},
    {"device.cuda", QT_TRANSLATE_NOOP("Command", "Device: CUDA"), "",
     QT_TRANSLATE_NOOP("Command", "An NVIDIA GPU")},
    {"device.reference", QT_TRANSLATE_NOOP("Command", "Device: reference"), "",
     QT_TRANSLATE_NOOP("Command", "Slow, double precision; reference for the other devices")},
    {"reproduce.copy", QT_TRANSLATE_NOOP("Command", "Copy measuring command"), "Ctrl+Shift+C",
     QT_TRANSLATE_NOOP("Command", "The spira command for the chosen layer, the network or the scene")},
    {"reproduce.show", QT_TRANSLATE_NOOP("Command", "Show measuring command..."), "",
     QT_TRANSLATE_NOOP("Command", "Show the spira command with its files and settings")},
    {"sweep.thresholds", QT_TRANSLATE_NOOP("Command", "Sweep t"), "",
     QT_TRANSLATE_NOOP("Command", "Measure every setting of t for the chosen layer")},
    {"sweep.network", QT_TRANSLATE_NOOP("Command", "Sweep t of the network"), "",
     QT_TRANSLATE_NOOP("Command", "Measure every setting of t, the same in all layers")},
    {"sweep.packings", QT_TRANSLATE_NOOP("Command", "Sweep packings"), "",
     QT_TRANSLATE_NOOP("Command", "Measure packings of 32, 64 and custom bits")},
    {"tune.open", QT_TRANSLATE_NOOP("Command", "Tune..."), "Ctrl+T",
     QT_TRANSLATE_NOOP("Command", "Find the fastest setting of each layer within a time limit")},
    {"tune.apply", QT_TRANSLATE_NOOP("Command", "Apply the tuning profile"), "", ""},
    {"tune.use_anyway", QT_TRANSLATE_NOOP("Command", "Use the tuning profile of another device"), "",
     QT_TRANSLATE_NOOP("Command", "Use a profile measured on another device; reports show this")},
    {"tune.open_profile", QT_TRANSLATE_NOOP("Command", "Open tuning profile..."), "", ""},
    {"tune.save", QT_TRANSLATE_NOOP("Command", "Save tuning profile..."), "", ""},
    {"compare.set_baseline", QT_TRANSLATE_NOOP("Command", "Set as baseline"), "B",
     QT_TRANSLATE_NOOP("Command", "Compare the next runs with this run")},
    {"compare.show", QT_TRANSLATE_NOOP("Command", "Show comparison"), "", ""},
    {"lesson.list", QT_TRANSLATE_NOOP("Command", "Lessons..."), "Ctrl+L",
     QT_TRANSLATE_NOOP("Command", "Learn how sparse convolution works, on the open scene")},
    {"lesson.voxelize", QT_TRANSLATE_NOOP("Command", "Voxelise and pack"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: how points become voxels, and coordinates one word")},
    {"lesson.search", QT_TRANSLATE_NOOP("Command", "Search"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: how a kernel map is found, and the cost of each search")},
    {"lesson.density", QT_TRANSLATE_NOOP("Command", "Density and L1 norm"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: why near offsets of a kernel match often, and far ones rarely")},
    {"lesson.dataflows", QT_TRANSLATE_NOOP("Command", "Dataflows and t"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: rows or pairs, and the trade-off of the threshold t")},
    {"lesson.indexing", QT_TRANSLATE_NOOP("Command", "Network-wide indexing"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: all voxels and kernel maps of a network at once")},
    {"lesson.open", QT_TRANSLATE_NOOP("Command", "Open lesson file..."), "",
     QT_TRANSLATE_NOOP("Command", "Open a lesson that you wrote or changed")},
    {"lesson.play", QT_TRANSLATE_NOOP("Command", "Play the step"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Play the animation, then go to the next step; Space while a lesson is open")},
    {"lesson.back", QT_TRANSLATE_NOOP("Command", "Previous step"), "PgUp",
     QT_TRANSLATE_NOOP("Command", "Left does the same while a lesson is open")},
    {"lesson.next", QT_TRANSLATE_NOOP("Command", "Next step"), "PgDown",
     QT_TRANSLATE_NOOP("Command", "Right does the same while a lesson is open")},
    {"lesson.slower", QT_TRANSLATE_NOOP("Command", "Slower motion"), "Ctrl+Shift+Left", ""},
    {"lesson.faster", QT_TRANSLATE_NOOP("Command", "Faster motion"), "Ctrl+Shift+Right", ""},
    {"lesson.classroom", QT_TRANSLATE_NOOP("Command", "Classroom"), "Ctrl+Shift+L",
     QT_TRANSLATE_NOOP("Command", "Larger text, projector colours, only view and lesson")},
    {"lesson.handout", QT_TRANSLATE_NOOP("Command", "Handout of the lesson (PDF)..."), "",
     QT_TRANSLATE_NOOP("Command", "One page per step, with the numbers and pictures of this scene")},
    {"lesson.copy_link", QT_TRANSLATE_NOOP("Command", "Copy link to this step"), "",
     QT_TRANSLATE_NOOP("Command", "A command line that opens this scene at this step of the lesson")},
    {"lesson.leave", QT_TRANSLATE_NOOP("Command", "Leave the lesson"), "",
     QT_TRANSLATE_NOOP("Command", "Restore the state before the lesson")},
    {"layout.explore", QT_TRANSLATE_NOOP("Command", "Layout: explore"), "Ctrl+Alt+1",
     QT_TRANSLATE_NOOP("Command", "3D view with both side panels, no results")},
    {"layout.profile", QT_TRANSLATE_NOOP("Command", "Layout: profile"), "Ctrl+Alt+2",
     QT_TRANSLATE_NOOP("Command", "All views, with results below")},
    {"layout.compare", QT_TRANSLATE_NOOP("Command", "Layout: compare"), "Ctrl+Alt+3",
     QT_TRANSLATE_NOOP("Command", "Results in half of the window, next to the layers")},
    {"layout.learn", QT_TRANSLATE_NOOP("Command", "Layout: learn"), "Ctrl+Alt+4",
     QT_TRANSLATE_NOOP("Command", "Large 3D view and a wide side panel")},
    {"layout.save_as", QT_TRANSLATE_NOOP("Command", "Save layout as..."), "",
     QT_TRANSLATE_NOOP("Command", "Save panels, tabs and sizes under a name")},
    {"layout.manage", QT_TRANSLATE_NOOP("Command", "Manage layouts..."), "",
     QT_TRANSLATE_NOOP("Command", "Apply, rename and delete saved layouts")},
    {"layout.restore", QT_TRANSLATE_NOOP("Command", "Restore default layout"), "",
     QT_TRANSLATE_NOOP("Command", "Reset panels to their initial size and position")},
    {"window.left", QT_TRANSLATE_NOOP("Command", "Show scenes and network"), "", ""},
    {"window.right", QT_TRANSLATE_NOOP("Command", "Show density and voxel"), "", ""},
    {"window.bottom", QT_TRANSLATE_NOOP("Command", "Show results"), "", ""},
    {"window.show_scenes", QT_TRANSLATE_NOOP("Command", "Go to Scenes"), "", ""},
    {"window.show_network", QT_TRANSLATE_NOOP("Command", "Go to Network"), "", ""},
    {"window.show_density", QT_TRANSLATE_NOOP("Command", "Go to Density"), "", ""},
    {"window.show_voxel", QT_TRANSLATE_NOOP("Command", "Go to Voxel"), "", ""},
    {"window.show_colour", QT_TRANSLATE_NOOP("Command", "Go to Colour"), "", ""},
    {"window.show_points", QT_TRANSLATE_NOOP("Command", "Go to Points"), "", ""},
    {"window.show_summary", QT_TRANSLATE_NOOP("Command", "Go to Summary"), "", ""},
    {"window.show_breakdown", QT_TRANSLATE_NOOP("Command", "Go to Breakdown"), "", ""},
    {"window.show_sweeps", QT_TRANSLATE_NOOP("Command", "Go to Sweeps"), "", ""},
    {"window.show_timeline", QT_TRANSLATE_NOOP("Command", "Go to Timeline"), "", ""},
    {"window.show_map", QT_TRANSLATE_NOOP("Command", "Go to Kernel map"), "", ""},
    {"window.show_compare", QT_TRANSLATE_NOOP("Command", "Go to Compare"), "", ""},
    {"window.show_tune", QT_TRANSLATE_NOOP("Command", "Go to Tune"), "", ""},
    {"window.show_log", QT_TRANSLATE_NOOP("Command", "Go to Log"), "", ""},
    {"window.show_survey", QT_TRANSLATE_NOOP("Command", "Go to Survey"), "", ""},
    {"theme.light", QT_TRANSLATE_NOOP("Command", "Light theme"), "", ""},
    {"theme.dark", QT_TRANSLATE_NOOP("Command", "Dark theme"), "", ""},
    {"theme.contrast", QT_TRANSLATE_NOOP("Command", "High contrast theme"), "",
     QT_TRANSLATE_NOOP("Command", "White on black, with strong lines")},
    {"theme.system", QT_TRANSLATE_NOOP("Command", "System theme"), "", ""},
    {"help.palette", QT_TRANSLATE_NOOP("Command", "Find a command..."), "Ctrl+K; Ctrl+Shift+P; Ctrl+F",
     QT_TRANSLATE_NOOP("Command", "Search all commands")},
    {"help.open", QT_TRANSLATE_NOOP("Command", "Help for this view"), "F1; ?",
     QT_TRANSLATE_NOOP("Command", "Show the help page of the focused view")},
    {"help.diagnostics", QT_TRANSLATE_NOOP("Command", "Copy diagnostics..."), "",
     QT_TRANSLATE_NOOP("Command", "Copy versions, device and settings for a bug report")},
    {"help.about", QT_TRANSLATE_NOOP("Command", "About SpiraScope"), "", ""},
});

}  // namespace

std::span<const CommandFacts> command_facts() noexcept {
  return table;
}

CommandSet::CommandSet(QObject* parent) : QObject(parent) {
  soon_.setSingleShot(true);
  connect(&soon_, &QTimer::timeout, this, &CommandSet::refresh);
  for (const CommandFacts& facts : command_facts()) {
    auto* action = new QAction(QCoreApplication::translate("Command", facts.text), this);
    action->setObjectName(QString::fromLatin1(facts.id));
    action->setShortcuts(defaultKeys(action->objectName()));
    placeKeys(action);
    action->setProperty("tip", QCoreApplication::translate("Command", facts.tip));
    all_.push_back(action);
    by_id_[action->objectName()] = action;
  }
}

QAction* CommandSet::action(const QString& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

void CommandSet::bind(const QString& id, std::function<void()> run, std::function<QString()> why_not) {
  // Check again: the enabled state of the action may be one event-loop iteration old.
  connect(action(id), &QAction::triggered, this, [this, id, run = std::move(run)] {
    try {
      if (unavailableReason(id).isEmpty()) run();
    } catch (...) {
      emit failed(current_error());
    }
  });
  if (why_not) rules_[id] = std::move(why_not);
}

void CommandSet::refreshSoon() {
  if (!soon_.isActive()) soon_.start();
}

void CommandSet::refresh() {
  soon_.stop();
  for (QAction* action : all_) {
    const QString why = unavailableReason(action->objectName());
    action->setEnabled(why.isEmpty());
    const QString tip = action->property("tip").toString();
    QString text = tip.isEmpty() ? action->text() : tip;
    if (!action->shortcut().isEmpty())
      text += QString(" (%1)").arg(action->shortcut().toString(QKeySequence::NativeText));
    if (!why.isEmpty()) text += "\n" + why;
    action->setToolTip(text);
  }
}

QString CommandSet::unavailableReason(const QString& id) const {
  const auto rule = rules_.find(id);
  return rule == rules_.end() ? QString() : rule->second();
}

bool CommandSet::trigger(const QString& id) {
  QAction* found = action(id);
  if (found == nullptr || !unavailableReason(id).isEmpty()) return false;
  found->setEnabled(true);
  found->trigger();
  return true;
}

}  // namespace spira::ui
