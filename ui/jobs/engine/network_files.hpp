// Finds out which of the opened files are parts of a network, and reads them: the network, its weights, and a
// scene for it. The functions run on the thread of the engine lane.
#pragma once

#include "engine/job/job.hpp"
#include "engine/network/network.hpp"
#include "engine/network/weights.hpp"
#include "engine/scene/point_cloud.hpp"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>

namespace spira::ui {

/// The parts of a network among files that were opened together. Missing parts are empty.
struct NetworkFiles {
  QString network, weights, scene;
  [[nodiscard]] bool empty() const { return network.isEmpty() && weights.isEmpty(); }
};

/// Recognises the parts by their content. Returns an empty result if no file is a network or contains
/// weights, or if there are two or more scenes, which are the frames of a sequence. Throws Error(usage) if
/// the files contain two networks or two files of weights.
[[nodiscard]] NetworkFiles network_files(const QStringList& files);

struct OpenedNetwork {
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;  ///< Null if the weights are random.
  QString file;                                   ///< Empty if the weights belong to the open network.
  /// Why a file of weights next to the network was not used. Empty if there is no such file, or if it was
  /// used.
  QString weights_fault;
};

/// Reads the parts. A missing part is found by its name: NAME.json and NAME.safetensors belong together.
/// Weights without a network are for `open`. Throws Error(input) if a file is invalid, or if the weights do
/// not fit.
[[nodiscard]] OpenedNetwork read_network_files(const NetworkFiles& files,
                                               const std::shared_ptr<const Network>& open, Job& job);

/// A file that a session names, with its fingerprint when the session was saved. `path` is empty if there is
/// none.
struct StoredFile {
  QString path;
  std::uint64_t fingerprint = 0;
};
/// Returns a hash of the coordinates and features of a voxel file. Returns 0 for other scenes.
[[nodiscard]] std::uint64_t voxels_fingerprint(const PointCloud& cloud);
/// Reads the weights of a session. If the file is missing, has changed, or does not fit, adds a line to
/// `faults`. Returns null if the weights cannot be used.
[[nodiscard]] std::shared_ptr<const NetworkWeights> stored_weights(const StoredFile& file,
                                                                   const Network& network,
                                                                   QStringList& faults);

/// Returns the file with the voxels of this network, NAME.capture.safetensors for NAME.json. Returns an empty
/// string if there is no such file.
[[nodiscard]] QString voxels_next_to(const QString& network);
/// Returns the file of the network whose voxels these are, NAME.json for NAME.capture.safetensors. Returns an
/// empty string if there is no such file.
[[nodiscard]] QString network_next_to(const QString& voxels);

}  // namespace spira::ui
