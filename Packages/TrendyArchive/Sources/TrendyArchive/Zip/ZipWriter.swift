/// Streaming writer for ZIP archives. Keeps only the central directory in memory. The output may be a pipe.
///
/// ```swift
/// var archive = ZipWriter { try handle.write($0) }
/// try archive.add("Habits.csv", bytes)
/// try archive.begin("events.csv")
/// for rows in batches { try archive.write(rows) }
/// try archive.end()
/// try archive.finish()
/// ```
///
/// The output is deterministic: its only timestamps are those passed by the caller. ZIP64 is used if sizes require it.
public struct ZipWriter: ~Copyable {
  /// Receives the next bytes of the archive.
  public typealias Sink = ([UInt8]) throws -> Void

  private struct Open {
    var entry: Written
    var checksum = CRC32()
    var size: Int64 = 0
  }

  private struct Written {
    var name: [UInt8]
    var method: UInt16
    var flags: UInt16
    var modified: Int64?
    var offset: Int64
    var compressedSize: Int64 = 0
    var size: Int64 = 0
    var crc32: UInt32 = 0
  }

  private let sink: Sink
  private var deflater: Deflater
  private var output: [UInt8] = []
  private var offset: Int64 = 0
  private var open: Open?
  private var directory: [UInt8] = []
  private var paths: Set<String> = []
  private var isFinished = false

  /// Creates a writer.
  /// - Parameters:
  ///   - level: compression level, 0 to 9.
  ///   - sink: receives the archive.
  public init(level: Int = 6, to sink: @escaping Sink) {
    self.sink = sink
    deflater = Deflater(.raw, level: level)
  }

  /// Adds a complete entry, stored without compression if that is smaller.
  ///
  /// - Parameters:
  ///   - path: path of the entry. Ends with a slash for a folder.
  ///   - bytes: content of the entry.
  ///   - modified: modification time in seconds since 1970.
  /// - Throws: ``ArchiveError/unsafePath(_:)``; ``ArchiveError/unsupported(entry:reason:)`` for a duplicate path or a
  ///   path longer than 65,535 bytes; errors from the sink, after which the archive is unusable.
  public mutating func add(_ path: String, _ bytes: [UInt8], modified: Int64? = nil) throws {
    var entry = try newEntry(path, modified)
    entry.crc32 = CRC32(of: bytes).value
    entry.size = Int64(bytes.count)
    var compressed: [UInt8] = []
    deflater.reset()
    deflater.write(bytes, to: &compressed)
    deflater.finish(to: &compressed)
    let isSmaller = compressed.count < bytes.count
    entry.method = isSmaller ? 8 : 0
    entry.compressedSize = Int64(isSmaller ? compressed.count : bytes.count)
    writeLocalHeader(of: entry)
    output += isSmaller ? compressed : bytes
    note(entry)
    try pass(all: true)
  }

  /// Begins an entry of unknown length. Add its content with ``write(_:)-([UInt8])`` and complete it with ``end()``.
  /// - Throws: the same errors as ``add(_:_:modified:)``.
  public mutating func begin(_ path: String, modified: Int64? = nil) throws {
    var entry = try newEntry(path, modified)
    // Bit 3: sizes and checksum follow the content.
    entry.flags |= 8
    writeLocalHeader(of: entry)
    deflater.reset()
    open = Open(entry: entry)
    try pass(all: false)
  }

  /// Appends bytes to the current entry.
  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    precondition(open != nil, "no entry has been started")
    open?.checksum.update(bytes)
    open?.size += Int64(bytes.count)
    let old = output.count
    deflater.write(bytes, to: &output)
    open?.entry.compressedSize += Int64(output.count - old)
    try pass(all: false)
  }

  /// Appends bytes to the current entry.
  public mutating func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try write($0) }
  }

  /// Completes the current entry.
  public mutating func end() throws {
    guard let ended = open else { preconditionFailure("no entry has been started") }
    open = nil
    var entry = ended.entry
    let old = output.count
    deflater.finish(to: &output)
    entry.compressedSize += Int64(output.count - old)
    entry.size = ended.size
    entry.crc32 = ended.checksum.value
    output.append32(0x0807_4B50)
    output.append32(entry.crc32)
    if Self.isWide(entry.compressedSize) || Self.isWide(entry.size) {
      output.append64(UInt64(entry.compressedSize))
      output.append64(UInt64(entry.size))
    } else {
      output.append32(UInt32(entry.compressedSize))
      output.append32(UInt32(entry.size))
    }
    note(entry)
    try pass(all: true)
  }

  /// Writes the central directory, which completes the archive.
  public mutating func finish() throws {
    precondition(open == nil && !isFinished, "an entry is incomplete, or the archive is finished")
    isFinished = true
    let start = offset
    let size = Int64(directory.count)
    let count = paths.count
    output += directory
    let isWide = count >= 0xFFFF || Self.isWide(start) || Self.isWide(size)
    if isWide {
      output.append32(0x0606_4B50)
      output.append64(UInt64(ZipLayout.zip64End - 12))
      output.append16(0x0300 | 45)
      output.append16(45)
      output.append32(0)
      output.append32(0)
      output.append64(UInt64(count))
      output.append64(UInt64(count))
      output.append64(UInt64(size))
      output.append64(UInt64(start))
      output.append32(0x0706_4B50)
      output.append32(0)
      output.append64(UInt64(start + size))
      output.append32(1)
    }
    output.append32(0x0605_4B50)
    output.append16(0)
    output.append16(0)
    output.append16(UInt16(min(count, 0xFFFF)))
    output.append16(UInt16(min(count, 0xFFFF)))
    output.append32(UInt32(min(size, 0xFFFF_FFFF)))
    output.append32(UInt32(min(start, 0xFFFF_FFFF)))
    output.append16(0)
    try pass(all: true)
  }
}

extension ZipWriter {
  private mutating func newEntry(_ path: String, _ modified: Int64?) throws(ArchiveError) -> Written {
    precondition(open == nil && !isFinished, "an entry is incomplete, or the archive is finished")
    guard ZipPath.isSafe(path) else { throw .unsafePath(path) }
    guard path.utf8.count <= 0xFFFF else {
      throw .unsupported(entry: path, reason: "its path is longer than 65,535 bytes")
    }
    guard paths.insert(path).inserted else {
      throw .unsupported(entry: path, reason: "the path is already in the archive")
    }
    // Bit 11: the name is UTF-8.
    return Written(
      name: Array(path.utf8), method: path.hasSuffix("/") ? 0 : 8, flags: 0x800, modified: modified, offset: offset)
  }

  private mutating func writeLocalHeader(of entry: Written) {
    // Sizes that follow the content are zero in the header.
    let isKnown = entry.flags & 8 == 0
    let isWide = Self.isWide(entry.compressedSize) || Self.isWide(entry.size)
    var extra: [UInt8] = []
    if isWide {
      extra.append16(1)
      extra.append16(16)
      extra.append64(UInt64(entry.size))
      extra.append64(UInt64(entry.compressedSize))
    }
    Self.append(time: entry.modified, to: &extra)
    output.append32(0x0403_4B50)
    output.append16(isWide ? 45 : 20)
    output.append16(entry.flags)
    output.append16(entry.method)
    output.append32(Self.dosTime(entry.modified))
    output.append32(entry.crc32)
    output.append32(isKnown ? isWide ? 0xFFFF_FFFF : UInt32(entry.compressedSize) : 0)
    output.append32(isKnown ? isWide ? 0xFFFF_FFFF : UInt32(entry.size) : 0)
    output.append16(UInt16(entry.name.count))
    output.append16(UInt16(extra.count))
    output += entry.name
    output += extra
  }

  private mutating func note(_ entry: Written) {
    var wide: [UInt8] = []
    for value in [entry.size, entry.compressedSize, entry.offset] where Self.isWide(value) {
      wide.append64(UInt64(value))
    }
    var extra: [UInt8] = []
    if !wide.isEmpty {
      extra.append16(1)
      extra.append16(UInt16(wide.count))
      extra += wide
    }
    Self.append(time: entry.modified, to: &extra)
    directory.append32(0x0201_4B50)
    // Made on Unix, so that the file mode below applies.
    directory.append16(0x0300 | 45)
    directory.append16(wide.isEmpty ? 20 : 45)
    directory.append16(entry.flags)
    directory.append16(entry.method)
    directory.append32(Self.dosTime(entry.modified))
    directory.append32(entry.crc32)
    directory.append32(UInt32(min(entry.compressedSize, 0xFFFF_FFFF)))
    directory.append32(UInt32(min(entry.size, 0xFFFF_FFFF)))
    directory.append16(UInt16(entry.name.count))
    directory.append16(UInt16(extra.count))
    directory.append16(0)
    directory.append16(0)
    directory.append16(0)
    let isFolder = entry.name.last == UInt8(ascii: "/")
    directory.append32(isFolder ? 0o040755 << 16 | 0x10 : 0o100644 << 16)
    directory.append32(UInt32(min(entry.offset, 0xFFFF_FFFF)))
    directory += entry.name
    directory += extra
  }

  /// Passes output to the sink once there are 64 KiB, or all output if `all` is set.
  private mutating func pass(all: Bool) throws {
    guard all && !output.isEmpty || output.count >= 64 << 10 else {
      return
    }
    offset += Int64(output.count)
    let bytes = output
    output.removeAll(keepingCapacity: false)
    try sink(bytes)
  }

  private static func isWide(_ value: Int64) -> Bool { value >= 0xFFFF_FFFF }

  private static func append(time: Int64?, to extra: inout [UInt8]) {
    guard let time, let seconds = Int32(exactly: time) else { return }
    extra.append16(0x5455)
    extra.append16(5)
    extra.append(1)
    extra.append32(UInt32(bitPattern: seconds))
  }

  /// Returns a timestamp in DOS format: UTC, 1980 to 2107, in steps of two seconds. Returns 1 January 1980 if the
  /// timestamp is missing or out of range.
  private static func dosTime(_ modified: Int64?) -> UInt32 {
    guard let modified, (315_532_800..<4_354_819_200).contains(modified) else { return 0x0021_0000 }
    let (day, second) = modified.quotientAndRemainder(dividingBy: 86_400)
    // Convert days to a date using eras of 400 years that begin on 1 March (Hinnant, "chrono-compatible date
    // algorithms").
    let shifted = day + 719_468
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + shifted / 146_097 * 400 + (month <= 2 ? 1 : 0)
    let date = UInt32(year - 1980) << 9 | UInt32(month) << 5 | UInt32(dayOfMonth)
    return date << 16 | UInt32(second / 3600) << 11 | UInt32(second / 60 % 60) << 5 | UInt32(second % 60 / 2)
  }
}

// Not `Sendable`, because the sink closure is not.
@available(*, unavailable)
extension ZipWriter: Sendable {}
