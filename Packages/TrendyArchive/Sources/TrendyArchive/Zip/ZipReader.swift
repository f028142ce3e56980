/// Reads ZIP archives (APPNOTE 6.3.10) in bounded memory: stored and deflated entries, ZIP64, and data descriptors.
///
/// The central directory is read and checked once. An archive is rejected if an entry extends beyond the file, overlaps
/// another entry, has the same path as another entry, or leads out of the target folder. An entry's content is read as
/// a stream and checked against its checksum, its size and ``ArchiveLimits``.
///
/// ```swift
/// let archive = try ZipReader(try ArchiveFile(path: path))
/// for entry in archive.entries where entry.kind == .file {
///   var content = try archive.open(entry)
///   while case let count = try content.read(into: buffer), count > 0 { use(buffer[..<count]) }
/// }
/// ```
public struct ZipReader: Sendable {
  /// Entries in the order of the central directory.
  public let entries: [ZipEntry]
  private let source: any ArchiveSource
  private let limits: ArchiveLimits
  /// Indices of ``entries``, sorted by path.
  private let byPath: [Int32]

  /// Reads and checks the central directory.
  /// - Throws: ``ArchiveError``.
  public init(_ source: any ArchiveSource, limits: ArchiveLimits = ArchiveLimits()) throws(ArchiveError) {
    self.source = source
    self.limits = limits
    let directory = try ZipDirectory(source)
    let entries = try directory.readEntries(limits: limits)
    self.entries = entries
    byPath = entries.indices.map { Int32($0) }.sorted { entries[Int($0)].path < entries[Int($1)].path }
    for (first, second) in zip(byPath, byPath.dropFirst())
    where entries[Int(first)].path == entries[Int(second)].path {
      throw .damaged(entry: entries[Int(first)].path, reason: "the archive contains it twice")
    }
    try Self.checkPlaces(of: entries, end: directory.start)
    try Self.checkTotal(of: entries, limits: limits)
  }

  /// Returns the entry with this path, or `nil` if there is none.
  public func entry(at path: String) -> ZipEntry? {
    var low = 0
    var high = byPath.count
    while low < high {
      let middle = (low + high) / 2
      if entries[Int(byPath[middle])].path < path { low = middle + 1 } else { high = middle }
    }
    guard low < byPath.count, entries[Int(byPath[low])].path == path else { return nil }
    return entries[Int(byPath[low])]
  }

  /// Opens an entry for reading.
  /// - Throws: ``ArchiveError`` if the entry is encrypted, damaged, a folder or a link, or if its compression method is
  ///   not supported.
  public func open(_ entry: ZipEntry) throws(ArchiveError) -> ZipContent {
    try ZipContent(of: entry, in: source, limits: limits)
  }

  /// Reads the complete content of an entry, at most `limit` bytes.
  public func contents(of entry: ZipEntry, limit: Int) throws(ArchiveError) -> [UInt8] {
    guard entry.size <= Int64(limit) else {
      throw .exceedsLimit(entry: entry.path, reason: "it contains more than \(limit) bytes")
    }
    var content = try open(entry)
    // Reserve one byte more than the size, so that the end is reached and the checksum is verified.
    var bytes = [UInt8](repeating: 0, count: Int(entry.size) + 1)
    var count = 0
    while true {
      var got = 0
      var failure: ArchiveError?
      bytes.withUnsafeMutableBytes { buffer in
        do throws(ArchiveError) {
          got = try content.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      if got == 0 { break }
      count += got
      // The content is larger than listed, which is possible without ZIP64.
      guard count < bytes.count else {
        throw .exceedsLimit(entry: entry.path, reason: "it contains more than \(limit) bytes")
      }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}

extension ZipReader {
  /// Rejects overlapping entries, with which a few kilobytes could unpack to terabytes (Fifield, "A better zip bomb",
  /// 2019).
  private static func checkPlaces(of entries: [ZipEntry], end: Int64) throws(ArchiveError) {
    let order = entries.indices.map { Int32($0) }.sorted {
      entries[Int($0)].headerOffset < entries[Int($1)].headerOffset
    }
    for (position, index) in order.enumerated() {
      let entry = entries[Int(index)]
      let next = position + 1 < order.count ? entries[Int(order[position + 1])].headerOffset : end
      guard entry.headerOffset >= 0, entry.headerOffset <= end - ZipLayout.localHeader else {
        throw .damaged(entry: entry.path, reason: "its offset is outside the archive")
      }
      guard entry.compressedSize <= next - entry.headerOffset - ZipLayout.localHeader else {
        throw .damaged(entry: entry.path, reason: "it overlaps the next entry")
      }
    }
  }

  private static func checkTotal(of entries: [ZipEntry], limits: ArchiveLimits) throws(ArchiveError) {
    var total: Int64 = 0
    for entry in entries {
      total = total.addingReportingOverflow(entry.size).partialValue
      guard total >= 0, total <= limits.totalBytes else {
        throw .exceedsLimit(entry: nil, reason: "its entries contain more than \(limits.totalBytes) bytes")
      }
    }
  }
}

/// Lengths of the fixed parts of headers, in bytes.
enum ZipLayout {
  static let localHeader: Int64 = 30
  static let directoryHeader = 46
  static let end = 22
  static let zip64Locator = 20
  static let zip64End = 56
}
