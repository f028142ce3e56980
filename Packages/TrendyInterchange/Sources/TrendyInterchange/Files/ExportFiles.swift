/// Files of an export by path, from a folder, a ZIP archive or a test.
///
/// The caller lists the files and provides a function that opens a file. The function must decompress files such as
/// `.fit.gz`. macOS metadata files are omitted.
///
/// ```swift
/// let archive = try ZipReader(try ArchiveFile(path: "export.zip"))
/// let files = ExportFiles(archive.entries.filter { $0.kind == .file }.map(\.path)) { path in
///   guard let entry = archive.entry(at: path) else { throw CocoaError(.fileNoSuchFile) }
///   var content = try archive.open(entry)
///   return { try content.read(into: $0) }
/// }
/// ```
public struct ExportFiles {
  /// Function that writes the next bytes of a file to the buffer and returns the number of bytes written. Returns 0
  /// only at the end.
  public typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  /// Paths relative to the folder or archive, with slashes as separators, in ascending order.
  public let paths: [String]
  private let opening: (String) throws -> Source

  /// Creates a list of files.
  ///
  /// - Parameters:
  ///   - paths: Relative paths in any order, with slashes as separators.
  ///   - opening: Opens the file at a path for reading from its beginning.
  public init(_ paths: some Sequence<String>, opening: @escaping (_ path: String) throws -> Source) {
    self.paths = paths.filter { !Self.isMacOSResource($0) }.sorted()
    self.opening = opening
  }

  /// Returns whether there is a file at this path.
  public func contains(_ path: String) -> Bool {
    var low = 0
    var high = paths.count
    while low < high {
      let middle = (low + high) / 2
      if paths[middle] < path { low = middle + 1 } else { high = middle }
    }
    return low < paths.count && paths[low] == path
  }

  /// Opens one of ``paths`` for reading from its beginning.
  public func open(_ path: String) throws -> Source { try opening(path) }

  /// Returns the first `count` bytes of a file, or the whole file if it is shorter.
  public func beginning(of path: String, count: Int) throws -> [UInt8] {
    let source = try opening(path)
    return try Self.read(source, upTo: count)
  }

  /// Returns the content of a file, or `nil` if it is longer than `limit` bytes.
  public func bytes(of path: String, limit: Int) throws -> [UInt8]? {
    let source = try opening(path)
    let bytes = try Self.read(source, upTo: limit)
    guard bytes.count == limit else { return bytes }
    return try Self.read(source, upTo: 1).isEmpty ? bytes : nil
  }

  private static func read(_ source: Source, upTo count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(max(1, count), 256 << 10))
    while bytes.count < count {
      let wanted = min(buffer.count, count - bytes.count)
      let got = try buffer.withUnsafeMutableBytes { try source(UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted])) }
      if got == 0 { break }
      bytes += buffer[..<got]
    }
    return bytes
  }

  private static func isMacOSResource(_ path: String) -> Bool {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    return path.hasPrefix("__MACOSX/") || name.hasPrefix("._") || name == ".DS_Store"
  }
}

/// Not `Sendable`, because the closure may capture its creator's state.
@available(*, unavailable)
extension ExportFiles: Sendable {}
