import CommandSupport
import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Output file, written under a temporary name and renamed once it is complete.
final class FileOutput {
  private let path: String
  private let temporary: String
  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var isFinished = false

  /// Creates and locks the temporary file `path.new`.
  /// - Throws: ``CommandError`` with exit 73 if the file cannot be created or exists and must not be replaced, or with
  ///   exit 75 if another process is writing it.
  init(path: String, isReplacing: Bool) throws(CommandError) {
    let path = SymbolicLink.target(of: path)
    self.path = path
    guard isReplacing || !FileManager.default.fileExists(atPath: path) else {
      throw CommandError("\(path) already exists", hint: "To overwrite it, add --yes.", exit: .cannotCreate)
    }
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandError(cannot: "write", path, code: errno)
    }
    // Also check the name, because the locked file no longer has the temporary name if another process has finished in
    // the meantime. Closing the descriptor releases the lock.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isFile(descriptor, at: temporary) else {
      close(descriptor)
      throw CommandError("Another program is writing \(path)", hint: "Nothing was written. Try again.", exit: .tryAgain)
    }
    // Discard data from an interrupted process. The call fails for a pipe, which has nothing to discard.
    ftruncate(descriptor, 0)
    (self.temporary, self.descriptor) = (temporary, descriptor)
  }

  private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev
      && opened.st_ino == named.st_ino
  }

  func write(_ text: String) throws(CommandError) {
    pending += text.utf8
    if pending.count >= 1 << 18 { try flush() }
  }

  func write(_ bytes: [UInt8]) throws(CommandError) {
    pending += bytes
    if pending.count >= 1 << 18 { try flush() }
  }

  private func flush() throws(CommandError) {
    var rest = pending[...]
    while !rest.isEmpty {
      // Check for each part, because a signal may interrupt a write after some bytes.
      try Interruption.check(hint: "Nothing was written.")
      #if canImport(Darwin)
        let written = rest.withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
      #elseif canImport(Musl)
        let written = rest.withUnsafeBytes { Musl.write(descriptor, $0.baseAddress, $0.count) }
      #else
        let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      #endif
      if written < 0 {
        if errno == EINTR { continue }
        throw failure()
      }
      rest = rest.dropFirst(written)
    }
    pending.removeAll(keepingCapacity: true)
  }

  func finish() throws(CommandError) {
    try flush()
    guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure() }
    isFinished = true
    // Sync the folder too, so that the rename survives a power failure.
    let folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure() }
    defer { close(folder) }
    // Some file systems do not support fsync on folders.
    guard fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP else { throw failure() }
  }

  private func failure() -> CommandError { CommandError(cannot: "write", path, code: errno) }

  deinit {
    close(descriptor)
    if !isFinished { unlink(temporary) }
  }
}
