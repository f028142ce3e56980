import CommandSupport
import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is written incrementally and renamed to its final name when complete.
final class FileOutput {
  private let path: String
  private let temporary: String
  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var isFinished = false

  /// Creates the temporary file `path.new` and locks it.
  /// - Throws: ``CommandError`` with exit 73 if the file exists and may not be replaced, or cannot be created; 75 if
  ///   another program is writing it.
  init(path: String, isReplacing: Bool) throws(CommandError) {
    let path = SymbolicLink.target(of: path)
    self.path = path
    guard isReplacing || !FileManager.default.fileExists(atPath: path) else {
      throw CommandError("\(path) already exists", hint: "Overwrite it with --yes.", exit: .cannotCreate)
    }
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandError(cannot: "write", path, code: errno)
    }
    // The lock ends with the descriptor. If another program has finished meanwhile, the file has been renamed.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isFile(descriptor, at: temporary) else {
      close(descriptor)
      throw CommandError("Another program is writing \(path)", hint: "Nothing was written. Try again.", exit: .tryAgain)
    }
    // Removes the remains of a killed program; fails harmlessly on a pipe.
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
      // A signal can interrupt a write after a part of it.
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
    // The rename must survive a power failure.
    let folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure() }
    defer { close(folder) }
    // Some file systems do not support fsync on a folder.
    guard fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP else { throw failure() }
  }

  private func failure() -> CommandError { CommandError(cannot: "write", path, code: errno) }

  deinit {
    close(descriptor)
    if !isFinished { unlink(temporary) }
  }
}
