#include "ui/jobs/engine/network_files.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/report/validate.hpp"
#include "ui/jobs/engine/engine_lane.hpp"

#include <QFileInfo>

#include <cstdint>
#include <span>

namespace spira::ui {
namespace {

constexpr auto weights_suffix = ".safetensors", network_suffix = ".json",
               voxels_suffix = ".capture.safetensors";
constexpr std::uint64_t max_document_bytes = 128ULL << 20U;

bool is_network(const std::string& file) {
  if (!looks_like_json(file)) return false;
  return document_kind(read_text_file(file, max_document_bytes), file) == DocumentKind::network;
}

/// Returns the file with another suffix, or an empty string if it does not exist.
QString sibling(const QString& file, const char* suffix, const char* other) {
  if (!file.endsWith(suffix, Qt::CaseInsensitive)) return {};
  const QString found = file.chopped(static_cast<qsizetype>(qstrlen(suffix))) + other;
  return QFileInfo(found).isFile() ? found : QString();
}

void take(QString& part, const QString& file, const char* what) {
  if (!part.isEmpty())
    throw Error(ErrorKind::usage, file.toStdString() + ": this is a second " + what + ". The first is " +
                                      QFileInfo(part).fileName().toStdString() +
                                      ". Open one network, its weights and one scene together");
  part = file;
}

}  // namespace

NetworkFiles network_files(const QStringList& files) {
  NetworkFiles found;
  QStringList scenes;
  for (const QString& file : files) {
    const std::string name = file.toStdString();
    const bool regular = QFileInfo(file).isFile();
    if (regular && file.endsWith(weights_suffix, Qt::CaseInsensitive) && is_weights_file(name)) {
      take(found.weights, file, "weights file");
    } else if (regular && is_network(name)) {
      take(found.network, file, "network");
    } else {
      scenes += file;
    }
  }
  if (found.empty() || scenes.size() > 1) return {};
  found.scene = scenes.value(0);
  return found;
}

OpenedNetwork read_network_files(const NetworkFiles& files, const std::shared_ptr<const Network>& open,
                                 Job& job) {
  OpenedNetwork opened;
  job.checkpoint({"reading the network", 0, 0});
  opened.file =
      files.network.isEmpty() ? sibling(files.weights, weights_suffix, network_suffix) : files.network;
  opened.network = open;
  if (!opened.file.isEmpty())
    opened.network = std::make_shared<const Network>(read_network(opened.file.toStdString()));
  if (!opened.network)
    throw Error(ErrorKind::input,
                files.weights.toStdString() + ": contains weights. Open it together with its network file");
  static_cast<void>(levels_of(*opened.network));  // Throws if the program cannot run the network.
  const bool guessed = files.weights.isEmpty();
  const QString weights = guessed ? sibling(files.network, network_suffix, weights_suffix) : files.weights;
  if (weights.isEmpty()) return opened;
  job.checkpoint({"reading the weights", 0, 0});
  try {
    opened.weights =
        std::make_shared<const NetworkWeights>(read_safetensors(weights.toStdString(), *opened.network));
  } catch (const Error& error) {
    if (!guessed && opened.file.isEmpty())
      throw Error(error.kind(), std::string(error.what()) + ". These are not weights of the open network (" +
                                    opened.network->title + "). Open them together with their network file");
    if (!guessed) throw;
    opened.weights_fault = QString::fromStdString(error.what());
  }
  return opened;
}

std::uint64_t voxels_fingerprint(const PointCloud& cloud) {
  if (cloud.feature_channels == 0) return 0;
  return hash64(std::as_bytes(std::span(cloud.features)), hash64(std::as_bytes(std::span(cloud.positions))));
}

std::shared_ptr<const NetworkWeights> stored_weights(const StoredFile& file, const Network& network,
                                                     QStringList& faults) {
  if (file.path.isEmpty()) return nullptr;
  if (!QFileInfo(file.path).isFile()) {
    faults += EngineLane::tr("%1: file not found, so the weights are random").arg(file.path);
    return nullptr;
  }
  try {
    auto weights = std::make_shared<const NetworkWeights>(read_safetensors(file.path.toStdString(), network));
    if (weights->fingerprint != file.fingerprint)
      faults += EngineLane::tr("%1 has changed since the session was saved").arg(file.path);
    return weights;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    faults += EngineLane::tr("%1, so the weights are random").arg(QString::fromStdString(error.what()));
    return nullptr;
  }
}

QString voxels_next_to(const QString& network) {
  return sibling(network, network_suffix, voxels_suffix);
}

QString network_next_to(const QString& voxels) {
  return sibling(voxels, voxels_suffix, network_suffix);
}

}  // namespace spira::ui
