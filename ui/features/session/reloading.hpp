// Reads the file of the open scene again, on request or when the file changes.
#pragma once

#include "engine/base/error.hpp"
#include "ui/features/feature_context.hpp"

#include <QObject>
#include <QString>

namespace spira::ui {

class OpenDocument;
class Sessions;
class UnsavedResults;

class Reloading : public QObject {
  Q_OBJECT
 public:
  Reloading(const FeatureContext& context, Sessions& sessions, UnsavedResults& unsaved,
            const OpenDocument& document);

 signals:
  void failed(const spira::Error& error);

 private:
  void bindWatch(UnsavedResults& unsaved);
  [[nodiscard]] QString unavailableReason() const;
  /// Reads the scene again without changing the camera, the colours, the crop, the network and the selection.
  void reload();

  FeatureContext context_;
  Sessions& sessions_;
  const OpenDocument& document_;
};

}  // namespace spira::ui
