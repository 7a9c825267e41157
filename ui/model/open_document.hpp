// Identifies the open scene or report, its session file, and the window title.
#pragma once

#include "engine/scene/sequence.hpp"

#include <QObject>
#include <QString>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

namespace spira::ui {

class OpenDocument : public QObject {
  Q_OBJECT
 public:
  struct Names {
    QString reopen;  ///< File, folder or built-in name of the open scene or report. Empty if nothing is open.
    QString session;  ///< Path of the session file. Empty if the session was neither saved nor opened.
    QString title;
  };

  explicit OpenDocument(QObject* parent = nullptr) : QObject(parent) {}

  [[nodiscard]] const Names& names() const noexcept { return names_; }
  void setNames(Names names) {
    names_ = std::move(names);
    emit changed();
  }
  void setReopen(const QString& reopen) { setNames({reopen, names_.session, names_.title}); }
  void setSession(const QString& file) { setNames({names_.reopen, file, names_.title}); }
  void setTitle(const QString& title) { setNames({names_.reopen, names_.session, title}); }

 signals:
  void changed();

 private:
  Names names_;
};

/// The paths of the frames of a sequence. The list is immutable and its copies share one array, because a
/// sequence may have 10,000 frames, and the list is passed to the engine lane and back for each displayed
/// frame.
class FileList {
 public:
  using Files = std::vector<std::filesystem::path>;

  FileList() : files_(none()) {}
  explicit FileList(Files files) : files_(std::make_shared<const Files>(std::move(files))) {}

  [[nodiscard]] const Files& files() const noexcept { return *files_; }
  [[nodiscard]] std::size_t size() const noexcept { return files_->size(); }
  [[nodiscard]] bool empty() const noexcept { return files_->empty(); }
  [[nodiscard]] const std::filesystem::path& operator[](std::size_t at) const { return (*files_)[at]; }
  [[nodiscard]] const std::filesystem::path& at(std::size_t at) const { return files_->at(at); }
  [[nodiscard]] const std::filesystem::path& front() const { return files_->front(); }
  [[nodiscard]] Files::const_iterator begin() const noexcept { return files_->begin(); }
  [[nodiscard]] Files::const_iterator end() const noexcept { return files_->end(); }
  /// Compares the lists. Takes constant time if both lists share one array.
  friend bool operator==(const FileList& a, const FileList& b) noexcept {
    return a.files_ == b.files_ || same_files(*a.files_, *b.files_);
  }

 private:
  static const std::shared_ptr<const Files>& none() {
    static const auto none = std::make_shared<const Files>();
    return none;
  }

  std::shared_ptr<const Files> files_;
};

}  // namespace spira::ui
