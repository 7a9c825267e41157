// Finds the files of a network among the opened files, and reads them: the network, its weights, and a scene
// for it. The functions run on the thread of the engine lane.
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

/// The files of a network among files that were opened together. The name of a missing file is empty.
struct NetworkFiles {
  QString network, weights, scene;
  [[nodiscard]] bool empty() const { return network.isEmpty() && weights.isEmpty(); }
};

/// Recognises the files by their content. Returns an empty result if no file is a network or contains
/// weights. Also returns an empty result if there are two or more scenes, because they are the frames of a
/// sequence. Throws Error(usage) if there are two networks or two files of weights.
[[nodiscard]] NetworkFiles network_files(const QStringList& files);

struct OpenedNetwork {
  std::shared_ptr<const Network> network;
  std::shared_ptr<const NetworkWeights> weights;  ///< `nullptr` if the weights are random.
  QString file;                                   ///< Empty if the weights belong to the open network.
  /// Reason why a file of weights next to the network was not used. Empty if no such file exists, or if it
  /// was used.
  QString weights_fault;
};

/// Reads the files. A missing file is found by its name, because NAME.json and NAME.safetensors belong
/// together. Weights without a network are read for the network `open`. Throws Error(input) if a file is
/// invalid, or if the weights do not fit the network.
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
/// string if no such file exists.
[[nodiscard]] QString voxels_next_to(const QString& network);
/// Returns the file of the network to which these voxels belong. For NAME.capture.safetensors, this is
/// NAME.json. Returns an empty string if no such file exists.
[[nodiscard]] QString network_next_to(const QString& voxels);

}  // namespace spira::ui
