// Recognises our JSON documents, and checks them against their schemas and the rules of their readers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

enum class DocumentKind : std::uint8_t {
  report,
  tuning_profile,
  session,
  lesson,
  network,
  comparison,
  survey,
  table_origin,
  bench,
  sweep
};
[[nodiscard]] std::string_view text_of(DocumentKind kind) noexcept;  ///< "tuning profile"

/// Which of our documents a text is: by its member "schema", or a network if it has "layers" and no
/// "schema". A report that is cut off is a report. Throws Error(input) naming the file and the line and
/// column if the text is not JSON, or the schemas that are known if it is none of our documents.
[[nodiscard]] DocumentKind document_kind(std::string_view json, const std::string& file_name);

struct Validation {
  std::string kind;                 ///< "report", "tuning profile", ...
  std::string version;              ///< "1.8"; empty: documents of this kind have none
  std::vector<std::string> faults;  ///< a line each, without the file; none: it is valid
};
/// Checks a document against its schema. If that finds no fault, reports, tuning profiles, sessions and
/// networks are also checked as their readers do. Throws as document_kind() does.
[[nodiscard]] Validation validate_document(std::string_view json, const std::string& file_name);
[[nodiscard]] Validation validate_file(const std::filesystem::path& file);

/// The version of sessions that this program writes.
inline constexpr int session_major = 1, session_minor = 4;
/// Checks the rules of sessions that a schema cannot express. Returns a note if a newer minor version wrote
/// the session, else an empty text. Throws Error(input) naming file, place and fault.
[[nodiscard]] std::string check_session(std::string_view json, const std::string& file_name);

}  // namespace spira
