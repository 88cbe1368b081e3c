// SPDX-License-Identifier: Apache-2.0

#include "ir/file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "absl/strings/str_cat.h"

namespace onnx_legalize {
namespace {

// Smaller pieces are gathered and written together.
constexpr size_t kKernelCopyMin = 1 << 16;
constexpr size_t kBufferSize = 1 << 20;

absl::Status SystemError(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

absl::Status WriteAll(int fd, absl::string_view bytes,
                      const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return SystemError("can't write", name);
    }
    bytes.remove_prefix(n);
  }
  return absl::OkStatus();
}

// Lets the kernel copy as much of `source`'s range as it can; returns how much.
size_t KernelCopy(int fd, const FileBytes& source, absl::string_view piece) {
  loff_t offset = piece.data() - source.bytes().data();
  size_t done = 0;
  while (done < piece.size()) {
    const ssize_t n = copy_file_range(source.fd(), &offset, fd, nullptr,
                                      piece.size() - done, 0);
    if (n <= 0) break;
    done += n;
  }
  return done;
}

bool Inside(absl::string_view piece, const FileBytes* source) {
  return source != nullptr && source->fd() >= 0 &&
         piece.data() >= source->bytes().data() &&
         piece.data() + piece.size() <=
             source->bytes().data() + source->bytes().size();
}

absl::Status WritePieces(int fd, absl::Span<const absl::string_view> pieces,
                         const FileBytes* source, const std::string& name) {
  std::string buffer;
  for (absl::string_view piece : pieces) {
    if (piece.size() < kKernelCopyMin) {
      buffer.append(piece.data(), piece.size());
      if (buffer.size() < kBufferSize) continue;
      piece = {};
    }
    if (auto s = WriteAll(fd, buffer, name); !s.ok()) return s;
    buffer.clear();
    if (Inside(piece, source)) {
      piece.remove_prefix(KernelCopy(fd, *source, piece));
    }
    if (auto s = WriteAll(fd, piece, name); !s.ok()) return s;
  }
  return WriteAll(fd, buffer, name);
}

void SyncDirectoryOf(const std::string& path) {
  const std::string directory = DirectoryOf(path);
  const int fd = open(directory.empty() ? "." : directory.c_str(),
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

// Creates a new file beside `path`, with the mode that the user's umask gives.
int OpenTemporary(const std::string& path, std::string* temporary) {
  int fd = -1;
  for (int i = 0; i < 1000 && fd < 0; ++i) {
    *temporary = absl::StrCat(path, ".", getpid(), "-", i, ".tmp");
    fd =
        open(temporary->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) break;
  }
  return fd;
}

absl::Status MakeParents(const std::string& path) {
  for (size_t i = path.find('/', 1); i != std::string::npos;
       i = path.find('/', i + 1)) {
    const std::string parent = path.substr(0, i);
    if (mkdir(parent.c_str(), 0777) != 0 && errno != EEXIST) {
      return SystemError("can't make the folder", parent);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileBytes>> FileBytes::ReadAll(
    int fd, const std::string& name) {
  std::unique_ptr<FileBytes> file(new FileBytes);
  std::string chunk(kBufferSize, '\0');
  for (;;) {
    const ssize_t n = read(fd, chunk.data(), chunk.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return SystemError("can't read", name);
    }
    if (n == 0) break;
    file->owned_.append(chunk, 0, n);
  }
  file->bytes_ = file->owned_;
  return file;
}

std::unique_ptr<FileBytes> FileBytes::Own(std::string bytes) {
  std::unique_ptr<FileBytes> file(new FileBytes);
  file->owned_ = std::move(bytes);
  file->bytes_ = file->owned_;
  return file;
}

absl::StatusOr<std::unique_ptr<FileBytes>> FileBytes::Open(
    const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return SystemError("can't open", path);
  struct stat st;
  if (fstat(fd, &st) != 0 || S_ISDIR(st.st_mode) || S_ISCHR(st.st_mode) ||
      S_ISBLK(st.st_mode)) {
    close(fd);
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is no file; give the path of an ONNX model"));
  }
  if (!S_ISREG(st.st_mode)) {
    auto file = ReadAll(fd, path);
    close(fd);
    return file;
  }
  std::unique_ptr<FileBytes> file(new FileBytes);
  file->fd_ = fd;
  if (st.st_size > 0) {
    void* data = mmap(nullptr, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return SystemError("can't map", path);
    file->bytes_ = absl::string_view(static_cast<const char*>(data),
                                     static_cast<size_t>(st.st_size));
  }
  return file;
}

FileBytes::~FileBytes() {
  if (fd_ < 0) return;
  if (!bytes_.empty()) {
    munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  close(fd_);
}

absl::Status WriteToDescriptor(int fd,
                               absl::Span<const absl::string_view> pieces,
                               const std::string& name) {
  return WritePieces(fd, pieces, nullptr, name);
}

absl::Status WriteFileAtomically(const std::string& name,
                                 absl::Span<const absl::string_view> pieces,
                                 const FileBytes* source) {
  // A symlink stays one: what it leads to is replaced. (It may be /dev/stdout.)
  const std::string path = RealPath(name).value_or(name);
  struct stat st;
  const bool exists = stat(path.c_str(), &st) == 0;
  if (exists && S_ISDIR(st.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't write ", path, ": it is a folder"));
  }
  if (exists && !S_ISREG(st.st_mode)) {  // A device or a pipe.
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return SystemError("can't open", path);
    absl::Status status = WritePieces(fd, pieces, nullptr, path);
    if (close(fd) != 0 && status.ok())
      status = SystemError("can't close", path);
    return status;
  }
  std::string temporary;
  const int fd = OpenTemporary(path, &temporary);
  if (fd < 0) return SystemError("can't write", path);
  if (exists) fchmod(fd, st.st_mode & 07777);
  absl::Status status = WritePieces(fd, pieces, source, path);
  if (status.ok() && fsync(fd) != 0) status = SystemError("can't sync", path);
  if (close(fd) != 0 && status.ok()) status = SystemError("can't close", path);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = SystemError("can't rename to", path);
  }
  if (!status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  SyncDirectoryOf(path);
  return absl::OkStatus();
}

absl::Status CopyFileTo(const std::string& from, const std::string& to) {
  auto source = FileBytes::Open(from);
  if (!source.ok()) return source.status();
  if (auto s = MakeParents(to); !s.ok()) return s;
  return WriteFileAtomically(to, {(*source)->bytes()}, source->get());
}

bool SameFile(const std::string& a, const std::string& b) {
  struct stat x, y;
  return stat(a.c_str(), &x) == 0 && stat(b.c_str(), &y) == 0 &&
         x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool SameContent(const std::string& a, const std::string& b) {
  if (SameFile(a, b)) return true;
  auto x = FileBytes::Open(a);
  auto y = FileBytes::Open(b);
  return x.ok() && y.ok() && (*x)->bytes() == (*y)->bytes();
}

bool Exists(const std::string& path) {
  struct stat st;
  return lstat(path.c_str(), &st) == 0;
}

bool IsRegularFile(const std::string& path) {
  struct stat st;
  return stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode);
}

bool IsDeviceOrPipe(const std::string& path) {
  struct stat st;
  return stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode) &&
         !S_ISDIR(st.st_mode);
}

absl::StatusOr<uint64_t> FileSize(const std::string& path) {
  struct stat st;
  if (stat(path.c_str(), &st) != 0) return SystemError("can't open", path);
  return static_cast<uint64_t>(st.st_size);
}

absl::StatusOr<std::string> RealPath(const std::string& path) {
  char* resolved = realpath(path.empty() ? "." : path.c_str(), nullptr);
  if (resolved == nullptr) return SystemError("can't open", path);
  std::string result = resolved;
  free(resolved);
  return result;
}

void RemoveFile(const std::string& path) { unlink(path.c_str()); }

std::string DirectoryOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return "";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

std::string JoinPath(absl::string_view directory, absl::string_view name) {
  if (directory.empty()) return std::string(name);
  return absl::StrCat(directory, directory.back() == '/' ? "" : "/", name);
}

}  // namespace onnx_legalize
