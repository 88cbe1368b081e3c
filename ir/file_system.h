// SPDX-License-Identifier: Apache-2.0
//
// Every call into the system: mapping, copying, renaming. Linux.

#ifndef ONNX_LEGALIZE_IR_FILE_SYSTEM_H_
#define ONNX_LEGALIZE_IR_FILE_SYSTEM_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_legalize {

// The bytes of a file: mapped where it is a regular file, read to the end where
// it is a pipe.
class FileBytes {
 public:
  static absl::StatusOr<std::unique_ptr<FileBytes>> Open(
      const std::string& path);
  // Reads a descriptor to its end (standard input).
  static absl::StatusOr<std::unique_ptr<FileBytes>> ReadAll(
      int fd, const std::string& name);
  static std::unique_ptr<FileBytes> Own(std::string bytes);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  absl::string_view bytes() const { return bytes_; }
  int fd() const { return fd_; }  // -1 unless mapped.

 private:
  FileBytes() = default;
  int fd_ = -1;
  std::string owned_;
  absl::string_view bytes_;
};

// Writes `pieces` one after another to a temporary file beside `path`, syncs
// it, and renames it to `path`; on failure nothing is left and `path` is
// untouched. A device or a pipe is written straight. Pieces inside `source` are
// copied by the kernel where it can.
absl::Status WriteFileAtomically(const std::string& path,
                                 absl::Span<const absl::string_view> pieces,
                                 const FileBytes* source);
absl::Status WriteToDescriptor(int fd,
                               absl::Span<const absl::string_view> pieces,
                               const std::string& name);
// Copies a file's bytes to a new name, atomically; parent folders are made.
absl::Status CopyFileTo(const std::string& from, const std::string& to);
// Same file, or same length and bytes.
bool SameContent(const std::string& a, const std::string& b);
// Both exist and are one file or folder.
bool SameFile(const std::string& a, const std::string& b);
bool Exists(const std::string& path);
// Of these, symlinks are followed.
bool IsRegularFile(const std::string& path);
bool IsDeviceOrPipe(const std::string& path);
absl::StatusOr<uint64_t> FileSize(const std::string& path);
// Absolute, without symlinks.
absl::StatusOr<std::string> RealPath(const std::string& path);
void RemoveFile(const std::string& path);

std::string DirectoryOf(absl::string_view path);  // "" for the working folder.
std::string JoinPath(absl::string_view directory, absl::string_view name);

}  // namespace onnx_legalize

#endif  // ONNX_LEGALIZE_IR_FILE_SYSTEM_H_
