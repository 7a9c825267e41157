// Determines the kind of a JSON document of SpiraScope, and validates documents against their schemas and
// the rules of their readers.
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
[[nodiscard]] std::string_view text_of(DocumentKind kind) noexcept;  ///< Example: "tuning profile".

/// Returns the kind of a document, found by its member "schema". A document with "layers" and without
/// "schema" is a network. A truncated report is a report. Throws `Error(input)` with file, line and column if
/// the text is not JSON. Throws `Error(input)` with the known schemas if the text is another kind of JSON.
[[nodiscard]] DocumentKind document_kind(std::string_view json, const std::string& file_name);

struct Validation {
  std::string kind;     ///< Examples: "report", "tuning profile".
  std::string version;  ///< Version such as "1.8". Empty if this kind of document has no version.
  /// One line each, without the file name. Empty if the document is valid.
  std::vector<std::string> faults;
};
/// Validates a document against its schema. If the document matches its schema, reports, tuning profiles,
/// sessions and networks are also parsed by their readers. Throws as document_kind() does.
[[nodiscard]] Validation validate_document(std::string_view json, const std::string& file_name);
[[nodiscard]] Validation validate_file(const std::filesystem::path& file);

/// The version of sessions that this program writes.
inline constexpr int session_major = 1, session_minor = 4;
/// Checks a session document for the rules that a schema cannot express. Returns a note if a newer minor
/// version wrote the session, else an empty string. Throws `Error(input)` with the file, the place and the
/// fault.
[[nodiscard]] std::string check_session(std::string_view json, const std::string& file_name);

}  // namespace spira
