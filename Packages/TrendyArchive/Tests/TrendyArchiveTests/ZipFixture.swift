import TrendyArchive

/// ZIP archive whose fields can be falsified.
struct ZipFixture {
  struct Entry {
    var name: [UInt8]
    var content: [UInt8]
    var method: UInt16 = 0
    var flags: UInt16 = 0
    var madeOn: UInt8 = 3
    var mode: UInt32 = 0o100644
    var extra: [UInt8] = []
    /// Falsified values in the central directory.
    var size: UInt32?
    var compressedSize: UInt32?
    var crc32: UInt32?
    /// Falsified values in the local header only.
    var localName: [UInt8]?
    var localSize: UInt32?
    /// Falsified offset in the central directory.
    var offset: UInt32?

    init(_ name: String, _ content: String = "content") {
      self.name = Array(name.utf8)
      self.content = Array(content.utf8)
    }
  }

  var entries: [Entry]
  /// Bytes before the archive. Offsets do not include them.
  var prefix: [UInt8] = []
  var comment: [UInt8] = []
  var disk: UInt16 = 0
  var count: UInt16?

  init(_ entries: [Entry]) { self.entries = entries }

  init(_ entry: Entry, _ change: (inout Entry) -> Void) {
    var entry = entry
    change(&entry)
    entries = [entry]
  }

  var bytes: [UInt8] {
    var out: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let data = entry.method == 8 ? Deflater.compress(entry.content, as: .raw) : entry.content
      let crc = entry.crc32 ?? CRC32(of: entry.content).value
      let offset = entry.offset ?? UInt32(out.count)
      let name = entry.localName ?? entry.name
      let isStreamed = entry.flags & 8 != 0
      out += Self.le(0x0403_4B50, 4) + Self.le(20, 2) + Self.le(UInt32(entry.flags), 2)
      out += Self.le(UInt32(entry.method), 2) + Self.le(0x0021_0000, 4) + Self.le(isStreamed ? 0 : crc, 4)
      out += Self.le(isStreamed ? 0 : entry.compressedSize ?? UInt32(data.count), 4)
      out += Self.le(isStreamed ? 0 : entry.localSize ?? entry.size ?? UInt32(entry.content.count), 4)
      out += Self.le(UInt32(name.count), 2) + Self.le(0, 2) + name + data
      if isStreamed {
        out += Self.le(0x0807_4B50, 4) + Self.le(crc, 4) + Self.le(UInt32(data.count), 4)
        out += Self.le(UInt32(entry.content.count), 4)
      }
      directory += Self.le(0x0201_4B50, 4) + [45, entry.madeOn] + Self.le(20, 2) + Self.le(UInt32(entry.flags), 2)
      directory += Self.le(UInt32(entry.method), 2) + Self.le(0x0021_0000, 4) + Self.le(crc, 4)
      directory += Self.le(entry.compressedSize ?? UInt32(data.count), 4)
      directory += Self.le(entry.size ?? UInt32(entry.content.count), 4)
      directory += Self.le(UInt32(entry.name.count), 2) + Self.le(UInt32(entry.extra.count), 2) + Self.le(0, 2)
      directory += Self.le(0, 2) + Self.le(0, 2) + Self.le(entry.mode << 16, 4) + Self.le(offset, 4)
      directory += entry.name + entry.extra
    }
    let start = out.count
    out += directory
    out += Self.le(0x0605_4B50, 4) + Self.le(UInt32(disk), 2) + Self.le(0, 2)
    out += Self.le(UInt32(count ?? UInt16(entries.count)), 2) + Self.le(UInt32(count ?? UInt16(entries.count)), 2)
    out += Self.le(UInt32(directory.count), 4) + Self.le(UInt32(start), 4) + Self.le(UInt32(comment.count), 2) + comment
    return prefix + out
  }

  static func le(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }
}

/// Source of many gigabytes of zeros that contains some data.
struct SparseSource: ArchiveSource {
  var count: Int64
  var parts: [(offset: Int64, bytes: [UInt8])]

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let length = Int(max(0, min(Int64(buffer.count), count - offset)))
    for index in 0..<length { buffer[index] = 0 }
    for part in parts {
      let from = max(offset, part.offset)
      let to = min(offset + Int64(length), part.offset + Int64(part.bytes.count))
      guard from < to else { continue }
      for place in from..<to { buffer[Int(place - offset)] = part.bytes[Int(place - part.offset)] }
    }
    return length
  }
}
