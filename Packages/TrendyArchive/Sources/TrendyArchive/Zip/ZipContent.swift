/// Content of an entry, read as a stream.
///
/// Uses about 110 KiB of memory. Size and checksum are verified at the end, so the content is valid only after
/// ``read(into:)`` has returned 0.
public struct ZipContent: ~Copyable, @unchecked Sendable {
  // Sendable: the buffer is accessible only through this value, which is never copied.
  private let entry: ZipEntry
  private let source: any ArchiveSource
  private let limits: ArchiveLimits
  private let buffer: UnsafeMutableRawBufferPointer
  private var offset: Int64
  private let end: Int64
  private var bufferStart = 0
  private var bufferEnd = 0
  private var inflater: Inflater?
  private var checksum = CRC32()
  private var given: Int64 = 0
  private var taken: Int64 = 0
  private var isFinished = false

  init(of entry: ZipEntry, in source: any ArchiveSource, limits: ArchiveLimits) throws(ArchiveError) {
    guard !entry.isEncrypted else { throw .encrypted(entry: entry.path) }
    switch entry.kind {
    case .file: break
    case .directory: throw .unsupported(entry: entry.path, reason: "it is a folder")
    case .symbolicLink: throw .unsupported(entry: entry.path, reason: "it is a link to another file")
    }
    let isDeflated: Bool
    switch entry.method {
    case .stored: isDeflated = false
    case .deflate: isDeflated = true
    case .other(let number):
      throw .unsupported(
        entry: entry.path,
        reason: "its compression (\(Self.methodNames[number] ?? "method \(number)")) is neither deflate nor none")
    }
    let start = try Self.contentOffset(of: entry, in: source)
    guard isDeflated || entry.compressedSize == entry.size else {
      throw .damaged(entry: entry.path, reason: "it is not compressed, but its two sizes differ")
    }
    self.entry = entry
    self.source = source
    self.limits = limits
    offset = start
    end = start + entry.compressedSize
    inflater = isDeflated ? Inflater(.raw) : nil
    buffer = .allocate(byteCount: 64 << 10, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Reads the next bytes of the content.
  /// - Returns: number of bytes, which is 0 only at the end, after size and checksum have been verified.
  /// - Throws: ``ArchiveError``, after which no further reads are possible.
  public mutating func read(into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    precondition(output.count > 0, "empty buffer")
    while !isFinished {
      if bufferStart == bufferEnd { try refill() }
      let count = inflater == nil ? copy(into: output) : try inflate(into: output)
      given += Int64(count)
      try limits.check(entry: entry.path, given: given, taken: taken)
      guard given <= entry.size || !entry.isZip64 && entry.method == .deflate else {
        throw .damaged(
          entry: entry.path, reason: "it contains more than the \(entry.size) bytes listed in the directory")
      }
      if count > 0 {
        checksum.update(UnsafeRawBufferPointer(rebasing: output[..<count]))
        return count
      }
      if inflater?.isFinished ?? (offset == end && bufferStart == bufferEnd) { try finish() }
    }
    return 0
  }
}

extension ZipContent {
  private mutating func refill() throws(ArchiveError) {
    let wanted = Int(min(end - offset, Int64(buffer.count)))
    bufferStart = 0
    bufferEnd = 0
    guard wanted > 0 else { return }
    bufferEnd = try source.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
    guard bufferEnd == wanted else {
      throw .truncated(entry: entry.path, reason: "the archive ends within it")
    }
    offset += Int64(wanted)
  }

  private mutating func copy(into output: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(output.count, bufferEnd - bufferStart)
    guard count > 0 else { return 0 }
    output.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[bufferStart..<(bufferStart + count)]))
    bufferStart += count
    taken += Int64(count)
    return count
  }

  private mutating func inflate(into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    let input = UnsafeRawBufferPointer(rebasing: buffer[bufferStart..<bufferEnd])
    do throws(ArchiveError) {
      guard let progress = try inflater?.inflate(input, into: output) else { return 0 }
      bufferStart += progress.taken
      taken += Int64(progress.taken)
      if progress.given == 0, inflater?.isFinished == false, bufferStart == bufferEnd, offset == end {
        throw .truncated(entry: entry.path, reason: "its compressed data is incomplete")
      }
      return progress.given
    } catch .damaged(nil, let reason) {
      throw .damaged(entry: entry.path, reason: reason)
    }
  }

  private mutating func finish() throws(ArchiveError) {
    guard taken == entry.compressedSize else {
      throw .damaged(
        entry: entry.path, reason: "its compressed data ends after \(taken) of \(entry.compressedSize) bytes")
    }
    guard given == entry.size || !entry.isZip64 && given & 0xFFFF_FFFF == entry.size else {
      throw .damaged(
        entry: entry.path, reason: "it contains \(given) bytes, but the directory lists \(entry.size)")
    }
    guard checksum.value == entry.crc32 else { throw .damaged(entry: entry.path, reason: "its checksum is wrong") }
    isFinished = true
  }

  private static let methodNames: [UInt16: String] = [
    1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "LZMA", 20: "Zstandard", 93: "Zstandard", 95: "XZ",
    96: "JPEG", 98: "PPMd", 99: "encrypted with AES",
  ]

  private static func contentOffset(of entry: ZipEntry, in source: any ArchiveSource) throws(ArchiveError) -> Int64 {
    let header = try ZipDirectory.bytes(entry.headerOffset, Int(ZipLayout.localHeader), of: source)
    guard header.count == Int(ZipLayout.localHeader), header.uint32(at: 0) == 0x0403_4B50 else {
      throw .damaged(entry: entry.path, reason: "the local header is missing")
    }
    let listed = try ZipDirectory.bytes(entry.directoryOffset, ZipLayout.directoryHeader, of: source)
    let nameLength = Int(header.uint16(at: 26))
    let extraLength = Int(header.uint16(at: 28))
    let texts = try ZipDirectory.bytes(
      entry.headerOffset + ZipLayout.localHeader, nameLength + extraLength, of: source)
    let listedName = try ZipDirectory.bytes(
      entry.directoryOffset + Int64(ZipLayout.directoryHeader), Int(listed.uint16(at: 28)), of: source)
    guard texts.count == nameLength + extraLength, listedName.elementsEqual(texts.prefix(nameLength)) else {
      throw .damaged(entry: entry.path, reason: "the name differs between the local header and the central directory")
    }
    let flags = header.uint16(at: 6)
    guard flags & 0x2041 == 0 else { throw .encrypted(entry: entry.path) }
    guard header.uint16(at: 8) == listed.uint16(at: 10) else {
      throw .damaged(
        entry: entry.path, reason: "the compression method differs between the local header and the central directory")
    }
    // Bit 3: the writer did not know the sizes in advance and wrote them after the content.
    if flags & 8 == 0 {
      var sizes = ZipSizes(compressed: header.uint32(at: 18), size: header.uint32(at: 22))
      guard sizes.widen(by: Array(texts.dropFirst(nameLength))), sizes.compressed == entry.compressedSize,
        sizes.size == entry.size, header.uint32(at: 14) == entry.crc32
      else {
        throw .damaged(entry: entry.path, reason: "the sizes differ between the local header and the central directory")
      }
    }
    let start = entry.headerOffset + ZipLayout.localHeader + Int64(nameLength + extraLength)
    guard start <= source.count - entry.compressedSize else {
      throw .truncated(entry: entry.path, reason: "the archive ends within it")
    }
    return start
  }
}
