import TrendyFoundation
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import TrendyArchive
public import TrendyInterchange

/// Input of an import: a single file, or the files in a folder or an archive.
public enum ImportInput {
  /// Content of a single file.
  case stream(ByteInput)
  /// Files in a folder or an archive.
  case files(ExportFiles)
}

@available(*, unavailable)
extension ImportInput: Sendable {}

/// Error thrown when opening a folder or an archive.
public enum ImportFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The archive does not contain a file with this name.
  case missing(String)
  /// The user has no permission to list the folder.
  case notPermitted(path: String)
  /// An archive read from a pipe could not be written to a temporary file.
  case notSpooled(path: String, reason: String)

  /// Error message for the user, without a full stop.
  public var description: String {
    switch self {
    case .missing(let name): "It does not contain \(name)"
    case .notPermitted(let path): "No permission to read \(path)"
    case .notSpooled(let path, let reason): "Cannot write \(path): \(reason)"
    }
  }
}

/// Opens files, archives and folders in a uniform way, so that format readers do not have to distinguish them.
public enum ArchiveInput: Sendable {
  /// Opens a stream as a ZIP archive, as gzip, or unchanged, depending on its first bytes.
  ///
  /// - Parameters:
  ///   - stream: Input at its beginning.
  ///   - path: Path of the file, or `-` for standard input.
  ///   - progress: Meter for bytes read from an archive. For a plain stream, the creator of the stream counts the
  ///     bytes.
  /// - Throws: Errors from ``archive(_:_:_:)`` or the stream.
  public static func source(_ stream: ByteInput, at path: String, _ progress: any ReadingMeter) throws -> ImportInput {
    let head = try stream.peek(4)
    if head.starts(with: [0x1F, 0x8B]) { return .stream(decompressed(stream)) }
    guard head.starts(with: Array("PK".utf8)) else { return .stream(stream) }
    return .files(try archive(path, stream, progress))
  }

  /// Opens a file as a stream, and reports its size and the bytes read to a meter.
  ///
  /// - Throws: `ArchiveError`.
  public static func stream(at path: String, _ progress: any ReadingMeter) throws -> ByteInput {
    let file = try ArchiveFile(path: path)
    progress.total = file.count
    var offset: Int64 = 0
    return ByteInput {
      let piece = try [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
        count = try file.read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      }
      offset += Int64(piece.count)
      try progress.advance(by: piece.count)
      return piece
    }
  }

  /// Opens a ZIP archive. Files in it whose names end in `.gz` are decompressed.
  ///
  /// - Parameters:
  ///   - path: Path of the archive.
  ///   - stream: Content of the archive. Used only if the path is not a regular file, for example a pipe.
  ///   - progress: Meter for the uncompressed bytes of the files in the archive.
  /// - Throws: `ArchiveError`, or ``ImportFileError`` if an archive from a pipe cannot be written to a temporary file.
  public static func archive(_ path: String, _ stream: ByteInput, _ progress: any ReadingMeter) throws -> ExportFiles {
    var status = stat()
    let isFile = path != "-" && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let archive = try ZipReader(try isFile ? ArchiveFile(path: path) : spooled(stream))
    let files = archive.entries.filter { $0.kind == .file }
    let meter = FileMeter(progress, total: files.reduce(0) { $0 + $1.size })
    return ExportFiles(files.map(\.path)) { name in
      guard let entry = archive.entry(at: name) else { throw ImportFileError.missing(name) }
      let content = Reading(content: try archive.open(entry))
      return decompressed(name, meter.counting(name) { try content.content.read(into: $0) })
    }
  }

  /// Opens all regular files in a folder and its subfolders. Does not follow symbolic links, and decompresses `.gz`
  /// files.
  ///
  /// - Throws: ``ImportFileError/notPermitted(path:)`` if the folder cannot be listed.
  public static func folder(_ path: String, _ progress: any ReadingMeter) throws -> ExportFiles {
    let root = URL(filePath: path)
    let names: [String]
    do {
      names = try FileManager.default.subpathsOfDirectory(atPath: path)
    } catch {
      throw ImportFileError.notPermitted(path: path)
    }
    var total: Int64 = 0
    let paths = names.filter { name in
      var status = stat()
      // Skip a file that has been deleted since the folder was listed.
      guard lstat(root.appending(path: name).path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return false
      }
      total += Int64(status.st_size)
      return true
    }
    let meter = FileMeter(progress, total: total)
    return ExportFiles(paths) { name in
      let file = try ArchiveFile(path: root.appending(path: name).path)
      var offset: Int64 = 0
      return decompressed(
        name,
        meter.counting(name) { buffer in
          let count = try file.read(at: offset, into: buffer)
          offset += Int64(count)
          return count
        })
    }
  }

  /// Returns the decompressed content of a gzip stream.
  public static func decompressed(_ stream: ByteInput) -> ByteInput {
    let gzip = Reading(content: GzipReader { try stream.read(into: $0) })
    return ByteInput { try gzip.content.read(into: $0) }
  }

  private static func decompressed(_ name: String, _ source: @escaping ExportFiles.Source) -> ExportFiles.Source {
    guard name.lowercased().hasSuffix(".gz") else { return source }
    let gzip = Reading(content: GzipReader(source: source))
    return { try gzip.content.read(into: $0) }
  }

  /// Writes an archive from a pipe to a temporary file and unlinks it. The central directory is at the end of a ZIP
  /// file, so a pipe cannot be read directly.
  private static func spooled(_ stream: ByteInput) throws -> ArchiveFile {
    let file = FileManager.default.temporaryDirectory.appending(path: "trendy-import-\(getpid()).zip")
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    func failure() -> ImportFileError {
      .notSpooled(path: file.path, reason: String(cString: strerror(errno)))
    }
    guard descriptor >= 0 else { throw failure() }
    defer {
      close(descriptor)
      unlink(file.path)
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try stream.read(into: buffer), count > 0 {
      var done = 0
      while done < count {
        let written = write(descriptor, buffer.baseAddress.map { $0 + done }, count - done)
        if written < 0 {
          if errno == EINTR { continue }
          throw failure()
        }
        done += written
      }
    }
    return try ArchiveFile(path: file.path)
  }
}

/// Counts the bytes read from several files. Counts each file once, even if the file is read again.
private final class FileMeter {
  private let progress: any ReadingMeter
  private var counted: [String: Int] = [:]

  init(_ progress: any ReadingMeter, total: Int64) {
    self.progress = progress
    progress.total = total
  }

  func counting(_ name: String, _ source: @escaping ExportFiles.Source) -> ExportFiles.Source {
    var offset = 0
    return { buffer in
      let count = try source(buffer)
      offset += count
      let more = offset - self.counted[name, default: 0]
      if more > 0 {
        self.counted[name, default: 0] += more
        try self.progress.advance(by: more)
      }
      return count
    }
  }
}

/// Class wrapper for a non-copyable reader, for use in escaping closures.
private final class Reading<Content: ~Copyable> {
  var content: Content

  init(content: consuming Content) { self.content = content }
}
