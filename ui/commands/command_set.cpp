#include "ui/commands/command_set.hpp"

#include "engine/base/current_error.hpp"

#include <QCoreApplication>

#include <array>

namespace spira::ui {

namespace {

constexpr auto table = std::to_array<CommandFacts>({
    {"file.open", QT_TRANSLATE_NOOP("Command", "Open scene..."), "Ctrl+O",
     QT_TRANSLATE_NOOP("Command", "Open a point cloud file")},
    {"file.open_as", QT_TRANSLATE_NOOP("Command", "Open as..."), "",
     QT_TRANSLATE_NOOP("Command", "Open a file in a format that you name")},
    {"file.open_folder", QT_TRANSLATE_NOOP("Command", "Open folder of frames..."), "Ctrl+Shift+O",
     QT_TRANSLATE_NOOP("Command", "Open a folder as a sequence")},
    {"file.reload", QT_TRANSLATE_NOOP("Command", "Reload"), "Ctrl+R",
     QT_TRANSLATE_NOOP("Command", "Read the file of the scene again; camera, colours and crop stay")},
    {"file.watch", QT_TRANSLATE_NOOP("Command", "Reload when the file changes"), "",
     QT_TRANSLATE_NOOP("Command", "Watch the file of the scene")},
    {"file.screenshot", QT_TRANSLATE_NOOP("Command", "Save screenshot..."), "F12",
     QT_TRANSLATE_NOOP("Command", "A picture of the window or of the 3D view, also larger or transparent")},
    {"file.copy_screenshot", QT_TRANSLATE_NOOP("Command", "Copy screenshot"), "Ctrl+F12",
     QT_TRANSLATE_NOOP("Command", "As it was saved last, to the clipboard")},
    {"export.chart", QT_TRANSLATE_NOOP("Command", "Export chart..."), "Ctrl+E",
     QT_TRANSLATE_NOOP("Command", "A chart as PNG, SVG or PDF, with a caption")},
    {"export.pdf", QT_TRANSLATE_NOOP("Command", "Export PDF report..."), "",
     QT_TRANSLATE_NOOP("Command", "The run on pages: verdict, layers, densities, notes")},
    {"export.report", QT_TRANSLATE_NOOP("Command", "Export report (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "All samples of the run, to open again on any machine")},
    {"export.summary", QT_TRANSLATE_NOOP("Command", "Export summary (Markdown)..."), "",
     QT_TRANSLATE_NOOP("Command", "Advice, environment, totals, slowest layers and fastest settings")},
    {"export.trace", QT_TRANSLATE_NOOP("Command", "Export trace (Perfetto)..."), "",
     QT_TRANSLATE_NOOP("Command", "The stages and the recorded timeline, for Perfetto or chrome://tracing")},
    {"export.csv", QT_TRANSLATE_NOOP("Command", "Export stages (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "A row a stage with its statistics")},
    {"export.samples", QT_TRANSLATE_NOOP("Command", "Export samples (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "A row a sample, in the order they were taken")},
    {"export.timeline", QT_TRANSLATE_NOOP("Command", "Export timeline (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "A row a span of the recorded timeline")},
    {"export.sweeps", QT_TRANSLATE_NOOP("Command", "Export sweeps (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "A row a setting of the sweeps")},
    {"export.densities", QT_TRANSLATE_NOOP("Command", "Export densities (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "A row a column of each kernel map, with its matches")},
    {"export.outputs", QT_TRANSLATE_NOOP("Command", "Export features of the layer..."), "",
     QT_TRANSLATE_NOOP("Command",
                       "Output of the selected layer with its coordinates, as .safetensors or .npz")},
    {"export.compare_json", QT_TRANSLATE_NOOP("Command", "Export comparison (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "All rows with both sides, ratio and verdict, and what was not matched")},
    {"export.compare_csv", QT_TRANSLATE_NOOP("Command", "Export comparison (CSV)..."), "",
     QT_TRANSLATE_NOOP("Command", "A row a compared row with its verdict")},
    {"export.compare_markdown", QT_TRANSLATE_NOOP("Command", "Export comparison (Markdown)..."), "",
     QT_TRANSLATE_NOOP("Command", "The comparison as a page to read: its notes and a table")},
    {"file.save_session", QT_TRANSLATE_NOOP("Command", "Save session"), "Ctrl+S",
     QT_TRANSLATE_NOOP("Command", "Save what is open and how it is looked at as a file")},
    {"file.save_session_as", QT_TRANSLATE_NOOP("Command", "Save session as..."), "Ctrl+Shift+S",
     QT_TRANSLATE_NOOP("Command", "Save the session under another name")},
    {"file.recover", QT_TRANSLATE_NOOP("Command", "Restore after a crash..."), "",
     QT_TRANSLATE_NOOP("Command",
                       "Restore or discard the scenes of windows that did not shut down properly")},
    {"file.clear_recent", QT_TRANSLATE_NOOP("Command", "Clear recent files"), "",
     QT_TRANSLATE_NOOP("Command", "Forget the files opened last, but for the pinned ones")},
    {"file.close", QT_TRANSLATE_NOOP("Command", "Close"), "Ctrl+W",
     QT_TRANSLATE_NOOP("Command", "Close the scene or the report that is open; in a lesson, leave it")},
    {"file.quit", QT_TRANSLATE_NOOP("Command", "Quit"), "Ctrl+Q", ""},
    {"edit.undo", QT_TRANSLATE_NOOP("Command", "Undo"), "Ctrl+Z",
     QT_TRANSLATE_NOOP("Command", "Take the last change of a parameter back")},
    {"edit.redo", QT_TRANSLATE_NOOP("Command", "Redo"), "Ctrl+Shift+Z; Ctrl+Y",
     QT_TRANSLATE_NOOP("Command", "Make the change again that was taken back")},
    {"edit.shortcuts", QT_TRANSLATE_NOOP("Command", "Keyboard shortcuts..."), "Ctrl+Alt+K",
     QT_TRANSLATE_NOOP("Command", "See, search and change all keys")},
    {"edit.settings", QT_TRANSLATE_NOOP("Command", "Settings..."), "Ctrl+,",
     QT_TRANSLATE_NOOP("Command", "Theme, text size, motion, recovery")},
    {"scene.street", QT_TRANSLATE_NOOP("Command", "Built-in street"), "",
     QT_TRANSLATE_NOOP("Command", "A simulated 64-beam sweep")},
    {"scene.room", QT_TRANSLATE_NOOP("Command", "Built-in room"), "",
     QT_TRANSLATE_NOOP("Command", "Surfaces as an RGB-D camera sees them")},
    {"scene.random", QT_TRANSLATE_NOOP("Command", "Built-in random"), "",
     QT_TRANSLATE_NOOP("Command", "Uniform noise, for comparison")},
    {"frame.previous", QT_TRANSLATE_NOOP("Command", "Previous frame"), "Left", ""},
    {"frame.next", QT_TRANSLATE_NOOP("Command", "Next frame"), "Right", ""},
    {"frame.play", QT_TRANSLATE_NOOP("Command", "Play or pause the frames"), "Space",
     QT_TRANSLATE_NOOP("Command", "Show one frame after the other")},
    {"survey.run", QT_TRANSLATE_NOOP("Command", "Survey this folder"), "",
     QT_TRANSLATE_NOOP("Command", "Distributions over all frames, and which stand out")},
    {"survey.stop", QT_TRANSLATE_NOOP("Command", "Stop the survey"), "",
     QT_TRANSLATE_NOOP("Command", "The frames that are finished stay")},
    {"survey.save", QT_TRANSLATE_NOOP("Command", "Save survey (JSON)..."), "",
     QT_TRANSLATE_NOOP("Command", "All rows and the summary")},
    {"crop.box", QT_TRANSLATE_NOOP("Command", "Crop box"), "C",
     QT_TRANSLATE_NOOP("Command", "Show the crop as a box with handles, and what it leaves out")},
    {"crop.reset", QT_TRANSLATE_NOOP("Command", "Take all points"), "Shift+C",
     QT_TRANSLATE_NOOP("Command", "Remove the crop")},
    {"select.box", QT_TRANSLATE_NOOP("Command", "Select with a rectangle"), "R",
     QT_TRANSLATE_NOOP("Command", "Drag a rectangle around voxels; Ctrl adds, Shift takes away")},
    {"select.lasso", QT_TRANSLATE_NOOP("Command", "Select with a lasso"), "L",
     QT_TRANSLATE_NOOP("Command", "Draw around voxels; Ctrl adds, Shift takes away")},
    {"select.voxel", QT_TRANSLATE_NOOP("Command", "Choose the voxel in the middle"), "P",
     QT_TRANSLATE_NOOP("Command", "Of those that are seen, the one nearest to the middle of the view")},
    {"select.next_voxel", QT_TRANSLATE_NOOP("Command", "Next voxel"), "N",
     QT_TRANSLATE_NOOP("Command", "In the order of the packed keys: first along z")},
    {"select.previous_voxel", QT_TRANSLATE_NOOP("Command", "Previous voxel"), "Shift+N", ""},
    {"select.voxel_at", QT_TRANSLATE_NOOP("Command", "Choose a voxel by its numbers..."), "Shift+P",
     QT_TRANSLATE_NOOP("Command", "The occupied voxel at x, y, z of the stride that is shown")},
    {"select.grow", QT_TRANSLATE_NOOP("Command", "Grow the selection"), "Ctrl+G",
     QT_TRANSLATE_NOOP("Command",
                       "Add all voxels that touch it; without one it begins with the chosen voxel")},
    {"select.invert", QT_TRANSLATE_NOOP("Command", "Invert the selection"), "Ctrl+I",
     QT_TRANSLATE_NOOP("Command", "Select all others that are shown")},
    {"select.clear", QT_TRANSLATE_NOOP("Command", "Select nothing"), "Ctrl+Shift+A", ""},
    {"select.save", QT_TRANSLATE_NOOP("Command", "Save the selection..."), "Ctrl+Shift+E",
     QT_TRANSLATE_NOOP("Command", "Write the selected voxels as PLY, NPY or CSV")},
    {"select.back", QT_TRANSLATE_NOOP("Command", "Back to the choice before"), "Alt+Left",
     QT_TRANSLATE_NOOP("Command", "Layer, stride, offsets and voxels as they were chosen before")},
    {"select.forward", QT_TRANSLATE_NOOP("Command", "Forward again"), "Alt+Right", ""},
    {"view.stride_1", QT_TRANSLATE_NOOP("Command", "Show stride 1"), "1", ""},
    {"view.stride_2", QT_TRANSLATE_NOOP("Command", "Show stride 2"), "2", ""},
    {"view.stride_4", QT_TRANSLATE_NOOP("Command", "Show stride 4"), "3", ""},
    {"view.stride_8", QT_TRANSLATE_NOOP("Command", "Show stride 8"), "4", ""},
    {"view.stride_16", QT_TRANSLATE_NOOP("Command", "Show stride 16"), "5", ""},
    {"view.next_colour", QT_TRANSLATE_NOOP("Command", "Next colouring"), "S", ""},
    {"colour.viridis", QT_TRANSLATE_NOOP("Command", "Colour map: viridis"), "", ""},
    {"colour.cividis", QT_TRANSLATE_NOOP("Command", "Colour map: cividis"), "",
     QT_TRANSLATE_NOOP("Command", "Even for people who see red and green alike")},
    {"colour.bands", QT_TRANSLATE_NOOP("Command", "Colour map: projector, 7 bands"), "",
     QT_TRANSLATE_NOOP("Command", "Seven colours with names, for a lecture room")},
    {"colour.range_all", QT_TRANSLATE_NOOP("Command", "Colour range: all voxels"), "",
     QT_TRANSLATE_NOOP("Command",
                       "In a sequence of the frame that is shown now; it stays while frames change")},
    {"colour.range_view", QT_TRANSLATE_NOOP("Command", "Colour range: what is in view"), "V",
     QT_TRANSLATE_NOOP("Command", "The range follows the camera")},
    {"colour.show_classes", QT_TRANSLATE_NOOP("Command", "Show all classes"), "", ""},
    {"view.slab", QT_TRANSLATE_NOOP("Command", "Slab of z"), "Z",
     QT_TRANSLATE_NOOP("Command", "Show only what lies between two heights")},
    {"view.frame", QT_TRANSLATE_NOOP("Command", "Frame the choice"), "F",
     QT_TRANSLATE_NOOP("Command", "The chosen voxel or selection fills the view; all where there is none")},
    {"view.reset", QT_TRANSLATE_NOOP("Command", "Reset camera"), "Home", ""},
    {"view.top", QT_TRANSLATE_NOOP("Command", "View from above"), "Num+7", ""},
    {"view.front", QT_TRANSLATE_NOOP("Command", "View from the front"), "Num+1", ""},
    {"view.side", QT_TRANSLATE_NOOP("Command", "View from the side"), "Num+3", ""},
    {"view.below", QT_TRANSLATE_NOOP("Command", "View from below"), "Num+9", ""},
    {"view.orthographic", QT_TRANSLATE_NOOP("Command", "Parallel projection"), "Num+5",
     QT_TRANSLATE_NOOP("Command", "What is far away is as large as what is near")},
    {"view.automatic", QT_TRANSLATE_NOOP("Command", "Voxels as cubes or points, by size"), "",
     QT_TRANSLATE_NOOP("Command", "Cubes where one takes three pixels or more")},
    {"view.points", QT_TRANSLATE_NOOP("Command", "Voxels as points"), "", ""},
    {"view.cubes", QT_TRANSLATE_NOOP("Command", "Voxels as cubes"), "",
     QT_TRANSLATE_NOOP("Command", "Also those that are smaller than three pixels")},
    {"view.outlined", QT_TRANSLATE_NOOP("Command", "Voxels as cubes with edges"), "",
     QT_TRANSLATE_NOOP("Command", "Also those that are smaller than three pixels")},
    {"view.depth", QT_TRANSLATE_NOOP("Command", "Depth shading"), "D",
     QT_TRANSLATE_NOOP("Command", "Darker edges where what is behind lies further away")},
    {"view.voxels", QT_TRANSLATE_NOOP("Command", "Voxels"), "",
     QT_TRANSLATE_NOOP("Command", "Show or hide the voxels in the 3D view")},
    {"view.highlights", QT_TRANSLATE_NOOP("Command", "Highlights"), "",
     QT_TRANSLATE_NOOP("Command", "Show or hide what is chosen, without choosing anything else")},
    {"view.axes", QT_TRANSLATE_NOOP("Command", "Axes and scale bar"), "X", ""},
    {"view.grid", QT_TRANSLATE_NOOP("Command", "Grid on the ground"), "G",
     QT_TRANSLATE_NOOP("Command", "Lines on whole metres below the voxels")},
    {"view.part", QT_TRANSLATE_NOOP("Command", "Show or hide the chosen part"), "Shift+H",
     QT_TRANSLATE_NOOP("Command", "The row with an eye that is chosen in Scenes")},
    {"view.part_alone", QT_TRANSLATE_NOOP("Command", "Show only the chosen part"), "Ctrl+Shift+H",
     QT_TRANSLATE_NOOP("Command", "Alt+click on its eye; once more shows the others again")},
    {"view.measure", QT_TRANSLATE_NOOP("Command", "Measure a distance"), "M",
     QT_TRANSLATE_NOOP("Command", "Click two voxels: the distance in metres and in voxels")},
    {"view.up_z", QT_TRANSLATE_NOOP("Command", "Up is z"), "",
     QT_TRANSLATE_NOOP("Command", "The camera turns around z, as for most scans")},
    {"view.up_y", QT_TRANSLATE_NOOP("Command", "Up is y"), "",
     QT_TRANSLATE_NOOP("Command", "The camera turns around y")},
    {"view.up_minus_y", QT_TRANSLATE_NOOP("Command", "Up is minus y"), "",
     QT_TRANSLATE_NOOP("Command", "As for points in the coordinates of a camera")},
    {"view.clear", QT_TRANSLATE_NOOP("Command", "Clear highlights"), "Esc", ""},
    {"view.table", QT_TRANSLATE_NOOP("Command", "Chart as table"), "Ctrl+Shift+T",
     QT_TRANSLATE_NOOP("Command", "The numbers of the chart in sight as a table, and back")},
    {"view.in_situ", QT_TRANSLATE_NOOP("Command", "Times in situ, or isolated"), "",
     QT_TRANSLATE_NOOP("Command", "In Breakdown: the stages where they share the device, or each alone")},
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
     QT_TRANSLATE_NOOP("Command", "Go to the layer before")},
    {"run.measure", QT_TRANSLATE_NOOP("Command", "Measure"), "Ctrl+M",
     QT_TRANSLATE_NOOP("Command", "Repeat the network for medians and spread")},
    {"run.map", QT_TRANSLATE_NOOP("Command", "Build the kernel map"), "",
     QT_TRANSLATE_NOOP("Command", "Of the open scene, where building it was stopped")},
    {"run.stop", QT_TRANSLATE_NOOP("Command", "Stop"), "Shift+F5",
     QT_TRANSLATE_NOOP("Command", "Cancel what is running")},
    {"precision.auto", QT_TRANSLATE_NOOP("Command", "Precision: as the device suits"), "",
     QT_TRANSLATE_NOOP("Command", "fp16 on a GPU, fp32 on a CPU")},
    {"precision.fp16", QT_TRANSLATE_NOOP("Command", "Precision: fp16"), "",
     QT_TRANSLATE_NOOP("Command", "Features and weights of 16 bits; sums of 32")},
    {"precision.fp32", QT_TRANSLATE_NOOP("Command", "Precision: fp32"), "",
     QT_TRANSLATE_NOOP("Command", "Features and weights of 32 bits")},
    {"device.auto", QT_TRANSLATE_NOOP("Command", "Device: automatic"), "",
     QT_TRANSLATE_NOOP("Command", "A GPU where one can be used, else the CPU")},
    {"device.cpu", QT_TRANSLATE_NOOP("Command", "Device: CPU"), "",
     QT_TRANSLATE_NOOP("Command", "All threads of this machine")},
    {"device.cuda", QT_TRANSLATE_NOOP("Command", "Device: CUDA"), "",
     QT_TRANSLATE_NOOP("Command", "An NVIDIA GPU")},
    {"device.reference", QT_TRANSLATE_NOOP("Command", "Device: reference"), "",
     QT_TRANSLATE_NOOP("Command", "Slow and in double precision: what the others are checked against")},
    {"reproduce.copy", QT_TRANSLATE_NOOP("Command", "Copy the command that measures this"), "Ctrl+Shift+C",
     QT_TRANSLATE_NOOP("Command", "The spira command of the chosen layer, of the network or of the scene")},
    {"reproduce.show", QT_TRANSLATE_NOOP("Command", "How to measure this again..."), "",
     QT_TRANSLATE_NOOP("Command", "The spira command with what it needs")},
    {"sweep.thresholds", QT_TRANSLATE_NOOP("Command", "Sweep t"), "",
     QT_TRANSLATE_NOOP("Command", "Measure every setting of t of the chosen layer")},
    {"sweep.network", QT_TRANSLATE_NOOP("Command", "Sweep t of the network"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Measure every setting of t in all layers at once; no layer is chosen then")},
    {"sweep.packings", QT_TRANSLATE_NOOP("Command", "Sweep packings"), "",
     QT_TRANSLATE_NOOP("Command", "Measure 32, 64 and custom bits")},
    {"tune.open", QT_TRANSLATE_NOOP("Command", "Tune..."), "Ctrl+T",
     QT_TRANSLATE_NOOP("Command", "Find the fastest setting of each layer within a time")},
    {"tune.apply", QT_TRANSLATE_NOOP("Command", "Apply the tuning profile"), "", ""},
    {"tune.use_anyway", QT_TRANSLATE_NOOP("Command", "Use the tuning profile of another device"), "",
     QT_TRANSLATE_NOOP("Command", "Though it was not measured here; reports say so")},
    {"tune.open_profile", QT_TRANSLATE_NOOP("Command", "Open tuning profile..."), "", ""},
    {"tune.save", QT_TRANSLATE_NOOP("Command", "Save tuning profile..."), "", ""},
    {"compare.set_baseline", QT_TRANSLATE_NOOP("Command", "Set as baseline"), "B",
     QT_TRANSLATE_NOOP("Command", "Compare the next runs with this one")},
    {"compare.show", QT_TRANSLATE_NOOP("Command", "Show comparison"), "", ""},
    {"lesson.list", QT_TRANSLATE_NOOP("Command", "Lessons..."), "Ctrl+L",
     QT_TRANSLATE_NOOP("Command", "How sparse convolution works, on the scene that is open")},
    {"lesson.voxelize", QT_TRANSLATE_NOOP("Command", "Voxelise and pack"), "",
     QT_TRANSLATE_NOOP("Command", "A lesson: how points become cells, and three coordinates one word")},
    {"lesson.search", QT_TRANSLATE_NOOP("Command", "Search"), "",
     QT_TRANSLATE_NOOP("Command",
                       "A lesson: how a kernel map is found, and what each search compares and reads")},
    {"lesson.density", QT_TRANSLATE_NOOP("Command", "Density and L1 norm"), "",
     QT_TRANSLATE_NOOP("Command", "A lesson: why near offsets of a kernel match often, and far ones rarely")},
    {"lesson.dataflows", QT_TRANSLATE_NOOP("Command", "Dataflows and t"), "",
     QT_TRANSLATE_NOOP("Command", "A lesson: rows or pairs, and what the threshold t trades")},
    {"lesson.indexing", QT_TRANSLATE_NOOP("Command", "Network-wide indexing"), "",
     QT_TRANSLATE_NOOP("Command", "A lesson: all voxels and kernel maps of a network at once")},
    {"lesson.open", QT_TRANSLATE_NOOP("Command", "Open lesson file..."), "",
     QT_TRANSLATE_NOOP("Command", "A lesson that you have written or changed")},
    {"lesson.play", QT_TRANSLATE_NOOP("Command", "Play the step"), "",
     QT_TRANSLATE_NOOP("Command", "Its motion, then the next step; Space while a lesson is open")},
    {"lesson.back", QT_TRANSLATE_NOOP("Command", "Step before"), "PgUp",
     QT_TRANSLATE_NOOP("Command", "Left does the same while a lesson is open")},
    {"lesson.next", QT_TRANSLATE_NOOP("Command", "Step after"), "PgDown",
     QT_TRANSLATE_NOOP("Command", "Right does the same while a lesson is open")},
    {"lesson.slower", QT_TRANSLATE_NOOP("Command", "Slower motion"), "Ctrl+Shift+Left", ""},
    {"lesson.faster", QT_TRANSLATE_NOOP("Command", "Faster motion"), "Ctrl+Shift+Right", ""},
    {"lesson.classroom", QT_TRANSLATE_NOOP("Command", "Classroom"), "Ctrl+Shift+L",
     QT_TRANSLATE_NOOP("Command", "Larger text, colours for a projector, nothing but view and lesson")},
    {"lesson.handout", QT_TRANSLATE_NOOP("Command", "Hand-out of the lesson (PDF)..."), "",
     QT_TRANSLATE_NOOP("Command", "A page a step, with the numbers and pictures of this scene")},
    {"lesson.copy_link", QT_TRANSLATE_NOOP("Command", "Copy link to the step"), "",
     QT_TRANSLATE_NOOP("Command", "A command line that opens this scene at this step of the lesson")},
    {"lesson.leave", QT_TRANSLATE_NOOP("Command", "Leave the lesson"), "",
     QT_TRANSLATE_NOOP("Command", "All is again as it was before")},
    {"layout.explore", QT_TRANSLATE_NOOP("Command", "Layout: explore"), "Ctrl+Alt+1",
     QT_TRANSLATE_NOOP("Command", "The 3D view with both sides, no results below")},
    {"layout.profile", QT_TRANSLATE_NOOP("Command", "Layout: profile"), "Ctrl+Alt+2",
     QT_TRANSLATE_NOOP("Command", "All views, results below")},
    {"layout.compare", QT_TRANSLATE_NOOP("Command", "Layout: compare"), "Ctrl+Alt+3",
     QT_TRANSLATE_NOOP("Command", "Half of the window for results, the layers beside them")},
    {"layout.learn", QT_TRANSLATE_NOOP("Command", "Layout: learn"), "Ctrl+Alt+4",
     QT_TRANSLATE_NOOP("Command", "A large 3D view and a wide side for one offset or voxel")},
    {"layout.save_as", QT_TRANSLATE_NOOP("Command", "Save layout as..."), "",
     QT_TRANSLATE_NOOP("Command", "Keep sides, tabs and their sizes under a name")},
    {"layout.manage", QT_TRANSLATE_NOOP("Command", "Manage layouts..."), "",
     QT_TRANSLATE_NOOP("Command", "Apply, rename and delete the layouts that you saved")},
    {"layout.restore", QT_TRANSLATE_NOOP("Command", "Restore default layout"), "",
     QT_TRANSLATE_NOOP("Command", "Size and places as at the first start")},
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
     QT_TRANSLATE_NOOP("Command", "White on black, with lines as strong as the text")},
    {"theme.system", QT_TRANSLATE_NOOP("Command", "Theme of the system"), "", ""},
    {"help.palette", QT_TRANSLATE_NOOP("Command", "Find a command..."), "Ctrl+K; Ctrl+Shift+P; Ctrl+F",
     QT_TRANSLATE_NOOP("Command", "All commands with their keys")},
    {"help.open", QT_TRANSLATE_NOOP("Command", "Help for this view"), "F1; ?",
     QT_TRANSLATE_NOOP("Command", "The page about the view that has the focus")},
    {"help.diagnostics", QT_TRANSLATE_NOOP("Command", "Copy diagnostics..."), "",
     QT_TRANSLATE_NOOP("Command", "Versions, device and settings as text, for a report of a fault")},
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
      if (whyNot(id).isEmpty()) run();
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
    const QString why = whyNot(action->objectName());
    action->setEnabled(why.isEmpty());
    const QString tip = action->property("tip").toString();
    QString text = tip.isEmpty() ? action->text() : tip;
    if (!action->shortcut().isEmpty())
      text += QString(" (%1)").arg(action->shortcut().toString(QKeySequence::NativeText));
    if (!why.isEmpty()) text += "\n" + why;
    action->setToolTip(text);
  }
}

QString CommandSet::whyNot(const QString& id) const {
  const auto rule = rules_.find(id);
  return rule == rules_.end() ? QString() : rule->second();
}

bool CommandSet::trigger(const QString& id) {
  QAction* found = action(id);
  if (found == nullptr || !whyNot(id).isEmpty()) return false;
  found->setEnabled(true);
  found->trigger();
  return true;
}

}  // namespace spira::ui
