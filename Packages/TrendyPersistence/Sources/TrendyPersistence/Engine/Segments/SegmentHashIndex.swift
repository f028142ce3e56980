/// Hash index of a segment, with buckets of 64 bytes, one cache line each (docs/format.md, "Segment").
///
/// A bucket contains the offsets and one hash byte of up to twelve rows, so finding a row usually takes one memory
/// access.
enum SegmentHashIndex {
  static let pieceBytes = 64
  static let rowsInPiece = 12
  /// Offset of the hash bytes in a bucket, after twelve row offsets of 4 bytes each.
  private static let marksAt = 48
  /// Offset of the row count in a bucket. Rows that do not fit into a full bucket are stored in the following buckets.
  private static let countAt = 60

  /// Returns the number of buckets for a number of rows. Buckets are about four fifths full on average.
  static func pieces(for rows: Int) -> Int { rows == 0 ? 0 : rows * 5 / 48 + 1 }

  @inline(__always) static func piece(_ hash: UInt32, of count: Int) -> Int {
    Int((UInt64(hash) &* UInt64(count)) &>> 32)
  }

  /// Builds all buckets. `hashes` contains the hash of each row's kind and key, `places` the row's offset divided by 8.
  static func encoded(
    _ hashes: UnsafeBufferPointer<UInt32>, places: UnsafeBufferPointer<UInt32>
  ) -> RowMemory {
    let count = pieces(for: hashes.count)
    let memory = RowMemory(zeroed: count * pieceBytes)
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

  struct Probe {
    private let base: UnsafeRawPointer
    /// High bits for the matching hash bytes among the first eight rows. ``laterMarks`` covers the other four rows.
    private var marks: UInt64
    private var laterMarks: UInt64
    private var offset = 0
    /// Whether this bucket is full, so that the search continues in the next bucket.
    let goesOn: Bool

    @inline(__always) init(_ base: UnsafeRawPointer, hash: UInt32) {
      self.base = base
      let wanted = UInt64(hash & 0xFF) &* 0x0101_0101_0101_0101
      marks = zeroBytes(word(base, SegmentHashIndex.marksAt) ^ wanted)
      // The word contains four hash bytes, the row count, and zeros.
      laterMarks = zeroBytes(word(base, SegmentHashIndex.marksAt + 8) ^ wanted) & 0x8080_8080
      goesOn = base.load(fromByteOffset: SegmentHashIndex.countAt, as: UInt8.self) == SegmentHashIndex.rowsInPiece
    }

    /// Returns the offset of the next candidate divided by 8, 0 for an unused slot, or `nil` after the last candidate.
    /// The caller compares the key.
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
