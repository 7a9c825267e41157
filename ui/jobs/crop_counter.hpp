// Measures the open cloud for the crop box: its extents once, and the number of points inside the box after
// each change. It has its own worker thread, because the other worker may be measuring a network.
#pragma once

#include "ui/jobs/job_runner.hpp"
#include "ui/model/crop_box.hpp"

#include <QObject>

namespace spira::ui {

class CropCounter : public QObject {
  Q_OBJECT
 public:
  CropCounter(Workspace* workspace, CropBox* box, QObject* parent = nullptr);
  [[nodiscard]] bool busy() const noexcept { return runner_->busy(); }

 private:
  void measureCloud();
  void count();

  Workspace* workspace_;
  CropBox* box_;
  JobRunner* runner_;
};

}  // namespace spira::ui
