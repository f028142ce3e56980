/// HMAC-SHA-256 (RFC 2104) of a message that arrives in parts.
public struct MessageAuthenticator: Sendable {
  private var state = StableHash.initialState
  /// Number of bytes hashed into ``state``, a multiple of the block size.
  private var count = 0
  private var rest: [UInt8] = []
  private let outerKey: [UInt8]

  public init(key: [UInt8]) {
    let key = key.count > StableHash.blockBytes ? StableHash.sha256(key) : key
    let padded = key + [UInt8](repeating: 0, count: StableHash.blockBytes - key.count)
    outerKey = padded.map { $0 ^ 0x5C }
    padded.map { $0 ^ 0x36 }.withUnsafeBytes { update($0) }
  }

  /// Adds bytes to the message.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes
    if !rest.isEmpty {
      let missing = min(StableHash.blockBytes - rest.count, bytes.count)
      rest += bytes[..<missing]
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard rest.count == StableHash.blockBytes else { return }
      rest.withUnsafeBytes { StableHash.add($0, to: &state) }
      count += rest.count
      rest = []
    }
    let whole = bytes.count & -StableHash.blockBytes
    StableHash.add(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), to: &state)
    count += whole
    rest = Array(bytes[whole...])
  }

  /// Returns the 32-byte code of the message so far.
  public func code() -> [UInt8] {
    var state = state
    rest.withUnsafeBytes { StableHash.finish(&state, $0, after: count) }
    return StableHash.sha256(outerKey + StableHash.bytes(of: state))
  }

  /// Compares two codes in time that does not depend on the position of the first difference.
  public static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
