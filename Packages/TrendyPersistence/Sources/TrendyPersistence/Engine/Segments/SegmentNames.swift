/// How rows are found by name in a segment: pieces of 64 bytes, a line of the processor's cache, with the places of twelve rows
/// each and a byte of the hash of their names, so that one look says where to look (docs/format.md, "Segment").
enum SegmentNames {
  static let pieceBytes = 64
  static let rowsInPiece = 12
  /// Behind the places, 4 bytes each: a byte of the hash for each.
  private static let marksAt = 48
  /// Behind them: how many rows the piece has; a full one may have sent others on to the next.
  private static let countAt = 60

  /// About four fifths full.
  static func pieces(for rows: Int) -> Int { rows == 0 ? 0 : rows * 5 / 48 + 1 }

  /// Where a name is looked for first.
  @inline(__always) static func piece(_ hash: UInt32, of count: Int) -> Int {
    Int((UInt64(hash) &* UInt64(count)) &>> 32)
  }

  /// All pieces.
  /// - Parameters:
  ///   - hashes: of the names of rows.
  ///   - places: where the same rows begin, divided by 8.
  static func encoded(
    _ hashes: UnsafeBufferPointer<UInt32>, places: UnsafeBufferPointer<UInt32>
  ) -> RecordMemory {
    let count = pieces(for: hashes.count)
    let memory = RecordMemory(zeroed: count * pieceBytes)
    for (row, hash) in hashes.enumerated() {
      var piece = piece(hash, of: count)
      while memory.base.load(fromByteOffset: piece * pieceBytes + countAt, as: UInt8.self) == rowsInPiece {
        piece = piece + 1 == count ? 0 : piece + 1
      }
      let base = memory.base + piece * pieceBytes
      let before = Int(base.load(fromByteOffset: countAt, as: UInt8.self))
      base.storeBytes(of: places[row].littleEndian, toByteOffset: before * 4, as: UInt32.self)
      base.storeBytes(of: UInt8(truncatingIfNeeded: hash), toByteOffset: marksAt + before, as: UInt8.self)
      base.storeBytes(of: UInt8(before + 1), toByteOffset: countAt, as: UInt8.self)
    }
    return memory
  }

  /// What one piece says of a hash.
  struct Look {
    private let base: UnsafeRawPointer
    /// A high bit for each place that may have the name, eight places at a time.
    private var marks: UInt64
    private var laterMarks: UInt64
    private var offset = 0
    /// Whether the next piece may have it too.
    let goesOn: Bool

    @inline(__always) init(_ base: UnsafeRawPointer, hash: UInt32) {
      self.base = base
      let wanted = UInt64(hash & 0xFF) &* 0x0101_0101_0101_0101
      marks = zeroBytes(word(base, SegmentNames.marksAt) ^ wanted)
      // Four marks, the count and zeros.
      laterMarks = zeroBytes(word(base, SegmentNames.marksAt + 8) ^ wanted) & 0x8080_8080
      goesOn = base.load(fromByteOffset: SegmentNames.countAt, as: UInt8.self) == SegmentNames.rowsInPiece
    }

    /// Offset, divided by 8, of the next row that may have the name; 0 where the place is empty. The caller compares the row's name.
    @inline(__always) mutating func next() -> Int? {
      if marks == 0 {
        guard laterMarks != 0 else { return nil }
        (marks, laterMarks, offset) = (laterMarks, 0, 8)
      }
      let index = offset + marks.trailingZeroBitCount >> 3
      marks &= marks &- 1
      return Int(half(base, index * 4))
    }
  }
}
