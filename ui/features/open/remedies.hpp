// Shows errors together with actions that may remove their cause.
#pragma once

#include "engine/base/error.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/model/notices.hpp"

#include <QObject>
#include <QString>

#include <vector>

namespace spira::ui {

class CropBox;
class EngineJobs;
class Opening;

class Remedies : public QObject {
  Q_OBJECT
 public:
  Remedies(const FeatureContext& context, EngineJobs& jobs, CropBox& crop, Opening& opening);
  void show(const Error& error);
  /// Shows an error of a command or an event. The open scene stays open.
  void showFault(const Error& error);

 private:
  [[nodiscard]] std::vector<NoticeAction> forMisfit();
  [[nodiscard]] std::vector<NoticeAction> forEmptyCrop();
  [[nodiscard]] std::vector<NoticeAction> forInput();
  [[nodiscard]] std::vector<NoticeAction> forMemory();
  [[nodiscard]] std::vector<NoticeAction> forDeviceMemory();
  [[nodiscard]] NoticeAction largerVoxels();
  [[nodiscard]] NoticeAction fewerPoints(std::int64_t every);

  FeatureContext context_;
  EngineJobs& jobs_;
  CropBox& crop_;
  Opening& opening_;
};

}  // namespace spira::ui
