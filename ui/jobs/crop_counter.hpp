// Measures the open cloud for the crop box: the extents of the cloud once, and the number of points inside
// the box after each change. The tasks run in the thread pool, because the engine lane may be busy with a
// measurement.
#pragma once

#include "ui/jobs/tasks.hpp"
#include "ui/model/crop_box.hpp"

#include <QObject>

namespace spira::ui {

class CropCounter : public QObject {
  Q_OBJECT
 public:
  CropCounter(Tasks& tasks, Workspace* workspace, CropBox* box, QObject* parent = nullptr);
  [[nodiscard]] bool busy() const noexcept { return task_.busy(); }

 private:
  void measureCloud();
  void count();

  Workspace* workspace_;
  CropBox* box_;
  TaskSlot task_;
};

}  // namespace spira::ui
