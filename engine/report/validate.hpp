// Determines the kind of a JSON document, and validates documents with their schemas and readers.
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
/// Returns the kind as text, such as "tuning profile".
[[nodiscard]] std::string_view text_of(DocumentKind kind) noexcept;

/// Returns the kind of a document from its member "schema". A document with "layers" and without "schema" is
/// a network. A truncated report is a report. Throws `Error(input)` with file, line and column if the text is
/// not JSON. For other JSON documents, throws `Error(input)` with a list of the known schemas.
[[nodiscard]] DocumentKind document_kind(std::string_view json, const std::string& file_name);

/// Returns true if the first bytes of the file contain the schema of this kind. Reads only these bytes,
/// because the file may be large. Not for networks, which can have other schemas or none. Returns false if
/// the file cannot be read.
[[nodiscard]] bool begins_as(const std::filesystem::path& file, DocumentKind kind);

struct Validation {
  std::string kind;     ///< The kind of the document, such as "report" or "tuning profile".
  std::string version;  ///< The version, such as "1.8". Empty if documents of this kind have no version.
  /// The faults, one line each, without the file name. Empty if the document is valid.
  std::vector<std::string> faults;
};
/// Validates a document with its schema. In a manifest of `spira infer`, each line is a document. A report,
/// tuning profile, session or network that matches the schema is also read with its reader. Throws the same
/// errors as document_kind().
[[nodiscard]] Validation validate_document(std::string_view json, const std::string& file_name);
[[nodiscard]] Validation validate_file(const std::filesystem::path& file);

/// The version of session files that this program writes.
inline constexpr int session_major = 1, session_minor = 8;
/// Checks the rules for sessions that a schema cannot express. Returns a note if a later minor version wrote
/// the session, otherwise an empty string. Throws `Error(input)` with the file, the position and the fault.
[[nodiscard]] std::string check_session(std::string_view json, const std::string& file_name);

}  // namespace spira
