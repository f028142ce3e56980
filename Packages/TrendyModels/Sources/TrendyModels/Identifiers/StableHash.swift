/// SHA-256 (FIPS 180-4), for values that must be equal on all devices.
public enum StableHash: Sendable {
  /// Returns the 32-byte digest of a message.
  public static func sha256(_ message: [UInt8]) -> [UInt8] {
    bytes(of: message.withUnsafeBytes { sha256($0) })
  }

  static func bytes(of words: SIMD8<UInt32>) -> [UInt8] {
    words.indices.flatMap { index in
      (0..<4).map { UInt8(truncatingIfNeeded: words[index] >> UInt32(24 - 8 * $0)) }
    }
  }

  /// Returns the digest as eight big-endian words.
  public static func sha256(_ message: UnsafeRawBufferPointer) -> SIMD8<UInt32> {
    var state = initialState
    finish(&state, message, after: 0)
    return state
  }

  static var initialState: SIMD8<UInt32> {
    SIMD8(0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
  }

  /// Adds whole blocks of a message to the state.
  static func add(_ message: UnsafeRawBufferPointer, to state: inout SIMD8<UInt32>) {
    rounds.withUnsafeBufferPointer { rounds in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { schedule in
        for block in stride(from: 0, to: message.count, by: blockBytes) {
          compress(&state, UnsafeRawBufferPointer(rebasing: message[block..<block + blockBytes]), schedule, rounds)
        }
      }
    }
  }

  /// Adds the last part of a message, the padding and the length. On return, `state` is the digest.
  ///
  /// `before` is the number of bytes added earlier, a multiple of ``blockBytes``.
  static func finish(_ state: inout SIMD8<UInt32>, _ message: UnsafeRawBufferPointer, after before: Int) {
    let whole = message.count & -blockBytes
    let rest = message.count - whole
    add(UnsafeRawBufferPointer(rebasing: message[..<whole]), to: &state)
    rounds.withUnsafeBufferPointer { rounds in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { schedule in
        // Padding: the remaining bytes, a one bit, zeros and the message length in bits.
        withUnsafeTemporaryAllocation(byteCount: 2 * blockBytes, alignment: 8) { tail in
          let count = rest < blockBytes - 8 ? blockBytes : 2 * blockBytes
          tail.initializeMemory(as: UInt8.self, repeating: 0)
          tail.copyMemory(from: UnsafeRawBufferPointer(rebasing: message[whole...]))
          tail[rest] = 0x80
          tail.storeBytes(of: (UInt64(before + message.count) * 8).bigEndian, toByteOffset: count - 8, as: UInt64.self)
          for block in stride(from: 0, to: count, by: blockBytes) {
            compress(
              &state, UnsafeRawBufferPointer(rebasing: tail[block..<block + blockBytes]), schedule, rounds)
          }
        }
      }
    }
  }

  static let blockBytes = 64

  /// Adds one block to the state.
  ///
  /// The 64 rounds run in groups of eight. From the third group on, each group first computes its words of the
  /// schedule, so that only 16 words are stored at a time.
  private static func compress(
    _ state: inout SIMD8<UInt32>, _ block: UnsafeRawBufferPointer, _ schedule: UnsafeMutableBufferPointer<UInt32>,
    _ rounds: UnsafeBufferPointer<UInt32>
  ) {
    guard let words = schedule.baseAddress, let constants = rounds.baseAddress, let bytes = block.baseAddress else {
      preconditionFailure("empty hash block")
    }
    for index in 0..<16 {
      words[index] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    // The next round receives the eight variables in rotated order, which saves rotating them after each round.
    @inline(__always) func round(
      _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
      _ h: inout UInt32, _ index: Int
    ) {
      let s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      let first = h &+ s1 &+ (g ^ e & (f ^ g)) &+ constants[index] &+ words[index & 15]
      let s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      d &+= first
      h = first &+ s0 &+ (a & b | c & (a | b))
    }
    for first in stride(from: 0, to: 64, by: 8) {
      if first >= 16 {
        for index in first..<first + 8 { extend(words, to: index) }
      }
      round(a, b, c, &d, e, f, g, &h, first)
      round(h, a, b, &c, d, e, f, &g, first + 1)
      round(g, h, a, &b, c, d, e, &f, first + 2)
      round(f, g, h, &a, b, c, d, &e, first + 3)
      round(e, f, g, &h, a, b, c, &d, first + 4)
      round(d, e, f, &g, h, a, b, &c, first + 5)
      round(c, d, e, &f, g, h, a, &b, first + 6)
      round(b, c, d, &e, f, g, h, &a, first + 7)
    }
    state &+= SIMD8(a, b, c, d, e, f, g, h)
  }

  /// Replaces a word of the schedule with the word 16 positions later.
  @inline(__always) private static func extend(_ words: UnsafeMutablePointer<UInt32>, to index: Int) {
    let early = words[(index + 1) & 15]
    let late = words[(index + 14) & 15]
    let s0 = rotate(early, 7) ^ rotate(early, 18) ^ early &>> 3
    let s1 = rotate(late, 17) ^ rotate(late, 19) ^ late &>> 10
    words[index & 15] &+= s0 &+ words[(index + 9) & 15] &+ s1
  }

  @inline(__always) private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
  }

  private static let rounds: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
