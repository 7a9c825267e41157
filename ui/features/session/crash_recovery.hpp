// Offers to restore the sessions of windows that did not shut down properly. Also stores a recovery copy of
// the session of this window.
#pragma once

#include "engine/base/error.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/features/session/recovery.hpp"

#include <QObject>
#include <QString>

#include <vector>

namespace spira::ui {

struct RecoveryRow;
class Sessions;
class UnsavedResults;

class CrashRecovery : public QObject {
  Q_OBJECT
 public:
  /// If `state_folder` is empty, no recovery copies are stored.
  CrashRecovery(const FeatureContext& context, Sessions& sessions, UnsavedResults& unsaved,
                const QString& state_folder);
  /// Asks whether to restore the recovery copies. If the user closes the question without an answer, the
  /// copies are kept and the next start asks again.
  void offer();
  void close() { recovery_.close(); }  ///< Deletes the recovery copy of this window.

 signals:
  void failed(const spira::Error& error);

 private:
  [[nodiscard]] std::vector<RecoveryRow> rows() const;
  void showDialog();
  void restore(const QString& file);

  FeatureContext context_;
  Sessions& sessions_;
  UnsavedResults& unsaved_;
  Recovery recovery_;
};

}  // namespace spira::ui
