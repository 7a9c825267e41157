#include "ui/model/measured/measured_subject.hpp"

#include <QCoreApplication>

namespace spira::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

QString whose(const MeasuredWith& how, int layer) {
  if (layer < 0) return tr("the whole network");
  return tr("layer %1")
      .arg(QString::fromStdString(how.layers.layers.at(static_cast<std::size_t>(layer)).name));
}

}  // namespace

std::vector<std::string> command_of(MeasuredWith how, const MeasuredSubject& subject) {
  if (subject.repetitions > 0) how.repetitions = subject.repetitions;
  switch (subject.kind) {
    case MeasuredSubject::Kind::threshold:
      return command_of_threshold(how, subject.layer, subject.threshold);
    case MeasuredSubject::Kind::packing:
      return command_of_packing(how, subject.pack);
    case MeasuredSubject::Kind::densities:
      return subject.layer >= 0 ? command_of_densities(how, subject.layer)
                                : command_of_scene_densities(how, subject.kernel_size, subject.stride);
    case MeasuredSubject::Kind::scene:
      return command_of_scene(how);
    case MeasuredSubject::Kind::run:
    case MeasuredSubject::Kind::layer:
      break;
  }
  return how.network.empty() ? command_of_scene(how) : command_of_layer(how, subject.layer);
}

QString textOf(const MeasuredWith& how, const MeasuredSubject& subject) {
  switch (subject.kind) {
    case MeasuredSubject::Kind::threshold:
      return tr("t = %1 of %2").arg(subject.threshold).arg(whose(how, subject.layer));
    case MeasuredSubject::Kind::packing:
      return tr("packing %1 of the whole network").arg(QString::fromStdString(subject.pack.text()));
    case MeasuredSubject::Kind::densities:
      return subject.layer >= 0 ? tr("densities of %1").arg(whose(how, subject.layer))
                                : tr("densities of the scene, kernel %1").arg(subject.kernel_size);
    case MeasuredSubject::Kind::scene:
      return tr("points and voxels of the scene");
    case MeasuredSubject::Kind::run:
    case MeasuredSubject::Kind::layer:
      break;
  }
  return how.network.empty() ? tr("points and voxels of the scene") : whose(how, subject.layer);
}

}  // namespace spira::ui
