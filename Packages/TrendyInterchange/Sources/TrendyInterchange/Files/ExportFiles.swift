/// Files of an export by their paths: those of a folder, of a ZIP archive, or of a test.
///
/// This package opens neither: the caller lists what there is and says how a file is opened; one that is compressed with gzip (`.fit.gz`)
/// is to be given decompressed. Files that macOS puts there for itself are left out.
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
  /// Fills the buffer with the next bytes of a file.
  /// - Returns: how many; 0 only at the end.
  public typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  /// Relative to the folder or the archive, with slashes; sorted.
  public let paths: [String]
  private let opening: (String) throws -> Source

  public init(_ paths: some Sequence<String>, opening: @escaping (_ path: String) throws -> Source) {
    self.paths = paths.filter { !Self.isMacOSResource($0) }.sorted()
    self.opening = opening
  }

  public func contains(_ path: String) -> Bool {
    var low = 0
    var high = paths.count
    while low < high {
      let middle = (low + high) / 2
      if paths[middle] < path { low = middle + 1 } else { high = middle }
    }
    return low < paths.count && paths[low] == path
  }

  /// Begins to read one of ``paths``.
  public func open(_ path: String) throws -> Source { try opening(path) }

  /// The first bytes of a file, at most `count`.
  public func beginning(of path: String, count: Int) throws -> [UInt8] {
    let source = try opening(path)
    return try Self.read(source, upTo: count)
  }

  /// All bytes of a file.
  /// - Returns: `nil` where they are more than `limit`.
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

  /// Resource forks and Finder's notes.
  private static func isMacOSResource(_ path: String) -> Bool {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    return path.hasPrefix("__MACOSX/") || name.hasPrefix("._") || name == ".DS_Store"
  }
}

/// Its closure stays with whoever made it.
@available(*, unavailable)
extension ExportFiles: Sendable {}
