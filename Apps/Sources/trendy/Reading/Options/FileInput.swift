public import CommandSupport
import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyAgent
import TrendyInterchange

extension ProgressLine: ReadingMeter {}

/// Input from a file, or from standard input if the path is `-`. Foundation's file functions do not support pipes.
enum FileInput {
  /// Reads a whole file.
  /// - Throws: ``CommandError`` for a missing file (exit 66), a folder (65) or an unreadable file (73, 74).
  static func bytes(of path: String) throws(CommandError) -> [UInt8] {
    if path == "-" { return try bytes(from: STDIN_FILENO, path: "standard input") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, code: errno) }
    defer { close(descriptor) }
    return try bytes(from: descriptor, path: path)
  }

  /// Reads UTF-8 text and removes trailing line breaks.
  static func text(of path: String) throws(CommandError) -> String {
    let bytes = try bytes(of: path)
    guard var text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(
        "Standard input is not UTF-8 text", hint: "Convert it, for example with iconv.", exit: .badData)
    }
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }

  /// Opens a file for incremental reading. The file is never closed, because the process exits after the import.
  private static func stream(of path: String, _ progress: ProgressLine) throws(CommandError) -> ByteInput {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, code: errno) }
    let name = path == "-" ? "standard input" : path
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { progress.total = Int64(status.st_size) }
    return ByteInput {
      let piece = try piece(of: descriptor, name, size: 1 << 18)
      progress.advance(by: piece.count)
      return piece
    }
  }

  /// Opens the source of an import: a stream, a folder or an archive. Decompresses gzip. The progress line counts the
  /// bytes read.
  static func source(at path: String, _ progress: ProgressLine) throws -> ImportInput {
    if path != "-", isFolder(path) { return .files(try ArchiveInput.folder(path, progress)) }
    let stream = try stream(of: path, progress)
    return try ArchiveInput.source(stream, at: path, progress)
  }

  static func isFolder(_ path: String) -> Bool {
    var isFolder = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
  }

  private static func piece(of descriptor: Int32, _ path: String, size: Int) throws(CommandError) -> [UInt8] {
    while true {
      try Interruption.waitToRead(descriptor)
      do {
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count throws(SystemFailure) in
          let read = read(descriptor, buffer.baseAddress, size)
          guard read >= 0 else { throw SystemFailure(code: errno) }
          count = read
        }
      } catch {
        if error.code != EINTR { throw failure(path, code: error.code) }
      }
    }
  }

  private static func bytes(from descriptor: Int32, path: String) throws(CommandError) -> [UInt8] {
    var bytes: [UInt8] = []
    var step = 1 << 16
    while true {
      let part = try piece(of: descriptor, path, size: step)
      if part.isEmpty { return bytes }
      bytes += part
      step = min(2 * step, 1 << 24)
    }
  }

  private struct SystemFailure: Error { let code: Int32 }

  private static func failure(_ path: String, code: Int32) -> CommandError {
    switch code {
    case ENOENT, ENOTDIR: CommandError("File \(path) not found", hint: "Check the path.", exit: .notFound)
    case EISDIR: CommandError("\(path) is a folder", hint: "Specify a file in the folder.", exit: .badData)
    case EACCES, EPERM:
      CommandError("No permission to read \(path)", hint: "Check the permissions of the file.", exit: .cannotCreate)
    default: CommandError("Cannot read \(path): \(String(cString: strerror(code)))", exit: .readWrite)
    }
  }
}
