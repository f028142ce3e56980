/// XXH64 checksums (Y. Collet, xxHash specification 0.1.1).
///
/// Checksums detect disk errors and interrupted writes, but not forgery.
public enum Checksum: Sendable {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// Returns the XXH64 hash of the bytes.
  /// - Parameters:
  ///   - bytes: input of any length, including zero.
  ///   - seed: seed of the hash. Groups and pages use a value that depends on their file, so that bytes copied to
  ///     another file do not match.
  public static func xxh64(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    let count = bytes.count
    guard count > 0, let base = bytes.baseAddress else { return avalanche(seed &+ prime5) }
    var position = 0
    var hash: UInt64
    if count >= 32 {
      var lane1 = seed &+ prime1 &+ prime2
      var lane2 = seed &+ prime2
      var lane3 = seed
      var lane4 = seed &- prime1
      while position &+ 32 <= count {
        lane1 = round(lane1, word(base, position))
        lane2 = round(lane2, word(base, position &+ 8))
        lane3 = round(lane3, word(base, position &+ 16))
        lane4 = round(lane4, word(base, position &+ 24))
        position &+= 32
      }
      hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
      hash = merge(merge(merge(merge(hash, lane1), lane2), lane3), lane4)
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(count)
    while position &+ 8 <= count {
      hash = rotate(hash ^ round(0, word(base, position)), 27) &* prime1 &+ prime4
      position &+= 8
    }
    if position &+ 4 <= count {
      let half = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt32.self))
      hash = rotate(hash ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
      position &+= 4
    }
    while position < count {
      hash = rotate(hash ^ UInt64(base.load(fromByteOffset: position, as: UInt8.self)) &* prime5, 11) &* prime1
      position &+= 1
    }
    return avalanche(hash)
  }

  /// Returns the XXH64 hash of the UTF-8 bytes of a string.
  public static func xxh64(_ text: String, seed: UInt64 = 0) -> UInt64 {
    var text = text
    return text.withUTF8 { xxh64(UnsafeRawBufferPointer($0), seed: seed) }
  }

  @inline(__always) private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always) private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &<< bits | value &>> (64 &- bits)
  }

  @inline(__always) private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ input &* prime2, 31) &* prime1
  }

  @inline(__always) private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  private static func avalanche(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash = (hash ^ hash &>> 33) &* prime2
    hash = (hash ^ hash &>> 29) &* prime3
    return hash ^ hash &>> 32
  }
}
