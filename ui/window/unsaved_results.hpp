// Results that exist only in this window: measurements that were made here and the tuning profile. Asks
// before they are lost, or keeps them in the state folder if no user can answer.
#pragma once

#include "engine/report/report.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace spira {
struct TuningProfile;
}  // namespace spira

namespace spira::ui {

class MainWindow;

class UnsavedResults : public QObject {
  Q_OBJECT
 public:
  /// What is about to close, and with it which results are lost.
  enum class Closing {
    scene,    ///< The measurement that is shown, unless it is a baseline.
    profile,  ///< The tuning profile, because another one replaces it.
    window    ///< Measurements, baselines that were measured here, and the profile.
  };

  /// An empty `state_folder` keeps nothing.
  UnsavedResults(MainWindow* window, const QString& state_folder);

  /// Returns true if nothing is lost or if the user saved or discarded the results, and false if the user
  /// cancelled or a file could not be written. Keeps the results instead of asking after setAsks(false).
  [[nodiscard]] bool mayClose(Closing closing, const QString& question);
  /// Writes the results to the state folder without a question and adds them to the recent files.
  void keep(Closing closing);
  /// Returns what was set before.
  bool setAsks(bool asks) noexcept { return std::exchange(asks_, asks); }
  /// The report of a measurement is in a file now.
  void setSaved(const std::shared_ptr<const Report>& report) { settled_.insert(report); }

 private:
  struct Result {
    QString text;       ///< "the measurement of resn21 on room"
    QString file_name;  ///< proposed
    std::function<void(const QString& file)> write;
    std::function<void()> settle;  ///< It is saved or discarded: do not ask again.
  };
  [[nodiscard]] std::vector<Result> lostBy(Closing closing);
  [[nodiscard]] Result measured(const std::shared_ptr<const Report>& report);
  [[nodiscard]] bool save(const Result& result);

  MainWindow* window_;
  QString folder_;
  bool asks_ = true;
  std::set<std::shared_ptr<const Report>> settled_;  // saved or discarded
  std::shared_ptr<const TuningProfile> settled_profile_;
};

}  // namespace spira::ui
