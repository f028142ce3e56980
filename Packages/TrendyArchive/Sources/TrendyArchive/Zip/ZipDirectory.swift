struct ZipDirectory {
  private let source: any ArchiveSource
  let start: Int64
  private let end: Int64
  /// Number of entries according to the end record, modulo 65,536 without ZIP64.
  private let count: Int64
  private let isZip64: Bool
  /// Start of the archive in the source. Above 0 if something precedes it, such as a self-extracting program.
  private let base: Int64

  /// Finds the central directory via the end record, which only the archive comment can follow.
  init(_ source: any ArchiveSource) throws(ArchiveError) {
    self.source = source
    let tailCount = Int(min(source.count, Int64(ZipLayout.end + 0xFFFF)))
    let tailStart = source.count - Int64(tailCount)
    let tail = try Self.bytes(tailStart, tailCount, of: source)
    var found: (start: Int64, end: Int64, count: Int64, isZip64: Bool, base: Int64)?
    var failure: ArchiveError?
    if tail.count >= ZipLayout.end {
      for position in stride(from: tail.count - ZipLayout.end, through: 0, by: -1)
      where tail.uint32(at: position) == 0x0605_4B50
        && position + ZipLayout.end + Int(tail.uint16(at: position + 20)) <= tail.count
      {
        let record = Array(tail[position..<(position + ZipLayout.end)])
        do throws(ArchiveError) {
          found = try Self.place(record, at: tailStart + Int64(position), in: source)
          if found != nil { break }
        } catch {
          // An earlier record may be the real end record, with this record in its comment.
          failure = failure ?? error
        }
      }
    }
    guard let found else {
      if let failure { throw failure }
      throw try Self.withoutEnd(source)
    }
    (start, end, count, isZip64, base) = found
  }

  /// Returns the central directory that an end record points to, or `nil` if the record is part of a comment.
  private static func place(
    _ record: [UInt8], at offset: Int64, in source: any ArchiveSource
  ) throws(ArchiveError) -> (start: Int64, end: Int64, count: Int64, isZip64: Bool, base: Int64)? {
    var disk = UInt32(record.uint16(at: 4))
    var firstDisk = UInt32(record.uint16(at: 6))
    var count = Int64(record.uint16(at: 10))
    var size = Int64(record.uint32(at: 12))
    var start = Int64(record.uint32(at: 16))
    var end = offset
    var isZip64 = false
    let locatorOffset = offset - Int64(ZipLayout.zip64Locator)
    if locatorOffset >= 0 {
      let locator = try bytes(locatorOffset, ZipLayout.zip64Locator, of: source)
      if locator.count == ZipLayout.zip64Locator, locator.uint32(at: 0) == 0x0706_4B50 {
        // If data precedes the archive, the stored offset is wrong, but the record is directly before the locator.
        for position in [locator.uint64(at: 8), UInt64(max(0, locatorOffset - Int64(ZipLayout.zip64End)))] {
          guard position <= UInt64(max(0, locatorOffset - Int64(ZipLayout.zip64End))) else { continue }
          let zip64 = try bytes(Int64(position), ZipLayout.zip64End, of: source)
          guard zip64.count == ZipLayout.zip64End, zip64.uint32(at: 0) == 0x0606_4B50 else { continue }
          disk = zip64.uint32(at: 16)
          firstDisk = zip64.uint32(at: 20)
          guard let all = Int64(exactly: zip64.uint64(at: 32)), let length = Int64(exactly: zip64.uint64(at: 40)),
            let first = Int64(exactly: zip64.uint64(at: 48))
          else { return nil }
          (count, size, start, end, isZip64) = (all, length, first, Int64(position), true)
          break
        }
        guard isZip64 else {
          throw .damaged(entry: nil, reason: "its ZIP64 end record is missing")
        }
      }
    }
    guard disk == 0, firstDisk == 0 else {
      throw .unsupported(entry: nil, reason: "it is one part of a split archive; join the parts first (zip -s 0)")
    }
    guard size <= end else { return nil }
    let base = end - size - start
    guard base >= 0, start >= 0 else { return nil }
    if size > 0 {
      let signature = try bytes(end - size, 4, of: source)
      guard signature.count == 4, signature.uint32(at: 0) == 0x0201_4B50 else { return nil }
    } else if count > 0 {
      return nil
    }
    return (end - size, end, count, isZip64, base)
  }

  private static func withoutEnd(_ source: any ArchiveSource) throws(ArchiveError) -> ArchiveError {
    let first = try bytes(0, 4, of: source)
    guard first.starts(with: [0x50, 0x4B]) else { return .notAnArchive(expected: "a ZIP archive") }
    return .truncated(
      entry: nil, reason: "the directory at the end of the archive is missing; copy or download the file again")
  }

  static func bytes(
    _ offset: Int64, _ count: Int, of source: any ArchiveSource
  ) throws(ArchiveError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    var failure: ArchiveError?
    bytes.withUnsafeMutableBytes { buffer in
      do throws(ArchiveError) { got = try source.read(at: offset, into: buffer) } catch { failure = error }
    }
    if let failure { throw failure }
    bytes.removeLast(count - got)
    return bytes
  }
}

extension ZipDirectory {
  func readEntries(limits: ArchiveLimits) throws(ArchiveError) -> [ZipEntry] {
    var entries: [ZipEntry] = []
    var window = SourceWindow(source)
    var offset = start
    while offset < end {
      let fixed = try window.bytes(offset, ZipLayout.directoryHeader)
      // An obsolete digital signature may follow the headers.
      if fixed.count >= 4, fixed.uint32(at: 0) == 0x0505_4B50 { break }
      guard fixed.count == ZipLayout.directoryHeader, fixed.uint32(at: 0) == 0x0201_4B50 else {
        throw .damaged(entry: nil, reason: "its directory ends after \(entries.count) entries")
      }
      let nameLength = Int(fixed.uint16(at: 28))
      let extraLength = Int(fixed.uint16(at: 30))
      let commentLength = Int(fixed.uint16(at: 32))
      let length = ZipLayout.directoryHeader + nameLength + extraLength + commentLength
      guard offset + Int64(length) <= end else {
        throw .damaged(entry: nil, reason: "its directory ends after \(entries.count) entries")
      }
      guard entries.count < limits.entries else {
        throw .exceedsLimit(entry: nil, reason: "it has more than \(limits.entries) entries")
      }
      let texts = try window.bytes(offset + Int64(ZipLayout.directoryHeader), nameLength + extraLength)
      entries.append(
        try entry(fixed, name: Array(texts.prefix(nameLength)), extra: Array(texts.dropFirst(nameLength)), at: offset))
      offset += Int64(length)
    }
    let actual = isZip64 ? Int64(entries.count) : Int64(entries.count) & 0xFFFF
    guard actual == count else {
      throw .damaged(entry: nil, reason: "its directory has \(entries.count) entries instead of \(count)")
    }
    return entries
  }

  private func entry(
    _ fixed: [UInt8], name: [UInt8], extra: [UInt8], at offset: Int64
  ) throws(ArchiveError) -> ZipEntry {
    let flags = fixed.uint16(at: 8)
    let madeOn = fixed[5]
    let path = ZipPath.text(
      name, isUTF8: flags & 0x800 != 0, extra: extra, isFromWindows: madeOn == 0 || madeOn == 10 || madeOn == 11)
    guard ZipPath.isSafe(path) else { throw .unsafePath(path) }
    var sizes = ZipSizes(
      compressed: fixed.uint32(at: 20), size: fixed.uint32(at: 24), headerOffset: fixed.uint32(at: 42))
    guard sizes.widen(by: extra) else {
      throw .damaged(entry: path, reason: "its ZIP64 sizes are invalid")
    }
    let firstDisk = fixed.uint16(at: 34)
    guard firstDisk == 0 || firstDisk == 0xFFFF && sizes.isZip64 else {
      throw .unsupported(entry: path, reason: "it starts in another part of the archive")
    }
    let unixMode = madeOn == 3 || madeOn == 19 ? fixed.uint32(at: 38) >> 16 : 0
    let kind: ZipEntry.Kind =
      path.hasSuffix("/") ? .directory : unixMode & 0o170000 == 0o120000 ? .symbolicLink : .file
    return ZipEntry(
      path: path, kind: kind, method: ZipEntry.Method(fixed.uint16(at: 10)),
      // Bit 0 marks any encryption, bit 6 strong encryption, bit 13 an encrypted central directory.
      isEncrypted: flags & 0x2041 != 0, compressedSize: sizes.compressed, size: sizes.size,
      crc32: fixed.uint32(at: 16), modified: ZipExtra.modified(in: extra),
      headerOffset: sizes.headerOffset.addingReportingOverflow(base).partialValue, directoryOffset: offset,
      isZip64: sizes.isZip64)
  }
}

/// Sizes and offset in a header: 32 bits each, or 64 bits in an extra field if they do not fit.
struct ZipSizes {
  private(set) var compressed: Int64
  private(set) var size: Int64
  private(set) var headerOffset: Int64
  private(set) var isZip64 = false

  init(compressed: UInt32, size: UInt32, headerOffset: UInt32 = 0) {
    self.compressed = Int64(compressed)
    self.size = Int64(size)
    self.headerOffset = Int64(headerOffset)
  }

  /// Applies extra field 0x0001, which contains eight bytes for each value with all bits set, in this order.
  /// - Returns: `false` if the field is too short or a value is negative.
  mutating func widen(by extra: [UInt8]) -> Bool {
    guard let field = ZipExtra.field(1, in: extra) else { return true }
    isZip64 = true
    var position = 0
    func next(_ value: inout Int64) -> Bool {
      guard value == 0xFFFF_FFFF else { return true }
      guard position + 8 <= field.count, let wide = Int64(exactly: field.uint64(at: position)) else { return false }
      position += 8
      value = wide
      return true
    }
    return next(&size) && next(&compressed) && next(&headerOffset)
  }
}

/// Buffer for many small reads from a source.
struct SourceWindow {
  private let source: any ArchiveSource
  private var buffer: [UInt8] = []
  private var start: Int64 = 0

  init(_ source: any ArchiveSource) { self.source = source }

  /// Returns `count` bytes starting at `offset`, or fewer at the end of the source.
  mutating func bytes(_ offset: Int64, _ count: Int) throws(ArchiveError) -> [UInt8] {
    if offset < start || offset + Int64(count) > start + Int64(buffer.count) {
      buffer = try ZipDirectory.bytes(offset, max(count, 64 << 10), of: source)
      start = offset
    }
    let from = Int(offset - start)
    return Array(buffer[from..<min(buffer.count, from + count)])
  }
}
